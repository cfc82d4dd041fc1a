import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.services.filters import compile_filter
from vertex_jobs.emulator.status import ApiError

JOB = protos.CustomJob(display_name="digits", state=4, labels={"team": "vision", "stage": ""})


@pytest.mark.parametrize(
    "text",
    [
        "",
        'display_name="digits"',
        'displayName = "digits"',
        "display_name=digits",
        'state="JOB_STATE_SUCCEEDED"',
        'labels.team="vision"',
        "labels.stage:*",
        'state!="JOB_STATE_FAILED"',
        'display_name="digits" AND labels.team="vision"',
        'display_name="other" OR labels.team="vision"',
        'NOT display_name="other"',
        'display_name="digits" AND (labels.team="sound" OR labels.team="vision")',
    ],
)
def test_accepted(text: str) -> None:
    assert compile_filter(text)(JOB)


@pytest.mark.parametrize(
    "text",
    [
        'display_name="digit"',
        'state="JOB_STATE_RUNNING"',
        "labels.missing:*",
        'labels.missing!="x" AND display_name="other"',
        'display_name="digits" AND labels.team="sound"',
    ],
)
def test_rejected(text: str) -> None:
    assert not compile_filter(text)(JOB)


def test_an_escaped_quote_is_part_of_the_value() -> None:
    job = protos.CustomJob(display_name='a "b"')
    assert compile_filter(r'display_name="a \"b\""')(job)


@pytest.mark.parametrize("text", ["display_name", "=x", '(state="x"', 'state="x" state="y"', "!!"])
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="is not understood; expected comparisons such as"):
        compile_filter(text)(JOB)


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(ApiError, match="unknown field 'colour'"):
        compile_filter('colour="red"')(JOB)
