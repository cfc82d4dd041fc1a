"""An input pipeline over sharded files on ``gs://``: text lines, TFRecords, and mixed precision.

With a managed dataset the service writes CSV shards and names them in AIP_TRAINING_DATA_URI;
without one this script first writes scikit-learn's digits in the same form. It converts the text to
TFRecord shards once, and training reads those: several at a time, a batch ahead of the model.

    python trial_scripts/tfrecord_pipeline.py
    vertex-jobs run configs/tfrecord_pipeline.yaml
    vertex-jobs run configs/tfrecord_pipeline.yaml --set dataset=1234567890

Reports ``accuracy`` on the validation set, after every epoch.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

from vertex_jobs.runtime import arguments, environment, metrics


@dataclass
class Options:
    """Settings; each is a flag."""

    source: Literal["tfrecord", "csv"] = field(
        default="tfrecord", metadata={"help": "what is read"}
    )
    shards: int = field(default=4, metadata={"help": "files of each set", "range": (1, 1000)})
    parallel_reads: int = field(default=4, metadata={"help": "files at a time", "range": (1, 64)})
    precision: Literal["float32", "mixed_bfloat16", "mixed_float16"] = field(
        default="mixed_bfloat16",
        metadata={"help": "of the layers; float16 pays on GPUs, bfloat16 on TPUs and new CPUs"},
    )
    learning_rate: float = field(default=0.003, metadata={"help": "of Adam", "range": (1e-6, 1.0)})
    batch_size: int = field(default=32, metadata={"help": "images a step", "range": (1, 4096)})
    epochs: int = field(default=10, metadata={"help": "passes over the data", "range": (1, 10_000)})
    seed: int = field(default=1, metadata={"help": "of all draws", "range": (0, 2**32 - 1)})
    output_dir: str = field(
        default="output/tfrecord_pipeline", metadata={"help": "base directory outside a job"}
    )


options = arguments.parse(Options)
job = environment.current()
writing = job.write_to(options.output_dir)
folder = writing.checkpoint_dir + "shards/"  # with other files that the job can make again
tf.io.gfile.makedirs(folder)
keras.utils.set_random_seed(options.seed)
keras.mixed_precision.set_dtype_policy(options.precision)


def shard_name(part: str, number: int, suffix: str) -> str:
    """Return the service's file name, e.g. ``training-00000-of-00004.csv``."""
    return f"{folder}{part}-{number:05d}-of-{options.shards:05d}.{suffix}"


def write_text(part: str, rows: np.ndarray) -> str:
    """Write shards of CSV, each with a header; return the pattern that finds them."""
    for number in range(options.shards):
        with tf.io.gfile.GFile(shard_name(part, number, "csv"), "w") as file:
            file.write(",".join([f"pixel_{column}" for column in range(64)] + ["digit"]) + "\n")
            for row in rows[number :: options.shards].astype(int):
                file.write(",".join(map(str, row)) + "\n")
    return f"{folder}{part}-*-of-{options.shards:05d}.csv"


def interleaved(files: list[str], reader: Any) -> Any:
    """Return records of several files at a time; the order of files changes with every pass."""
    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files), options.seed)
    return names.interleave(reader, options.parallel_reads, num_parallel_calls=tf.data.AUTOTUNE)


def read_text(files: list[str]) -> Any:
    """Return pixels [64] from 0 to 1 and digit of every line, without headers."""
    lines = interleaved(files, lambda file: tf.data.TextLineDataset(file).skip(1))
    rows = lines.map(lambda line: tf.stack(tf.io.decode_csv(line, [0.0] * 65)), tf.data.AUTOTUNE)
    return rows.map(lambda row: (row[:64] / 16.0, tf.cast(row[64], tf.int64)))


def write_records(part: str, examples: Iterable[Any]) -> list[str]:
    """Write shards of TFRecords, one example a record; return their names."""
    names = [shard_name(part, number, "tfrecord") for number in range(options.shards)]
    writers = [tf.io.TFRecordWriter(name) for name in names]
    for number, (pixels, digit) in enumerate(examples):
        image = tf.train.Feature(float_list=tf.train.FloatList(value=pixels.numpy()))
        label = tf.train.Feature(int64_list=tf.train.Int64List(value=[int(digit)]))
        features = tf.train.Features(feature={"pixels": image, "digit": label})
        record = tf.train.Example(features=features).SerializeToString()
        writers[number % options.shards].write(record)
    for writer in writers:
        writer.close()
    return names


def read_records(files: list[str]) -> Any:
    """Return the same examples, read from TFRecords."""
    form = {"pixels": tf.io.FixedLenFeature([64], tf.float32)}
    form["digit"] = tf.io.FixedLenFeature([], tf.int64)
    records = interleaved(files, tf.data.TFRecordDataset)
    parsed = records.map(lambda one: tf.io.parse_single_example(one, form), tf.data.AUTOTUNE)
    return parsed.map(lambda one: (one["pixels"], one["digit"]))


patterns = {"training": job.training_data_uri, "validation": job.validation_data_uri}
if job.training_data_uri is None:
    rows = np.column_stack(load_digits(return_X_y=True))
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    parts = {"training": rows[360:], "validation": rows[:360]}
    patterns = {name: write_text(name, part) for name, part in parts.items()}
sets = {}
for name, pattern in patterns.items():
    files = tf.io.gfile.glob(pattern)
    print(f"{name}: {len(files)} files of {pattern}")
    sets[name] = read_text(files)
    if options.source == "tfrecord":
        sets[name] = read_records(write_records(name, sets[name]))
training = sets["training"].cache().shuffle(10_000, options.seed).batch(options.batch_size)

model = keras.Sequential([keras.Input([64]), keras.layers.Dense(128, activation="relu")])
model.add(keras.layers.Dense(10, activation="softmax", dtype="float32"))  # sums of small numbers
model.compile(
    keras.optimizers.Adam(options.learning_rate),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
print(
    f"hidden layer: computes in {model.layers[0].compute_dtype}, its weights "
    f"are {model.layers[0].variable_dtype}"
)
model.fit(
    training.prefetch(tf.data.AUTOTUNE),  # makes the next batch while the model trains on this one
    validation_data=sets["validation"].batch(options.batch_size).prefetch(tf.data.AUTOTUNE),
    epochs=options.epochs,
    verbose=2,
    callbacks=[metrics.ReportMetrics({"accuracy": "val_accuracy"})],
)
model.export(writing.model_dir, verbose=False)
model.save(writing.model_dir + "model.keras")
print(f"model: {writing.model_dir}")
