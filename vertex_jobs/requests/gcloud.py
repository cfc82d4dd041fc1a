"""A job as gcloud takes it: the document of ``--config`` and the command around it, out and in.

For the verb ``show``, and for ``load``, which knows such a file by its keys. The document holds
what gcloud reads from it, numbers as numbers; the rest are flags, which ``--set`` replaces where a
document is read. Nothing of it is dropped: a key that no config can say is a fault.

Source: reference pages "gcloud ai custom-jobs create" and "gcloud ai hp-tuning-jobs create".
"""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.errors import Fault, UnsupportedHereError
from vertex_jobs.job_kinds import CUSTOM_JOB, TUNING_JOB, kind_of_collection
from vertex_jobs.names import SUBMISSION_PLACEHOLDER
from vertex_jobs.requests.bodies import TABLES, read_body
from vertex_jobs.requests.codecs import INT64
from vertex_jobs.requests.places import Request

_GROUPS = {CUSTOM_JOB.collection: "custom-jobs", TUNING_JOB.collection: "hp-tuning-jobs"}
#: By these keys a document is known to be no config.
_KEYS = ("workerPoolSpecs", CUSTOM_JOB.spec_field, TUNING_JOB.spec_field, "studySpec")
#: 64-bit integers, which the API's JSON has as text and people write as numbers.
_WHOLE_NUMBERS = {row.name for row in TABLES[TUNING_JOB.name].rows() if row.codec is INT64}
#: A package where `package_uri` puts it, as such or as a container sees it.
_PACKAGE = re.compile(r"(?:gs://|/gcs/)[^\s'\"]+/vertex-jobs/packages/[^\s'\"]+")
#: The shell's variable that stands for the nonce.
_NONCE = "$SUBMISSION"


@dataclass(frozen=True)
class GcloudForm:
    """One job for gcloud.

    Attributes:
        document: The YAML file of ``--config``, as data, with ``{submission}`` in it.
        flags: What stands outside of it, each a shell word; the nonce is ``$SUBMISSION``.
        group: ``custom-jobs`` or ``hp-tuning-jobs``.
        package_uris: What of ours has to lie in Cloud Storage before.
    """

    document: dict[str, Any]
    flags: tuple[str, ...]
    group: str
    package_uris: tuple[str, ...]


def gcloud_form(request: Request) -> GcloudForm:
    """Return what gcloud needs to send this request.

    Raises:
        UnsupportedHereError: If the request is a training pipeline's.
    """
    group = _GROUPS.get(request.collection)
    if group is None:
        raise UnsupportedHereError(
            "gcloud has no command that creates a training pipeline; show it as json or yaml, or "
            "write kind: custom_job, which trains without uploading a model"
        )
    body = dict(request.body)
    flags = [f"--display-name={shlex.quote(body.pop('displayName'))}"]
    pairs = [f"{key}={value}" for key, value in body.pop("labels", {}).items()]
    if pairs:
        text = ",".join(pairs).replace(SUBMISSION_PLACEHOLDER, _NONCE)
        flags.append(f'--labels="{text}"')
    key = body.pop("encryptionSpec", None)
    if key is not None:
        flags.append(f"--kms-key={key['kmsKeyName']}")
    _, project, _, location = request.parent.split("/")
    flags = [f"--region={location}", *([f"--project={project}"] if project else []), *flags]
    kind = kind_of_collection(request.collection)
    spec = body[kind.spec_field]
    document = body if kind is TUNING_JOB else spec
    uris = [uri.replace("/gcs/", "gs://", 1) for uri in _PACKAGE.findall(json.dumps(spec))]
    return GcloudForm(_with_numbers(document), tuple(flags), group, tuple(dict.fromkeys(uris)))


def read_gcloud_form(written: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fault]] | None:
    """Return the keys of a config and the faults of what none can say; None for a config.

    What is read is a CustomJobSpec, as for ``gcloud ai custom-jobs create``, or a
    HyperparameterTuningJob, as for ``gcloud ai hp-tuning-jobs create``.
    """
    if "kind" in written or not any(key in written for key in _KEYS):
        return None
    return read_body(written)


def _with_numbers(node: Any, key: str = "") -> Any:
    if isinstance(node, dict):
        return {name: _with_numbers(value, name) for name, value in node.items()}
    if isinstance(node, list):
        return [_with_numbers(value) for value in node]
    return int(node) if key in _WHOLE_NUMBERS and isinstance(node, str) else node
