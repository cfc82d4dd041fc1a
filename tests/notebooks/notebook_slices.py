"""Which cells of a notebook submit jobs, and which earlier cells they need.

A static slice by names: backwards from the last cell that submits, a cell is needed when it
defines or changes a name that a needed cell reads, or when it writes files or buckets. What only
looks at data, trains in the notebook or sets up the reader's machine is left out.
"""

import ast
import re
import warnings
from dataclasses import dataclass

from IPython.core.inputtransformer2 import TransformerManager

#: What stands in every notebook that submits.
NAMING = (
    "Custom(Container|PythonPackage)?(Training)?Job|HyperparameterTuningJob|create_custom_job"
    "|create_hyperparameter_tuning_job|create_training_pipeline|create_study|create_or_load"
    "|(custom|hp-tuning)-jobs create"
)
_JOB_CLASSES = {
    "CustomJob",
    "CustomTrainingJob",
    "CustomContainerTrainingJob",
    "CustomPythonPackageTrainingJob",
    "HyperparameterTuningJob",
}
#: Calls that create, of generated clients and of the SDK.
_CREATING_CALLS = {
    "create_custom_job",
    "create_hyperparameter_tuning_job",
    "create_study",
    "create_or_load",
}
#: Also creates pipelines of AutoML, which Local Vertex refuses by name.
_CREATING_PIPELINES = "create_training_pipeline"
_CUSTOM_TASK = "schema/trainingjob/definition/custom_task"
_STARTING_CALLS = {"run", "submit"}
_CREATING_COMMAND = re.compile(
    r"\bgcloud\s+(?:beta\s+)?ai\s+(?:custom-jobs|hp-tuning-jobs)\s+create\b"
)
#: What signs the reader in or starts the kernel again: never executed.
_SIGNING_IN = re.compile(r"GOOGLE_APPLICATION_CREDENTIALS|authenticate_user|do_shutdown")
#: What sets up the reader's own machine, or leaves nothing behind.
_SETTING_UP = re.compile(
    r"pip3? install|auth (?:application-default )?login"
    r"|gcloud services enable|nvidia-smi|apt(?:-get)? |docker run|gcloud projects"
    r"|add-iam-policy-binding|gsutil iam|tensorboard --|%tensorboard|gcloud auth"
)
#: A cell whose text becomes a file.
_WRITES_ITSELF = re.compile(r"\s*%%(?:write)?file\b")
_COMMANDS = (
    r"gsutil (?:-m )?(?:cp|mb|rsync)|gcloud (?:storage|builds|artifacts)|docker (?:build|push|tag)"
    r"|\btar\b|mkdir|setup\.py|python3? -m build|\bcp\b|\bmv\b|echo|touch|\bsed\b|\bcat\b.*>|unzip"
    r"|wget|curl|git clone|export"
)
_TOUCHES_FILES = re.compile(
    rf"^\s*(?:%cd|%env|%set_env|[!%].*(?:{_COMMANDS})|!\s*\{{|os\.environ\[)", re.MULTILINE
)
_SCRIPT = re.compile(r"\s*%%(?:bash|sh)\b")
_SCRIPT_TOUCHES_FILES = re.compile(_COMMANDS)
_WRITES_IN_PYTHON = {
    "chdir",
    "copy",
    "copytree",
    "create_bucket",
    "dump",
    "makedirs",
    "mkdir",
    "setdefault",
    "to_csv",
    "upload_from_filename",
    "upload_from_string",
    "write",
    "write_text",
}


@dataclass(frozen=True)
class Slice:
    """Cells to execute, by index, and those of them that submit."""

    cells: tuple[int, ...]
    submitting: tuple[int, ...]


@dataclass(frozen=True)
class _Cell:
    reads: frozenset[str]
    defines: frozenset[str]
    #: Names of what is called, outside of functions.
    calls: frozenset[str]
    functions: tuple[ast.FunctionDef, ...]
    #: Variables that a job object was assigned to.
    jobs: frozenset[str]
    #: Variables whose run or submit is called.
    started: frozenset[str]


