"""One trial of a study as plain data: its parameters, its measurements, its model's directory.

For everyone who reads trials. `parsing` knows the API's spelling; `ranking` chooses between trials.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from vertex_jobs.wording import number

#: A parameter's value, typed by the study's spec.
ParameterValue = float | int | str
#: A dictionary that ``json.dumps`` turns into a JSON object.
JsonObject = dict[str, object]


@dataclass(frozen=True)
class Objective:
    """A metric that the study optimises."""

    metric_id: str
    maximize: bool

    @property
    def goal(self) -> Literal["maximize", "minimize"]:
        """``maximize`` or ``minimize``, as a config says it."""
        return "maximize" if self.maximize else "minimize"

    def loss(self, value: float) -> float:
        """Return the value with its sign turned so that smaller is better."""
        return -value if self.maximize else value


@dataclass(frozen=True)
class Measurement:
    """The metrics of one step by id; a value may be NaN or infinite.

    The step is as the script reported it.
    """

    step: int
    metrics: Mapping[str, float]

    def to_json(self) -> JsonObject:
        """Return the measurement with JSON types; a value that is not finite becomes null."""
        return {"step": self.step, "metrics": _finite_or_null(self.metrics)}


@dataclass(frozen=True)
class Trial:
    """One trial; its attributes are the keys of ``trials --format json``.

    Attributes:
        id: Text that counts from ``1``.
        state: Short name: ``REQUESTED``, ``ACTIVE``, ``STOPPING``, ``SUCCEEDED`` or ``INFEASIBLE``.
        parameters: Active parameters only, typed by the study's spec.
        metrics: The final measurement's metrics; empty while there is none.
        step: The final measurement's step, 1 if the script gave none; None while there is no
            measurement.
        measurements: In the order of their steps. The service tells the final one alone; the
            others are what the trial's file of measurements or the service has.
        infeasible_reason: Set for infeasible trials only.
        model_dir: ``gs://`` directory with exactly one slash at its end; None without a base
            output directory. The script may have written nothing there.
        start_time: RFC 3339 text.
        end_time: RFC 3339 text.
        log_dir: As ``model_dir``, for its TensorBoard logs and its measurements.
    """

    id: str
    state: str
    parameters: Mapping[str, ParameterValue]
    metrics: Mapping[str, float] = field(default_factory=dict)
    measurements: tuple[Measurement, ...] = ()
    step: int | None = None
    infeasible_reason: str | None = None
    model_dir: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    log_dir: str | None = None

    @property
    def order(self) -> tuple[bool, int, str]:
        """Sort key by number, so that trial 10 comes after trial 9."""
        numeric = self.id.isdecimal()
        return (not numeric, int(self.id) if numeric else 0, self.id)

    @property
    def finished(self) -> bool:
        """True when nothing about this trial changes any more."""
        return self.state in {"SUCCEEDED", "INFEASIBLE"}

    def _repr_html_(self) -> str:
        """Return state, metrics and parameters as a table of two columns, for notebooks."""
        pairs: list[tuple[str, object]] = [("state", self.state)]
        pairs += [*self.metrics.items(), *self.parameters.items()]
        pairs += [("infeasible because", self.infeasible_reason), ("model", self.model_dir)]
        rows = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(number(value))}</td></tr>"
            for key, value in pairs
            if value is not None
        )
        return f"<table><caption>Trial {escape(self.id)}</caption>{rows}</table>"

    def to_json(self) -> JsonObject:
        """Return the trial with JSON types; absent and non-finite values are null."""
        return {
            "id": self.id,
            "state": self.state,
            "parameters": dict(self.parameters),
            "metrics": _finite_or_null(self.metrics),
            "step": self.step,
            "measurements": [measurement.to_json() for measurement in self.measurements],
            "infeasible_reason": self.infeasible_reason,
            "model_dir": self.model_dir,
            "start_time": self.start_time,
            "end_time": self.end_time,
        }


def _finite_or_null(metrics: Mapping[str, float]) -> dict[str, float | None]:
    # JSON has no NaN; Python's encoder would write one that other readers reject.
    return {key: value if math.isfinite(value) else None for key, value in metrics.items()}
