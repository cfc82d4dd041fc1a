"""Going on where the job was: one call before ``fit``, for one process and for a whole gang.

    progress = resume.resume(model, reading.checkpoint_dir, writing.checkpoint_dir)
    model.fit(..., initial_epoch=progress.epoch, callbacks=[progress.callback()])

When a replica is lost, all of them start again. Each restores model, optimizer and the number of
finished epochs from the chief's checkpoint, and training goes on. Keras's own BackupAndRestore
cannot do that over several processes: its tasks write the same files, or each its own epoch.
"""

from typing import Any

from vertex_jobs.runtime.keras_choice import keras_in_use

__all__ = ["Progress", "resume"]


class Progress:
    """A job's finished epochs, kept in checkpoints together with model and optimizer.

    Attributes:
        epoch: Number of finished epochs; what ``fit`` takes as ``initial_epoch``.
    """

    def __init__(self, model: Any, optimizer: Any, write_to: str, keep: int) -> None:
        """Prepare to save; nothing is read or written yet."""
        import tensorflow as tf

        # Outside the strategy's scope: a plain number of this process.
        self._counter = tf.Variable(0, dtype=tf.int64, trainable=False, name="epoch")
        self._checkpoint = tf.train.Checkpoint(
            model=model, optimizer=optimizer, epoch=self._counter
        )
        self._manager = tf.train.CheckpointManager(self._checkpoint, write_to, max_to_keep=keep)

    @property
    def epoch(self) -> int:
        """Number of finished epochs."""
        return int(self._counter.numpy())

    def save(self, epoch: int) -> None:
        """Write a checkpoint; every task of a gang must call it, at the same moment.

        Args:
            epoch: Number of epochs that are finished now.
        """
        self._counter.assign(epoch)
        self._manager.save(checkpoint_number=epoch)

    def restore(self, read_from: str) -> None:
        """Read the newest checkpoint there, if there is one."""
        import tensorflow as tf

        newest = tf.train.latest_checkpoint(read_from)
        if newest is not None:
            self._checkpoint.restore(newest).assert_existing_objects_matched()

    def callback(self) -> Any:
        """A Keras callback that saves after every epoch."""
        return keras_in_use().callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: self.save(epoch + 1)
        )


def resume(model: Any, read_from: str, write_to: str, keep: int = 2) -> Progress:
    """Restore a compiled, built model from the job's newest checkpoint, if it has one.

    Call it on every task, after ``compile`` and before ``fit``.

    Args:
        model: A Keras model; its optimizer's variables are created here.
        read_from: The job's checkpoint directory, the same for every task; ``gs://``, ``/gcs/`` or
            local.
        write_to: This task's own: the chief's is the job's, any other's is scratch.
        keep: Number of checkpoints that stay. With two, a reader of the older one finds it whole
            while the next is written.

    Raises:
        ValueError: If the model is not compiled or not built.
        AssertionError: If the checkpoint is of another model.
    """
    if getattr(model, "optimizer", None) is None or not model.built:
        raise ValueError("the model cannot resume yet; compile it and give it its input's shape")
    with model.distribute_strategy.scope():
        # Restoring fills variables that exist; Keras would create these in the first step.
        model.optimizer.build(model.trainable_variables)
        progress = Progress(model, model.optimizer, write_to, keep)
        progress.restore(read_from)
    return progress
