"""The journal: what a crash at any point leaves behind."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, replace

import pytest

from vertex_jobs.client.journal import (
    CREATED,
    PREPARED,
    REFUSED,
    SENT,
    SHORT,
    UNKNOWN,
    UPLOADED,
    Create,
    Entry,
    Journal,
)

CREATE = Create(
    nonce="0123456789abcdef",
    endpoint="http://127.0.0.1:1",
    parent="projects/p/locations/us-central1",
    collection="customJobs",
    body={"displayName": "digits", "labels": {"vertex-jobs-submission": "0123456789abcdef"}},
)
ENTRY = Entry((CREATE,), changed=10.0, headers={"x": "y"})


def in_state(state, **changes):
    """The entry with its create in that state."""
    return replace(ENTRY, creates=(replace(CREATE, state=state, **changes),))


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path)


def test_an_entry_reads_back_as_written(journal):
    journal.write(ENTRY)
    assert journal.read(ENTRY.nonce) == ENTRY


def test_the_last_write_counts(journal):
    journal.write(ENTRY)
    journal.write(in_state(SENT))
    assert [entry.current.state for entry in journal.entries()] == [SENT]


def test_nothing_but_the_entry_is_left_in_the_directory(journal):
    journal.write(ENTRY)
    assert [path.name for path in journal.directory.iterdir()] == [f"{ENTRY.nonce}.json"]


def test_only_the_owner_may_read_it(journal):
    journal.write(ENTRY)
    assert (journal.directory / f"{ENTRY.nonce}.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("state", "is_open"),
    [
        (PREPARED, False),
        (UPLOADED, False),
        (SENT, True),
        (CREATED, False),
        (UNKNOWN, True),
        (REFUSED, False),
    ],
)
def test_an_entry_is_open_while_a_job_may_exist_unnoticed(journal, state, is_open):
    journal.write(in_state(state))
    assert bool(journal.open_entries()) is is_open


def test_open_entries_come_oldest_first(journal):
    for nonce, changed in (("b" * 16, 2.0), ("a" * 16, 3.0), ("c" * 16, 1.0)):
        journal.write(replace(in_state(SENT, nonce=nonce), changed=changed))
    assert [entry.nonce[0] for entry in journal.open_entries()] == ["c", "b", "a"]


def test_a_directory_that_does_not_exist_has_no_entries(journal):
    assert journal.open_entries() == []


def test_a_damaged_file_is_reported_and_hides_no_other(journal, caplog):
    journal.write(in_state(SENT))
    damaged = journal.directory / "damaged.json"
    damaged.write_text('{"nonce": ')
    found = journal.open_entries()
    assert (len(found), f"{damaged} is not a journal entry" in caplog.text) == (1, True)


KILLED_WHILE_WRITING = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from vertex_jobs.client.journal import Create, Entry, Journal
import json
form = json.loads(sys.argv[2])
entry = Entry((Create(**form["creates"][0]),), form["changed"], form["headers"])
journal = Journal(Path(sys.argv[1]))
journal.write(entry)
def die(event, arguments):
    if event == "os.rename":
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(die)
journal.write(entry.recorded("sent", at=11.0))
"""


def test_a_writer_killed_before_the_rename_leaves_the_old_entry(journal):
    text = json.dumps(asdict(ENTRY))
    command = [sys.executable, "-c", KILLED_WHILE_WRITING, str(journal.directory.parent), text]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(command, check=False, env=environment, timeout=60)
    assert (ended.returncode, journal.read(ENTRY.nonce)) == (-signal.SIGKILL, ENTRY)


def test_a_crash_between_the_places_is_told_from_one_before_the_first(journal):
    other = replace(CREATE, nonce="f" * 16, state=UPLOADED)
    first = replace(ENTRY, creates=(replace(CREATE, state=UPLOADED), other))
    assert (first.stopped_between, first.recorded(SHORT, at=1.0).stopped_between) == (False, True)


def test_those_who_want_the_same_contents_in_any_order_take_turns(journal):
    held, order = threading.Event(), []

    def second():
        held.wait()
        with journal.exclusive(["bb", "aa"]):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with journal.exclusive(["aa", "bb"]):
        held.set()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
