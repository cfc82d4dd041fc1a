"""Data and model parallel training with ``keras.distribution``, on JAX.

A classifier of handwritten digits, trained with ``fit``: Keras distributes data and weights; the
code of the model does not change. ``--mesh_model=1`` is data parallel; with 2 or more, that many
devices share each layer. Devices are the machine's GPUs or TPUs, else 8 parts of its CPU.

    python trial_scripts/keras_distribution.py
    python trial_scripts/keras_distribution.py --mesh_model=1
    vertex-jobs run configs/keras_distribution.yaml

Reports ``accuracy`` on digits held back from training, after every epoch.
"""

import os

# Both act when Keras and JAX are imported. The caller's own values stay.
os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

from dataclasses import dataclass, field

import keras
import numpy as np
from sklearn.datasets import load_digits

from vertex_jobs.runtime import arguments, environment, metrics


@dataclass
class Options:
    """Settings; each is a flag."""

    mesh_model: int = field(
        default=2, metadata={"help": "share of each layer", "unit": "devices", "range": (1, 64)}
    )
    n_units: int = field(
        default=128, metadata={"help": "width of the hidden layer", "range": (1, 4096)}
    )
    learning_rate: float = field(
        default=0.003, metadata={"help": "step size of Adam", "range": (1e-6, 1.0)}
    )
    batch_size: int = field(
        default=64, metadata={"help": "batch of all devices", "unit": "images", "range": (1, 1024)}
    )
    epochs: int = field(default=8, metadata={"help": "passes over the data", "range": (1, 10_000)})
    seed: int = field(
        default=1,
        metadata={"help": "equal seeds and settings give equal results", "range": (0, 2**32 - 1)},
    )
    output_dir: str = field(
        default="output/keras_distribution",
        metadata={"help": "base directory of a run outside a job"},
    )


HELD_BACK = 360  # images, a fifth; 2, 4 and 8 devices divide them

options = arguments.parse(Options)
writing = environment.current().write_to(options.output_dir)
if keras.backend.backend() != "jax":
    raise SystemExit(
        f"Keras runs on {keras.backend.backend()}, where keras.distribution takes every layout "
        "and shards nothing: one device would do all the work, without a word. Set "
        "KERAS_BACKEND=jax; on TensorFlow use a tf.distribute strategy, as mirrored_fit.py does"
    )
devices = keras.distribution.list_devices()
mesh_batch, rest = divmod(len(devices), options.mesh_model)
if rest or options.batch_size % mesh_batch or HELD_BACK % mesh_batch:
    raise SystemExit(
        f"{len(devices)} devices in groups of {options.mesh_model} cannot share a batch of "
        f"{options.batch_size} or {HELD_BACK} images evenly; choose numbers that divide"
    )
keras.utils.set_random_seed(options.seed)

# The distribution over the devices, for all models made from here on.
distribution = keras.distribution.DataParallel(devices=devices)
if options.mesh_model > 1:
    mesh = keras.distribution.DeviceMesh(
        (mesh_batch, options.mesh_model), ["batch", "model"], devices
    )
    layout_map = keras.distribution.LayoutMap(mesh)
    # Regular expressions for whole paths such as sequential/hidden/kernel; one that matches nothing
    # is no error. Columns of one layer and rows of the next: only their product is then summed.
    layout_map[".*/hidden/kernel"] = (None, "model")
    layout_map[".*/hidden/bias"] = ("model",)
    layout_map[".*/digit/kernel"] = ("model", None)
    distribution = keras.distribution.ModelParallel(layout_map=layout_map, batch_dim_name="batch")
keras.distribution.set_distribution(distribution)

model = keras.Sequential(
    [
        keras.Input([64], name="pixels"),
        keras.layers.Dense(options.n_units, activation="relu", name="hidden"),
        keras.layers.Dense(10, name="digit"),
    ]
)
model.compile(
    keras.optimizers.Adam(options.learning_rate),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)

# The real placement: Keras says nothing about a pattern that matches no weight.
split = set()
for weight in model.weights:
    shards = weight.value.addressable_shards
    part = shards[0].data.shape
    split |= {weight.name} if part != weight.shape else set()
    print(f"{weight.path}: {part} of {weight.shape} on each of {len(shards)} devices")
if options.mesh_model > 1 and not split:
    raise SystemExit("no weight is split; correct the patterns of the LayoutMap")

# Data: images [n, 64] from 0 to 1, labels [n] from 0 to 9. Every batch must divide by the devices,
# so that what does not fill the last one is left out.
x, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(x))
x, y = (x[order] / 16.0).astype("float32"), y[order]
end = len(x) - (len(x) - HELD_BACK) % options.batch_size

model.fit(
    x[HELD_BACK:end],
    y[HELD_BACK:end],
    batch_size=options.batch_size,
    epochs=options.epochs,
    validation_data=(x[:HELD_BACK], y[:HELD_BACK]),
    validation_batch_size=HELD_BACK,
    verbose=2,
    callbacks=[metrics.ReportMetrics({"accuracy": "val_accuracy"})],
)
keras.distribution.set_distribution(None)  # the exported model is for one device
model.export(writing.model_dir, verbose=False)
model.save(writing.model_dir + "model.keras")
print(f"model: {writing.model_dir}")
