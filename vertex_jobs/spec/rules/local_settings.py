"""The rules of the ``local:`` section within a job; those of the section alone stand with it.

For the tables in ``rules``. An initial trial must be one that a search could have suggested.
"""

from collections.abc import Iterator, Mapping

from vertex_jobs.errors import Fault
from vertex_jobs.job_kinds import TUNING_JOB
from vertex_jobs.spec.local import LocalSettings, ReplicaFault
from vertex_jobs.spec.parameters import ParameterSpec
from vertex_jobs.spec.rules.conditions import admits, domain
from vertex_jobs.spec.spelling import suggestion


def _settings(local: LocalSettings) -> Iterator[Fault]:
    yield from local.faults_at("local")


def _only_trials_have_steps(kind: str, local: LocalSettings) -> Iterator[Fault]:
    if kind == TUNING_JOB.name:
        return
    for number, fault in enumerate(local.faults):
        if isinstance(fault, ReplicaFault) and fault.step is not None:
            yield Fault(
                f"local.faults.{number}.step",
                fault.step,
                "only the trials of a study report steps",
                "use log with a line that the script prints at that step",
            )


def _initial_trials(
    parameter_spec: Mapping[str, ParameterSpec], local: LocalSettings
) -> Iterator[Fault]:
    for number, trial in enumerate(local.initial_trials):
        path = f"local.initial_trials.{number}"
        for name, value in trial.items():
            parameter = parameter_spec.get(name)
            if parameter is None:
                remedy = suggestion(name, parameter_spec, "remove it")
                yield Fault(f"{path}.{name}", value, "is no parameter of this study", remedy)
            elif not _is_active(parameter, trial):
                rule = f"is only active when {_condition(parameter)}"
                yield Fault(f"{path}.{name}", value, rule, "remove it")
            elif not admits(parameter, value):
                rule = f"{name} takes {domain(parameter)}"
                yield Fault(f"{path}.{name}", value, rule, "correct the value")
        for name, parameter in parameter_spec.items():
            if name not in trial and _is_active(parameter, trial):
                rule = "a trial gives every active parameter"
                yield Fault(f"{path}.{name}", None, rule, f"add {name}")


def _is_active(parameter: ParameterSpec, trial: Mapping[str, object]) -> bool:
    return all(trial.get(parent) in values for parent, values in (parameter.when or {}).items())


def _condition(parameter: ParameterSpec) -> str:
    conditions = (parameter.when or {}).items()
    return " and ".join(f"{parent} is one of {list(values)}" for parent, values in conditions)


def _initial_trials_within_max(max_trial_count: int, local: LocalSettings) -> Iterator[Fault]:
    number = len(local.initial_trials)
    if number > max_trial_count:
        yield Fault(
            "local.initial_trials",
            number,
            f"no more are tried than max_trial_count = {max_trial_count}",
            f"remove the last {number - max_trial_count}, or write max_trial_count: {number}",
        )


LOCAL_RULES = (_settings, _only_trials_have_steps)
INITIAL_TRIAL_RULES = (_initial_trials, _initial_trials_within_max)
