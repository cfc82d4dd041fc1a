"""Following a job: changes, ends, trouble and deadlines, with a clock that moves by sleeping."""

import concurrent.futures

import pytest

from vertex_jobs.client.watching import Watch
from vertex_jobs.errors import EndpointLostError, RequestRefusedError

NAME = "projects/p/locations/us-central1/customJobs/5"
LOST = EndpointLostError("no answer")


def job(state, update_time="t"):
    return {"name": NAME, "state": f"JOB_STATE_{state}", "updateTime": update_time}


class Poller:
    """Gives one answer after the other, the last for ever; each takes ``seconds``."""

    def __init__(self, time, *answers, seconds=0.0):
        self.time = time
        self.answers = list(answers)
        self.seconds = seconds
        self.asked = []

    def __call__(self, update_time):
        self.asked.append(update_time)
        self.time.seconds += self.seconds
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def states(poller, timeout=None, **options):
    watch = Watch(poller, poller.time.timing, **options)
    return [snapshot.state for snapshot in watch.snapshots(timeout)]


class TestChanges:
    def test_each_change_comes_once(self, time):
        pending, running = job("PENDING"), job("RUNNING")
        poller = Poller(time, pending, pending, running, running, job("SUCCEEDED"))
        assert states(poller) == [
            "JOB_STATE_PENDING",
            "JOB_STATE_RUNNING",
            "JOB_STATE_SUCCEEDED",
        ]

    def test_a_change_without_a_new_state_comes_too(self, time):
        poller = Poller(time, job("RUNNING", "1"), job("RUNNING", "2"), job("SUCCEEDED"))
        assert len(states(poller)) == 3

    def test_the_update_time_last_seen_goes_with_the_poll(self, time):
        poller = Poller(time, job("RUNNING", "1"), job("RUNNING", "2"), job("SUCCEEDED"))
        states(poller)
        assert poller.asked == ["", "1", "2"]

    @pytest.mark.parametrize(
        "state",
        ["SUCCEEDED", "FAILED", "CANCELLED", "PAUSED", "EXPIRED", "PARTIALLY_SUCCEEDED", "NEW_ONE"],
    )
    def test_every_terminal_state_ends_it(self, time, state):
        assert states(Poller(time, job(state))) == [f"JOB_STATE_{state}"]

    @pytest.mark.parametrize("state", ["QUEUED", "PENDING", "RUNNING", "CANCELLING", "UPDATING"])
    def test_no_other_state_does(self, time, state):
        assert len(states(Poller(time, job(state), job("SUCCEEDED")))) == 2

    @pytest.mark.parametrize(("state", "count"), [("RUNNING", 2), ("FAILED", 1)])
    def test_a_pipelines_states_are_understood(self, time, state, count):
        first = {"name": NAME, "state": f"PIPELINE_STATE_{state}"}
        assert len(states(Poller(time, first, job("SUCCEEDED")))) == count


class TestPace:
    def test_intervals_grow_from_a_fifth_of_a_second_to_five(self, time):
        states(Poller(time, *[job("RUNNING")] * 8, job("SUCCEEDED")))
        assert time.slept == [0.02, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]

    def test_a_change_makes_them_short_again(self, time):
        quiet = [job("RUNNING")] * 3
        states(Poller(time, *quiet, job("RUNNING", "2"), job("SUCCEEDED")))
        assert time.slept == [0.02, 0.2, 0.4, 0.02]

    def test_after_an_answer_that_was_held_back_there_is_no_pause(self, time):
        states(Poller(time, *[job("RUNNING")] * 4, job("SUCCEEDED"), seconds=2.0))
        assert time.slept == [0.02]

    @pytest.mark.parametrize(("trials", "seconds"), [(100, 0.02), (101, 0.101), (2000, 2.0)])
    def test_news_of_a_long_study_is_asked_for_less_often(self, time, trials, seconds):
        study = {**job("RUNNING"), "trials": [{}] * trials}
        states(Poller(time, study, job("SUCCEEDED")))
        assert time.slept == [pytest.approx(seconds)]


class TestTrouble:
    @pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
    def test_it_survives_passing_refusals(self, time, code):
        refusal = RequestRefusedError("x", code=code, status="X")
        assert states(Poller(time, job("RUNNING"), refusal, refusal, job("SUCCEEDED"))) == [
            "JOB_STATE_RUNNING",
            "JOB_STATE_SUCCEEDED",
        ]

    def test_it_survives_a_lost_connection(self, time):
        assert states(Poller(time, LOST, job("SUCCEEDED"))) == ["JOB_STATE_SUCCEEDED"]

    @pytest.mark.parametrize("code", [400, 403, 404])
    def test_a_real_refusal_ends_it_at_once(self, time, code):
        with pytest.raises(RequestRefusedError):
            states(Poller(time, RequestRefusedError("x", code=code, status="X")))
        assert time.slept == []

    def test_its_patience_has_an_end(self, time):
        with pytest.raises(EndpointLostError, match=r"gave up after .* s: no answer; the job"):
            states(Poller(time, LOST), patience_seconds=60.0)
        assert 45.0 < sum(time.slept) <= 60.0

    def test_patience_starts_anew_after_an_answer(self, time):
        trouble = [LOST] * 6
        answers = [*trouble, job("RUNNING"), *trouble, job("SUCCEEDED")]
        assert len(states(Poller(time, *answers), patience_seconds=20.0)) == 2

    def test_each_attempt_that_failed_is_told(self, time):
        told = []
        states(
            Poller(time, LOST, LOST, job("SUCCEEDED")),
            on_trouble=lambda error, delay: told.append((error, delay)),
        )
        assert told == [(LOST, 0.2), (LOST, 0.4)]


class TestDeadline:
    def test_it_is_kept_to_the_second(self, time):
        started = time.seconds
        with pytest.raises(
            concurrent.futures.TimeoutError, match="is still JOB_STATE_RUNNING after the time-out"
        ):
            states(Poller(time, job("RUNNING")), timeout=7.0)
        assert time.seconds == started + 7.0

    def test_zero_asks_once(self, time):
        poller = Poller(time, job("RUNNING"))
        with pytest.raises(concurrent.futures.TimeoutError):
            states(poller, timeout=0)
        assert len(poller.asked) == 1

    def test_zero_is_enough_for_a_job_that_has_ended(self, time):
        assert states(Poller(time, job("FAILED")), timeout=0) == ["JOB_STATE_FAILED"]

    def test_near_it_no_answer_is_asked_to_be_held_back(self, time):
        poller = Poller(time, job("RUNNING"), seconds=0.5)
        with pytest.raises(concurrent.futures.TimeoutError):
            states(poller, timeout=4.0)
        assert (poller.asked[1], poller.asked[-1]) == ("t", "")

    def test_an_endpoint_that_is_lost_until_then_is_a_time_out(self, time):
        with pytest.raises(concurrent.futures.TimeoutError, match="within the time-out"):
            states(Poller(time, LOST), timeout=5.0)
