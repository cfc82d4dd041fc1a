"""DTensor with Keras: a mesh of devices, and a layout that distributes each weight over it.

A classifier of handwritten digits, trained with a custom loop, since ``fit`` supports no layouts.
Each device holds a part of the batch and, with ``--mesh_model`` above 1, a part of the layers.

    python trial_scripts/dtensor_layouts.py --layouts=functional --mesh_model=1
    vertex-jobs run configs/dtensor_layouts.yaml       # every way of giving layouts, side by side

Reports ``accuracy`` on digits held back from training, after every epoch.
"""

import os

# Only tf_keras, Keras 2, has layouts and optimizers for DTensor. TensorFlow reads this at import.
os.environ["TF_USE_LEGACY_KERAS"] = "1"

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow.experimental import dtensor

from vertex_jobs.runtime import arguments, environment, metrics


@dataclass
class Options:
    """Settings; each is a flag."""

    layouts: Literal["explicit", "subclassed", "sequential", "functional"] = field(
        default="explicit",
        metadata={"help": "given layer by layer, or by a LayoutMap to a model of that kind"},
    )
    devices: int = field(default=8, metadata={"help": "parts of the CPU", "range": (1, 64)})
    mesh_model: int = field(default=2, metadata={"help": "devices to a layer", "range": (1, 64)})
    learning_rate: float = field(default=0.01, metadata={"help": "of Adam", "range": (1e-6, 1.0)})
    batch_size: int = field(default=128, metadata={"help": "images a step", "range": (1, 1024)})
    epochs: int = field(default=8, metadata={"help": "passes over the data", "range": (1, 10_000)})
    seed: int = field(default=1337, metadata={"help": "of all draws", "range": (0, 2**32 - 1)})
    output_dir: str = field(default="output/dtensor", metadata={"help": "base, outside a job"})


options = arguments.parse(Options)
mesh_batch, rest = divmod(options.devices, options.mesh_model)
if rest or options.batch_size % mesh_batch or 360 % mesh_batch:
    raise SystemExit("devices must divide by mesh_model, the batch and 360 by their quotient")

# The mesh. Every program on a mesh must draw the same weights: hence the seed.
parts = [tf.config.LogicalDeviceConfiguration()] * options.devices
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], parts)
tf.keras.backend.experimental.enable_tf_random_generator()
tf.keras.utils.set_random_seed(options.seed)
names = [f"CPU:{number}" for number in range(options.devices)]
mesh = dtensor.create_mesh([("batch", mesh_batch), ("model", options.mesh_model)], devices=names)


def layout(*dimensions: str) -> Any:
    """Return a layout; each dimension is split over a dimension of the mesh, or whole for ""."""
    return dtensor.Layout([name or dtensor.UNSHARDED for name in dimensions], mesh)


# Columns of the first layer and rows of the second are split: only their product is then summed.
LAYOUTS = {"hidden.kernel": layout("", "model"), "hidden.bias": layout("model")}
LAYOUTS |= {"digit.kernel": layout("model", ""), "digit.bias": layout("")}


def dense(name: str, units: int, activation: str | None = None) -> Any:
    """Return a layer, with its layouts if they are given layer by layer."""
    given = ("kernel", "bias") if options.layouts == "explicit" else ()
    own = {f"{part}_layout": LAYOUTS[f"{name}.{part}"] for part in given}
    return tf.keras.layers.Dense(units, activation, name=name, **own)


class Classifier(tf.keras.Model):
    """The model as a class: a LayoutMap knows its weights by attribute, not by layer name."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.digit = dense("hidden", 128, "relu"), dense("digit", 10)

    def call(self, pixels: Any) -> Any:
        """Return logits [n, 10]."""
        return self.digit(self.hidden(pixels))


# The model. Under a LayoutMap existing code works unchanged; its keys are regular expressions.
layout_map = tf.keras.dtensor.experimental.LayoutMap(mesh=mesh)
layout_map.update({} if options.layouts == "explicit" else LAYOUTS)
with layout_map.scope():
    pixels = tf.keras.Input([64])
    if options.layouts == "subclassed":
        model = Classifier()
    elif options.layouts == "functional":
        model = tf.keras.Model(pixels, dense("digit", 10)(dense("hidden", 128, "relu")(pixels)))
    else:
        model = tf.keras.Sequential([pixels, dense("hidden", 128, "relu"), dense("digit", 10)])
model(dtensor.copy_to_mesh(tf.zeros([1, 64]), layout("", "")))  # a class makes its weights here
for weight in model.weights:
    part = dtensor.unpack(weight.read_value())[0]
    print(f"{weight.name}: {part.shape} of {weight.shape} on each device")
optimizer = tf.keras.dtensor.experimental.optimizers.Adam(options.learning_rate, mesh=mesh)
accuracy = tf.keras.metrics.SparseCategoricalAccuracy(mesh=mesh)


@tf.function
def step(images: Any, labels: Any, training: bool) -> Any:
    """Train on one batch; through the layouts alone the loss is that of all devices."""
    with tf.GradientTape() as tape:
        logits = model(images, training=training)
        losses = tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
        loss = tf.reduce_sum(losses) / len(images)
    if training:
        weights = model.trainable_variables
        # Without this, TensorFlow 2.21 updates one of the weights and forgets the others.
        gradients = map(dtensor.relayout, tape.gradient(loss, weights), [w.layout for w in weights])
        optimizer.apply_gradients(zip(gradients, weights, strict=True))
    accuracy.update_state(labels, logits)
    return loss


def spread(tensor: Any) -> Any:
    """Return a batch over the mesh: devices that share the layers see the same part of it."""
    parts = [part for part in tf.split(tensor, mesh_batch) for _ in range(options.mesh_model)]
    return dtensor.pack(parts, layout("batch", *[""] * (len(tensor.shape) - 1)))


# Data: images [n, 64] from 0 to 1, labels [n]; every trial holds back the same 360.
x, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(x))
x, y = (x[order] / 16.0).astype("float32"), y[order]
digits = tf.data.Dataset.from_tensor_slices((x[360:], y[360:])).shuffle(len(x), options.seed)

for epoch in range(1, options.epochs + 1):
    for images, labels in digits.batch(options.batch_size, drop_remainder=True):
        loss = step(spread(images), spread(labels), training=True)
    accuracy.reset_state()
    step(spread(x[:360]), spread(y[:360]), training=False)
    print(f"epoch {epoch}: loss {float(loss):.5f}, accuracy {float(accuracy.result()):.4f}")
    metrics.report("accuracy", accuracy.result(), epoch)

# The same weights in a model without a mesh, for serving.
options.layouts = "sequential"
plain = tf.keras.Sequential([pixels, dense("hidden", 128, "relu"), dense("digit", 10)])
whole = [dtensor.relayout(weight, layout(*[""] * len(weight.shape))) for weight in model.weights]
plain.set_weights([weight.numpy() for weight in whole])
plain.export(environment.current().write_to(options.output_dir).model_dir)
