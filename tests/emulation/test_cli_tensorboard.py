"""TensorBoard on logs that lie in Local Vertex's Cloud Storage alone."""

import json
import signal
import urllib.request

import pytest

from vertex_jobs.outputs import Connection, Outputs

pytest.importorskip("tensorboard", reason="the extra 'train' is not installed")


def event_file(directory):
    """The bytes of an event file with one scalar."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(directory))
    summary = Summary(value=[Summary.Value(tag="loss", simple_value=0.5)])
    writer.add_event(Event(summary=summary, step=1, wall_time=1.0))
    writer.close()
    (file,) = directory.iterdir()
    return file.name, file.read_bytes()


def test_every_trial_is_a_run(command, study, tmp_path):
    assert command("run", study).code == 0
    resource = json.loads(command("describe", "grid").out)
    base = resource["trialJobSpec"]["baseOutputDirectory"]["outputUriPrefix"]
    outputs = Outputs(Connection(command.record.url, "local-project", "anon"))
    name, content = event_file(tmp_path)
    for trial in ("1", "2"):
        outputs.write_bytes(f"{base}/{trial}/logs/{name}", content)
    with command.process("tensorboard", "grid") as process:
        url = process.stdout.readline().split()[-1]
        tags = {}
        while len(tags) < 2:  # it loads in the background; pytest's own time limit ends this
            with urllib.request.urlopen(f"{url}data/plugin/scalars/tags") as answer:
                tags = json.load(answer)
        process.send_signal(signal.SIGINT)
        assert (process.wait(), {run: list(found) for run, found in tags.items()}) == (
            0,
            {"1/logs": ["loss"], "2/logs": ["loss"]},
        )
