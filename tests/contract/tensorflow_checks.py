"""What TensorFlow and Keras do with ``gs://``, check by check: the child of the storage suite.

``python tensorflow_checks.py gs://BUCKET/PREFIX`` runs every check in one process, which shares the
import of TensorFlow, and prints a JSON line for each: its name and its fault, empty if there is
none. Each check has a directory of its own below the prefix.
"""

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

CHECKS: dict[str, Callable[[str], None]] = {}


def check(function: Callable[[str], None]) -> Callable[[str], None]:
    CHECKS[function.__name__] = function
    return function


def same(seen: object, expected: object) -> None:
    if seen != expected:
        raise AssertionError(f"{seen!r} is not {expected!r}")


def write(path: str, text: str, mode: str = "w") -> None:
    import tensorflow as tf

    with tf.io.gfile.GFile(path, mode) as file:
        file.write(text)


def read(path: str) -> str:
    import tensorflow as tf

    with tf.io.gfile.GFile(path) as file:
        return str(file.read())


@check
def gfile_write_and_read(base: str) -> None:
    write(f"{base}/a.txt", "one\ntwo\n")
    same(read(f"{base}/a.txt"), "one\ntwo\n")


@check
def gfile_append(base: str) -> None:
    write(f"{base}/a.txt", "one\n")
    write(f"{base}/a.txt", "two\n", mode="a")
    same(read(f"{base}/a.txt"), "one\ntwo\n")


@check
def gfile_seek(base: str) -> None:
    import tensorflow as tf

    write(f"{base}/a.txt", "0123456789")
    with tf.io.gfile.GFile(f"{base}/a.txt", "rb") as file:
        file.seek(7)
        same((file.read(2), file.size()), (b"78", 10))


@check
def gfile_empty_file(base: str) -> None:
    import tensorflow as tf

    write(f"{base}/empty", "")
    same((read(f"{base}/empty"), tf.io.gfile.stat(f"{base}/empty").length), ("", 0))


@check
def gfile_mebibytes(base: str) -> None:
    import tensorflow as tf

    content = bytes(range(256)) * (4096 * 3)
    with tf.io.gfile.GFile(f"{base}/large", "wb") as file:
        file.write(content)
    with tf.io.gfile.GFile(f"{base}/large", "rb") as file:
        same(file.read() == content, True)


@check
def gfile_list_glob_and_walk(base: str) -> None:
    import tensorflow as tf

    for name in ("a.txt", "b.txt", "c/d.txt"):
        write(f"{base}/{name}", name)
    same(sorted(tf.io.gfile.listdir(base)), ["a.txt", "b.txt", "c/"])
    same(sorted(tf.io.gfile.glob(f"{base}/*.txt")), [f"{base}/a.txt", f"{base}/b.txt"])
    walked = {tuple(sorted(files)) for _, _, files in tf.io.gfile.walk(base)}
    same(walked, {("a.txt", "b.txt"), ("d.txt",)})


@check
def gfile_directories(base: str) -> None:
    import tensorflow as tf

    tf.io.gfile.makedirs(f"{base}/x/y")
    same((tf.io.gfile.isdir(f"{base}/x"), tf.io.gfile.isdir(f"{base}/z")), (True, False))
    write(f"{base}/x/y/file", "kept")
    tf.io.gfile.rmtree(f"{base}/x")
    same(tf.io.gfile.exists(f"{base}/x/y/file"), False)


@check
def gfile_rename_and_copy(base: str) -> None:
    import tensorflow as tf

    write(f"{base}/a", "text")
    tf.io.gfile.copy(f"{base}/a", f"{base}/b")
    tf.io.gfile.rename(f"{base}/b", f"{base}/c")
    exist = [tf.io.gfile.exists(f"{base}/{name}") for name in "abc"]
    same((exist, read(f"{base}/c")), ([True, False, True], "text"))


