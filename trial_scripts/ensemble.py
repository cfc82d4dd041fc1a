"""An ensemble: the best trials of a study answer together, each model on a device of its own.

The probabilities of the chosen models are averaged. One half of the digits held back from training
chooses the models; the other half compares them with the best single one, so that the choice
cannot flatter the result. The script says which is better, even if it is the single model.

    python trial_scripts/ensemble.py                                # trains a few small ones first
    vertex-jobs run configs/ensemble_members.yaml                   # a study, a GPU for each trial
    vertex-jobs run configs/ensemble.yaml --set args.study=gs://…   # what the study wrote

Reports ``accuracy`` of the ensemble on the second half.
"""

from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

from vertex_jobs.runtime import arguments, environment, metrics


@dataclass
class Options:
    """Settings; each is a flag."""

    study: str = field(
        default="", metadata={"help": "base output directory of the study; empty: train members"}
    )
    members: int = field(
        default=4, metadata={"help": "size of the ensemble", "unit": "models", "range": (1, 64)}
    )
    n_units: int = field(
        default=16, metadata={"help": "width of members trained here", "range": (1, 4096)}
    )
    learning_rate: float = field(
        default=0.01, metadata={"help": "step size of members trained here", "range": (1e-6, 1.0)}
    )
    epochs: int = field(
        default=10, metadata={"help": "passes of members trained here", "range": (1, 10_000)}
    )
    seed: int = field(
        default=1, metadata={"help": "of the first member trained here", "range": (0, 2**32 - 1)}
    )
    output_dir: str = field(
        default="output/ensemble", metadata={"help": "base directory of a run outside a job"}
    )


options = arguments.parse(Options)
job = environment.current()
writing = job.write_to(options.output_dir)
devices = [device.name for device in tf.config.list_logical_devices("GPU")] or ["CPU:0"]

# The digits that digits_mlp.py holds back from training: a fifth, the same in every trial.
x, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(x))
x, y = (x[order] / 16.0).astype("float32"), y[order]
fifth = len(x) // 5
choosing, comparing = slice(0, fifth // 2), slice(fifth // 2, fifth)


def train(seed: int) -> Any:
    """Train and return a member, for a run without a study."""
    keras.utils.set_random_seed(seed)
    layers = [keras.layers.Dense(options.n_units, "relu"), keras.layers.Dense(10, "softmax")]
    model = keras.Sequential([keras.Input([64], name="pixels"), *layers])
    model.compile(keras.optimizers.Adam(options.learning_rate), "sparse_categorical_crossentropy")
    model.fit(x[fifth:], y[fifth:], epochs=options.epochs, verbose=0)
    return model


def answer(model: Any, part: slice) -> np.ndarray:
    """Return probabilities [n, 10] for a part of the digits, computed on the model's device."""
    return np.asarray(keras.ops.convert_to_numpy(model(x[part])))


def accuracy(probabilities: np.ndarray, part: slice) -> float:
    """Return the share of the part's digits that have the highest probability."""
    return float(np.mean(probabilities.argmax(axis=1) == y[part]))


# The candidates, each built on its own device: GPU 0, GPU 1, …, then GPU 0 again.
if options.study:
    paths = tf.io.gfile.glob(options.study.rstrip("/") + "/*/model/model.keras")
    if not paths:
        raise SystemExit(f"no trial below {options.study} left a model/model.keras")
    makers = {path.split("/")[-3]: (keras.saving.load_model, path) for path in paths}
else:
    makers = {str(n): (train, options.seed + n) for n in range(2 * options.members)}
candidates = {}
for number, (name, (make, source)) in enumerate(makers.items()):
    with tf.device(devices[number % len(devices)]):
        candidates[name] = make(source)
    candidates[name].name = f"member_{name}"  # a model's parts must differ in name

scores = {name: accuracy(answer(model, choosing), choosing) for name, model in candidates.items()}
chosen = sorted(scores, key=lambda name: -scores[name])[: options.members]
answers = {name: answer(candidates[name], comparing) for name in chosen}
for name in chosen:
    print(
        f"member {name}: accuracy {scores[name]:.4f} where chosen, "
        f"{accuracy(answers[name], comparing):.4f} where compared"
    )
alone = accuracy(answers[chosen[0]], comparing)
together = accuracy(np.mean(list(answers.values()), axis=0), comparing)
count = comparing.stop - comparing.start
verdict = "better than" if together > alone else "worse than" if together < alone else "as good as"
print(f"ensemble of {len(chosen)}: accuracy {together:.4f}, {verdict} the best alone, {alone:.4f}")
print(f"one digit of {count} is {1 / count:.4f}")
metrics.report("accuracy", together, 1)

# One model that holds the members: pixels in, averaged probabilities out.
pixels = keras.Input([64], name="pixels")
outputs = [candidates[name](pixels) for name in chosen]
ensemble = keras.Model(pixels, keras.layers.average(outputs) if len(outputs) > 1 else outputs[0])
ensemble.export(writing.model_dir, verbose=False)
print(f"model: {writing.model_dir}")
