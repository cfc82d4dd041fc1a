"""A convolutional classifier of digits, trained with ``fit`` on every device of one machine.

Each device holds a copy of the model and takes an equal part of every batch; batch and learning
rate grow with the replicas. Without GPUs the CPU replaces them, split into as many logical devices.

    python trial_scripts/mirrored_fit.py
    python trial_scripts/mirrored_fit.py --devices=4 --cross_device_ops=hierarchical
    vertex-jobs run configs/mirrored_fit.yaml                 # two GPUs, rehearsed on the CPU
    vertex-jobs run configs/mirrored_fit_tpu.yaml             # --strategy=tpu: needs a TPU

Reports ``accuracy`` on digits held back from training, after every epoch.
Data: scikit-learn's 1,797 digits of 8x8 pixels, which need no network.
"""

import logging
from dataclasses import dataclass, field
from typing import Literal, Optional

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

from vertex_jobs.errors import UnsupportedHereError
from vertex_jobs.runtime import arguments, environment, metrics, strategies


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(
        default=0.003, metadata={"help": "step size of Adam per replica", "range": (1e-6, 1.0)}
    )
    decay: float = field(
        default=0.8, metadata={"help": "factor on it after each epoch", "range": (0.01, 1.0)}
    )
    batch_size: int = field(
        default=32, metadata={"help": "batch per replica", "unit": "images", "range": (1, 4096)}
    )
    global_batch_size: Optional[int] = field(
        default=None,
        metadata={"help": "of all replicas, instead", "unit": "images", "range": (1, 65536)},
    )
    epochs: int = field(default=8, metadata={"help": "passes over the data", "range": (1, 10_000)})
    strategy: Literal["mirrored", "one_device", "tpu"] = field(
        default="mirrored", metadata={"help": "how the model is spread over the devices"}
    )
    devices: int = field(
        default=2, metadata={"help": "replicas, each on a GPU or logical CPU", "range": (1, 64)}
    )
    cross_device_ops: Literal["auto", "nccl", "hierarchical", "reduction_to_one"] = field(
        default="auto", metadata={"help": "how mirrored adds up gradients; nccl needs GPUs"}
    )
    seed: int = field(default=1, metadata={"help": "of all draws", "range": (0, 2**32 - 1)})
    output_dir: str = field(default="output/mirrored_fit", metadata={"help": "outside a job"})


options = arguments.parse(Options)
job = environment.current()
writing = job.write_to(options.output_dir)

# The strategy comes before any other TensorFlow operation, since it splits the devices.
devices, reduction = strategies.Devices(options.devices), options.cross_device_ops
try:
    strategy = strategies.strategy(options.strategy, devices=devices, cross_device_ops=reduction)
except UnsupportedHereError as error:  # e.g. no TPU: the message says it all
    raise SystemExit(str(error)) from None
replicas = strategy.num_replicas_in_sync
learning_rate = options.learning_rate * replicas
global_batch = options.global_batch_size or options.batch_size * replicas
if global_batch % replicas:  # Keras 3 cannot average the unequal parts of the first batch
    even = max(1, global_batch // replicas) * replicas
    words = "a global batch of %s does not divide by %s replicas: %s is taken"
    logging.warning(words, global_batch, replicas, even)
    global_batch = even
print(f"{replicas} replicas: global batch {global_batch}, learning rate {learning_rate:g}")

# Data: images [n, 8, 8, 1] from 0 to 1, labels [n] from 0 to 9; a fifth is held back.
images, labels = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(images))
images = (images[order] / 16.0).reshape(-1, 8, 8, 1).astype("float32")
held_images, images = np.split(images, [len(images) // 5])
held_labels, labels = np.split(labels[order], [len(labels) // 5])
training = tf.data.Dataset.from_tensor_slices((images, labels)).cache()
training = training.shuffle(len(images), seed=options.seed)
training = training.batch(global_batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)
held_back = tf.data.Dataset.from_tensor_slices((held_images, held_labels)).batch(global_batch)

# Everything that creates variables is in the scope: the model, its optimizer and its metrics.
keras.utils.set_random_seed(options.seed)
with strategy.scope():
    model = keras.Sequential(
        [
            keras.Input([8, 8, 1]),
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )


def print_rate(epoch: int, _: object) -> None:
    """Print the learning rate of each epoch."""
    rate = tf.convert_to_tensor(model.optimizer.learning_rate)
    print(f"epoch {epoch + 1}: learning rate {float(rate):.6f}")


model.fit(
    training,
    epochs=options.epochs,
    validation_data=held_back,
    shuffle=False,  # the pipeline does it
    verbose=2,
    callbacks=[
        metrics.ReportMetrics({"accuracy": "val_accuracy"}),  # first: nothing before it can fail
        keras.callbacks.LearningRateScheduler(lambda epoch: learning_rate * options.decay**epoch),
        keras.callbacks.LambdaCallback(on_epoch_end=print_rate),
        keras.callbacks.TensorBoard(writing.tensorboard_log_dir, histogram_freq=1),
        keras.callbacks.ModelCheckpoint(writing.checkpoint_dir + "epoch_{epoch:03d}.keras"),
        # A job that starts again after a lost machine continues with the next epoch.
        keras.callbacks.BackupAndRestore(writing.checkpoint_dir + "backup"),
    ],
)

# A saved model is independent of the replicas: loaded outside the scope it runs on one device,
# inside on all of them, with the same results.
path = writing.model_dir + "model.keras"
model.export(writing.model_dir)  # a SavedModel for serving
model.save(path)
alone = keras.models.load_model(path)
with strategy.scope():
    mirrored = keras.models.load_model(path)
    predicted = np.argmax(mirrored.predict(held_back, verbose=0), axis=1)
for name, one in {"trained": model, "loaded": alone, "loaded in scope": mirrored}.items():
    loss, accuracy = one.evaluate(held_back, verbose=0)
    print(f"{name}: held back loss {loss:.6f}, accuracy {accuracy:.4f}")
print(f"predicted in scope: {np.mean(predicted == held_labels):.4f} right")
print(f"model: {writing.model_dir}")
