import pytest

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.services.filters import compile_filter, undocumented
from vertex_jobs.emulator.status import ApiError

JOB = protos.from_json(
    {
        "displayName": "digits",
        "state": 4,
        "labels": {"team": "vision", "stage": ""},
        "createTime": "2026-03-04T05:06:07Z",
        "error": {"code": 3},
        "jobSpec": {"network": "n", "reservedIpRanges": ["a", "b"]},
    },
    protos.CustomJob(),
)
DEFINITION = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"


def accepts(text: str) -> bool:
    return bool(compile_filter(text, protos.CustomJob)(JOB))


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
        "labels:team",
        'state!="JOB_STATE_FAILED"',
        'display_name="digits" AND labels.team="vision"',
        'display_name="other" OR labels.team="vision"',
        'NOT display_name="other"',
        '-display_name="other"',
        'display_name="digits" AND (labels.team="sound" OR labels.team="vision")',
        'create_time>="2026-03-04T05:06:07Z"',
        'create_time<"2026-03-04T06:06:08+01:00"',
        'createTime > "2026-03-04"',
        "create_time=2026-03-04T05:06:07Z",
        'display_name:"dig*"',
        'display_name:"*igi*"',
        "error.code=3",
        "error.code<=3.5",
        "job_spec.network:*",
        'jobSpec.reservedIpRanges:"b"',
        'end_time!="2026-03-04T05:06:07Z"',
    ],
)
def test_accepted(text: str) -> None:
    assert accepts(text)


@pytest.mark.parametrize(
    "text",
    [
        'display_name="digit"',
        'display_name="dig*"',
        'display_name:"dig"',
        'state="JOB_STATE_RUNNING"',
        "labels.missing:*",
        'labels.missing="x"',
        'labels.missing!="x" AND display_name="other"',
        'display_name="digits" AND labels.team="sound"',
        'create_time>"2026-03-04T05:06:07Z"',
        'end_time<"2026-03-04T05:06:07Z"',
        "error.code=4",
        "job_spec.tensorboard:*",
    ],
)
def test_rejected(text: str) -> None:
    assert not accepts(text)


@pytest.mark.parametrize("nanos", [0, 1, 1_000, 123_456_789, 999_999_999, 479_001_000])
def test_a_time_equals_itself_to_the_nanosecond(nanos: int) -> None:
    job = protos.CustomJob()
    job.create_time.FromNanoseconds(1_795_267_990 * 10**9 + nanos)
    text = f'create_time="{job.create_time.ToJsonString()}"'
    assert compile_filter(text, protos.CustomJob)(job)


def test_or_binds_tighter_than_and() -> None:
    text = 'display_name="other" AND labels.team="vision" OR labels.stage:*'
    assert not accepts(text)


def test_an_escaped_quote_is_part_of_the_value() -> None:
    job = protos.CustomJob(display_name='a "b"')
    assert compile_filter(r'display_name="a \"b\""', protos.CustomJob)(job)


def test_a_definition_is_found_by_wildcard() -> None:
    pipeline = protos.TrainingPipeline(training_task_definition=DEFINITION)
    text = 'training_task_definition:"*custom_task*"'
    assert compile_filter(text, protos.TrainingPipeline)(pipeline)


@pytest.mark.parametrize("text", ["display_name", "=x", '(state="x"', 'state="x" state="y"', "!!"])
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="is not understood; expected comparisons such as"):
        accepts(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('colour="red"', "unknown field 'colour'"),
        ('error.colour="red"', "unknown field 'colour'"),
        ('create_time>"yesterday"', "'yesterday' is not a timestamp."),
        ('error.code="three"', "'error.code' with 'three', which is not a number."),
        ('labels="x"', "cannot compare 'labels'|which it does not take"),
        ('display_name=~"x"', "'=~', which it does not take"),
    ],
)
def test_a_mistake_is_named_even_when_there_is_nothing_to_filter(text: str, message: str) -> None:
    with pytest.raises(ApiError, match=message):
        compile_filter(text, protos.CustomJob)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ('display_name:"a*" AND labels.team=x', []),
        ('state="JOB_STATE_RUNNING" OR NOT state!="JOB_STATE_FAILED"', ["state !="]),
        ('start_time>"2026-01-01T00:00:00Z"', ["start_time >"]),
    ],
)
def test_what_no_documentation_names(text: str, found: list[str]) -> None:
    """Source: ListCustomJobsRequest proto."""
    documented = {"display_name": (":",), "labels": ("=",), "state": ("=",)}
    assert undocumented(text, documented) == found
