"""``docs/reference/mistakes.md`` says what happens: every mistake is made, in the SDK and here."""

import pytest
from check_rules import PAGE as RULES_PAGE
from check_rules import page as rules_page
from mistake_cases import CASES, CONFIG, STUDY, Case
from mistakes import PAGE, in_check, in_python, in_sdk, page

from vertex_jobs.endpoints import Endpoint


@pytest.mark.extended
@pytest.mark.local_only
def test_the_page_says_what_happens(local_vertex: Endpoint) -> None:
    found = page(in_sdk(local_vertex.connection.api_endpoint))
    assert PAGE.read_text() == found, "out of date: python tests/docs/mistakes.py"


@pytest.mark.parametrize("case", CASES, ids=[case.text for case in CASES])
def test_no_mistake_passes(case: Case) -> None:
    found = in_check(case)
    assert found, f"nothing is said of {case.text}"
    assert all(fault.rule_id for fault in found), "a rule without a name for programs"


@pytest.mark.parametrize("case", CASES, ids=[case.text for case in CASES])
def test_no_mistake_passes_in_python(case: Case) -> None:
    """What is said is said of the config, too; a job that cannot be made is not looked at more."""
    in_words = {(fault.path, fault.rule, fault.remedy) for fault in in_python(case)}
    assert in_words
    assert in_words <= {(fault.path, fault.rule, fault.remedy) for fault in in_check(case)}


@pytest.mark.parametrize("base", [CONFIG, STUDY], ids=["job", "study"])
def test_without_a_mistake_nothing_is_said(base: dict[str, object]) -> None:
    assert in_check(Case("", "", lambda sdk: None, {}, base)) == []


def test_the_page_of_rules_is_current() -> None:
    assert RULES_PAGE.read_text() == rules_page(), "out of date: python tests/docs/check_rules.py"
