"""A transformer that predicts a number from a sequence, with a custom training loop.

Each replica averages its losses over the **global** batch; losses and gradients are summed over
all replicas. A stopped run continues from its last checkpoint as if nothing had happened.

    python trial_scripts/mirrored_transformer.py --devices=4
    vertex-jobs run configs/mirrored_transformer.yaml

Reports ``valid_rmse`` at every validation. Data: generated, so it needs no network.
"""

from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from vertex_jobs.runtime import arguments, environment, metrics, strategies

VOCABULARY, LENGTH, WIDTH, HEADS, BLOCKS = 20, 24, 32, 4, 2  # kinds of token, tokens a sequence
STEPS = {"unit": "steps", "range": (1, 1_000_000)}


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(
        default=0.5, metadata={"help": "factor on the warm-up schedule", "range": (0.001, 100.0)}
    )
    warmup_steps: int = field(default=60, metadata={"help": "while the rate rises", **STEPS})
    batch_size: int = field(default=32, metadata={"help": "sequences/replica", "range": (1, 4096)})
    epochs: int = field(default=3, metadata={"help": "passes over the data", "range": (1, 10_000)})
    valid_steps: int = field(default=20, metadata={"help": "between validations", **STEPS})
    test_steps: int = field(default=50, metadata={"help": "between tests", **STEPS})
    checkpoint_steps: int = field(default=10, metadata={"help": "between checkpoints", **STEPS})
    resume: bool = field(default=True, metadata={"help": "go on from the last checkpoint"})
    devices: int = field(default=2, metadata={"help": "replicas, one a device", "range": (1, 64)})
    output_dir: str = field(default="output/transformer", metadata={"help": "outside a job"})


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """Rises linearly, then falls with the root of the step. Source: "Attention Is All You Need"."""

    def __call__(self, step: Any) -> Any:  # noqa: D102
        step = tf.cast(step, tf.float32) + 1.0
        slope = tf.minimum(step**-0.5, step * options.warmup_steps**-1.5)
        return options.learning_rate * WIDTH**-0.5 * slope


def generate(count: int, seed: int) -> tf.data.Dataset:
    """Return sequences [LENGTH] with a target each: later tokens weigh more."""
    tokens = np.random.default_rng(seed).integers(VOCABULARY, size=(count, LENGTH), dtype="int32")
    weights = np.sin(np.arange(VOCABULARY))[tokens] * np.linspace(0.5, 1.5, LENGTH)
    return tf.data.Dataset.from_tensor_slices((tokens, weights.mean(axis=1).astype("float32")))


options = arguments.parse(Options)
job = environment.current()
reading, writing = job.read_from(options.output_dir), job.write_to(options.output_dir)
strategy = strategies.strategy("mirrored", devices=strategies.Devices(options.devices))
global_batch = options.batch_size * strategy.num_replicas_in_sync
keras.utils.set_random_seed(1)
tf.config.experimental.enable_op_determinism()  # a resumed run computes exactly the same
training = generate(3200, seed=0)
held_back = {"valid": generate(320, seed=1), "test": generate(320, seed=2)}

with strategy.scope():
    tokens = keras.Input([LENGTH], dtype="int32")
    hidden = keras.layers.Embedding(VOCABULARY, WIDTH)(tokens)
    hidden += keras.layers.Embedding(LENGTH, WIDTH)(keras.ops.arange(LENGTH)[None])
    for _ in range(BLOCKS):
        seen = keras.layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(hidden, hidden)
        hidden = keras.layers.LayerNormalization()(hidden + seen)
        wide = keras.layers.Dense(4 * WIDTH, activation="relu")(hidden)
        hidden = keras.layers.LayerNormalization()(hidden + keras.layers.Dense(WIDTH)(wide))
    model = keras.Model(tokens, keras.layers.Dense(1)(keras.ops.mean(hidden, axis=1))[:, 0])
    optimizer = keras.optimizers.Adam(WarmUp(), beta_2=0.98, epsilon=1e-9)
    optimizer.build(model.trainable_variables)  # Keras 3 cannot do it inside the replicas
    huber = keras.losses.Huber(reduction="none")
    mean_loss, rmse = keras.metrics.Mean("loss"), keras.metrics.RootMeanSquaredError("rmse")
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(checkpoint, writing.checkpoint_dir, max_to_keep=5)
    if options.resume:
        checkpoint.restore(tf.train.latest_checkpoint(reading.checkpoint_dir))


def loss_of_each(targets: Any, predictions: Any) -> Any:
    """Return each example's loss, [n]; Huber's mean is over the last axis, not over the batch."""
    return huber(targets[:, tf.newaxis], predictions[:, tf.newaxis])


@tf.function
def train_step(*batch: Any) -> Any:
    """Train all replicas on their parts of a batch; return the mean loss of the whole batch."""

    def on_replica(sequences: Any, targets: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = loss_of_each(targets, model(sequences, training=True))
            # Summed over the replicas below, so each divides by the batch of all of them.
            loss = tf.nn.compute_average_loss(losses, global_batch_size=global_batch)
        optimizer.apply(tape.gradient(loss, model.trainable_variables))
        return loss

    return strategy.reduce("SUM", strategy.run(on_replica, args=batch), axis=None)


@tf.function
def evaluate_step(sequences: Any, targets: Any) -> None:
    """Add one replica's part of a batch to the metrics."""
    predictions = model(sequences, training=False)
    mean_loss.update_state(loss_of_each(targets, predictions))
    rmse.update_state(targets, predictions)


def evaluate(part: str, step: int) -> None:
    """Report the error on held-back data: on the terminal, to TensorBoard and to a study."""
    for batch in strategy.experimental_distribute_dataset(held_back[part].batch(global_batch)):
        strategy.run(evaluate_step, args=batch)
    metrics.report(f"{part}_rmse", rmse.result(), step)
    print(f"step {step}: {part} loss {mean_loss.result():.7f}, rmse {rmse.result():.6f}")
    for metric in (mean_loss, rmse):
        tf.summary.scalar(f"{part}_{metric.name}", metric.result(), step)
        metric.reset_state()


steps_per_epoch = 3200 // global_batch
step, last = int(optimizer.iterations.numpy()), options.epochs * steps_per_epoch
print(f"{strategy.num_replicas_in_sync} replicas, batch {global_batch}, from step {step}")
tf.summary.create_file_writer(writing.tensorboard_log_dir).set_as_default()
while step < last:
    # Each epoch has its own order; a resumed run finds the order and its place in it again.
    order = training.shuffle(3200, seed=step // steps_per_epoch)
    batches = order.batch(global_batch, drop_remainder=True).skip(step % steps_per_epoch)
    for batch in strategy.experimental_distribute_dataset(batches):
        loss = train_step(*batch)
        step += 1
        tf.summary.scalar("train_loss", loss, step)
        print(f"step {step}: train loss {loss:.7f}")
        if step % options.checkpoint_steps == 0:
            manager.save(step)
        if step % options.valid_steps == 0 or step == last:
            evaluate("valid", step)
        if step % options.test_steps == 0:
            evaluate("test", step)
model.export(writing.model_dir, verbose=False)  # a SavedModel for serving
model.save(writing.model_dir + "model.keras")
