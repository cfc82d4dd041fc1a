"""The verdict on a restart, by the steps and reads that were seen."""

import pytest

from vertex_jobs.drills.comparison import Comparison, chosen_metric
from vertex_jobs.drills.judgement import Finding, Observation, Read, Restart
from vertex_jobs.drills.marks import Mark

#: The restart of every case: steps before it come at their own times.
RESTART = Restart(100.0, of_chief=True, written=3.5)
UNSEEN = "no step was seen in its output, its metrics or its TensorBoard logs"


def read(name: str = "checkpoints/last", written: float = 3.5, time: float = 101.0) -> Read:
    return Read(f"gs://b/out/{name}", time, written)


def judged(
    before: list[int],
    after: list[int],
    *reads: Read,
    restarts: tuple[Restart, ...] = (RESTART,),
) -> Finding:
    marks = [Mark(float(step), "step", step) for step in before]
    marks += [Mark(200.0 + number, "step", step) for number, step in enumerate(after)]
    return Observation(restarts, reads, marks).judge()


def test_a_job_that_goes_on_with_the_next_step() -> None:
    text = "it read gs://b/out/checkpoints/last, written at step 3, and went on at step 4"
    assert judged([1, 2, 3], [4, 5], read()) == Finding("went on", text)


def test_steps_since_the_checkpoint_are_done_again() -> None:
    finding = judged([1, 2, 3, 4, 5], [4, 5, 6], read())
    assert (finding.outcome, finding.text.rpartition("; ")[2]) == ("went on", "2 steps done again")


def test_a_step_may_be_printed_after_its_checkpoint_and_lost() -> None:
    assert judged([1, 2], [4, 5], read(written=2.5)).outcome == "went on"


def test_steps_may_be_printed_every_hundred() -> None:
    assert judged([100, 200, 300], [400, 500], read(written=99.0)).outcome == "went on"


def test_a_job_that_begins_anew_has_lost_its_steps() -> None:
    assert judged([1, 2, 3], [1, 2]) == Finding("began anew", "3 steps were lost")


def test_one_that_reads_and_begins_anew_went_on_from_the_wrong_step() -> None:
    text = (
        "it read gs://b/out/checkpoints/last, written at step 3, but began at step 1 again: "
        "3 steps were lost"
    )
    assert judged([1, 2, 3], [1, 2], read()) == Finding("wrong step", text)


def test_steps_that_were_never_done() -> None:
    finding = judged([1, 2, 3], [7, 8], read())
    assert (finding.outcome, finding.text.partition("went on at ")[2]) == (
        "wrong step",
        "step 7: it had come to step 3, and what lies between was never done",
    )


def test_a_step_that_the_checkpoint_did_not_hold() -> None:
    finding = judged([1, 2, 3, 4, 5, 6, 7], [8, 9], read())
    assert (finding.outcome, finding.text.partition(": ")[2].rpartition("step 8: ")[2]) == (
        "wrong step",
        "what it had learnt in between was lost, and not done again",
    )


def test_another_object_says_nothing_of_the_checkpoint() -> None:
    assert judged([1, 2, 3, 4, 5, 6, 7], [8], read("vocabulary", 1.0)).outcome == "went on"


def test_a_job_may_keep_its_state_elsewhere() -> None:
    text = "it read no checkpoint and went on at step 4"
    assert judged([1, 2, 3], [4, 5]) == Finding("went on", text)


def test_tensorflows_index_is_no_checkpoint() -> None:
    assert judged([1, 2, 3], [1, 2], read("checkpoints/checkpoint")).outcome == "began anew"


@pytest.mark.parametrize(
    ("restart", "reads", "finding"),
    [
        (
            RESTART,
            (read(),),
            Finding(
                "went on",
                "it read gs://b/out/checkpoints/last; at which step it went on is unknown: "
                f"{UNSEEN}",
            ),
        ),
        (
            RESTART,
            (),
            Finding(
                "began anew",
                f"it read no checkpoint; how many steps were lost is unknown: {UNSEEN}",
            ),
        ),
        (
            Restart(100.0, of_chief=True, written=0.0),
            (),
            Finding("unknown", f"it wrote no checkpoint to AIP_CHECKPOINT_DIR, and {UNSEEN}"),
        ),
    ],
)
def test_without_steps(restart: Restart, reads: tuple[Read, ...], finding: Finding) -> None:
    assert judged([], [], *reads, restarts=(restart,)) == finding


def test_a_restart_before_the_first_checkpoint_does_not_count() -> None:
    early = Restart(0.5, of_chief=True, written=0.0)
    assert judged([1, 2, 3], [4], read(), restarts=(early, RESTART)).outcome == "went on"


def test_a_chief_that_ran_on_lost_nothing() -> None:
    of_worker = Restart(100.0, of_chief=False, written=3.5)
    text = "the chief ran on, and the lost replica was replaced"
    assert judged([1, 2], [3], restarts=(of_worker,)) == Finding("went on", text)


@pytest.mark.parametrize(
    ("rehearsed", "undisturbed", "agrees"),
    [
        (0.5, [0.5], True),
        (0.5, [0.5 + 1e-9], True),
        (0.5, [0.6], False),
        (0.5, [0.6, 0.6], False),
        (0.5, [0.6, 0.58], True),
        (0.1, [0.6, 0.58], False),
    ],
)
def test_a_result_within_what_equal_seeds_give(
    rehearsed: float, undisturbed: list[float], agrees: bool
) -> None:
    assert Comparison("loss", rehearsed, undisturbed).agrees is agrees


def test_a_comparison_in_words() -> None:
    said = str(Comparison("loss", 0.5, [0.6, 0.58]))
    assert said == "loss 0.5, in two undisturbed runs 0.6 and 0.58"


@pytest.mark.parametrize(
    ("runs", "metric"),
    [
        (({"loss": 1.0, "val_loss": 2.0}, {"val_loss": 2.0, "loss": 1.0}), "val_loss"),
        (({"loss": 1.0, "val_loss": float("nan")}, {"loss": 1.0, "val_loss": 1.0}), "loss"),
        (({"loss": 1.0}, {"accuracy": 1.0}), None),
    ],
)
def test_the_metric_of_a_comparison(runs: tuple[dict[str, float], ...], metric: str | None) -> None:
    assert chosen_metric(*runs) == metric
