"""The command lines that a job will give to its script, as questions to the script's parser.

For ``contracts``.

Source: documentation page "Use hyperparameter tuning" for the form of a trial's arguments; public
issues for discrete numbers that arrive as 128.0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.spec import (
    CategoricalParameterSpec,
    DiscreteParameterSpec,
    DoubleParameterSpec,
    HyperparameterTuningJob,
    IntegerParameterSpec,
    JobSpec,
    ParameterSpec,
)
from vertex_jobs.spec.argument_forms import parameter_text, tokens


@dataclass(frozen=True)
class Probe:
    """One question about the value at a path of the config.

    With ``as_float`` the tokens hold a whole number in its other form, e.g. 64.0, which may arrive.
    """

    path: str
    value: Any
    tokens: tuple[str, ...]
    as_float: bool = False


def probes_of(job: JobSpec) -> Iterator[Probe]:
    """Yield a question for each fixed argument, and for the ends of each parameter's range."""
    yield from _fixed("args", job.args)
    for role, pool in _own_pools(job):
        yield from _fixed(f"worker_pools.{role}.args", pool)
    if isinstance(job, HyperparameterTuningJob):
        head = _leading_words(job.args)
        for name, parameter in job.parameter_spec.items():
            path = f"parameter_spec.{name}"
            for value, text, as_float in _texts(parameter):
                yield Probe(path, value, (*head, f"--{name}={text}"), as_float)


def trial_tokens(job: JobSpec) -> tuple[str, ...]:
    """Return the arguments that a first trial could have, without conditional parameters."""
    if not isinstance(job, HyperparameterTuningJob):
        return ()
    found = []
    for name, parameter in job.parameter_spec.items():
        if parameter.when is None:
            _, text, _ = next(_texts(parameter))
            found.append(f"--{name}={text}")
    return tuple(found)


def _own_pools(job: JobSpec) -> Iterator[tuple[str, Any]]:
    for pool in job.worker_pools_resolved():
        written = getattr(job.worker_pools, pool.role, None)
        if written is not None and written.args is not None and pool.runs_package:
            yield pool.role, written.args


def _fixed(path: str, args: Any) -> Iterator[Probe]:
    if isinstance(args, Mapping):
        for (key, value), token in zip(args.items(), tokens(args), strict=True):
            yield Probe(f"{path}.{key}", value, (token,))
    elif args:
        yield Probe(path, list(args), tokens(args))


def _leading_words(args: Any) -> tuple[str, ...]:
    """Return the subcommand of a command line that starts with one."""
    words = []
    for token in () if isinstance(args, Mapping) else tokens(args):
        if token.startswith("-"):
            break
        words.append(token)
    return tuple(words)


def _texts(parameter: ParameterSpec) -> Iterator[tuple[Any, str, bool]]:
    """Yield values, the text in which each arrives, and whether that is the second of two forms."""
    if isinstance(parameter, CategoricalParameterSpec):
        for category in parameter.values:
            yield category, category, False
    elif isinstance(parameter, DoubleParameterSpec):
        for bound in (parameter.min, parameter.max):
            yield bound, repr(bound), False  # as a fraction, which most values between are
    elif isinstance(parameter, IntegerParameterSpec):
        for whole in (parameter.min, parameter.max):
            yield whole, parameter_text(whole), False
    elif isinstance(parameter, DiscreteParameterSpec):
        for number in parameter.values:
            text = parameter_text(number)
            yield number, text, False
            if text != repr(number):
                yield number, repr(number), True
