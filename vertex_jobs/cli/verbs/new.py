"""``new``: a script and its config that pass ``check`` and run, to go on from.

It never overwrites a file.
"""

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

from vertex_jobs.cli.options import argument, option
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.verb import Verb

#: The name in the templates.
_TEMPLATE_NAME = "NAME"
_NAME = re.compile(r"[A-Za-z_]\w{0,62}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class NewOptions:
    """The options of ``new``."""

    name: str = argument(
        "NAME", "of the script, the config and the job (default: train)", default="train"
    )
    kind: Literal["hyperparameter_tuning_job", "custom_job"] = option(
        "--kind KIND",
        "of the job: hyperparameter_tuning_job or custom_job (default: the first)",
        default="hyperparameter_tuning_job",
    )


def new(options: NewOptions) -> int:
    """Write script and config into the current directory.

    Raises:
        UsageError: If the name is none, or a file is there already; nothing was written.
    """
    name = options.name
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} names no Python script: write letters, digits and _, no digit first"
        )
    templates = resources.files("vertex_jobs") / "scaffold"
    files = {
        Path(f"{name}.py"): templates / "script.py",
        Path(f"{name}.yaml"): templates / f"{options.kind}.yaml",
    }
    taken = [str(path) for path in files if path.exists()]
    if taken:
        verb = "exists" if len(taken) == 1 else "exist"
        raise UsageError(f"{' and '.join(taken)} {verb} here; give another name: new NAME")
    try:
        for path, template in files.items():
            text = template.read_text(encoding="utf-8").replace(_TEMPLATE_NAME, name)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            print_result(str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror})") from error
    say("next:")
    for verb, text in (
        ("check", "mistakes and cost, before it runs"),
        ("run", "on this machine"),
        ("show", "the request that Vertex AI would get"),
    ):
        say(f"  vertex-jobs {verb:<5} {name}.yaml    # {text}")
    return 0


VERB = Verb(
    description="NAME.py and NAME.yaml in the current directory: a small Keras classifier on data "
    "that it makes itself. Nothing is ever overwritten. Running it needs the extra 'train'.",
    examples=("new", "new spirals", "new spirals --kind custom_job"),
    options=NewOptions,
    handler=new,
)
