"""Writes ``docs/reference/config.md`` and the published schema of configs.

    python tests/docs/config_pages.py

Keys, types, defaults and texts come from the models; what a key becomes is asked of the request:
the fields that differ when the key is written. So the page cannot say what the code does not do.
"""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import config_samples

from vertex_jobs.packaging import Package
from vertex_jobs.requests import Place, build
from vertex_jobs.spec import from_mapping, json_schema
from vertex_jobs.spec.kinds import KINDS
from vertex_jobs.spec.schema import PUBLISHED, published_text

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "config.md"

PLACE = Place("p", "us-central1", "gs://bucket")
PACKAGE = Package("task", "0123456789ab", "task-0.1.0.tar.gz", (), ())
BASIC: dict[str, Any] = {"display_name": "job", "script_path": "trial_scripts/digits_mlp.py"}
STUDY: dict[str, Any] = {
    **BASIC,
    "metric_spec": {"accuracy": "maximize"},
    "parameter_spec": {"rate": {"type": "double", "min": 0.1, "max": 1}},
    "max_trial_count": 4,
    "parallel_trial_count": 2,
}
BASES = {
    "custom_job": BASIC,
    "custom_training_job": BASIC,
    "hyperparameter_tuning_job": STUDY,
}
SAMPLES = {
    "custom_job": config_samples.COMMON,
    "custom_training_job": config_samples.TRAINING,
    "hyperparameter_tuning_job": config_samples.STUDY,
}

INTRODUCTION = """\
# The config: every key

*This page is generated (`python tests/docs/config_pages.py`); a test fails when it is out of date.*

A config is YAML. `kind` says what it describes; the other keys have the names of the SDK's
arguments, and of the API's fields where the SDK has none. The column *becomes* names the fields of
the request that a key changes, in the API's JSON form (v1). There `…` stands for the job's spec:
`jobSpec` in a custom job, `trainingTaskInputs` in a training pipeline, `trialJobSpec` in a study;
`…pool` is a worker pool in it. An unknown key, a wrong value and a combination that cannot work are
faults, all told at once, each with file and line; nothing is submitted then.

The JSON Schema is `vertex_jobs/spec/config.schema.json`, and `vertex-jobs show --schema` prints it.
With this first line, an editor with a YAML language server completes and checks a config:

    # yaml-language-server: $schema=config.schema.json

How configs are laid over each other is in [Compose configs](../how-to/compose-configs.md).

There are three ways to say what runs: `script_path`, a script or package that travels;
`python_package_gcs_uri`, packages that lie in Cloud Storage already; `container_uri` with `command`
and `args`, an image's own program.

`accelerator: T4:2` stands for `machine_type`, `accelerator_type` and `accelerator_count`. It
chooses the default machine, n1-standard-4, where that takes so many, else the one with the fewest
vCPUs, then the least memory; a `machine_type` that is given stays. `accelerator: v5e:2x4` is a TPU,
by generation and topology. With `cpus` or `memory_gb` the machine is the cheapest by list price
that has so much, and `check` names it and the next; a `machine_type` that is given must have it.
"""


