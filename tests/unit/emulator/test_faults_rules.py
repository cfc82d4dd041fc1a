from dataclasses import asdict
from pathlib import Path

import pytest

from vertex_jobs.emulator.faults.incidents import Incident, Incidents, MountReads, ReadWatch
from vertex_jobs.emulator.faults.rules import FaultBoard, RuleSet, check_calls
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec.local import CallFault, ReplicaFault

GET = "JobService.GetCustomJob"
JOB = ("customJobs", "1")


def happens(times: int, *faults: CallFault, name: str = GET) -> list[int | str | None]:
    rules = RuleSet(faults)
    found = [rules.of_call(name) for _ in range(times)]
    return [fault.fault if fault else None for fault in found]


def test_a_fault_happens_once_unless_told_otherwise() -> None:
    assert happens(3, CallFault(call=GET, fault=503)) == [503, None, None]


def test_a_fault_happens_as_often_as_told() -> None:
    assert happens(3, CallFault(call=GET, fault=503, times=2)) == [503, 503, None]


def test_a_fault_may_happen_every_time() -> None:
    assert happens(3, CallFault(call=GET, fault=503, times=None)) == [503, 503, 503]


def test_a_fault_lets_the_first_calls_pass() -> None:
    assert happens(4, CallFault(call=GET, fault=503, skip=2)) == [None, None, 503, None]


def test_faults_of_one_call_follow_each_other() -> None:
    first, second = CallFault(call=GET, fault=503), CallFault(call="*", fault="hang")
    assert happens(3, first, second) == [503, "hang", None]


def test_draws_are_the_same_in_every_run() -> None:
    fault = CallFault(call=GET, fault=503, times=None, probability=0.5, seed=3)
    assert happens(20, fault) == happens(20, fault)


def test_another_seed_draws_otherwise() -> None:
    one, other = (
        CallFault(call=GET, fault=503, times=None, probability=0.5, seed=seed) for seed in (3, 4)
    )
    assert happens(20, one) != happens(20, other)


def test_a_probability_is_that_of_each_call() -> None:
    fault = CallFault(call=GET, fault=503, times=None, probability=0.25)
    assert 200 < len([one for one in happens(1000, fault) if one]) < 300


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        (GET, True),
        ("JobService.*", True),
        ("*", True),
        ("*.Get*", True),
        ("jobservice.*", False),
        ("storage.*", False),
        ("JobService.GetCustom", False),
    ],
)
def test_names_match_as_in_a_shell(pattern: str, matches: bool) -> None:
    assert bool(happens(1, CallFault(call=pattern, fault=503))[0]) is matches


def test_a_replicas_fault_is_for_the_replicas_it_names() -> None:
    rules = RuleSet([ReplicaFault(replica="workerpool1-*", fault="kill", trial="3")])
    found = [
        bool(rules.of_replica(replica, trial))
        for replica in ("workerpool1-0", "workerpool0-0")
        for trial in ("3", "4", "")
    ]
    assert found == [True, False, False, False, False, False]


def test_rules_of_a_job_are_of_its_replicas_alone() -> None:
    board = FaultBoard()
    board.post(JOB, RuleSet([ReplicaFault(replica="*", fault="kill")]))
    other = ("customJobs", "2")
    found = [len(board.of_replica(job, "workerpool0-0")) for job in (JOB, other)]
    assert found == [1, 0]


def test_standing_rules_are_of_every_job() -> None:
    board = FaultBoard(standing=[RuleSet([ReplicaFault(replica="*", fault="kill")])])
    assert len(board.of_replica(JOB, "workerpool0-0")) == 1


def test_counts_go_on_when_a_jobs_rules_are_posted_again() -> None:
    board, faults = FaultBoard(), [CallFault(call=GET, fault=503)]
    board.post(JOB, RuleSet(faults))
    first = board.of_call(GET)
    board.post(JOB, RuleSet(faults))
    assert (first is not None, board.of_call(GET)) == (True, None)


def test_rules_end_with_their_job() -> None:
    board = FaultBoard()
    board.post(JOB, RuleSet([CallFault(call=GET, fault=503)]))
    board.remove(JOB)
    assert board.of_call(GET) is None


def test_the_rules_that_come_with_a_call_count_first() -> None:
    board = FaultBoard(standing=[RuleSet([CallFault(call=GET, fault=500)])])
    fault = board.of_call(GET, RuleSet([CallFault(call=GET, fault=429)]))
    assert fault is not None
    assert fault.fault == 429


def test_what_happens_to_a_call_is_noted() -> None:
    board = FaultBoard(standing=[RuleSet([CallFault(call="*", fault=500)])])
    board.of_call(GET)
    assert board.incidents.of_job("1") == [asdict(Incident("fault", GET, "500"))]


def test_the_first_read_of_a_watched_object_is_noted() -> None:
    incidents = FaultBoard().incidents
    incidents.watch_reads(ReadWatch("gs://b/out/", "1", "", 5.0))
    for uri in ("gs://b/out/checkpoints/last", "gs://b/other/m", "gs://b/out/checkpoints/last"):
        incidents.note_read(uri, 4.0, 6.0)
    read = Incident("read", "gs://b/out/checkpoints/last", "after a restart", "1", "", 6.0, 4.0)
    assert incidents.of_job("1") == [asdict(read)]


def test_what_was_written_after_the_restart_is_no_checkpoint() -> None:
    incidents = FaultBoard().incidents
    incidents.watch_reads(ReadWatch("gs://b/out/", "1", "", 5.0))
    incidents.note_read("gs://b/out/last", 5.5, 6.0)
    assert incidents.of_job("1") == []


def test_reads_through_the_mount_are_noted_while_they_are_watched(tmp_path: Path) -> None:
    reads = MountReads(tmp_path / "reads")
    incidents = Incidents(reads)
    reads.note("gs://b/out/before", 1.0)
    incidents.watch_reads(ReadWatch("gs://b/out/", "1", "", 5.0))
    reads.note("gs://b/out/last", 4.0)
    assert [one["subject"] for one in incidents.of_job("1")] == ["gs://b/out/last"]


def test_an_incident_is_of_its_job() -> None:
    incidents = FaultBoard().incidents
    incidents.note(Incident("restart", "workerpool0-0", job="1"))
    assert incidents.of_job("2") == []


def test_faults_of_calls_that_do_not_exist_are_named_all_at_once() -> None:
    faults = [
        CallFault(call="JobService.GetCustomJobs", fault=503),
        CallFault(call="JobService.*", fault=503),
        CallFault(call="storag.*", fault=503),
    ]
    with pytest.raises(InvalidJobError) as refused:
        check_calls(faults, [GET, "storage.objects.get"])
    assert [fault.path for fault in refused.value.faults] == ["faults.0.call", "faults.2.call"]