@check
def gfile_rename_of_a_directory(base: str) -> None:
    import tensorflow as tf

    write(f"{base}/old/a", "a")
    write(f"{base}/old/b/c", "c")
    tf.io.gfile.rename(f"{base}/old", f"{base}/new")
    same((read(f"{base}/new/b/c"), tf.io.gfile.exists(f"{base}/old/a")), ("c", False))


@check
def gfile_missing_file_and_bucket(base: str) -> None:
    import tensorflow as tf

    for path in (f"{base}/none", "gs://no-such-bucket-here/none"):
        try:
            read(path)
        except tf.errors.NotFoundError:
            continue
        raise AssertionError(f"{path} was read")


def model() -> Any:
    import keras

    built = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)])
    built.compile("sgd", "mse")
    return built


def data() -> tuple[Any, Any]:
    import numpy as np

    return np.ones((8, 4), "float32"), np.ones((8, 1), "float32")


@check
def keras_save_and_load(base: str) -> None:
    import keras
    import numpy as np

    saved = model()
    saved.save(f"{base}/model.keras")
    loaded = keras.saving.load_model(f"{base}/model.keras")
    np.testing.assert_allclose(loaded.predict(data()[0], verbose=0), saved(data()[0]), rtol=1e-5)


@check
def keras_export(base: str) -> None:
    import numpy as np
    import tensorflow as tf

    exported = model()
    exported.export(f"{base}/export", verbose=False)
    loaded = tf.saved_model.load(f"{base}/export")  # owns the variables of its functions
    np.testing.assert_allclose(loaded.serve(data()[0]), exported(data()[0]), rtol=1e-5)


@check
def keras_weights(base: str) -> None:
    import numpy as np

    one, other = model(), model()
    one.save_weights(f"{base}/w.weights.h5")
    other.load_weights(f"{base}/w.weights.h5")
    np.testing.assert_allclose(one(data()[0]), other(data()[0]), rtol=1e-5)


@check
def checkpoint_manager(base: str) -> None:
    import tensorflow as tf

    step = tf.Variable(0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), base, max_to_keep=2)
    for number in (1, 2, 3):
        step.assign(number)
        manager.save(checkpoint_number=number)
    step.assign(0)
    tf.train.Checkpoint(step=step).restore(tf.train.latest_checkpoint(base)).assert_consumed()
    same((int(step), len(manager.checkpoints)), (3, 2))
    same(sorted(tf.io.gfile.glob(f"{base}/ckpt-1.*")), [])


@check
def model_checkpoint_callback(base: str) -> None:
    import keras
    import tensorflow as tf

    callback = keras.callbacks.ModelCheckpoint(f"{base}/epoch{{epoch}}.keras")
    model().fit(*data(), epochs=2, verbose=0, callbacks=[callback])
    same(sorted(tf.io.gfile.listdir(base)), ["epoch1.keras", "epoch2.keras"])


@check
def backup_and_restore(base: str) -> None:
    import keras

    class Stop(keras.callbacks.Callback):  # type: ignore[misc]
        def on_epoch_begin(self, epoch: int, logs: object = None) -> None:
            if epoch == 2:
                raise InterruptedError("the machine went away")

    seen: list[int] = []
    record = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(epoch))
    backup = f"{base}/backup"
    try:
        callbacks = [keras.callbacks.BackupAndRestore(backup), record, Stop()]
        model().fit(*data(), epochs=4, verbose=0, callbacks=callbacks)
    except InterruptedError:
        pass
    callbacks = [keras.callbacks.BackupAndRestore(backup), record]
    model().fit(*data(), epochs=4, verbose=0, callbacks=callbacks)
    same(seen, [0, 1, 2, 3])


@check
def tensorboard_callback(base: str) -> None:
    import keras
    import tensorflow as tf

    callback = keras.callbacks.TensorBoard(f"{base}/logs", write_graph=False)
    model().fit(*data(), epochs=1, verbose=0, callbacks=[callback])
    (file,) = tf.io.gfile.glob(f"{base}/logs/train/events.*")
    tags = {
        value.tag
        for record in tf.data.TFRecordDataset(file)
        for value in tf.compat.v1.Event.FromString(record.numpy()).summary.value
    }
    same("epoch_loss" in tags, True)


