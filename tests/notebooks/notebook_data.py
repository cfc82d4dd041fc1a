"""Stands in for data that training code fetches from the network: random numbers of its shapes.

Imported at the start of every Python of the notebooks' environment, by a ``.pth`` file there; it
costs nothing until a program imports the data sets of Keras or of TensorFlow Datasets, whose own
``mock_data`` then answers. `PUBLIC_OBJECTS` are files of Google's public buckets.
"""

import contextlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_IRIS = "\n".join(f"{5 + i % 3},{3 + i % 2},{1 + i % 5},{i % 3}" for i in range(150)) + "\n"
#: Bucket and name to content.
PUBLIC_OBJECTS = {
    ("cloud-samples-data", "ai-platform/iris/iris_data.csv"): _IRIS,
    ("cloud-samples-data", "ai-platform/iris/iris_target.csv"): "".join(
        f"{i % 3}\n" for i in range(150)
    ),
}
_EXAMPLES = 256
#: What stays as long as the process.
_lasting = contextlib.ExitStack()
#: Name of the module to the shape of one example, its type, and the number of classes.
_KERAS_SETS: dict[str, tuple[tuple[int, ...], str, int]] = {
    "mnist": ((28, 28), "uint8", 10),
    "fashion_mnist": ((28, 28), "uint8", 10),
    "cifar10": ((32, 32, 3), "uint8", 10),
    "cifar100": ((32, 32, 3), "uint8", 100),
    "boston_housing": ((13,), "float64", 0),
    "california_housing": ((8,), "float32", 0),
}


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the real module load, then replaces what would fetch."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        replace = _replacement(name)
        if replace is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            replace(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _replacement(name: str) -> Callable[[ModuleType], None] | None:
    if name == "tensorflow_datasets":
        return _mock_tfds
    package, _, dataset = name.rpartition(".")
    if package in ("keras.src.datasets", "tf_keras.src.datasets") and dataset in _KERAS_SETS:
        return lambda module: setattr(module, "load_data", _load_data(dataset))
    return None


def _load_data(dataset: str) -> Callable[..., Any]:
    def load_data(*_: object, **__: object) -> Any:
        import numpy as np

        shape, kind, classes = _KERAS_SETS[dataset]
        draws = np.random.default_rng(0)

        def one_set() -> tuple[Any, Any]:
            examples = draws.integers(0, 255, (_EXAMPLES, *shape)).astype(kind)
            labels: Any = draws.integers(0, classes or 50, (_EXAMPLES, 1)).astype(kind)
            return examples, labels if dataset.startswith("cifar") else labels[:, 0]

        return one_set(), one_set()

    return load_data


def _mock_tfds(module: Any) -> None:
    """Enter ``mock_data``, which knows no splits of a set that nobody has downloaded."""
    _lasting.enter_context(module.testing.mock_data(num_examples=_EXAMPLES))
    original = module.load

    def load(name: str, *, split: Any = None, with_info: bool = False, **options: Any) -> Any:
        splits = ["train", "test"] if split is None else split
        loaded = original(name, split=splits, with_info=with_info, **options)
        if split is not None:
            return loaded
        sets, info = loaded if with_info else (loaded, None)
        named = dict(zip(splits, sets, strict=True))
        return (named, info) if with_info else named

    module.load = load


sys.meta_path.insert(0, _Finder())
