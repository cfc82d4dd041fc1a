"""A trial's metrics: one function that reports a value, and a Keras callback that uses it.

metrics.report("accuracy", 0.97, step=3)
model.fit(..., callbacks=[metrics.ReportMetrics({"accuracy": "val_accuracy"})])
"""

from typing import TYPE_CHECKING, Any

from vertex_jobs.runtime.metric_reports import report

if TYPE_CHECKING:
    from vertex_jobs.runtime.callbacks import ReportMetrics

__all__ = ["ReportMetrics", "report"]


def __getattr__(name: str) -> Any:
    """Load the Keras callback on first use, since it imports Keras."""
    if name == "ReportMetrics":
        from vertex_jobs.runtime.callbacks import ReportMetrics

        return ReportMetrics
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
