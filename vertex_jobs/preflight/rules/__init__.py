"""Every rule, in the order in which the faults are told.

For ``check`` and for the page that lists them.
"""

from vertex_jobs.preflight.rule import Rule
from vertex_jobs.preflight.rules.hardware import HARDWARE_RULES
from vertex_jobs.preflight.rules.images import IMAGE_RULES
from vertex_jobs.preflight.rules.money import MONEY_RULES
from vertex_jobs.preflight.rules.scheduling import SCHEDULING_RULES
from vertex_jobs.preflight.rules.scripts import SCRIPT_RULES
from vertex_jobs.preflight.rules.studies import STUDY_RULES
from vertex_jobs.preflight.rules.surroundings import SURROUNDINGS_RULES
from vertex_jobs.preflight.rules.tpus import TPU_RULES

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    *HARDWARE_RULES,
    *TPU_RULES,
    *IMAGE_RULES,
    *SCHEDULING_RULES,
    *STUDY_RULES,
    *SCRIPT_RULES,
    *SURROUNDINGS_RULES,
    *MONEY_RULES,
)
