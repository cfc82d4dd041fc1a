"""Resuming a job from its checkpoints: one call before ``fit``, for one process or all replicas.

    progress = resume.resume(model, reading.checkpoint_dir, writing.checkpoint_dir)
    model.fit(..., initial_epoch=progress.epoch, callbacks=[progress.callback()])

When a replica is lost, all of them start again. Each restores model, optimizer and the number of
finished epochs from the chief's checkpoint, and training continues. Keras's own BackupAndRestore
cannot do that over several processes: its tasks write the same files, or each its own epoch.
"""

from typing import Any

from vertex_jobs.runtime.keras_choice import keras_in_use

__all__ = ["Progress", "resume"]


class Progress:
    """A job's finished epochs, kept in checkpoints together with model and optimizer."""

    def __init__(self, model: Any, optimizer: Any, write_to: str, keep: int = 2) -> None:
        """Prepare to save and restore; nothing is read or written yet.

        Args:
            model: A Keras model whose variables exist.
            optimizer: A Keras optimizer whose variables exist; None to keep the model alone.
            write_to: This task's checkpoint directory: the job's for the chief, scratch for others.
            keep: Number of checkpoints to keep.
        """
        import tensorflow as tf

        # Outside the strategy's scope: a plain number of this process.
        self._counter = tf.Variable(0, dtype=tf.int64, trainable=False, name="epoch")
        # TensorFlow's variables and not Keras's, which cannot be saved when they are sharded.
        parts = {"model": [_plain(variable) for variable in model.variables]}
        if optimizer is not None:
            parts["optimizer"] = optimizer
        self._checkpoint = tf.train.Checkpoint(epoch=self._counter, **parts)
        self._manager = tf.train.CheckpointManager(self._checkpoint, write_to, max_to_keep=keep)

    @property
    def epoch(self) -> int:
        """The number of finished epochs, which ``fit`` takes as ``initial_epoch``."""
        return int(self._counter.numpy())

    def save(self, epoch: int) -> None:
        """Write a checkpoint; every mirrored task must call it, at the same moment.

        Args:
            epoch: Number of epochs that are finished now.
        """
        self._counter.assign(epoch)
        self._manager.save(checkpoint_number=epoch)

    def restore(self, read_from: str) -> None:
        """Read the newest checkpoint of a directory, if any, or the one with that prefix.

        Raises:
            ValueError: If the checkpoint's variables have other shapes.
            AssertionError: If it lacks variables of this model.
        """
        import tensorflow as tf

        newest = tf.train.latest_checkpoint(read_from) if read_from.endswith("/") else read_from
        if newest is not None:
            status = self._checkpoint.restore(newest)
            status.assert_existing_objects_matched().expect_partial()

    def callback(self) -> Any:
        """Return a Keras callback that saves after every epoch."""
        return keras_in_use().callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: self.save(epoch + 1)
        )


def resume(model: Any, read_from: str, write_to: str) -> Progress:
    """Restore a compiled, built model from the job's newest checkpoint, if it has one.

    Call it on every task, after ``compile`` and before ``fit``.

    Args:
        model: A Keras model; its optimizer's variables are created here.
        read_from: The job's checkpoint directory, the same for every task; ``gs://``, ``/gcs/`` or
            local; ends in a slash.
        write_to: This task's own directory: the job's for the chief, scratch for others.

    Raises:
        ValueError: If the model is not compiled or not built, or the checkpoint's variables have
            other shapes.
        AssertionError: If the checkpoint lacks variables of this model.
    """
    if getattr(model, "optimizer", None) is None or not model.built:
        raise ValueError("the model cannot resume yet; compile it and give it its input's shape")
    with model.distribute_strategy.scope():
        # Restoring fills variables that exist; Keras would create these in the first step.
        model.optimizer.build(model.trainable_variables)
        progress = Progress(model, model.optimizer, write_to)
        progress.restore(read_from)
    return progress


def _plain(variable: Any) -> Any:
    """Return TensorFlow's own variable: a Keras 3 variable's value, a Keras 2 variable itself."""
    return variable if callable(variable.value) else variable.value
