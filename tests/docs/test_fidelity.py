"""The page of fidelity is current, and what it names exists."""

import ast
import importlib.util

import fidelity
import pytest
from fidelity_facts import CHOICES, FACTS

from vertex_jobs.spec.kinds import KINDS

TESTS = sorted({one.test for one in FACTS} | {one.test for one in CHOICES if one.test})

#: Keys that no field has: what they stand for is sent by others, or belongs to the client.
NOT_SENT = {
    *("kind", "accelerator", "is_default_version", "staging_bucket"),
    *("script_path", "data_files", "exclude_files", "requirements"),
    *("fallback", "max_cost_usd", "local"),
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


@pytest.mark.parametrize("test", TESTS)
def test_a_test_that_holds_a_fact_exists(test: str) -> None:
    module, *names = test.split("::")
    scope: ast.AST = ast.parse((fidelity.ROOT / "tests" / f"{module}.py").read_text("utf-8"))
    for name in names:
        inside = {getattr(node, "name", ""): node for node in ast.iter_child_nodes(scope)}
        assert name in inside
        scope = inside[name]


@pytest.mark.parametrize("place", sorted({one.place for one in CHOICES}))
def test_the_place_of_a_choice_exists(place: str) -> None:
    module, _, name = place.partition(":")
    found = importlib.util.find_spec(f"vertex_jobs.{module}")
    assert found is not None
    assert found.origin is not None
    with open(found.origin, encoding="utf-8") as source:
        assert name in source.read()