@check
def runtime_tensorboard_callback(base: str) -> None:
    """Nothing before its time, and everything at the end."""
    import keras
    import tensorflow as tf

    from vertex_jobs.runtime import uploads

    seen: list[list[str]] = []
    look = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda *_: seen.append(tf.io.gfile.glob(f"{base}/logs/*/events.*"))
    )
    board = uploads.TensorBoard(f"{base}/logs", seconds=3600, write_graph=False)
    model().fit(*data(), validation_data=data(), epochs=2, verbose=0, callbacks=[board, look])
    same(seen, [[], []])
    same(len(tf.io.gfile.glob(f"{base}/logs/train/events.*")), 1)
    same(len(tf.io.gfile.glob(f"{base}/logs/validation/events.*")), 1)


@check
def staged_model(base: str) -> None:
    import keras
    import tensorflow as tf

    from vertex_jobs.runtime import uploads

    trained = model()
    with uploads.staged(f"{base}/model/") as folder:
        trained.export(folder, verbose=False)
        trained.save(f"{folder}model.keras")
    inputs = tf.constant(data()[0], "float32")
    loaded = tf.saved_model.load(f"{base}/model")
    same(loaded.serve(inputs).numpy().tolist(), trained(inputs).numpy().tolist())
    keras.saving.load_model(f"{base}/model/model.keras")


@check
def staged_files_of_a_block_that_raises(base: str) -> None:
    import tensorflow as tf

    from vertex_jobs.runtime import uploads

    try:
        with uploads.staged(f"{base}/model/") as folder:
            write(f"{folder}half", "a model")
            raise KeyError("training")
    except KeyError:
        same(tf.io.gfile.glob(f"{base}/model/*"), [])


@check
def mirror_copies_what_changed(base: str) -> None:
    import tensorflow as tf

    from vertex_jobs.runtime import uploads

    with uploads.Mirror(f"{base}/logs/") as mirror:
        write(f"{mirror.folder}one", "1")
        tf.io.gfile.makedirs(f"{mirror.folder}below")
        write(f"{mirror.folder}below/two", "2")
        mirror.upload()
        tf.io.gfile.remove(f"{base}/logs/one")
        write(f"{mirror.folder}below/two", "22")
        mirror.upload()
    same(tf.io.gfile.exists(f"{base}/logs/one"), False)
    same(read(f"{base}/logs/below/two"), "22")


@check
def tfrecord_dataset(base: str) -> None:
    import tensorflow as tf

    names = [f"{base}/part-{number}.tfrecord" for number in range(3)]
    for name in names:
        with tf.io.TFRecordWriter(name) as writer:
            for number in range(100):
                writer.write(f"{name[-10]}:{number}".encode())
    found = tf.data.Dataset.list_files(f"{base}/part-*.tfrecord", shuffle=False)
    rows = found.interleave(tf.data.TFRecordDataset, cycle_length=3)
    same(len({bytes(row) for row in rows.as_numpy_iterator()}), 300)


@check
def text_dataset(base: str) -> None:
    import tensorflow as tf

    write(f"{base}/lines.csv", "a,1\nb,2\n")
    lines = tf.data.TextLineDataset(f"{base}/lines.csv").as_numpy_iterator()
    same(list(lines), [b"a,1", b"b,2"])


@check
def saved_dataset(base: str) -> None:
    import tensorflow as tf

    tf.data.Dataset.range(10).save(f"{base}/dataset")
    loaded = tf.data.Dataset.load(f"{base}/dataset").as_numpy_iterator()
    same(sum(int(number) for number in loaded), 45)


def main(prefix: str) -> None:
    for name, function in CHECKS.items():
        fault = ""
        try:
            function(f"{prefix}/{name}")
        except Exception:
            fault = traceback.format_exc()
        print(json.dumps({"check": name, "fault": fault}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
