"""What must hold of the systems that train on several devices of one machine."""

import re

from finished import Finished

__all__ = ["bert", "central_storage", "mirrored", "no_tpu", "transformer", "two_towers"]


def mirrored(job: Finished) -> str:
    """The saved model says the same as the trained one, loaded on one device and on all.

    Held-back accuracy passes 0.95; a checkpoint of every epoch is there, and no backup is left.
    """
    job.succeeded()
    pool = job.resource["jobSpec"]["workerPoolSpecs"][0]
    devices = int(pool["machineSpec"]["acceleratorCount"])
    epochs = int(dict(one.split("=") for one in pool["containerSpec"]["args"])["--epochs"])
    assert f"{devices} replicas: global batch {32 * devices}," in job.log()
    assert len(job.values("learning rate")) == 1 + epochs
    losses = job.values("held back loss")
    assert len(losses) == 3
    assert max(losses) - min(losses) < 1e-5
    accuracy = float(job.values("predicted in scope")[0])
    assert accuracy > 0.95
    checkpoints = [path for path in job.files if path.startswith("checkpoints/")]
    assert checkpoints == [f"checkpoints/epoch_{epoch:03d}.keras" for epoch in range(1, epochs + 1)]
    assert {"model/model.keras", "model/saved_model.pb"} <= job.files.keys()
    return f"accuracy {accuracy:.4f}"


def no_tpu(job: Finished) -> str:
    """Without a TPU the job fails, the command ends with 1, and one sentence, without a traceback,
    says what would do.
    """
    sentence = (
        "the strategy is tpu and there is no TPU here; run the job on a TPU machine of Vertex AI, "
        "e.g. machine_type cloud-tpu, or take another strategy"
    )
    assert job.exit_code == 1
    assert sentence in job.messages
    assert "Traceback" not in job.log()
    return "exit 1: no TPU here"


def transformer(job: Finished) -> str:
    """It validates every 20 of 150 steps, tests every 50 and keeps the last 5 of 15 checkpoints.

    The error of the predictions falls below 0.06, two fifths of the targets' deviation.
    """
    job.succeeded()
    validated, tested = (
        re.findall(rf"step (\d+): {part} ", job.log()) for part in ("valid", "test")
    )
    assert validated == ["20", "40", "60", "80", "100", "120", "140", "150"]
    assert tested == ["50", "100", "150"]
    kept = sorted({int(step) for step in re.findall(r"ckpt-(\d+)\.index", " ".join(job.files))})
    assert kept == [110, 120, 130, 140, 150]
    error = job.values("rmse")[-1]
    assert error < 0.06
    return f"rmse {error:.4f}"


def bert(job: Finished) -> str:
    """The loss on masked words of text held back falls from epoch to epoch, and 6 % of them are
    filled in, where the most frequent word piece would fill in 3 %.
    """
    job.succeeded()
    losses = job.values("val_loss")
    accuracy = job.values("val_accuracy")[-1]
    assert len(losses) == 4
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] - 0.1
    assert accuracy > 0.06
    return f"loss {losses[-1]:.4f}, accuracy {accuracy:.3f}"


def central_storage(job: Finished) -> str:
    """One copy of the weights trains to the same values as a copy on each of two devices.

    The seconds of an epoch stand beside Mirrored's.
    """
    job.succeeded()
    rows = re.findall(
        r"^(central_storage|mirrored) +(\S+) s +(\S+)  (.+)$", job.log(), re.MULTILINE
    )
    assert [(row[0], row[3]) for row in rows] == [
        ("central_storage", "CPU:0"),
        ("mirrored", "CPU:0, CPU:1"),
    ]
    assert job.values("largest difference between two weights")[0] < 1e-5
    accuracy = float(rows[0][2])
    assert accuracy > 0.95
    return f"accuracy {accuracy:.4f}, {rows[0][1]} s an epoch, Mirrored {rows[1][1]} s"


def two_towers(job: Finished) -> str:
    """Each tower's weights, optimizer and convolutions are on its own device, also on the way back.

    Held-back accuracy passes 0.94.
    """
    job.succeeded()
    log = job.log()
    for part, device in (("left", "CPU:0"), ("right", "CPU:1"), ("head", "CPU:0")):
        assert re.search(
            rf"{part}: weights and optimizer on \S+device:{device}$", log, re.MULTILINE
        )
    assert "convolutions: 6 on /device:CPU:0, 6 on /device:CPU:1" in log
    accuracy = job.values("held back accuracy")[-1]
    assert accuracy > 0.94
    return f"accuracy {accuracy:.4f}"
