"""Keras Tuner over the replicas of one job: the chief keeps the search, the workers run its trials.

This is Keras Tuner's own search, within one Vertex AI job; ``configs/digits_search.yaml`` uses that
of Vertex AI, where each trial is a job. The chief saves the best model.

    python trial_scripts/keras_tuner_search.py              # trials one after the other
    vertex-jobs run configs/keras_tuner_search.yaml         # a chief and two workers
    vertex-jobs run configs/keras_tuner_search.yaml --on vertex

Data: scikit-learn's 1,797 handwritten digits of 8x8 pixels. Reports ``accuracy`` of the best trial
on held-back digits.
"""

import os
from dataclasses import dataclass, field

import keras
import keras_tuner
import numpy as np
from sklearn.datasets import load_digits

from vertex_jobs.runtime import arguments, environment, keras_tuner_cluster, metrics


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate_low: float = field(
        default=1e-4, metadata={"help": "lowest step size tried", "range": (1e-6, 1.0)}
    )
    learning_rate_high: float = field(
        default=1e-1, metadata={"help": "highest step size tried", "range": (1e-6, 1.0)}
    )
    max_units: int = field(
        default=128, metadata={"help": "widest hidden layer tried", "range": (32, 4096)}
    )
    batch_size: int = field(
        default=64, metadata={"help": "batch", "unit": "images", "range": (1, 1438)}
    )
    epochs: int = field(
        default=5, metadata={"help": "passes over the data, each trial", "range": (1, 10_000)}
    )
    max_trials: int = field(
        default=6, metadata={"help": "trials, of all workers together", "range": (1, 10_000)}
    )
    seed: int = field(default=1, metadata={"help": "of the search", "range": (1, 2**31 - 1)})
    output_dir: str = field(
        default="output/keras_tuner_search",
        metadata={"help": "base directory of a run outside a job; a search there is gone on with"},
    )


options = arguments.parse(Options)
job = environment.current()
reading = job.read_from(options.output_dir)  # the search is one directory, shared by all replicas
writing = job.write_to(options.output_dir)
os.environ.update(keras_tuner_cluster.variables(job))

# Data: images [n, 64] from 0 to 1, labels [n] from 0 to 9; a fifth is held back.
images, labels = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(images))
x_held, x_train = np.split(images[order].astype("float32") / 16.0, [len(images) // 5])
y_held, y_train = np.split(labels[order], [len(images) // 5])


def build_model(choice: keras_tuner.HyperParameters) -> keras.Model:
    """Return one candidate."""
    rate = choice.Float(
        "learning_rate", options.learning_rate_low, options.learning_rate_high, sampling="log"
    )
    model = keras.Sequential([keras.Input([64])])
    for _ in range(choice.Int("n_layers", 1, 2)):
        units = choice.Int("n_units", 16, options.max_units, sampling="log")
        model.add(keras.layers.Dense(units, activation="relu"))
    model.add(keras.layers.Dense(10, activation="softmax"))
    model.compile(
        keras.optimizers.Adam(rate), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return model


tuner = keras_tuner.BayesianOptimization(
    build_model,
    objective="val_accuracy",
    max_trials=options.max_trials,
    seed=options.seed,
    directory=reading.checkpoint_dir,
    project_name="search",
)
# On the chief of a cluster this serves the workers until the last trial ends.
tuner.search(
    x_train,
    y_train,
    batch_size=options.batch_size,
    epochs=options.epochs,
    validation_data=(x_held, y_held),
    verbose=0,
)

if job.is_chief:
    trials = tuner.oracle.get_best_trials(options.max_trials)
    for trial in trials:
        print(f"trial {trial.trial_id}: accuracy {trial.score:.4f} {trial.hyperparameters.values}")
    metrics.report("accuracy", trials[0].score, trials[0].best_step + 1)
    (best,) = tuner.get_best_models(1)
    _, accuracy = best.evaluate(x_held, y_held, verbose=0)
    print(f"best of {len(trials)} trials: accuracy {accuracy:.4f}")
    best.export(writing.model_dir, verbose=False)  # a SavedModel for serving
    best.save(writing.model_dir + "model.keras")  # the same for more training in Keras
    print(f"model: {writing.model_dir}")
