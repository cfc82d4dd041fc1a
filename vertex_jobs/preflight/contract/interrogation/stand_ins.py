"""Inert stand-ins for libraries, so that a parser can be questioned without loading them.

A stand-in can be called, subclassed, computed with and used as a decorator, and does nothing. Any
use by which the script could decide something (a truth value, a comparison, a loop, a number, a
text) raises ``NeedsRealError``: then the parent asks again with the real libraries. So an answer
that was found with stand-ins does not depend on them.
"""

import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Iterable, Sequence
from types import FunctionType, ModuleType
from typing import Any

#: Libraries that stay real: they read command lines, or are read by those that do.
_REAL = {
    "absl", "argparse_dataclass", "attr", "attrs", "click", "configargparse", "dacite",
    "docstring_parser", "jsonargparse", "ml_collections", "simple_parsing", "six", "tap",
    "typing_extensions", "vertex_jobs", "yaml",
}  # fmt: skip

_reasons: list[str] = []


class NeedsRealError(BaseException):
    """The script decides something by a library, so the real one is needed."""


def touched() -> str:
    """Return the reason why the real libraries are needed; empty if they are not."""
    return _reasons[0] if _reasons else ""


def install(package: str, missing: Iterable[str]) -> None:
    """Make every import of a third-party library return a stand-in, even where it is missing.

    ``package`` is the folder of the user's own modules, which stay real.
    """
    sys.meta_path.insert(0, _Finder(package, frozenset(missing)))


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, package: str, missing: frozenset[str]) -> None:
        self._package = package
        self._missing = missing

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        top = fullname.partition(".")[0]
        if top in sys.stdlib_module_names or top in _REAL or top.startswith("vertex_jobs_task_"):
            return None
        own = os.path.join(self._package, top)
        if os.path.isdir(own) or os.path.isfile(f"{own}.py"):
            return None
        if top not in self._missing and not _is_installed(top):
            return None  # as in the job: ModuleNotFoundError
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing."""


def _is_installed(top: str) -> bool:
    return importlib.machinery.PathFinder.find_spec(top) is not None


class _StandInModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(f"{self.__name__}.{name}")


def _decide(self: "_StandIn", *_: Any, **__: Any) -> Any:
    reason = f"the script decides something by {self._stand_in_name}"
    _reasons.append(reason)
    raise NeedsRealError(reason)


def _compute(self: "_StandIn", *_: Any) -> "_StandIn":
    return self


class _Base:
    """The base of a class of the script that inherits from a library's."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def __init_subclass__(cls, **_: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(name)


class _StandIn:
    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_stand_in_name", name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(f"{self._stand_in_name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if len(arguments) == 1 and not named and isinstance(arguments[0], (FunctionType, type)):
            return arguments[0]  # as a decorator
        return _StandIn(f"{self._stand_in_name}()")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (type("StandIn", (_Base,), {}),)

    def __enter__(self) -> "_StandIn":
        return self

    def __exit__(self, *_: object) -> None: ...

    def __hash__(self) -> int:
        return id(self)


_DECIDING = """
    bool len iter contains eq ne lt le gt ge int float complex index str repr format bytes
    instancecheck subclasscheck fspath next reversed round trunc floor ceil await
"""
_COMPUTING = """
    getitem add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow
    matmul rmatmul neg pos abs invert or ror and rand xor rxor
"""
# Python looks such methods up in the class, so each must be there by name.
for _names, _method in ((_DECIDING, _decide), (_COMPUTING, _compute)):
    for _name in _names.split():
        setattr(_StandIn, f"__{_name}__", _method)
