"""Log lines: the filter, an entry's JSON, and following without a line lost or repeated."""

import json

import pytest

from vertex_jobs.client.log_following import follow
from vertex_jobs.client.log_lines import LogEntry, LogSource, log_filter
from vertex_jobs.client.log_reading import LogReader
from vertex_jobs.errors import RequestRefusedError


class TestFilter:
    def test_one_job(self):
        assert log_filter(["7"]) == 'resource.type="ml_job" AND resource.labels.job_id="7"'

    def test_several_jobs(self):
        assert log_filter(["7", "8"]) == (
            'resource.type="ml_job" AND (resource.labels.job_id="7" OR resource.labels.job_id="8")'
        )

    def test_one_replica_from_some_time_on(self):
        assert log_filter(["7"], LogSource("workerpool0-0"), "2026-01-02T03:04:05Z").endswith(
            ' AND resource.labels.task_name="workerpool0-0" AND timestamp>="2026-01-02T03:04:05Z"'
        )

    def test_a_trial_by_its_label_in_both_spellings(self):
        assert log_filter(["7"], LogSource(trial="3")).endswith(
            ' AND (labels."trial_id"="3" OR labels."ml.googleapis.com/trial_id"="3")'
        )


class TestEntry:
    @pytest.mark.parametrize("label", ["trial_id", "ml.googleapis.com/trial_id"])
    def test_the_trial_may_be_a_label_of_the_entry(self, label):
        assert LogEntry.from_json({"labels": {label: "3"}}).trial == "3"

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

    def test_a_replicas_line_is_read(self):
        """The form of viamrobotics/api#534, an entry of a real custom job."""
        entry = LogEntry.from_json(
            {
                "insertId": "1ie943xfro8sio",
                "jsonPayload": {
                    "attrs": {"tag": "workerpool0-0"},
                    "levelname": "ERROR",
                    "message": "2024-07-09 19:47:33.018974: I tensorflow/compiler/xla\n",
                },
            }
        )
        assert entry.text == "2024-07-09 19:47:33.018974: I tensorflow/compiler/xla"

    @pytest.mark.parametrize(
        ("payload", "text"),
        [
            ({"message": "epoch 1", "loss": 0.5}, "epoch 1"),
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
        log = Log([line(1, "a")], [line(59, "b")], [], [])
        texts(log, time)
        assert log.since[2] == "2026-01-02T03:04:49Z"

    def test_one_job_whose_lines_come_in_order_is_read_on_from_the_latest_line(self, time):
        log = Log([line(1, "a")], [line(1, "b"), line(2, "c")], [])
        found = follow(log.read, log.turns(), time.timing, lambda: True)
        assert ([entry.text for entry in found], log.since[1:]) == (
            ["a", "b", "c"],
            ["2026-01-02T03:04:01Z", "2026-01-02T03:04:02Z"],
        )

    def test_lines_are_shown_before_the_rest_is_read(self, time):
        def read(ids, since, wait):
            yield line(1, "a")
            raise AssertionError("the second page was asked for")

        assert next(follow(read, iter([(["7"], True)]), time.timing)).text == "a"

    def test_the_last_look_goes_back_for_a_minute(self, time):
        log = Log([line(1, "a")], [line(59, "b")], [])
        texts(log, time)
        assert log.since[-1] == "2026-01-02T03:03:59Z"

    def test_a_line_that_is_late_by_half_a_minute_comes_at_the_end(self, time):
        log = Log([line(40, "b")], [line(41, "c"), line(12, "a")], [])
        assert texts(log, time) == ["b", "c", "a"]

    def test_rounds_that_follow_each_other_at_once_are_spaced(self, time):
        texts(Log([], [], [], [], []), time)
        assert time.slept == [2.0, 4.0, 5.0, 5.0, 5.0]

    def test_a_round_that_waited_for_news_needs_no_pause(self, time):
        def turns():
            yield ["7"], False
            while True:
                time.seconds += 2.0
                yield ["7"], time.seconds > 1_000_005.0

        assert (list(follow(Log().read, turns(), time.timing)), time.slept) == ([], [2.0, 5.0])

    def test_an_hour_of_following_keeps_to_half_the_reads_that_a_project_has(self, time):
        log = Log(*[[line(second % 60, f"{second}")] for second in range(600)], [])
        began = time.seconds
        texts(log, time)
        assert len(log.since) / (time.seconds - began) <= 30 / 60


def page(*texts, token=""):
    """An answer of the service; all of its lines have one time."""
    entries = [
        {
            "timestamp": "2026-01-02T03:04:05Z",
            "insertId": text,
            "textPayload": text,
            "resource": {"labels": {"job_id": "7"}},
        }
        for text in texts
    ]
    return 200, {"entries": entries, **({"nextPageToken": token} if token else {})}


LIMITED = (429, {"error": {"status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded"}})


@pytest.fixture
def reader(canned, connection, time):
    """Makes a reader of an endpoint that gives these answers, and the address."""
    opened = []

    def reader(*answers):
        address = canned(*answers)
        opened.append(LogReader(connection(address.url), time.timing))
        return opened[-1], address

    yield reader
    for each in opened:
        each.close()


def asked(address):
    return [json.loads(body).get("pageToken", "") for *_, body in address.requests]


class TestReading:
    def test_a_page_that_is_refused_for_now_is_asked_for_again_by_itself(self, reader):
        made, address = reader(
            page("a", "b", token="2"), LIMITED, LIMITED, page("c", token="3"), LIMITED, page("d")
        )
        assert [entry.text for entry in made.read(["7"])] == ["a", "b", "c", "d"]
        assert asked(address) == ["", "2", "2", "2", "3", "3"]

    def test_the_first_lines_are_had_without_the_other_pages(self, reader):
        made, address = reader(page("a", token="2"))
        assert (next(made.read(["7"])).text, asked(address)) == ("a", [""])

    def test_a_long_tail_is_asked_for_in_pages(self, reader):
        made, address = reader(page("b", token="2"), page("a"))
        assert [entry.text for entry in made.tail(["7"], LogSource(), 5000)] == ["a", "b"]
        assert json.loads(address.requests[0][3])["pageSize"] == 1000

    def test_a_short_tail_is_one_page_of_that_size(self, reader):
        made, address = reader(page("c", "b", token="2"))
        assert [entry.text for entry in made.tail(["7"], LogSource(), 2)] == ["b", "c"]
        assert [json.loads(body)["pageSize"] for *_, body in address.requests] == [2]

    def test_an_empty_page_is_not_the_end(self, reader):
        made, _ = reader(page(token="2"), page(token="3"), page("a"))
        assert [entry.text for entry in made.read(["7"])] == ["a"]

    def test_the_tail_goes_on_over_an_empty_page(self, reader):
        made, _ = reader(page(token="2"), page("c", "b", token="3"), page("a"))
        assert [entry.text for entry in made.tail(["7"], LogSource(), 2)] == ["b", "c"]

    def test_a_minute_without_reads_left_is_waited_out(self, reader, time):
        made, _ = reader(*[LIMITED] * 12, page("a"))
        assert [entry.text for entry in made.read(["7"])] == ["a"]
        assert sum(time.slept) > 60.0

    def test_what_will_not_pass_is_raised_at_once(self, reader, time):
        made, _ = reader((403, {"error": {"message": "no"}}))
        with pytest.raises(RequestRefusedError, match="no"):
            list(made.read(["7"]))
        assert time.slept == []

    def test_following_repeats_no_line_over_pages_and_trouble(self, reader, time):
        made, _ = reader(
            page("a", token="2"),
            LIMITED,
            page("b"),
            (503, {}),
            page("a", "b", token="2"),
            page("c"),
            page("a", "b", "c"),
            page("a", "b", "c"),
        )
        rounds = iter([(["7"], False), (["7"], False), (["7"], True), (["7"], True)])
        assert [entry.text for entry in made.follow(lambda held: rounds)] == ["a", "b", "c"]
