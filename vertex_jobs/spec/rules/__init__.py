"""The rules across fields, as tables of small functions.

For the job specs. A rule takes fields by parameter name and yields faults; ``inspection`` runs each
one whose fields could be read, so that one fault never hides another.
"""

from vertex_jobs.spec.rules.datasets import DATA_RULES
from vertex_jobs.spec.rules.fallbacks import FALLBACK_RULES
from vertex_jobs.spec.rules.job_identity import IDENTITY_RULES
from vertex_jobs.spec.rules.local_settings import LOCAL_RULES
from vertex_jobs.spec.rules.metrics_and_parameters import STUDY_RULES, WHOLE_STUDY_RULES
from vertex_jobs.spec.rules.mounts import ATTACHMENT_RULES
from vertex_jobs.spec.rules.resources import RESOURCE_RULES
from vertex_jobs.spec.rules.script_or_container import PROGRAM_RULES
from vertex_jobs.spec.rules.serving import MODEL_RULES

__all__ = ["COMMON_RULES", "DATA_RULES", "MODEL_RULES", "STUDY_RULES", "WHOLE_STUDY_RULES"]

COMMON_RULES = (
    *IDENTITY_RULES,
    *LOCAL_RULES,
    *PROGRAM_RULES,
    *RESOURCE_RULES,
    *ATTACHMENT_RULES,
    *FALLBACK_RULES,
)
