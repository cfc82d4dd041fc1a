"""Tell two spirals apart: a small Keras classifier. Put your own data and model in its place.

    python NAME.py --epochs=5              # as any script
    vertex-jobs run NAME.yaml              # on this machine, as Vertex AI would run it
    vertex-jobs run NAME.yaml --on vertex  # there

Reports ``accuracy`` on points held back from training, after every epoch.
"""

from dataclasses import dataclass, field

import keras
import numpy as np

from vertex_jobs.runtime import arguments, environment, metrics, uploads


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(default=0.01, metadata={"help": "step size", "range": (0.0, 1.0)})
    n_units: int = field(default=32, metadata={"help": "width of the two hidden layers"})
    epochs: int = field(default=20, metadata={"help": "passes over the data"})
    seed: int = field(default=1, metadata={"help": "equal seeds give equal results"})


options = arguments.parse(Options)
job = environment.current()
directories = job.write_to("output")  # gs:// in a job, this folder outside
keras.utils.set_random_seed(options.seed)

# Data: points [2000, 2] of two noisy spirals, and the spiral of each [2000].
random = np.random.default_rng(0)
spiral = random.integers(0, 2, 2000)
angle = 3 * np.pi * np.sqrt(random.random(2000))
turned = angle + np.pi * spiral
points = np.stack([angle * np.cos(turned), angle * np.sin(turned)], axis=1) / 10
points = (points + random.normal(0, 0.02, points.shape)).astype("float32")

# Model.
model = keras.Sequential(
    [
        keras.Input([2]),
        keras.layers.Dense(options.n_units, activation="relu"),
        keras.layers.Dense(options.n_units, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(
    keras.optimizers.Adam(options.learning_rate),
    loss="binary_crossentropy",
    metrics=["accuracy"],
)

# Training: the last fifth of the points is held back.
model.fit(
    points,
    spiral,
    epochs=options.epochs,
    validation_split=0.2,
    verbose=2,
    callbacks=[metrics.ReportMetrics({"accuracy": "val_accuracy"})],
)

if job.is_chief:  # one replica of a job writes for all
    with uploads.staged(directories.model_dir) as folder:  # to gs:// in few requests
        model.export(folder, verbose=False)
    print(f"model: {directories.model_dir}")
