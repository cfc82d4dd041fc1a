"""``--set path=value``: single values of a config, replaced from outside.

For ``loading``. It changes plain data before it is checked, so a wrong value is found like any
other.
"""

from collections.abc import Sequence
from typing import Any

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec.spelling import suggestion
from vertex_jobs.spec.yaml_text import parse


def apply(written: dict[str, Any], overrides: Sequence[str], known: Sequence[str]) -> list[Fault]:
    """Put each ``path=value`` in its place in the config and return what could not be placed.

    The path is dotted, the value YAML. ``known`` are keys that may be absent at the top, where a
    path can begin.
    """
    faults: list[Fault] = []
    for override in overrides:
        path, separator, text = override.partition("=")
        if not separator or not path:
            rule = "is no path=value"
            faults.append(
                Fault(
                    f"--set {override}", None, rule, "write max_trial_count=4", rule_id="override"
                )
            )
            continue
        try:
            value, repeated, _ = parse(text, f"--set {override}")
        except InvalidJobError as error:
            faults += error.faults
            continue
        faults += repeated
        fault = _place(written, path, value, known)
        faults += [fault.of_rule("override")] if fault is not None else []
    return faults


def _place(root: dict[str, Any], path: str, value: Any, known: Sequence[str]) -> Fault | None:
    here: Any = root
    parts = path.split(".")
    while True:
        key, rest = _step(here, parts)
        if here is root and parts[0] in known and root.get(parts[0]) is None:
            key, rest = parts[0], parts[1:]
            root[key] = {}  # a section that was left out
        elif key is None and isinstance(here, dict) and len(parts) == 1:
            key, rest = parts[0], []
        if key is None:
            names = [*map(str, _keys(here)), *(known if here is root else ())]
            remedy = suggestion(parts[0], names, f"write one of {', '.join(names) or 'none'}")
            return Fault(path, value, f"there is no {parts[0]!r} to set", remedy)
        if not rest:
            here[key] = value
            return None
        here, parts = here[key], rest


def _step(here: Any, parts: list[str]) -> tuple[Any, list[str]]:
    """Return the entry that the first parts name, and the parts left; an id may have dots."""
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        for key in _keys(here):
            if str(key) == name:
                return key, parts[length:]
    return None, parts


def _keys(here: Any) -> list[Any]:
    if isinstance(here, dict):
        return list(here)
    return list(range(len(here))) if isinstance(here, list) else []