def slice_of(cells: tuple[str, ...]) -> Slice | None:
    """Return what to execute of a notebook; None when it submits nothing of its own code."""
    parsed = [_parse(cell) for cell in cells]
    submitting = _submitting(cells, parsed)
    if not submitting:
        return None
    needed: set[str] = set()
    kept: list[int] = []
    for index in range(submitting[-1], -1, -1):
        cell, source = parsed[index], cells[index]
        if _SIGNING_IN.search(source):
            continue
        if index in submitting or cell.defines & needed or _writes(source, cell):
            kept.append(index)
            needed |= cell.reads
    return Slice(tuple(reversed(kept)), tuple(submitting))


def _writes(source: str, cell: _Cell) -> bool:
    """Return whether a cell leaves files, buckets or images behind."""
    if _WRITES_ITSELF.match(source):
        return True
    lines = source.splitlines()
    rest = [line for line in lines if not _SETTING_UP.search(line)]
    in_python = len(rest) == len(lines) and cell.calls & _WRITES_IN_PYTHON
    touches = _SCRIPT_TOUCHES_FILES if _SCRIPT.match(source) else _TOUCHES_FILES
    return bool(in_python or touches.search("\n".join(rest)))


def _submitting(cells: tuple[str, ...], parsed: list[_Cell]) -> list[int]:
    creating = set(_CREATING_CALLS)
    if any(_CUSTOM_TASK in cell for cell in cells):
        creating.add(_CREATING_PIPELINES)
    jobs: set[str] = set()
    #: Functions of the notebook that create, when somebody calls them.
    functions: set[str] = set()
    found = []
    for index, (source, cell) in enumerate(zip(cells, parsed, strict=True)):
        jobs |= cell.jobs
        if _WRITES_ITSELF.match(source):
            continue
        for function in cell.functions:
            if _calls(function) & creating:
                functions.add(function.name)
        created = cell.calls & (creating | functions)
        if created or cell.started & jobs or _CREATING_COMMAND.search(source):
            found.append(index)
    return found


def _tree(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(TransformerManager().transform_cell(source))
        except SyntaxError:  # a lab that leaves blanks, or another language
            return ast.Module(body=[], type_ignores=[])


def _calls(tree: ast.AST) -> set[str]:
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {function.attr for function in functions if isinstance(function, ast.Attribute)}
    return names | {function.id for function in functions if isinstance(function, ast.Name)}


def _parse(source: str) -> _Cell:
    tree = _tree(source)
    reads, defines, jobs, started = set(), set(), set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                reads.add(name)
            case ast.Name(id=name):
                defines.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                defines.add(name)
            case ast.alias(name=name, asname=alias):
                defines.add((alias or name).partition(".")[0])
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                defines |= _root(node)
            # A call for its effect changes what it is called on: aiplatform.init(), args.append().
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                defines.add(name)
        if isinstance(node, ast.Assign) and _calls(node.value) & (
            _JOB_CLASSES | {"from_local_script"}
        ):
            jobs |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if node.func.attr in _STARTING_CALLS and isinstance(owner, ast.Name):
                started.add(owner.id)
    reads |= _braced(source)
    functions = tuple(node for node in tree.body if isinstance(node, ast.FunctionDef))
    outside = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    calls = {name for node in outside for name in _calls(node)}
    return _Cell(
        reads=frozenset(reads),
        defines=frozenset(defines),
        calls=frozenset(calls),
        functions=functions,
        jobs=frozenset(jobs),
        started=frozenset(started),
    )


def _root(node: ast.AST) -> set[str]:
    """Return the variable at the head of ``a.b[c].d``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _braced(source: str) -> set[str]:
    """Return names that a shell line takes from Python: ``$NAME`` and ``{NAME}``."""
    return set(re.findall(r"[${]\{?([A-Za-z_]\w*)", source))
