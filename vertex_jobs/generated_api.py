"""Google's generated package, without its clients until one of them is used.

For the client and the emulator. ``google.cloud.aiplatform_v1`` imports forty service clients, also
for a program that needs one message class, which takes most of a second. Here the package enters
``sys.modules`` without being executed. Its submodules import as usual, and the first name that is
not a submodule's executes the package, so that later users see no difference.
"""

import importlib
import importlib.util
import sys
import types
from importlib.machinery import ModuleSpec
from typing import Any

_NAME = "google.cloud.aiplatform_v1"
#: Names with underscores that the package defines itself; all others are Python's.
_OWN = ("__all__", "__version__")


def defer_clients() -> None:
    """Defer the package's own imports; do nothing if it is imported already."""
    if _NAME in sys.modules:
        return
    spec = importlib.util.find_spec(_NAME)
    if spec is None or spec.loader is None:
        return  # the import itself will say what is missing
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
    """Return the module of the API's messages in the SDK's wrapping, without importing a client."""
    defer_clients()
    return importlib.import_module(f"{_NAME}.types")


class _LatePackage(types.ModuleType):
    """A package that executes itself when a name is asked for that is no submodule's."""

    __spec__: ModuleSpec

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in _OWN:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        full_name = f"{self.__name__}.{name}"
        if importlib.util.find_spec(full_name) is not None:
            return importlib.import_module(full_name)
        self._execute()
        return getattr(self, name)

    def __dir__(self) -> list[str]:
        self._execute()
        return dir(self)

    def _execute(self) -> None:
        self.__class__ = types.ModuleType  # type: ignore[assignment]  # whole from here on
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
