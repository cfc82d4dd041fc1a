"""TensorBoard on logs that lie in Local Vertex's Cloud Storage alone."""

import json
import signal
import urllib.request

import pytest

from vertex_jobs.outputs import Outputs, StorageConnection

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
    outputs = Outputs(StorageConnection(command.record.url, "local-project", "anon"))
    name, content = event_file(tmp_path)
    for trial in ("1", "2"):
        outputs.write_bytes(f"{base}/{trial}/logs/{name}", content)
    with command.process("tensorboard", "grid") as process:
        url = process.stdout.readline().split()[-1]
        tags = {}
        # It loads in the background; pytest's own time limit ends these.
        while "loss" not in tags.get("2/logs", {}) or "loss" not in tags.get("1/logs", {}):
            tags = asked(f"{url}data/plugin/scalars/tags")
        groups = []
        while len(groups) < 3:
            groups = session_groups(url)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    assert {"loss", "final/score"} <= tags["1/logs"].keys()
    assert [(group["hparams"], values(group), status(group)) for group in groups] == [
        ({"x": 0}, [1.9375], "STATUS_SUCCESS"),
        ({"x": 0.25}, [2], "STATUS_SUCCESS"),
        ({"x": 1}, [], "STATUS_FAILURE"),
    ]


def test_a_study_that_was_watched_to_its_end_has_its_hparams(command, study):
    done = command("run", study)
    assert "HParams" not in done.err
    resource = json.loads(command("describe", "grid").out)
    base = resource["trialJobSpec"]["baseOutputDirectory"]["outputUriPrefix"]
    outputs = Outputs(StorageConnection(command.record.url, "local-project", "anon"))
    written = [file.uri.path for file in outputs.list_files(f"{base}/")]
    found = [path.rpartition("/")[0] for path in written if path.endswith(".hparams")]
    root = base.split("/", 3)[3]
    assert sorted(found) == [root, *(f"{root}/{trial}/logs" for trial in (1, 2, 3))]


def session_groups(url):
    """What the HParams page shows, by trial."""
    statuses = ["STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_UNKNOWN", "STATUS_RUNNING"]
    columns = [{"metric": {"tag": "final/score"}}]
    wanted = {"allowedStatuses": statuses, "colParams": columns, "sliceSize": 9}
    data = json.dumps(wanted).encode()
    found = asked(f"{url}data/plugin/hparams/session_groups", data).get("sessionGroups", [])
    return sorted(found, key=lambda group: group["name"])


def values(group):
    return [round(one["value"], 5) for one in group.get("metricValues", [])]


def status(group):
    return group["sessions"][0]["status"]


def asked(url, data=None):
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as answer:
        return json.load(answer)
