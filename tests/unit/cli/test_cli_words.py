"""Times as a person reads them."""

from datetime import datetime, timedelta, timezone

import pytest

from vertex_jobs.cli.words import ago, duration, seconds_between

NOW = datetime(2026, 1, 3, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("seconds", "text"), [(-3, "0:00"), (9.9, "0:09"), (125, "2:05"), (10_810, "3:00:10")]
)
def test_duration_grows_from_minutes_to_hours(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("passed", "text"),
    [(5, "5 s ago"), (200, "3 min ago"), (7200, "2 h ago"), (260_000, "3 d ago"), (-5, "0 s ago")],
)
def test_ago_takes_the_largest_unit_that_says_something(passed, text):
    moment = NOW - timedelta(seconds=passed)
    assert ago(moment.strftime("%Y-%m-%dT%H:%M:%S.123456789Z"), NOW) == text


def test_time_that_has_no_end_yet_runs_until_now():
    assert seconds_between("2026-01-02T23:59:00Z", None, NOW) == 60
