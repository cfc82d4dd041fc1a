"""Local Vertex answers what was recorded of the service, or differs as listed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from records import Exchange, Names, Record, read_all
from replay import replayed

from vertex_jobs.endpoints import Endpoint
from vertex_jobs.testing import local_vertex

pytestmark = pytest.mark.local_only
RECORDS = read_all()
EMULATED = [one for one in RECORDS if not one.not_emulated]
by_name = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.path.stem)


@pytest.fixture(scope="module")
def own_vertex() -> Iterator[Endpoint]:
    """A server that holds nothing of other tests."""
    with local_vertex() as endpoint:
        yield endpoint


@pytest.mark.parametrize("record", EMULATED, ids=lambda record: record.path.stem)
def test_answers_are_as_recorded(own_vertex: Endpoint, record: Record) -> None:
    outcomes = replayed(own_vertex, record)
    assert [(one.unlisted, one.gone) for one in outcomes] == [([], [])] * len(record.answers)


@pytest.mark.parametrize(
    "record", [one for one in RECORDS if one.not_emulated], ids=lambda record: record.path.stem
)
def test_what_is_not_emulated_is_refused_by_name(own_vertex: Endpoint, record: Record) -> None:
    outcomes = replayed(own_vertex, record)
    statuses = [one.here for each in outcomes for one in each.differences if one.place == "status"]
    assert statuses == [501] * len(record.answers)


@by_name
def test_a_record_says_what_it_is(record: Record) -> None:
    said = (record.known in ("recorded", "seen"), record.extent, bool(record.source), record.date)
    assert said == (True, "excerpt" if record.is_excerpt else "complete", True, record.date[:10])


@by_name
def test_a_record_holds_nothing_of_a_person(record: Record) -> None:
    text = record.path.read_text(encoding="utf-8")
    assert [word for word in ("@gmail", "qwiklabs-gcp", "ya29.", "iam.gserv") if word in text] == []


def test_many_answers_are_kept() -> None:
    emulated = [answer for record in EMULATED for answer in record.answers]
    assert len(emulated) >= 40


def test_an_answer_that_changes_is_noticed(own_vertex: Endpoint, tmp_path: Path) -> None:
    record = next(one for one in RECORDS if one.path.stem == "study_minimal")
    text = record.path.read_text(encoding="utf-8").replace("state: ACTIVE", "state: INACTIVE")
    (tmp_path / "changed.yaml").write_text(text, encoding="utf-8")
    (changed,) = read_all(tmp_path)
    found = [one.place for each in replayed(own_vertex, changed) for one in each.unlisted]
    assert found == ["body.state", "body.state"]


class TestDifferences:
    @pytest.mark.parametrize(
        ("recorded", "here", "places"),
        [
            ({"a": 1}, {"a": 1.0}, []),
            ({"a": 1}, {"a": True}, ["a"]),
            ({"a": 1}, {"a": 1, "b": 2}, ["b"]),
            ({"a": 1, "...": True}, {"a": 1, "b": 2}, []),
            ({"a": 1}, {}, ["a"]),
            ([1, 2], [1, 3, 4], [".length", "[1]"]),
            ([1, "..."], [1, 3, 4], []),
            ("2022-05-24T08:59:15Z", "2026-01-01T00:00:00Z", []),
            ("2022-05-24T08:59:15Z", "2026-01-01T00:00:00.5Z", [""]),
            ("2022-05-24T08:59:15.123456789Z", "2026-01-01T00:00:00.123456Z", [""]),
            ("<time>", "2026-01-01T00:00:00Z", []),
            ("<number>", 0.5, []),
            ("<number>", "0.5", [""]),
            ("<job-id>", "12345678901234567", [""]),
            ("a.c", "abc", [""]),
            ("projects/123456789012/x", "projects/77/x", []),
            ("projects/sanitised-project/x", "projects/77/x", [""]),
        ],
    )
    def test_place(self, recorded: Any, here: Any, places: list[str]) -> None:
        names = Names({"project-id": "p", "project-number": "77", "bucket": "b", "unique": "u"})
        assert [one.place for one in names.differences(recorded, here)] == places

    def test_a_name_stands_for_one_thing(self) -> None:
        names = Names({})
        list(names.differences("jobs/1234567890123", "jobs/42"))
        found = [one.here for one in names.differences(["x/1234567890123"] * 2, ["x/42", "x/43"])]
        assert (names.filled({"name": "jobs/1234567890123"}), found) == (
            {"name": "jobs/42"},
            ["x/43"],
        )


def test_an_excerpt_is_told_by_its_answers() -> None:
    answers: list[Any] = [{"a": {"b": 1}}, {"a": {"b": 1, "...": True}}, [1, "..."]]
    exchanges = [Exchange({"method": "GET"}, {"status": 200, "body": one}) for one in answers]
    form = ("t", "s", "2026-01-01", "seen", "excerpt", "")
    found = [Record(Path("x"), *form, exchanges=(one,)).is_excerpt for one in exchanges]
    assert found == [False, True, True]
