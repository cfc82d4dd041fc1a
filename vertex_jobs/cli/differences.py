"""``show --diff JOB``: the request of a config beside the resource of a job that ran.

Both are the API's JSON, keys in order, without what the service says about a job and what is drawn
for each submission.
"""

import difflib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.options import option_error
from vertex_jobs.cli.tables import as_yaml
from vertex_jobs.cli.terminal import console, print_result, say
from vertex_jobs.names import CONTENT_LABEL, SUBMISSION_LABEL, SUBMISSION_PLACEHOLDER, ResourceName

if TYPE_CHECKING:
    from vertex_jobs.client import Snapshot
    from vertex_jobs.requests import Request

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_difference(snapshot: "Snapshot", request: "Request", job: str, config: str) -> int:
    """Print what differs, as ``diff -u`` does, and return 1 if something does.

    The texts ``job`` and ``config`` name the two sides.

    Raises:
        InvalidJobError: If the job is of another kind.
    """
    collection = ResourceName.parse(snapshot.name).collection
    if collection != request.collection:
        rule = f"is one of the {collection}, and the config one of the {request.collection}"
        raise option_error("--diff", job, rule, "name a job of the config's kind")
    lines = difference(snapshot.resource, request.body, snapshot.name, config)
    if not lines:
        say(f"the same as {snapshot.name}")
        return 0
    if sys.stdout.isatty():
        from rich.text import Text

        screen = console(sys.stdout)
        for line in lines:
            screen.print(Text(line, style=_COLOURS.get(line[:1], "")))
    else:
        print_result("\n".join(lines))
    return 1


def difference(
    resource: Mapping[str, Any], body: Mapping[str, Any], job: str, config: str
) -> list[str]:
    """Return the unified diff from a job's resource to a request's body; no lines if equal."""
    from vertex_jobs.requests import inputs_of

    nonce = resource.get("labels", {}).get(SUBMISSION_LABEL, "")
    forms = (_comparable(inputs_of(resource), nonce), _comparable(body, ""))
    sent, new = (as_yaml(form, sort_keys=True).splitlines() for form in forms)
    names = (f"{job} (was sent)", f"{config} (would be)")
    return list(difflib.unified_diff(sent, new, *names, lineterm=""))


def _comparable(node: Any, nonce: str) -> Any:
    if isinstance(node, Mapping):
        ours = (SUBMISSION_LABEL, CONTENT_LABEL)
        return {key: _comparable(value, nonce) for key, value in node.items() if key not in ours}
    if isinstance(node, list):
        return [_comparable(item, nonce) for item in node]
    if isinstance(node, str) and nonce:
        return node.replace(nonce, SUBMISSION_PLACEHOLDER)
    if isinstance(node, float) and node.is_integer():
        return int(node)  # a pipeline's inputs come back with every number as a double
    return node
