"""Configs read from files: with ``composition``, what touches the disk in this package.

For the command line and for Python programs that keep jobs in YAML.

A relative ``script_path``, or a wheel or file of ``requirements``, is looked for beside the file
that names it, then in the directory above that, then in the current directory. So with
``script_path: trial_scripts/y.py`` in it, ``configs/x.yaml`` means the same script from wherever it
is run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec.composition import Composition, compose
from vertex_jobs.spec.job_spec import JobSpec
from vertex_jobs.spec.kinds import KINDS
from vertex_jobs.spec.local import LocalSettings
from vertex_jobs.spec.overrides import apply
from vertex_jobs.spec.requirement_files import requirements_file
from vertex_jobs.spec.script_parameters import fill_in
from vertex_jobs.spec.spelling import nearest, suggestion

#: Reads a mapping of another form than a config's: the config's keys, and the faults of what none
#: can say. None for a config, which stays as it is.
Translation = Callable[[Mapping[str, Any]], tuple[dict[str, Any], list[Fault]] | None]


@dataclass(frozen=True)
class Reading:
    """A config as far as it could be read.

    Attributes:
        source: The config's path, or the job's display name.
        job: The job; with faults, one in which everything unreadable is at its default, or None
            where a field is required.
        damaged: Fields that are missing, or of which some part could not be read.
        composition: What the files say, and where; places a fault that is found later.
    """

    source: str
    job: JobSpec
    faults: tuple[Fault, ...]
    damaged: frozenset[str]
    composition: Composition

    @classmethod
    def of(cls, job: JobSpec) -> "Reading":
        """Return the same for a job of a program; its copies with other fields are unchecked."""
        found = type(job).inspect(dict(job))
        if not found.faults:
            return cls(job.display_name, job, (), frozenset(), Composition({}))
        assert isinstance(found.draft, JobSpec)
        faults = tuple(found.faults)
        return cls(job.display_name, found.draft, faults, found.damaged, Composition({}))

    def valid_job(self) -> JobSpec:
        """Return the job, if it can be submitted.

        Raises:
            InvalidJobError: With every fault.
        """
        if self.faults:
            raise InvalidJobError(self.faults, self.source)
        return self.job


def load(
    path: Path | str,
    overrides: Sequence[str] = (),
    overlays: Sequence[Path | str] = (),
    translate: Translation = lambda _: None,
) -> JobSpec:
    """Read a config.

    Args:
        path: A YAML file, which may name a ``base`` to lie over.
        overrides: ``path=value`` each, as given to ``--set``; the last for a path wins.
        overlays: Files laid over it, in order, before the overrides.
        translate: Reads the files together if they are of another form.

    Raises:
        InvalidJobError: With every fault of the files and of the overrides.
    """
    return examine(path, overrides, overlays, translate).valid_job()


def examine(
    path: Path | str,
    overrides: Sequence[str] = (),
    overlays: Sequence[Path | str] = (),
    translate: Translation = lambda _: None,
) -> Reading:
    """Read a config, as ``load`` does, that may have faults, for whoever looks for more of them.

    Raises:
        InvalidJobError: If a file is not there or holds no mapping.
    """
    path = Path(path)
    whole = compose([path, *map(Path, overlays)])
    translated = translate(whole.written)
    if translated is not None:
        written, faults = translated
        placed = [whole.placed(fault.of_rule("request-form")) for fault in faults]
        whole = Composition(written, faults=[*whole.faults, *placed])
    # What is below a parameter may come from the script, which is then read first.
    inside = [one for one in overrides if one.startswith("parameter_spec.")]
    outside = [one for one in overrides if one not in inside]
    whole.faults.extend(apply(whole.written, outside, _all_fields()))
    if inside:
        _read_script(whole, path.parent)
        whole.faults.extend(apply(whole.written, inside, _all_fields()))
    for override in overrides:
        whole.set_elsewhere(override.partition("=")[0], "--set")
    return _build(whole, str(path), path.parent)


def load_local(path: Path | str) -> LocalSettings:
    """Read the ``local:`` section of a file, which may be a whole config.

    Raises:
        InvalidJobError: With every fault of the section, or if the file has none.
    """
    whole = compose([Path(path)])
    section = whole.written.get("local")
    faults = list(whole.faults)
    if not isinstance(section, dict):
        rule = "is the section that is read of this file, a mapping"
        faults.append(Fault("local", section, rule, "write local: and the settings below it"))
    else:
        try:
            settings = LocalSettings(**section)
        except InvalidJobError as error:
            found = [replace(one, path=f"local.{one.path}") for one in error.faults]
            faults += [whole.placed(one) for one in found]
    if faults:
        raise InvalidJobError(faults, str(path))
    return settings


def from_mapping(mapping: Mapping[str, Any], *, source: str, base_directory: Path) -> JobSpec:
    """Make the job that a mapping describes, as if it had stood in a file.

    The error names ``source``; a relative ``script_path`` starts in ``base_directory``.

    Raises:
        InvalidJobError: With every fault.
    """
    return _build(Composition(dict(mapping)), source, base_directory).valid_job()


def script_faults(written: Mapping[str, Any], found: Path | None) -> list[Fault]:
    """Return the faults of a script that is not there, or a directory without the module to run.

    ``found`` is where the ``script_path`` of the job's fields leads; None when nowhere.
    """
    script, module = written.get("script_path"), written.get("python_module_name")
    if not isinstance(script, str) or not script:
        return []
    if found is None:
        rule = "is not there, seen from the config, the directory above it or the current one"
        return [Fault("script_path", script, rule, "correct the path")]
    if found.is_file():
        return []
    if module is None:
        rule = "is a directory, and what to run in it is not said"
        return [Fault("script_path", script, rule, "add python_module_name, e.g. trainer.task")]
    relative = Path(*str(module).split("."))
    roots = (found, found.parent)
    if any((root / relative).with_suffix(".py").is_file() for root in roots):
        return []
    if any((root / relative / "__main__.py").is_file() for root in roots):
        return []
    rule = f"is no module in {script}"
    return [Fault("python_module_name", module, rule, "name a .py file there, with dots")]


def _build(whole: Composition, source: str, base_directory: Path) -> Reading:
    _read_script(whole, base_directory)
    mapping = whole.written
    model, kind_faults = _model_of(mapping)
    written = {key: value for key, value in mapping.items() if key != "kind"}
    found = _script(whole, base_directory)
    inspection = model.inspect(written)
    unread = any(fault.path.startswith("parameter_spec") for fault in whole.faults)
    faults = [
        *whole.faults,
        *(fault.of_rule("kind") for fault in kind_faults),
        *(
            _elsewhere(fault, model)
            for fault in inspection.faults
            if not (unread and fault.path == "parameter_spec")  # empty, for want of what is told
        ),
        *(fault.of_rule("script-found") for fault in script_faults(written, found)),
    ]
    if not faults:
        job = model(**written)
        job = job.model_copy(update=_places(job, found, whole, base_directory))
        return Reading(source, job, (), frozenset(), whole)
    draft = inspection.draft
    assert isinstance(draft, JobSpec)
    draft = draft.model_copy(update=_places(draft, found, whole, base_directory))
    lost = {"script_path"} if found is None and "script_path" in written else set()
    lost |= {"parameter_spec"} if unread else set()
    placed = tuple(whole.placed(fault) for fault in faults)
    return Reading(source, draft, placed, inspection.damaged | lost, whole)


def _script(whole: Composition, base_directory: Path) -> Path | None:
    directory = whole.directory_of("script_path", base_directory)
    return _find(whole.written.get("script_path"), directory)


def _read_script(whole: Composition, base_directory: Path) -> None:
    written = whole.written.get("parameter_spec")
    filled, faults = fill_in(written, _script(whole, base_directory))
    if filled is not written:
        whole.written["parameter_spec"] = filled
        named = (fault.of_rule("script-parameters") for fault in faults)
        whole.faults.extend(map(whole.placed, named))


def _places(
    job: JobSpec, script: Path | None, whole: Composition, base_directory: Path
) -> dict[str, Any]:
    directory = whole.directory_of("requirements", base_directory)
    requirements = tuple(_found_requirement(line, directory) for line in job.requirements)
    places = {"script_path": str(script) if script else None, "requirements": requirements}
    return {name: place for name, place in places.items() if name in job.model_fields_set}


def _found_requirement(line: str, directory: Path) -> str:
    """Return a requirement with the path where its wheel or its file is found."""
    file = requirements_file(line)
    if file is not None:
        return file.at(str(_find(file.path, directory) or file.path))
    return str(_find(line, directory) or line) if line.endswith(".whl") else line


def _model_of(mapping: Mapping[str, Any]) -> tuple[type[JobSpec], list[Fault]]:
    """Return the class for ``kind``, or the likeliest one and the fault."""
    kind = mapping.get("kind")
    if isinstance(kind, str) and kind in KINDS:
        return KINDS[kind], []
    names = ", ".join(KINDS)
    near = nearest(kind, KINDS) if isinstance(kind, str) else None
    if near is None:  # the kind whose fields were written
        near = max(KINDS, key=lambda name: len(KINDS[name].model_fields.keys() & mapping.keys()))
    if kind is None:
        return KINDS[near], [Fault("kind", None, "is required", f"add kind: one of {names}")]
    remedy = suggestion(str(kind), KINDS, "write one of these")
    return KINDS[near], [Fault("kind", kind, f"must be one of {names}", remedy)]


def _elsewhere(fault: Fault, model: type[JobSpec]) -> Fault:
    """Return the fault of an unknown key, which names the kind that knows the key."""
    if fault.path in model.model_fields or fault.path not in _all_fields():
        return fault
    kinds = [name for name, other in KINDS.items() if fault.path in other.model_fields]
    rule = f"is no key of {model.model_fields['kind'].default}"
    remedy = f"write kind: {kinds[0]}, or remove it"
    return replace(fault, rule=rule, remedy=remedy)


def _all_fields() -> list[str]:
    return sorted({name for model in KINDS.values() for name in model.model_fields})


def _find(path: Any, base_directory: Path) -> Path | None:
    if not isinstance(path, str) or not path:
        return None
    places = (base_directory, base_directory.parent, Path.cwd())
    candidates = (place.resolve() / path for place in places)
    return next((path for path in candidates if path.exists()), None)
