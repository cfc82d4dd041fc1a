"""When a trial stops before its end, and when a whole study does.

For ``HyperparameterTuningJob``; names are those of the API. No class of the SDK offers these. The
console says that its own switch for early stopping has no effect on tuning jobs.

Source: StudySpec.MedianAutomatedStoppingSpec, DecayCurveAutomatedStoppingSpec,
ConvexAutomatedStoppingSpec and StudyStoppingConfig.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from vertex_jobs.errors import Fault
from vertex_jobs.spec.base import Spec
from vertex_jobs.spec.fields import Count, Flag, Seconds, Text, Whole
from vertex_jobs.spec.inspection import Rule

Steps = Annotated[Whole, Field(ge=0)]
PositiveSeconds = Annotated[Seconds, Field(gt=0)]


class MedianStoppingSpec(Spec):
    """Stops a trial whose best value is below the median of the others' averages so far."""

    type: Literal["median"] = "median"
    use_elapsed_duration: Flag = False
    """Compare at equal times instead of equal steps."""


class DecayCurveStoppingSpec(Spec):
    """Stops a trial that will hardly exceed the best one, by a model of the curves."""

    type: Literal["decay_curve"] = "decay_curve"
    use_elapsed_duration: Flag = False
    """Compare at equal times instead of equal steps."""


def _steps_in_order(min_step_count: int | None, max_step_count: int | None) -> Iterator[Fault]:
    if min_step_count and max_step_count and min_step_count >= max_step_count:
        rule = f"must be below max_step_count = {max_step_count}"
        yield Fault("min_step_count", min_step_count, rule, "write a smaller number")


class ConvexStoppingSpec(Spec):
    """Stops a trial that stays below the best one even if its curve goes on in a straight line."""

    rules: ClassVar[Sequence[Rule]] = (_steps_in_order,)

    type: Literal["convex"] = "convex"
    max_step_count: Count | None = None
    """Step, or second, at which trials end; learned from the trials by default."""
    min_step_count: Steps | None = None
    """No trial stops before; by default a tenth of the end."""
    min_measurement_count: Count | None = None
    """Measurements, and other trials but one, that it needs; 5 by default."""
    learning_rate_parameter_name: Text | None = None
    """The tuned parameter that is the learning rate."""
    use_elapsed_duration: Flag = False
    """Compare at equal times instead of equal steps."""
    update_all_stopped_trials: Flag = False
    """Predict the end of earlier stopped trials anew each time."""


AutomatedStoppingSpec = Annotated[
    MedianStoppingSpec | DecayCurveStoppingSpec | ConvexStoppingSpec, Field(discriminator="type")
]


def _runtimes_in_order(minimum_runtime: int | None, maximum_runtime: int | None) -> Iterator[Fault]:
    if minimum_runtime and maximum_runtime and minimum_runtime > maximum_runtime:
        rule = f"must not exceed maximum_runtime = {maximum_runtime}"
        yield Fault("minimum_runtime", minimum_runtime, rule, f"write at most {maximum_runtime}")


def _trials_in_order(min_num_trials: int | None, max_num_trials: int | None) -> Iterator[Fault]:
    if min_num_trials and max_num_trials and min_num_trials > max_num_trials:
        rule = f"must not exceed max_num_trials = {max_num_trials}"
        yield Fault("min_num_trials", min_num_trials, rule, f"write at most {max_num_trials}")


class StudyStoppingConfig(Spec):
    """Ends the study before its last trial; the two minima come before every other rule."""

    rules: ClassVar[Sequence[Rule]] = (_runtimes_in_order, _trials_in_order)

    should_stop_asap: Flag = False
    """Interrupt the trials that run, too."""
    minimum_runtime: PositiveSeconds | None = None
    """Seconds before which the study goes on in any case."""
    maximum_runtime: PositiveSeconds | None = None
    """Seconds after which no trial starts."""
    min_num_trials: Count | None = None
    """Finished trials before which the study goes on in any case."""
    max_num_trials: Count | None = None
    """Trials after which no other starts."""
    max_num_trials_no_progress: Count | None = None
    """Trials in a row without a better one; with one metric only."""
    max_duration_no_progress: PositiveSeconds | None = None
    """Seconds without a better trial; with one metric only."""
