"""Several configs laid over each other, and where each value of the result stands.

For ``loading``. The rules: a file is laid over its ``base``, an overlay over the config, ``--set``
over all. Mappings merge key by key; anything else is replaced, lists too, and so is a mapping whose
``type`` changes. ``null`` takes a key away again, so that its default counts.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec.yaml_text import parse


class Origin(NamedTuple):
    """Where a value stands."""

    file: Path
    line: int

    def __str__(self) -> str:
        """Return ``configs/study.yaml:12``, which terminals and editors open."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Composition:
    """The keys that several files write together.

    Attributes:
        origins: Dotted path to where the value stands: in a file, or on the command line.
        faults: Of the files themselves.
    """

    written: dict[str, Any]
    origins: dict[str, Origin | str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def placed(self, fault: Fault) -> Fault:
        """Return the fault with the place of its value, or of the nearest key above it."""
        path = fault.path
        while path and path not in self.origins:
            path = path.rpartition(".")[0]
        return replace(fault, place=str(self.origins[path])) if path and not fault.place else fault

    def set_elsewhere(self, path: str, origin: str) -> None:
        """Note that the value at a path, with all below it, came from the command line."""
        for known in [known for known in self.origins if known.startswith(f"{path}.")]:
            del self.origins[known]
        self.origins[path] = origin

    def directory_of(self, path: str, otherwise: Path) -> Path:
        """Return the folder of the file that says a value, from which a path in it starts."""
        origin = self.origins.get(path)
        return origin.file.parent if isinstance(origin, Origin) else otherwise


def compose(paths: Sequence[Path]) -> Composition:
    """Read files and their bases, later ones over earlier ones.

    Raises:
        InvalidJobError: If a file cannot be read or holds no mapping.
    """
    whole = _read(paths[0], ())
    for path in paths[1:]:
        whole = _laid_over(whole, _read(path, ()))
    return whole


def _read(path: Path, trail: tuple[Path, ...]) -> Composition:
    """Read a file over its bases; ``trail`` are the files that led here, from the first on."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fault = Fault("config", str(path), _unreadable(error), "name a YAML file")
        raise InvalidJobError([fault.of_rule("config-readable")], str(path)) from error
    written, faults, lines = parse(text, str(path))
    if not isinstance(written, dict):
        fault = Fault("config", written, "must be a mapping of keys to values", "start with kind:")
        raise InvalidJobError([fault.of_rule("config-is-mapping")], str(path))
    own = Composition(
        {key: value for key, value in written.items() if key != "base"},
        {name: Origin(path, line) for name, line in lines.items()},
        faults,
    )
    if "base" not in written:
        return own
    below = Composition({})
    for number, base in enumerate(_named(written["base"])):
        beside = Path(os.path.normpath(path.parent / base)) if isinstance(base, str) else None
        wrong = _base_fault(base, beside, (*trail, path))
        if wrong is not None:
            origin = own.origins.get(f"base.{number}", own.origins.get("base"))
            below.faults.append(replace(wrong, place=str(origin), rule_id="base"))
        elif beside is not None:
            below = _laid_over(below, _read(beside, (*trail, path)))
    return _laid_over(below, own)


def _unreadable(error: OSError | UnicodeDecodeError) -> str:
    reason = error.strerror if isinstance(error, OSError) else error
    return f"cannot be read: {reason}"


def _named(base: Any) -> list[Any]:
    return list(base) if isinstance(base, list) else [base]


def _base_fault(base: Any, path: Path | None, trail: tuple[Path, ...]) -> Fault | None:
    if path is None or not base:
        return Fault("base", base, "must be the path of a config, or a list", "write common.yaml")
    seen = [one.resolve() for one in trail]
    if path.resolve() in seen:
        circle = [*trail[seen.index(path.resolve()) :], path]
        names = " on ".join(one.name for one in circle)
        return Fault("base", base, f"goes in a circle: {names}", "remove one of these bases")
    if not path.is_file():
        rule = f"is not there, seen from {trail[-1].parent}"
        return Fault("base", base, rule, "write the path from this file on")
    return None


def _laid_over(below: Composition, above: Composition) -> Composition:
    replaced: list[str] = []
    written = _merged(below.written, above.written, "", replaced)
    origins = {
        path: origin
        for path, origin in below.origins.items()
        if not any(path == gone or path.startswith(f"{gone}.") for gone in replaced)
    }
    return Composition(written, origins | above.origins, [*below.faults, *above.faults])


def _merged(
    below: Mapping[str, Any], above: Mapping[str, Any], prefix: str, replaced: list[str]
) -> dict[str, Any]:
    """Lay one mapping over another, and note the paths of what was replaced."""
    merged = dict(below)
    for key, value in above.items():
        old, path = merged.get(key), f"{prefix}{key}"
        if isinstance(old, dict) and isinstance(value, dict) and _same_type(old, value):
            merged[key] = _merged(old, value, f"{path}.", replaced)
            continue
        replaced.append(path)
        merged[key] = value
        if value is None and key in below:
            del merged[key]
    return merged


def _same_type(below: Mapping[str, Any], above: Mapping[str, Any]) -> bool:
    """Return whether two mappings can be one: a parameter of another type is another one."""
    return "type" not in above or "type" not in below or below["type"] == above["type"]
