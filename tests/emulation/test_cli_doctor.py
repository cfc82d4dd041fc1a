"""doctor: this machine for real; the cloud side through Local Vertex's front over TLS."""

import json
import subprocess
import sys

from vertex_jobs.endpoints import local


def test_this_machine_runs_these_tests_so_nothing_is_missing(command):
    done = command("doctor", "--format", "json")
    found = {row["subject"]: row for row in json.loads(done.out)}
    assert (done.code, [row for row in found.values() if row["verdict"] == "missing"]) == (0, [])
    assert found["namespaces"]["verdict"] in ("ok", "limited")


def test_what_it_says_of_gcs_is_what_the_server_does(fresh_command):
    """The same libraries and namespaces, found out in two ways."""
    done = fresh_command("doctor", "--format", "json")
    said = {row["subject"]: row["verdict"] for row in json.loads(done.out)}
    with local(state_dir=fresh_command.state) as endpoint:
        health = endpoint.server.call("GET", "health")
    assert (said["namespaces"] == "ok", said["/gcs"] == "ok") == (
        health["private_root"],
        health["gcs"] == "mount",
    )


def test_a_state_directory_that_cannot_be_made_is_missing(tmp_path):
    (tmp_path / "file").write_text("")
    words = ["doctor", "--state-dir", str(tmp_path / "file" / "below")]
    done = subprocess.run(
        [sys.executable, "-m", "vertex_jobs", *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "missing  state " in done.stdout) == (1, True), done.stdout


def test_the_cloud_side_over_tls_says_what_it_does_not_know(command):
    words = ["doctor", "--on", "vertex", "--staging-bucket", "gs://nowhere", "--format", "json"]
    done = command.finish("emulate", "--", sys.executable, "-m", "vertex_jobs", *words)
    found = {row["subject"]: row["verdict"] for row in json.loads(done.out)}
    assert found == {
        "credentials": "ok",
        "Vertex AI": "ok",
        "APIs": "unknown",
        "permissions": "unknown",
        "bucket": "missing",
        "logs": "ok",
        "quota of CPUs": "unknown",
    }, done.err
    assert (done.code, "not known: APIs, permissions, quota of CPUs" in done.err) == (1, True)


def test_without_credentials_it_says_so_and_what_it_could_not_ask(command, tmp_path):
    words = ["doctor", "--on", "vertex", "--project", "p", "--format", "json"]
    done = command.finish(*words, HOME=str(tmp_path), NO_GCE_CHECK="true")
    credentials, *others = json.loads(done.out)
    remedy = "run: gcloud auth application-default login"
    assert (credentials["verdict"], credentials["remedy"]) == ("missing", remedy)
    assert [(row["subject"], row["verdict"]) for row in others] == [
        (subject, "unknown")
        for subject in ("Vertex AI", "APIs", "permissions", "bucket", "logs", "quota of CPUs")
    ]
    assert (done.code, "1 thing missing" in done.err) == (1, True), done.err
