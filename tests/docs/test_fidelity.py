"""The page of fidelity is current, and what it names exists."""

import ast
import importlib.util

import fidelity
import pytest
from fidelity_facts import FACTS, KNOWN, QUESTIONS, Fact

from vertex_jobs.spec.kinds import KINDS

TESTS = sorted({one.test for one in (*FACTS, *QUESTIONS) if one.test})
OURS = sorted({one.source for one in FACTS if one.known == "ours"})

#: Keys that no field has: what they stand for is sent by others, or belongs to the client.
NOT_SENT = {
    *("kind", "accelerator", "cpus", "memory_gb", "is_default_version", "staging_bucket"),
    *("script_path", "data_files", "exclude_files", "requirements"),
    *("fallback", "max_cost_usd", "max_resubmissions", "prices", "local"),
}


def test_the_page_is_current() -> None:
    assert fidelity.PAGE.read_text(encoding="utf-8") == fidelity.page(), (
        "run: python tests/docs/fidelity.py"
    )


def test_no_field_is_ignored() -> None:
    fates = {fate for fate, _ in fidelity.fate_of_every_field().values()}
    assert fates == {"acted", "output", "stored", "refused"}


def test_what_a_config_sends_are_fields_of_the_api() -> None:
    assert fidelity.keys_of_fields().keys() <= fidelity.fate_of_every_field().keys()


def test_every_key_of_a_config_is_sent_or_stands_for_others() -> None:
    sent = {key.partition(".")[0] for keys in fidelity.keys_of_fields().values() for key in keys}
    assert {name for model in KINDS.values() for name in model.model_fields} == sent | NOT_SENT


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.text)
def test_a_statement_says_how_it_is_known_and_what_holds_it(fact: Fact) -> None:
    assert fact.known in {known for known in KNOWN if fact.test or known == "ours"}


def test_what_is_recorded_is_held_by_the_replay() -> None:
    held_by = {one.test.partition("::")[0] for one in FACTS if one.known == "recorded"}
    assert held_by <= {"contract/test_replay"}


@pytest.mark.parametrize("test", TESTS)
def test_a_test_that_holds_a_fact_exists(test: str) -> None:
    module, *names = test.split("::")
    scope: ast.AST = ast.parse((fidelity.ROOT / "tests" / f"{module}.py").read_text("utf-8"))
    for name in names:
        inside = {getattr(node, "name", ""): node for node in ast.iter_child_nodes(scope)}
        assert name in inside
        scope = inside[name]


@pytest.mark.parametrize("test", sorted({one.test for one in QUESTIONS}))
def test_a_question_is_asked_by_a_test_that_runs_on_a_real_project(test: str) -> None:
    module, *names = test.split("::")
    source = (fidelity.ROOT / "tests" / f"{module}.py").read_text("utf-8")
    before = source.partition(f"def {names[-1]}(")[0].rpartition("\n\n\n")[2]
    assert "local_only" not in before + source.partition("\ndef ")[0]


@pytest.mark.parametrize("place", OURS)
def test_the_place_that_decides_what_is_ours_exists(place: str) -> None:
    module, _, name = place.partition(":")
    found = importlib.util.find_spec(f"vertex_jobs.{module}")
    assert found is not None
    assert found.origin is not None
    with open(found.origin, encoding="utf-8") as source:
        assert name in source.read()
