"""The fields of tuning jobs, studies and trials."""

import dataclasses

from vertex_jobs.emulator.resources.fields.custom_jobs import RESOURCE_OUTPUT
from vertex_jobs.emulator.resources.fields.records import Fate, Field, rows

_SPEC = "StudySpec"
_PARAMETER = f"{_SPEC}.ParameterSpec"
_CONDITION = f"{_PARAMETER}.ConditionalParameterSpec"
_DEFAULT_NOTE = "where a Vizier study starts; the service ignores it in tuning jobs"
_STOPPING_NOTE = "early stopping by this rule"


def _in_vizier(fields: list[Field], fate: Fate) -> list[Field]:
    return [dataclasses.replace(one, vizier=fate) for one in fields]


STUDY_FIELDS: list[Field] = [
    *rows(
        "HyperparameterTuningJob",
        acted={
            "display_name": "checked; filters find it",
            "study_spec": "the search",
            "max_trial_count": "the budget",
            "parallel_trial_count": "trials at a time",
            "max_failed_trial_count": "failures that end the job",
            "trial_job_spec": "one custom job for each trial",
            "labels": "checked; filters find them",
        },
        stored={"encryption_spec": "a key of the customer's; nothing here is encrypted"},
        output={
            **RESOURCE_OUTPUT,
            "trials": "in the order of ids",
            "satisfies_pzs": "never set",
            "satisfies_pzi": "never set",
        },
    ),
    *rows(
        _SPEC,
        acted={
            "metrics": "what is sought",
            "parameters": "the space",
            "algorithm": "grid, random or the default search",
            "measurement_selection_type": "last or best measurement",
            "median_automated_stopping_spec": _STOPPING_NOTE,
            "decay_curve_stopping_spec": _STOPPING_NOTE,
            "convex_automated_stopping_spec": _STOPPING_NOTE,
            "study_stopping_config": "rules that end a study early",
        },
        stored={"observation_noise": "a hint to the search, which estimates the noise itself"},
    ),
    *rows(
        f"{_SPEC}.StudyStoppingConfig",
        acted={
            "should_stop_asap": "interrupts the trials that run; a Vizier study's when checked",
            "minimum_runtime_constraint": "no other rule counts before",
            "maximum_runtime_constraint": "no trial starts after it",
            "min_num_trials": "finished trials before which no other rule counts",
            "max_num_trials": "trials after which none starts",
            "max_num_trials_no_progress": "trials in a row without a better one",
            "max_duration_no_progress": "time without a better trial",
        },
    ),
    *rows(
        "StudyTimeConstraint",
        acted={"max_duration": "since the study's start", "end_time": "a point in time"},
    ),
    *(
        field
        for kind in ("Median", "DecayCurve", "Convex")
        for field in rows(
            f"{_SPEC}.{kind}AutomatedStoppingSpec",
            acted={"use_elapsed_duration": "compares at times instead of steps"},
        )
    ),
    *rows(
        f"{_SPEC}.ConvexAutomatedStoppingSpec",
        acted={
            "max_step_count": "where curves end; learned from the trials if not set",
            "min_step_count": "no trial stops before; a tenth of the end if not set",
            "min_measurement_count": "no trial stops with fewer; 5 if not set",
            "learning_rate_parameter_name": "one more number for the prediction",
        },
        refused={"update_all_stopped_trials": "predictions of earlier trials made anew"},
    ),
    *rows(
        f"{_SPEC}.MetricSpec",
        acted={"metric_id": "checked; what trials report", "goal": "maximize or minimize"},
        refused={"safety_config": "metrics that a trial must not fall below"},
    ),
    *rows(
        _PARAMETER,
        acted={
            "double_value_spec": "a range",
            "integer_value_spec": "a range of whole numbers",
            "categorical_value_spec": "texts",
            "discrete_value_spec": "numbers",
            "parameter_id": "checked; the argument's name",
            "scale_type": "linear, log or reverse log",
            "conditional_parameter_specs": "parameters that depend on another's value",
        },
    ),
    *(
        field
        for kind in ("Double", "Integer")
        for field in rows(
            f"{_PARAMETER}.{kind}ValueSpec",
            acted={"min_value": "checked; inclusive", "max_value": "checked; inclusive"},
        )
    ),
    *(
        field
        for kind in ("Categorical", "Discrete")
        for field in rows(f"{_PARAMETER}.{kind}ValueSpec", acted={"values": "checked; tried"})
    ),
    *(
        field
        for kind in ("Double", "Integer", "Categorical", "Discrete")
        for field in _in_vizier(
            rows(f"{_PARAMETER}.{kind}ValueSpec", stored={"default_value": _DEFAULT_NOTE}),
            Fate.ACTED,
        )
    ),
    *rows(
        _CONDITION,
        acted={
            "parent_discrete_values": "values of the parent",
            "parent_int_values": "values of the parent",
            "parent_categorical_values": "values of the parent",
            "parameter_spec": "the child",
        },
    ),
    *(
        field
        for kind in ("Discrete", "Int", "Categorical")
        for field in rows(
            f"{_CONDITION}.{kind}ValueCondition", acted={"values": "checked; when it is active"}
        )
    ),
    *rows(
        "Trial",
        output={
            "name": "in Vizier studies",
            "id": "counts from 1",
            "state": "the trial's life",
            "parameters": "alphabetical",
            "final_measurement": "the one that counts",
            "measurements": "in Vizier studies, by step",
            "start_time": "set when it is created; in whole seconds in Vizier studies",
            "end_time": "set at the end, in whole seconds",
            "client_id": "in Vizier studies",
            "infeasible_reason": "set when INFEASIBLE",
            "custom_job": "never set: no answer of the service was seen with it",
            "web_access_uris": "never set: there is no web shell",
        },
    ),
    *rows("Trial.Parameter", output={"parameter_id": "its id", "value": "number or text"}),
    *rows(
        "Measurement",
        output={
            "elapsed_duration": "never shown: no answer of the service was seen with it",
            "step_count": "as reported; 1 in tuning jobs where no step was given",
            "metrics": "as reported",
        },
    ),
    *rows("Measurement.Metric", output={"metric_id": "its id", "value": "as reported"}),
]
