"""Every rule, in the order in which the faults are listed, for ``check`` and for its page."""

from vertex_jobs.preflight.rule import Rule
from vertex_jobs.preflight.rules.hardware import HARDWARE_RULES
from vertex_jobs.preflight.rules.image_names import IMAGE_RULES
from vertex_jobs.preflight.rules.libraries import LIBRARY_RULES
from vertex_jobs.preflight.rules.scheduling import SCHEDULING_RULES
from vertex_jobs.preflight.rules.scripts import SCRIPT_RULES
from vertex_jobs.preflight.rules.surroundings import SURROUNDINGS_RULES
from vertex_jobs.preflight.rules.tpus import TPU_RULES
from vertex_jobs.preflight.rules.trial_counts import TRIAL_COUNT_RULES

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    *HARDWARE_RULES,
    *TPU_RULES,
    *IMAGE_RULES,
    *SCHEDULING_RULES,
    *TRIAL_COUNT_RULES,
    *SCRIPT_RULES,
    *LIBRARY_RULES,
    *SURROUNDINGS_RULES,
)
