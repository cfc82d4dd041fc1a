"""Configs and jobs that nobody would write: mutated ones of the project's own, and arbitrary ones.

The judges ask that ``check`` and the classes of jobs read each or refuse it in words, and soon.
"""

import contextlib
import io
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import yaml
from hypothesis import strategies as st

from vertex_jobs.cli import main
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.jobs import CustomJob, CustomTrainingJob, HyperparameterTuningJob, Job

ROOT = Path(__file__).parents[2]
SECONDS = 20

_CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
_ODD_TEXTS = st.sampled_from(
    [
        "",
        " ",
        "\0",
        "\x1b[2J",
        "é" * 3000,
        "../..",
        "gs://",
        "{}",
        "null",
        "1e999",
        "-0",
        "²",
        "a" * 70000,
    ]
)
_ODD_NUMBERS = st.sampled_from(
    [0, -1, 2**31, 2**63, 10**40, -(10**40), 0.0, -0.0, 1e308, float("inf"), float("nan")]
)
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    _ODD_TEXTS,
    _ODD_NUMBERS,
    st.dates(),
    st.datetimes(),
    st.binary(max_size=8),
)
_KEYS = st.one_of(
    st.text(max_size=10), _ODD_TEXTS, st.none(), st.integers(), st.floats(), st.dates()
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=8,
)
_FRAGMENTS = st.sampled_from(
    [
        "!!int abc",
        "!!float x",
        "!!timestamp 9",
        "!!binary '*'",
        "!!python/name:os.system",
        "!!set {a, b}",
        "!!bool maybe",
        "!x y",
        "&a [*a]",
        "&a {k: *a}",
        "*unknown",
        "[" * 400,
        "{a: " * 300,
        "'\\0'",
        '"\\0"',
        '"\\ud800"',
        '"\\e"',
        "9" * 5000,
        "0x",
        "2026-99-99",
        "? [a]\n: b",
        "<<: 1",
        "<<: [1, {a: b}]",
        "- &a x\n- *a",
        "%TAG ! x",
        "---\na: 1\n---\nb: 2",
        "\t",
        "key: [",
        "\x85",
        "\ufeff",
        "9:99:99",
    ]
)


def _bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines) + "\n"


@st.composite
def mutated_configs(draw: st.DrawFn) -> str:
    """Return the text of one of the project's configs with up to three parts replaced."""
    path = draw(st.sampled_from(_CONFIGS))
    data = yaml.safe_load(path.read_text())
    if draw(st.integers(0, 19)):  # a script is asked for its options, which takes a second
        data.pop("script_path", None)
    elif "script_path" in data:
        data["script_path"] = str(ROOT / "trial_scripts" / Path(data["script_path"]).name)
    if "base" in data:
        data["base"] = str(path.parent / str(data["base"]))
    for _ in range(draw(st.integers(1, 3))):
        _mutate(draw, data)
    return yaml.dump(data, allow_unicode=draw(st.booleans()))


def _mutate(draw: st.DrawFn, data: Any) -> None:
    """Replace, add or remove one entry somewhere below a collection."""
    places = list(_collections(data))
    within = draw(st.sampled_from(places))
    if isinstance(within, list):
        within.insert(draw(st.integers(0, len(within))), draw(_VALUES))
        return
    keys = list(within)
    action = draw(st.sampled_from(["replace", "add", "remove"])) if keys else "add"
    if action == "add":
        within[draw(_KEYS)] = draw(_VALUES)
    elif action == "remove":
        del within[draw(st.sampled_from(keys))]
    else:
        within[draw(st.sampled_from(keys))] = draw(_VALUES)


def _collections(data: Any) -> Iterator[Any]:
    yield data
    for item in data.values() if isinstance(data, dict) else data:
        if isinstance(item, (dict, list)):
            yield from _collections(item)


@st.composite
def spoilt_texts(draw: st.DrawFn) -> str:
    """Return a config's text with a fragment of odd YAML put in, as a value or anywhere."""
    text = draw(st.sampled_from(_CONFIGS)).read_text()
    fragment = draw(
        st.one_of(_FRAGMENTS, st.text(max_size=30), st.builds(_bomb, st.integers(2, 9)))
    )
    lines = text.splitlines()
    number = draw(st.integers(0, len(lines) - 1))
    if draw(st.booleans()) and ":" in lines[number]:
        lines[number] = f"{lines[number].partition(':')[0]}: {fragment}"
    else:
        lines.insert(number, fragment)
    return "\n".join(lines)


CONFIG_TEXTS = st.one_of(
    mutated_configs(),
    spoilt_texts(),
    _VALUES.map(yaml.dump),
    st.text(max_size=200),
)


KINDS: dict[str, type[Job]] = {
    "custom_job": CustomJob,
    "custom_training_job": CustomTrainingJob,
    "hyperparameter_tuning_job": HyperparameterTuningJob,
}
_FIELDS = sorted({name for kind in KINDS.values() for name in kind.model_fields})


@st.composite
def _written_jobs(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Return a kind, and the fields of one of the project's configs with some of them replaced."""
    data = yaml.safe_load(draw(st.sampled_from(_CONFIGS)).read_text())
    data.pop("base", None)
    kind = data.pop("kind", draw(st.sampled_from(list(KINDS))))
    data.pop("script_path", None)
    data["container_uri"] = "python:3.11-slim"
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            data[draw(st.sampled_from(_FIELDS))] = draw(_VALUES)
        else:
            _mutate(draw, data)
    return kind, {key: value for key, value in data.items() if isinstance(key, str)}


WRITTEN_JOBS = _written_jobs()


class TooSlowError(Exception):
    """A config that was not read in time."""


def judge(text: str) -> str | None:
    """Run ``check`` on a config's text and return what is wrong with the answer."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config.yaml")
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        said = io.StringIO()
        try:
            with (
                _at_most(SECONDS),
                contextlib.redirect_stdout(said),
                contextlib.redirect_stderr(said),
            ):
                code = main(["check", str(path)])
        except TooSlowError:
            return f"no answer in {SECONDS} s of CPU time"
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:300]
    if code not in (0, 2):
        return f"exit code {code}"
    if "\x1b" in said.getvalue() or "\0" in said.getvalue():
        return "control characters in what it said"
    return None if said.getvalue().strip() else "nothing said"


def judge_job(written: tuple[str, dict[str, Any]]) -> str | None:
    """Make a job in Python, check it, and return what is wrong with how it was refused."""
    kind, fields = written
    try:
        with _at_most(SECONDS):
            job = KINDS[kind](**fields)
            str(job.check(on="vertex"))
            job.cost()
    except InvalidJobError as error:
        return None if str(error).isprintable() or "\n" in str(error) else "unprintable words"
    except TooSlowError:
        return f"no answer in {SECONDS} s of CPU time"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


@contextlib.contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    def expire(signum: int, frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, expire)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of this process, however busy the machine is
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
