"""Workers train one large table asynchronously: ParameterServerStrategy with a custom loop.

Two parameter servers hold half of the table each. The chief schedules steps; the next free worker
takes one, reads the rows that it needs, and writes its gradients at once, without waiting for the
others. An evaluator evaluates the checkpoints.

    python trial_scripts/parameter_server.py                # worker and servers within one process
    vertex-jobs run configs/parameter_server.yaml           # six processes on this machine
    vertex-jobs run configs/parameter_server.yaml --on vertex

Data: generated. Each of 20,000 products is liked or not; a visit shows 16 of them, mostly popular
ones; the visitor buys if more than half of them are liked. Reports ``accuracy`` on other visits.
"""

from dataclasses import dataclass, field

import keras
import numpy as np
import tensorflow as tf

from vertex_jobs.runtime import arguments, environment, evaluation, metrics, resume, strategies

PRODUCTS, SHOWN, WIDTH, STEPS_PER_EPOCH = 20_000, 16, 8, 100
mean_loss_of = keras.losses.BinaryCrossentropy(from_logits=True)


@dataclass
class Options:
    """Settings; each is a flag."""

    learning_rate: float = field(default=0.02, metadata={"help": "of Adam", "range": (1e-6, 1.0)})
    batch_size: int = field(default=128, metadata={"help": "visits a step", "range": (1, 16_384)})
    epochs: int = field(default=5, metadata={"help": "of 100 steps each", "range": (1, 10_000)})
    warmup_epochs: int = field(default=1, metadata={"help": "epochs, one worker", "range": (0, 99)})
    output_dir: str = field(default="output/parameter_server", metadata={"help": "outside a job"})


options = arguments.parse(Options)
job = environment.current()
strategies.serve(job)  # a worker or a parameter server stays here until the job ends
reading = job.read_from(options.output_dir)
writing = job.write_to(options.output_dir)
keras.utils.set_random_seed(1)
tf.get_logger().setLevel("ERROR")  # TensorFlow traces each save over several servers, and warns

# Data: visits [n, 16] of product numbers, the low ones popular; bought [n, 1] is 0 or 1.
source = np.random.default_rng(0)
liked = source.choice([-1, 1], PRODUCTS)
visits = (PRODUCTS * source.random((67_584, SHOWN)) ** 5).astype("int32")
bought = (liked[visits].sum(axis=1, keepdims=True) > 0).astype("float32")
(x_held, x_train), (y_held, y_train) = (np.split(part, [2048]) for part in (visits, bought))


class Rows(keras.layers.Layer):
    """An embedding whose workers fetch only the rows of their batch, not the whole table."""

    def build(self, input_shape: tuple[int, ...]) -> None:
        """Make the table [products, width]; the strategy splits it over the servers."""
        self.table = self.add_weight(shape=(PRODUCTS, WIDTH), name="table")

    def call(self, numbers: tf.Tensor) -> tf.Tensor:
        """Return the rows of [batch, shown] numbers as [batch, shown, width]."""
        return tf.nn.embedding_lookup(self.table.value, numbers)


def build_model() -> keras.Model:
    """Return a model from product numbers [batch, 16] to one logit."""
    mean = keras.layers.GlobalAveragePooling1D()
    shown = keras.Input([SHOWN], dtype="int32")
    return keras.Sequential([shown, Rows(), mean, keras.layers.Dense(1)])


def evaluate(model: keras.Model) -> tuple[float, float]:
    """Return loss and accuracy on held-back visits."""
    logits = model(x_held).numpy()
    return float(mean_loss_of(y_held, logits)), float(np.mean((logits > 0) == y_held))


if job.task_type == "evaluator":
    model = build_model()  # whole, in this process
    progress = resume.Progress(model, None, writing.checkpoint_dir)
    with tf.summary.create_file_writer(writing.tensorboard_log_dir).as_default():
        for epoch in evaluation.follow(progress, reading, options.epochs):
            loss, accuracy = evaluate(model)
            for name, value in (("loss", loss), ("accuracy", accuracy)):
                tf.summary.scalar(name, value, step=epoch)
            print(f"evaluated epoch {epoch}: loss {loss:.4f}, accuracy {accuracy:.4f}")
    raise SystemExit

# From here on only the chief runs.
strategy = strategies.strategy("parameter_server", job)
with strategy.scope():
    model = build_model()
    # The table is in parts, each on its own server; the optimizer gets the parts.
    values = [variable.value for variable in model.trainable_variables]
    pieces = [piece for value in values for piece in getattr(value, "variables", [value])]
    optimizer = keras.optimizers.Adam(options.learning_rate)
    optimizer.build(pieces)
    mean_loss = keras.metrics.Mean()
for piece in pieces:
    print(f"{piece.name} {tuple(piece.shape)} on {piece.device}")
progress = resume.Progress(model, optimizer, writing.checkpoint_dir, keep=5)
progress.restore(reading.checkpoint_dir)


@tf.function
def batches() -> tf.distribute.DistributedDataset:
    """Return each worker's own endless stream, in its own order."""
    examples = tf.data.Dataset.from_tensor_slices((x_train, y_train))
    stream = examples.shuffle(len(x_train)).repeat().batch(options.batch_size)
    return strategy.distribute_datasets_from_function(lambda context: stream)


@tf.function
def step(stream: tf.distribute.DistributedIterator) -> None:
    """Train one batch on one worker."""

    def update(visit: tf.Tensor, buys: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            logits = model(visit, training=True)
            loss = mean_loss_of(buys, logits)
        optimizer.apply(tape.gradient(loss, pieces), pieces)
        mean_loss.update_state(loss)

    strategy.run(update, args=next(stream))


coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
streams = iter(coordinator.create_per_worker_dataset(batches))
with tf.summary.create_file_writer(writing.tensorboard_log_dir + "train").as_default():
    for epoch in range(progress.epoch + 1, options.epochs + 1):
        mean_loss.reset_state()
        for _ in range(STEPS_PER_EPOCH):
            coordinator.schedule(step, args=(streams,))
            if epoch <= options.warmup_epochs:
                coordinator.join()  # one replica: the next step sees this one's weights
        coordinator.join()
        tf.summary.scalar("loss", float(mean_loss.result()), step=epoch)
        print(f"epoch {epoch}: loss {float(mean_loss.result()):.4f}")
        progress.save(epoch)

final = build_model()  # whole again, as the evaluator has it
resume.Progress(final, None, writing.checkpoint_dir).restore(reading.checkpoint_dir)
loss, accuracy = evaluate(final)
metrics.report("accuracy", accuracy, options.epochs)
print(f"{progress.epoch} epochs: loss {loss:.4f}, accuracy {accuracy:.4f}")
final.export(writing.model_dir, verbose=False)
evaluation.wait_for_evaluator(job, reading, options.epochs)
