"""Trials in, decisions out: the best trial and why, the Pareto front, frames and JSON.

For whoever has a tuning job's resource in the API's JSON form: the client, the reports, the
emulator's tests. It holds no connection; a ``Study`` is a detached copy.
"""

from vertex_jobs.study.study import Study
from vertex_jobs.study.trial_records import Measurement, Objective, Trial

__all__ = ["Measurement", "Objective", "Study", "Trial"]
