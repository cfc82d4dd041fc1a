"""A small Keras classifier of handwritten digits: the demo's trial script.

Data: scikit-learn's 1,797 digits of 8x8 pixels, which need no network. ``--data=mnist`` downloads
70,000 digits of 28x28 pixels once.

    python trial_scripts/digits_mlp.py
    python trial_scripts/digits_mlp.py --optimizer=adam --learning_rate=0.003 --n_units=128
    vertex-jobs run configs/digits_search.yaml            # tune it on this machine
    vertex-jobs run configs/digits_search.yaml --on vertex

Reports ``accuracy`` on digits held back from training, after every epoch.
"""

from dataclasses import dataclass, field
from typing import Literal

import keras
import numpy as np
import tensorflow as tf

from vertex_jobs.runtime import arguments, environment, metrics, uploads


@dataclass
class Options:
    """Settings; each is a flag. The defaults are plain, so that tuning has something to find."""

    # What a study tunes.
    learning_rate: float = field(
        default=0.05, metadata={"help": "step size of the optimizer", "range": (1e-6, 10.0)}
    )
    n_units: int = field(
        default=16, metadata={"help": "width of each hidden layer", "range": (1, 4096)}
    )
    n_layers: int = field(default=1, metadata={"help": "hidden layers", "range": (0, 16)})
    batch_size: int = field(
        default=32, metadata={"help": "batch", "unit": "images", "range": (1, 4096)}
    )
    optimizer: Literal["sgd", "adam", "rmsprop"] = field(
        default="sgd", metadata={"help": "update rule"}
    )
    momentum: float = field(
        default=0.0, metadata={"help": "of sgd; the others ignore it", "range": (0.0, 0.999)}
    )
    # What stays the same within a study.
    epochs: int = field(default=20, metadata={"help": "passes over the data", "range": (1, 10_000)})
    data: Literal["digits", "mnist"] = field(default="digits", metadata={"help": "data set"})
    seed: int = field(
        default=1,
        metadata={"help": "equal seeds and settings give equal results", "range": (0, 2**32 - 1)},
    )
    # In a job each file below is an upload, so a short trial writes few.
    checkpoint_epochs: int = field(
        default=20,
        metadata={"help": "time between checkpoints", "unit": "epochs", "range": (1, 10_000)},
    )
    resume: bool = field(
        default=False, metadata={"help": "go on from this job's checkpoint, e.g. on spot machines"}
    )
    output_dir: str = field(
        default="output/digits_mlp", metadata={"help": "base directory of a run outside a job"}
    )


options = arguments.parse(Options)
job = environment.current()
reading = job.read_from(options.output_dir)
writing = job.write_to(options.output_dir)  # the job's for the chief, scratch for others
checkpoint = "checkpoint.keras"

keras.utils.set_random_seed(options.seed)
if tf.config.list_physical_devices("GPU"):  # on a CPU equal seeds are enough
    tf.config.experimental.enable_op_determinism()

# Data: images [n, pixels] from 0 to 1, labels [n] from 0 to 9. Every trial holds back the same
# fifth of the digits, whatever its seed, so that trials can be compared.
if options.data == "mnist":
    (x_train, y_train), (x_held, y_held) = keras.datasets.mnist.load_data()
    x_train, x_held = (part.reshape(len(part), -1) / 255.0 for part in (x_train, x_held))
else:
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    x_held, x_train = np.split(images[order] / 16.0, [len(images) // 5])
    y_held, y_train = np.split(labels[order], [len(images) // 5])
pipeline = tf.data.Options()  # one thread: with data this small several would only wait
pipeline.threading.private_threadpool_size = 1
pipeline.autotune.enabled = False
training = tf.data.Dataset.from_tensor_slices((x_train.astype("float32"), y_train))
training = training.shuffle(len(x_train), options.seed).batch(options.batch_size)
held_back = tf.data.Dataset.from_tensors((x_held.astype("float32"), y_held))
steps_per_epoch = len(training)

# Model.
if options.resume and tf.io.gfile.exists(reading.checkpoint_dir + checkpoint):
    model = keras.saving.load_model(reading.checkpoint_dir + checkpoint)
elif job.initial_model_dir:  # set by "vertex-jobs best --continue"; raise epochs with it
    model = keras.saving.load_model(job.initial_model_dir + "model.keras")
else:
    model = keras.Sequential([keras.Input([x_train.shape[1]], name="pixels")])
    for _ in range(options.n_layers):
        model.add(keras.layers.Dense(options.n_units, activation="relu"))
    model.add(keras.layers.Dense(10, activation="softmax", name="digit"))
    optimizer = keras.optimizers.get(options.optimizer)
    optimizer.learning_rate = options.learning_rate
    if options.optimizer == "sgd":
        optimizer.momentum = options.momentum
    model.compile(
        optimizer,
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
        steps_per_execution=steps_per_epoch,  # one call into TensorFlow per epoch
        jit_compile=False,  # compiling would take longer than training
    )

# Training. The metric is reported before anything is saved: a failed save must not cost the trial.
model.fit(
    training.with_options(pipeline),
    epochs=options.epochs,
    initial_epoch=int(model.optimizer.iterations) // steps_per_epoch,
    validation_data=held_back.with_options(pipeline),
    shuffle=False,  # the pipeline does it
    verbose=2,
    callbacks=[
        metrics.ReportMetrics({"accuracy": "val_accuracy"}),
        uploads.TensorBoard(writing.tensorboard_log_dir, write_graph=False),
        keras.callbacks.ModelCheckpoint(
            writing.checkpoint_dir + checkpoint,
            save_freq=options.checkpoint_epochs * steps_per_epoch,
        ),
        # With this patience it never stops early, but restores the best epoch's weights at the end.
        keras.callbacks.EarlyStopping(
            "val_accuracy", mode="max", patience=options.epochs, restore_best_weights=True
        ),
    ],
)

if job.is_chief:
    with uploads.staged(writing.model_dir) as folder:
        model.export(folder, verbose=False)  # a SavedModel for serving
        model.save(folder + "model.keras")  # the same for more training in Keras
    print(f"model: {writing.model_dir}")
