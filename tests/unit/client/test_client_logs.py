"""Log lines: the filter, an entry's JSON, and following without a line lost or repeated."""

import pytest

from vertex_jobs.client.log_entries import LogEntry, log_filter
from vertex_jobs.client.tailing import follow
from vertex_jobs.errors import EndpointLostError


class TestFilter:
    def test_one_job(self):
        assert log_filter(["7"]) == 'resource.type="ml_job" AND resource.labels.job_id="7"'

    def test_several_jobs(self):
        assert log_filter(["7", "8"]) == (
            'resource.type="ml_job" AND (resource.labels.job_id="7" OR resource.labels.job_id="8")'
        )

    def test_one_replica_from_some_time_on(self):
        assert log_filter(["7"], "workerpool0-0", "2026-01-02T03:04:05Z").endswith(
            ' AND resource.labels.task_name="workerpool0-0" AND timestamp>="2026-01-02T03:04:05Z"'
        )


class TestEntry:
    def test_a_text_line_is_read(self):
        entry = LogEntry.from_json(
            {
                "timestamp": "2026-01-02T03:04:05.123456789Z",
                "severity": "ERROR",
                "insertId": "a",
                "textPayload": "epoch 1\n",
                "resource": {"labels": {"job_id": "7", "task_name": "workerpool0-0"}},
            }
        )
        assert entry == LogEntry(
            "2026-01-02T03:04:05.123456789Z", "ERROR", "workerpool0-0", "epoch 1", "a", "7"
        )

    @pytest.mark.parametrize(
        ("payload", "text"),
        [
            ({"message": "epoch 1", "levelname": "INFO"}, "epoch 1"),
            ({"loss": 0.5}, '{"loss": 0.5}'),
            ({"message": {"nested": 1}}, '{"message": {"nested": 1}}'),
        ],
    )
    def test_a_line_that_was_json_is_shown_as_its_message(self, payload, text):
        assert LogEntry.from_json({"jsonPayload": payload}).text == text

    def test_the_replica_may_be_a_label_of_the_entry(self):
        assert LogEntry.from_json({"labels": {"task_name": "service"}}).replica == "service"

    @pytest.mark.parametrize(
        ("time", "micros"),
        [("05Z", 0), ("05.5Z", 500_000), ("05.000001Z", 1), ("05.123456789Z", 123_456)],
    )
    def test_times_have_any_number_of_decimals(self, time, micros):
        entry = LogEntry(f"2026-01-02T03:04:{time}", "", "", "", "", "")
        assert (entry.moment.second, entry.moment.microsecond) == (5, micros)


def line(second, text, job_id="7"):
    return LogEntry(f"2026-01-02T03:04:{second:09.6f}Z", "INFO", "r", text, text, job_id)


class Log:
    """A log that grows between rounds: each round adds lines, the last one ends the job."""

    def __init__(self, *rounds, ids=("7",)):
        self.rounds = list(rounds)
        self.lines = []
        self.ids = ids
        self.since = []

    def read(self, ids, since, wait=False):
        self.since.append(since)
        found = [e for e in self.lines if e.job_id in ids and e.time >= since.removesuffix("Z")]
        return sorted(found, key=lambda entry: entry.time)

    def turns(self):
        while True:
            if self.rounds:
                self.lines += self.rounds.pop(0)
            yield self.ids, not self.rounds


def texts(log, time):
    return [entry.text for entry in follow(log.read, log.turns(), time.timing)]


class TestFollowing:
    def test_every_line_comes_once(self, time):
        assert texts(Log([line(1, "a")], [line(2, "b")], []), time) == ["a", "b"]

    def test_lines_of_one_time_all_come(self, time):
        log = Log([line(1, "a"), line(1, "b")], [line(1, "c")])
        assert texts(log, time) == ["a", "b", "c"]

    def test_a_line_that_reaches_the_log_late_comes(self, time):
        assert texts(Log([line(9, "b")], [line(1, "a")]), time) == ["b", "a"]

    def test_equal_texts_are_different_lines(self, time):
        twice = [line(1, "a"), LogEntry("2026-01-02T03:04:01Z", "INFO", "r", "a", "other", "7")]
        assert texts(Log(twice), time) == ["a", "a"]

    def test_the_last_lines_after_the_end_come(self, time):
        log = Log([line(1, "a")])
        found = follow(log.read, log.turns(), time.timing)
        first = next(found).text
        log.lines.append(line(2, "b"))
        assert [first, *(entry.text for entry in found)] == ["a", "b"]

    def test_a_job_that_starts_later_is_read_from_its_start(self, time):
        log = Log([line(50, "a")], [line(1, "b", "8")], ids=["7"])
        found = follow(log.read, log.turns(), time.timing)
        first = next(found).text
        log.ids = ["7", "8"]
        assert [first, *(entry.text for entry in found)] == ["a", "b"]

    def test_old_lines_are_not_read_again_for_ever(self, time):
        log = Log([line(1, "a")], [line(59, "b")], [])
        texts(log, time)
        assert log.since[-1] == "2026-01-02T03:04:49Z"

    def test_rounds_that_follow_each_other_at_once_are_spaced(self, time):
        texts(Log([], [], [], [], []), time)
        assert time.slept == [1.0, 2.0, 4.0, 5.0]

    def test_a_round_that_waited_for_news_needs_no_pause(self, time):
        def turns():
            yield ["7"], False
            while True:
                time.seconds += 2.0
                yield ["7"], time.seconds > 1_000_005.0

        assert (list(follow(Log().read, turns(), time.timing)), time.slept) == ([], [1.0])

    def test_trouble_repeats_no_line(self, time):
        log = Log([line(1, "a")], [line(2, "b")], [])
        troubles = iter([None, EndpointLostError("x"), None, EndpointLostError("x")])

        def read(ids, since, wait):
            trouble = next(troubles, None)
            if trouble is not None:
                raise trouble
            return log.read(ids, since)

        found = follow(read, log.turns(), time.timing)
        assert [entry.text for entry in found] == ["a", "b"]