def fields_of(body: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every leaf of a request, lists without numbers."""
    if isinstance(body, Mapping):
        for name, value in body.items():
            yield from fields_of(value, f"{path}.{name}" if path else name)
    elif isinstance(body, list):
        for value in body:
            yield from fields_of(value, f"{path}[]")
    else:
        yield path, json.dumps(body)


def leaves(kind: str, written: Mapping[str, Any]) -> dict[str, list[str]]:
    """The leaves of the request of a config, values in order."""
    job = from_mapping({"kind": kind, **written}, source="sample", base_directory=ROOT)
    package = PACKAGE if job.script_path is not None else None
    found: dict[str, list[str]] = {}
    for path, value in fields_of(build(job, package, PLACE).body):
        if "vertex-jobs-content" not in path:
            found.setdefault(path, []).append(value)
    return found


def becomes(kind: str, key: str, value: Any, beside: Mapping[str, Any], pool: bool) -> list[str]:
    """The fields of the request that change with a key.

    Args:
        kind: Of the config.
        key: The key.
        value: Its value.
        beside: Keys that it needs.
        pool: Whether the key is one of a pool.
    """
    without = {name: one for name, one in beside.items() if one is not None}
    base = {name: one for name, one in BASES[kind].items() if beside.get(name, one) is not None}
    if pool:
        before = {**base, "worker_pools": {"chief": {}, "workers": without}}
        after = {**base, "worker_pools": {"chief": {}, "workers": {**without, key: value}}}
    else:
        before, after = base | without, base | without | {key: value}
        if key == "script_path":
            before = BASES[kind]
            del after["script_path"]
    old, new = leaves(kind, before), leaves(kind, after)
    changed = [path for path in new | old if new.get(path) != old.get(path)]
    return _shortened(changed)


def _shortened(paths: Iterable[str]) -> list[str]:
    """Paths without the prefix of the kind, many below one as that one."""
    short: list[str] = []
    for path in paths:
        own = re.sub(r"^(jobSpec|trialJobSpec|trainingTaskInputs)\b", "…", path)
        own = own.replace("….workerPoolSpecs[].", "…pool.")
        short.append(re.sub(r"(labels|env\[\])\..*", r"\1", own))
    unique = list(dict.fromkeys(short))
    while len(unique) > 3:
        depth = max(path.count(".") for path in unique)
        if depth == 0:
            break
        unique = list(
            dict.fromkeys(
                path.rpartition(".")[0] if path.count(".") == depth else path for path in unique
            )
        )
    return unique


def type_of(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """A type in words."""
    if "anyOf" in schema or "oneOf" in schema:
        choices = schema.get("anyOf") or schema["oneOf"]
        words = [type_of(one, definitions) for one in choices if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(words))
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(f"`{value}`" for value in values)
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join({"number": "number", "string": "text"}[one] for one in kind)
    if kind == "array":
        return f"list of {type_of(schema.get('items', {}), definitions)}"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return (
            f"mapping to {type_of(values, definitions)}" if isinstance(values, dict) else "mapping"
        )
    if kind in ("integer", "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        limits = f" from {low}" if low is not None else ""
        if "exclusiveMinimum" in schema:
            limits = f" above {schema['exclusiveMinimum']}"
        limits += f" to {high}" if high is not None and high < 2**31 - 1 else ""
        return ("whole number" if kind == "integer" else "number") + limits
    return {"string": "text", "boolean": "true or false"}.get(kind, kind)


def default_of(name: str, schema: Mapping[str, Any], required: Iterable[str]) -> str:
    if name in required:
        return "**required**"
    default = schema.get("default")
    return (
        "" if default is None or isinstance(default, (list, dict)) else f"`{json.dumps(default)}`"
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def rows_of(
    kind: str, schema: Mapping[str, Any], samples: Mapping[str, Any], pool: bool = False
) -> Iterator[tuple[str, ...]]:
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        what = (
            f"`{name}`",
            type_of(field, schema.get("$defs", {})),
            default_of(name, field, required),
            field.get("description", ""),
        )
        if name in config_samples.NOT_SENT and not pool:
            yield (*what, f"*not sent: {config_samples.NOT_SENT[name]}*")
        elif name in samples:
            value, beside = samples[name]
            fields = becomes(kind, name, value, beside, pool)
            if not fields:
                raise LookupError(f"{name} changes nothing in the request")
            yield (*what, ", ".join(f"`{path}`" for path in fields))
        else:
            raise LookupError(f"add a sample of {name} to tests/docs/config_samples.py")


def keys() -> Iterator[str]:
    """The keys of the three kinds."""
    head = ("key", "type", "default", "what it is", "becomes")
    common = json_schema("custom_job")
    common["properties"]["kind"] = {"enum": list(KINDS), "description": "What the config is."}
    yield "## Keys of every kind\n"
    yield from table(head, rows_of("custom_job", common, config_samples.COMMON))
    for kind, title in (
        ("custom_training_job", "custom_training_job: more keys"),
        ("hyperparameter_tuning_job", "hyperparameter_tuning_job: more keys"),
    ):
        schema = json_schema(kind)
        own = {
            name: field
            for name, field in schema["properties"].items()
            if name not in common["properties"]
        }
        yield f"## {title}\n"
        rows = rows_of(kind, {**schema, "properties": own}, SAMPLES[kind])
        yield from table(head, rows)


def sections() -> Iterator[str]:
    """The mappings within a config."""
    definitions: dict[str, Any] = {}
    for kind in KINDS:
        definitions |= json_schema(kind).get("$defs", {})
    pool = definitions.pop("WorkerPool")
    yield "## WorkerPools\n"
    yield from section(definitions.pop("WorkerPools"))
    yield "## WorkerPool\n"
    head = ("key", "type", "default", "what it is", "becomes")
    yield from table(head, rows_of("custom_job", pool, config_samples.POOL, pool=True))
    for name, schema in sorted(definitions.items()):
        if "properties" in schema:
            yield f"## {name}\n"
            yield from section(schema)


def section(schema: Mapping[str, Any]) -> Iterator[str]:
    if "description" in schema:
        yield schema["description"].partition("\n\n")[0] + "\n"
    required = schema.get("required", ())
    yield from table(
        ("key", "type", "default", "what it is"),
        (
            (
                f"`{name}`",
                type_of(field, {}),
                default_of(name, field, required),
                field.get("description", ""),
            )
            for name, field in schema["properties"].items()
        ),
    )


def rules() -> Iterator[str]:
    """The rules across keys, by name."""
    yield "## Rules across keys\n"
    yield "Each is a small function; its message says the value, the rule and the way out.\n"
    seen: dict[str, tuple[str, ...]] = {}
    for model in KINDS.values():
        for rule in (*model.rules, *model.whole_rules):
            module = rule.__module__.rpartition(".")[2].replace("_", " ")
            name = rule.__name__.strip("_").replace("_", " ")
            names = ", ".join(f"`{one}`" for one in inspect.signature(rule).parameters)
            seen.setdefault(f"{module}.{name}", (module, name, names))
    yield from table(("about", "rule", "keys"), seen.values())


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *keys(), *sections(), *rules()]).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    PUBLISHED.write_text(published_text(), encoding="utf-8")
