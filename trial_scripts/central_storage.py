"""Central storage compared with mirroring: one copy of the weights, or one on every device.

With central storage the weights lie on one device, ``--parameter_device``; each compute device
fetches them at every step and sends its gradients back. Mirroring copies them once and adds up the
gradients. Both compute the same; the links between the devices decide which is faster. The script
trains the same model both ways and prints the seconds side by side.

    python trial_scripts/central_storage.py
    python trial_scripts/central_storage.py --compute_devices=4 --parameter_device=CPU:3
    vertex-jobs run configs/central_storage.yaml

Reports ``accuracy`` on digits held back from training. Data: scikit-learn's 1,797 digits.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

from vertex_jobs.runtime import arguments, environment, metrics, strategies


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(
        default=0.003, metadata={"help": "step size of Adam per device", "range": (1e-6, 1.0)}
    )
    batch_size: int = field(
        default=32, metadata={"help": "batch per device", "unit": "images", "range": (1, 4096)}
    )
    epochs: int = field(default=6, metadata={"help": "passes over the data", "range": (2, 10_000)})
    n_units: int = field(
        default=256, metadata={"help": "width of the hidden layer", "range": (1, 65536)}
    )
    compute_devices: int = field(
        default=2, metadata={"help": "devices that compute, GPUs or logical CPUs", "range": (1, 64)}
    )
    parameter_device: str = field(
        default="CPU:0", metadata={"help": "device that keeps the weights, e.g. CPU:0 or GPU:0"}
    )
    seed: int = field(
        default=1, metadata={"help": "of weights and shuffling", "range": (0, 2**32 - 1)}
    )
    output_dir: str = field(
        default="output/central_storage", metadata={"help": "base directory of a run outside a job"}
    )


options = arguments.parse(Options)
writing = environment.current().write_to(options.output_dir)

# Data: images [n, 64] from 0 to 1, labels [n] from 0 to 9; a fifth is held back.
images, labels = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(images))
held_images, images = np.split(images[order].astype("float32") / 16, [len(images) // 5])
held_labels, labels = np.split(labels[order], [len(labels) // 5])


def train(name: str) -> tuple[Any, float]:
    """Train a model under a strategy; return it, and its seconds per epoch after the first."""
    count, parameters = options.compute_devices, options.parameter_device
    devices = strategies.Devices(count, parameter_device=parameters)
    strategy = strategies.strategy(name, devices=devices)
    replicas = strategy.num_replicas_in_sync
    # Both get equal weights and data in equal order, so that the results can be compared.
    keras.utils.set_random_seed(options.seed)
    batches = tf.data.Dataset.from_tensor_slices((images, labels))
    batches = batches.shuffle(len(images), seed=options.seed)
    batches = batches.batch(options.batch_size * replicas, drop_remainder=True).prefetch(2)
    with strategy.scope():
        model = keras.Sequential(
            [
                keras.Input([64]),
                keras.layers.Dense(options.n_units, activation="relu"),
                keras.layers.Dense(10),
            ]
        )
        model.compile(
            optimizer=keras.optimizers.Adam(options.learning_rate * replicas),
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        )
    # Silent, since Keras 3 adds up its running loss and metrics wrongly under central storage,
    # also in evaluate; the weights are right. Measured with Keras 3.15.
    model.fit(batches, epochs=1, shuffle=False, verbose=0)  # also builds the graph
    started = time.perf_counter()
    model.fit(batches, initial_epoch=1, epochs=options.epochs, shuffle=False, verbose=0)
    return model, (time.perf_counter() - started) / (options.epochs - 1)


trained = {name: train(name) for name in ("central_storage", "mirrored")}
print(f"{'strategy':<16} {'an epoch':>10} {'accuracy':>9}  weights")
for name, (model, seconds) in trained.items():
    logits = model.predict(held_images, batch_size=options.batch_size, verbose=0)
    accuracy = float(np.mean(np.argmax(logits, axis=1) == held_labels))
    if name == "central_storage":
        metrics.report("accuracy", accuracy, options.epochs)
    places = {
        one.device.rpartition("device:")[2]
        for weight in model.weights
        for one in getattr(weight.value, "values", [weight.value])
    }
    print(f"{name:<16} {seconds:>8.2f} s {accuracy:>9.4f}  {', '.join(sorted(places))}")

model, mirrored = (model for model, _ in trained.values())
apart = [
    np.abs(one.numpy() - other.numpy()).max()
    for one, other in zip(model.trainable_weights, mirrored.trainable_weights, strict=True)
]
print(f"largest difference between two weights: {max(apart):.1e}")
model.export(writing.model_dir, verbose=False)  # a SavedModel for serving
model.save(writing.model_dir + "model.keras")
