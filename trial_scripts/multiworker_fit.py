"""Several processes train one model with Keras's ``fit``: MultiWorkerMirroredStrategy.

Every replica of the job runs this file. Each takes its share of every global batch, and all apply
the same summed gradients, so the result is that of one process on the same batches. When a machine
is lost, all start again and continue from the chief's last checkpoint.

    python trial_scripts/multiworker_fit.py                 # alone: one process, the same result
    vertex-jobs run configs/multiworker_fit.yaml            # a chief and a worker on this machine
    vertex-jobs run configs/multiworker_fit.yaml --drill kill-worker
    vertex-jobs run configs/multiworker_fit.yaml --on vertex

On your own machines, start it on each with a TF_CONFIG such as
``{"cluster": {"worker": ["a:2222", "b:2222"]}, "task": {"type": "worker", "index": 0}}`` and an
``--output_dir`` that all of them see.

Data: scikit-learn's 1,797 handwritten digits of 8x8 pixels. Reports ``accuracy`` after every epoch.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

from vertex_jobs.runtime import arguments, environment, metrics, resume, strategies

keras = tf.keras  # Keras 3, or tf_keras where TF_USE_LEGACY_KERAS is set


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(
        default=0.003, metadata={"help": "step size of Adam", "range": (1e-6, 1.0)}
    )
    n_units: int = field(
        default=64, metadata={"help": "width of the two hidden layers", "range": (1, 4096)}
    )
    batch_size: int = field(
        default=96,
        metadata={
            "help": "global batch, shared out evenly over all replicas",
            "unit": "images",
            "range": (1, 1438),
        },
    )
    epochs: int = field(default=8, metadata={"help": "passes over the data", "range": (1, 10_000)})
    communication: Literal["auto", "ring", "nccl"] = field(
        default="auto",
        metadata={"help": "how replicas sum gradients: nccl needs GPUs, ring goes over gRPC"},
    )
    seed: int = field(
        default=1,
        metadata={"help": "equal seeds and settings give equal results", "range": (0, 2**31 - 1)},
    )
    output_dir: str = field(
        default="output/multiworker_fit",
        metadata={"help": "base directory of a run outside a job; a checkpoint there is gone on"},
    )


options = arguments.parse(Options)
job = environment.current()
reading = job.read_from(options.output_dir)
writing = job.write_to(options.output_dir)  # the job's for the chief, scratch for others

# Before any other TensorFlow operation; waits until the whole cluster is there.
strategy = strategies.strategy("auto", communication=options.communication)
replicas = strategy.num_replicas_in_sync
if options.batch_size % replicas:
    raise SystemExit(f"--batch_size={options.batch_size} does not divide by {replicas} replicas")
keras.utils.set_random_seed(options.seed)

# Data: images [n, 64] from 0 to 1, labels [n] from 0 to 9; a fifth is held back.
images, labels = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(images))
x_held, x_train = np.split(images[order].astype("float32") / 16.0, [len(images) // 5])
y_held, y_train = np.split(labels[order], [len(images) // 5])

# fit takes global batches. DATA: each replica sees all of them and keeps its own share.
sharding = tf.data.Options()
sharding.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
examples = tf.data.Dataset.from_tensor_slices((x_train, y_train))
steps_per_epoch = len(x_train) // options.batch_size
held_back = tf.data.Dataset.from_tensor_slices((x_held, y_held)).batch(options.batch_size)


def epoch_of(number: tf.Tensor) -> tf.data.Dataset:
    """Return an epoch's batches; their order depends on its number and survives a restart."""
    shuffled = examples.shuffle(len(x_train), seed=options.seed + number)
    return shuffled.batch(options.batch_size, drop_remainder=True)


with strategy.scope():
    model = keras.Sequential(
        [
            keras.Input([64], name="pixels"),
            keras.layers.Dense(options.n_units, activation="relu"),
            keras.layers.Dense(options.n_units, activation="relu"),
            keras.layers.Dense(10, activation="softmax", name="digit"),
        ]
    )
    model.compile(
        keras.optimizers.Adam(options.learning_rate),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
progress = resume.resume(model, reading.checkpoint_dir, writing.checkpoint_dir)
if progress.epoch:
    print(f"going on after epoch {progress.epoch} of {options.epochs}")

if progress.epoch < options.epochs:
    epochs = tf.data.Dataset.range(progress.epoch, options.epochs)
    model.fit(
        epochs.flat_map(epoch_of).with_options(sharding),
        initial_epoch=progress.epoch,
        epochs=options.epochs,
        steps_per_epoch=steps_per_epoch,
        validation_data=held_back.with_options(sharding),
        shuffle=False,  # the pipeline does it
        verbose=2 if job.is_chief else 0,
        callbacks=[
            metrics.ReportMetrics({"accuracy": "val_accuracy"}),
            keras.callbacks.TensorBoard(writing.tensorboard_log_dir, write_graph=False),
            progress.callback(),
        ],
    )

loss, accuracy = model.evaluate(held_back.with_options(sharding), verbose=0)
if job.is_chief:
    print(f"{replicas} replicas, {progress.epoch} epochs: loss {loss:.6f}, accuracy {accuracy:.4f}")

# Every replica saves, since saving may need all of them; only the chief's files are kept.
tf.io.gfile.makedirs(writing.model_dir)
model.save(writing.model_dir + "model.keras")
if job.is_chief:
    print(f"model: {writing.model_dir}")
