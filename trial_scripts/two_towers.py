"""A model in two parts, each tower on a device of its own: model parallelism by placement.

Two pictures of digits go through one convolutional tower each; from the outputs of both towers the
head predicts whether they show the same digit. ``tf.device`` puts the weights, the forward pass and
the gradients of a tower on its device; the script reads the placement back and checks it.

    python trial_scripts/two_towers.py
    python trial_scripts/two_towers.py --inter_op_threads=2
    vertex-jobs run configs/two_towers.yaml

Reports ``accuracy`` on pairs held back from training. Data: scikit-learn's 1,797 digits.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Optional

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

from vertex_jobs.runtime import arguments, environment, metrics, strategies


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(default=0.003, metadata={"help": "of Adam", "range": (1e-6, 1.0)})
    batch_size: int = field(default=64, metadata={"help": "pairs a step", "range": (1, 4096)})
    epochs: int = field(default=8, metadata={"help": "passes over the data", "range": (1, 10_000)})
    memory_limit: Optional[int] = field(
        default=None,
        metadata={"help": "of a tower, to share a GPU", "unit": "MiB", "range": (64, 1_000_000)},
    )
    inter_op_threads: int = field(
        default=0, metadata={"help": "operations side by side; 0 is automatic", "range": (0, 256)}
    )
    intra_op_threads: int = field(
        default=0, metadata={"help": "threads of an operation; 0 is automatic", "range": (0, 256)}
    )
    seed: int = field(default=1, metadata={"help": "of weights and pairs", "range": (0, 2**31)})
    output_dir: str = field(
        default="output/two_towers", metadata={"help": "of a run outside a job"}
    )


options = arguments.parse(Options)
writing = environment.current().write_to(options.output_dir)
strategies.set_threads(options.inter_op_threads, options.intra_op_threads)
devices = strategies.logical_devices(2, options.memory_limit)
keras.utils.set_random_seed(options.seed)


def pair_up(images: Any, labels: Any, seed: int) -> tf.data.Dataset:
    """Return pairs of pictures [8, 8, 1] and whether they show the same digit; half of them do."""
    draw = np.random.default_rng(seed)
    left = draw.permutation(np.tile(np.arange(len(labels)), 4))
    same = [draw.choice(np.flatnonzero(labels == labels[one])) for one in left]
    right = np.where(
        draw.random(len(left)) < 0.45, same, draw.integers(len(labels), size=len(left))
    )
    equal = (labels[left] == labels[right]).astype("float32")
    return tf.data.Dataset.from_tensor_slices((images[left], images[right], equal))


images, labels = load_digits(return_X_y=True)
images = (images / 16.0).reshape(-1, 8, 8, 1).astype("float32")
training = pair_up(images[360:], labels[360:], options.seed).shuffle(8192, options.seed)
held_back = pair_up(images[:360], labels[:360], seed=0).batch(options.batch_size)


def build_tower() -> Any:
    """Return a tower from pictures [n, 8, 8, 1] to features [n, 32]."""
    return keras.Sequential(
        [
            keras.Input([8, 8, 1]),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(32),
        ]
    )


def build_head() -> Any:
    """Return a head from both towers' features [n, 32] to the log-odds of the same digit, [n]."""
    left, right = keras.Input([32]), keras.Input([32])
    apart = keras.layers.Dense(1)(keras.ops.square(left - right))
    return keras.Model([left, right], apart[:, 0])


# Each part has weights and optimizer on its device; the head shares the left tower's.
places = {"left": devices[0], "right": devices[1], "head": devices[0]}
parts, optimizers = {}, {}
for name, device in places.items():
    with tf.device(device):
        parts[name] = build_head() if name == "head" else build_tower()
        optimizers[name] = keras.optimizers.Adam(options.learning_rate)
        optimizers[name].build(parts[name].trainable_variables)


@tf.function
def train_step(left: Any, right: Any, equal: Any) -> Any:
    """Train one step; only activations and their gradients cross between the devices."""
    seen, tapes = {}, {}
    for name, pictures in (("left", left), ("right", right)):
        with tf.device(places[name]), tf.GradientTape() as tapes[name]:
            seen[name] = parts[name](pictures, training=True)
    with tf.device(places["head"]):
        with tf.GradientTape() as tape:
            tape.watch(seen)
            logits = parts["head"]([seen["left"], seen["right"]], training=True)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(equal, logits))
        gradients, onward = tape.gradient(loss, (parts["head"].trainable_variables, seen))
        optimizers["head"].apply(gradients)
    for name, tape in tapes.items():  # a tape forgets the devices, so they are named again
        with tf.device(places[name]):
            variables = parts[name].trainable_variables
            optimizers[name].apply(tape.gradient(seen[name], variables, onward[name]))
    return loss


pictures = [keras.Input([8, 8, 1]), keras.Input([8, 8, 1])]
seen = [parts["left"](pictures[0]), parts["right"](pictures[1])]
model = keras.Model(pictures, parts["head"](seen))
for epoch in range(1, options.epochs + 1):
    losses = [train_step(*batch) for batch in training.batch(options.batch_size)]
    right = [
        (model([left, right], training=False).numpy() > 0) == (equal.numpy() > 0.5)
        for left, right, equal in held_back
    ]
    accuracy = float(np.mean(np.concatenate(right)))
    metrics.report("accuracy", accuracy, epoch)
    print(f"epoch {epoch}: loss {np.mean(losses):.4f}, held back accuracy {accuracy:.4f}")

# The placement, read back: weights and optimizer of each part, and the step's convolutions, two
# in the forward pass and three in the backward pass of each tower.
for name, device in places.items():
    found = {one.value.device for one in parts[name].variables + optimizers[name].variables}
    print(f"{name}: weights and optimizer on {', '.join(found)}")
    assert {one[-len(device) :] for one in found} == {device}, f"{name} should be on {device}"
graph = train_step.get_concrete_function(*next(iter(training.batch(8)))).graph
counts = Counter(op.device for op in graph.get_operations() if op.type.startswith("Conv2D"))
print("convolutions: " + ", ".join(f"{count} on {device}" for device, count in counts.items()))
assert len(counts) == 2, "each tower should compute on its own device"
model.export(writing.model_dir, verbose=False)  # a SavedModel for serving
model.save(writing.model_dir + "model.keras")
