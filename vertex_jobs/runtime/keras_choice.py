"""The Keras that TensorFlow uses: the installed ``keras``, or the legacy ``tf_keras``.

For the parts of the runtime that work with both.
"""

import os
from importlib import import_module
from typing import Any


def is_legacy() -> bool:
    """Return whether ``tf.keras`` is tf_keras, the last Keras 2."""
    # The values that TensorFlow itself takes for true, in tensorflow/python/util/lazy_loader.py.
    return os.environ.get("TF_USE_LEGACY_KERAS") in ("true", "True", "1")


def keras_in_use() -> Any:
    """Import and return the module that ``tf.keras`` stands for."""
    return import_module("tf_keras" if is_legacy() else "keras")
