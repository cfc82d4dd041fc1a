"""Google's generated package without its clients, until somebody asks for one.

``google.cloud.aiplatform_v1`` imports forty service clients when it is imported, and so it does
for each of its modules, whoever needs a message class alone: most of a second. Here the package is
entered unexecuted. Its submodules import as ever, and the first name that is not a submodule's
executes it, so that whoever uses it later sees no difference. For the client and the emulator.
"""

import importlib
import importlib.util
import sys
import types
from importlib.machinery import ModuleSpec
from typing import Any

__all__ = ["defer_clients", "message_types"]

_NAME = "google.cloud.aiplatform_v1"
#: Of the names with underscores, those that the package defines; the others are Python's.
_OWN = ("__all__", "__version__")


def defer_clients() -> None:
    """Put off the package's own imports; nothing happens where it is imported already."""
    if _NAME in sys.modules:
        return
    spec = importlib.util.find_spec(_NAME)
    if spec is None or spec.loader is None:
        return  # the import itself says what is missing
    package = _LatePackage(_NAME)
    package.__dict__.update(
        __spec__=spec,
        __loader__=spec.loader,
        __package__=_NAME,
        __path__=spec.submodule_search_locations,
        __file__=spec.origin,
    )
    sys.modules[_NAME] = package
    parent, _, last = _NAME.rpartition(".")
    setattr(sys.modules[parent], last, package)


def message_types() -> Any:
    """The module of the API's messages, in the SDK's wrapping; no client is imported for it."""
    defer_clients()
    return importlib.import_module(f"{_NAME}.types")


class _LatePackage(types.ModuleType):
    """A package that executes when a name is missing that no submodule has."""

    __spec__: ModuleSpec

    def __getattr__(self, name: str) -> Any:
        """A submodule, or what the package itself defines."""
        if name.startswith("__") and name not in _OWN:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        full_name = f"{self.__name__}.{name}"
        if importlib.util.find_spec(full_name) is not None:
            return importlib.import_module(full_name)
        self._execute()
        return getattr(self, name)

    def __dir__(self) -> list[str]:
        """Every name, for completion in notebooks."""
        self._execute()
        return dir(self)

    def _execute(self) -> None:
        self.__class__ = types.ModuleType  # type: ignore[assignment]  # whole from here on
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
