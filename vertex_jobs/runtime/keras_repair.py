"""The repair that lets Keras 3's ``fit`` train over several processes.

Under MultiWorkerMirroredStrategy, ``fit``, ``evaluate`` and ``predict`` of Keras 3 stop at two
faults in ``keras.src.backend.tensorflow.trainer``:

- to learn shapes it reduces the first batch over all replicas, outside of any replica:
  ``Attempt to convert a value (PerReplica:{...}) with an unsupported type``;
- it averages the scalar logs of a step over an axis that scalars do not have:
  ``Invalid reduction dimension 0 for input with 0 dimensions``.

This module replaces both functions in versions that are known to have exactly these faults. They
do not affect tf_keras and custom loops.

Source: keras-team/keras issue 20585.
"""

import functools
from importlib import import_module
from typing import Any

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.runtime.keras_choice import is_legacy

#: The oldest tested release, the last one for Python 3.10, and the first untested one.
FIRST_KNOWN, FIRST_UNKNOWN = (3, 12), (3, 16)

_TRAINER = "keras.src.backend.tensorflow.trainer"


def repair_fit() -> None:
    """Repair the Keras in use, once per process; tf_keras needs nothing.

    Raises:
        UnsupportedHereError: If this version of Keras is not known; the message names the choices.
    """
    if is_legacy():
        return
    import keras

    known = FIRST_KNOWN <= _release(keras.__version__) < FIRST_UNKNOWN
    trainer: Any = import_module(_TRAINER) if known else None
    builder = getattr(getattr(trainer, "TensorFlowTrainer", None), "_maybe_symbolic_build", None)
    reducer = getattr(trainer, "reduce_per_replica", None)
    if trainer is None or builder is None or reducer is None:
        raise UnsupportedHereError(
            f"fit of Keras {keras.__version__} over several processes is not known to work: it "
            "needs a repair that was tried with other releases (keras-team/keras issue 20585). "
            f"Pin keras>={_text(FIRST_KNOWN)},<{_text(FIRST_UNKNOWN)} in the job's requirements, "
            "or train with tf_keras (TF_USE_LEGACY_KERAS=1 in its environment "
            "variables), or write a custom loop and ask for the strategy with fit=False"
        )
    if not hasattr(reducer, "__wrapped__"):
        trainer.TensorFlowTrainer._maybe_symbolic_build = _build_from_local_replica
        trainer.reduce_per_replica = _reducing_scalars(
            reducer, trainer._collective_all_reduce_multi_worker
        )


def _release(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version."""
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


def _text(release: tuple[int, int]) -> str:
    return ".".join(map(str, release))


def _build_from_local_replica(trainer: Any, iterator: Any = None, data_batch: Any = None) -> None:
    """Build the model from the first batch of one local replica: only shapes matter."""
    import tensorflow as tf

    strategy = trainer._distribute_strategy
    if strategy is None:
        return
    if iterator is not None:
        _, _, batches = next(iter(iterator))
        data_batch = tf.nest.map_structure(
            lambda leaf: strategy.experimental_local_results(leaf)[0], next(batches)
        )
    with strategy.scope():
        trainer._symbolic_build(data_batch=data_batch)


def _reducing_scalars(original: Any, spans_workers: Any) -> Any:
    """Return Keras's reduction, changed for the logs of a strategy over several processes."""

    @functools.wraps(original)
    def reduce_per_replica(values: Any, strategy: Any, reduction: str) -> Any:
        import tensorflow as tf

        if reduction not in ("auto", "mean") or not spans_workers(strategy):
            return original(values, strategy, reduction)
        return tf.nest.map_structure(
            lambda value: strategy.reduce("MEAN", value, axis=None), values
        )

    return reduce_per_replica
