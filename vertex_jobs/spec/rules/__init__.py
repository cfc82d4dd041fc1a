"""The rules across fields, as tables of small functions.

For the job specs. A rule takes fields by parameter name and yields faults; ``inspection`` runs each
one whose fields could be read, so that one fault never hides another.
"""

from vertex_jobs.spec.rules.attachments import ATTACHMENT_RULES
from vertex_jobs.spec.rules.datasets import DATA_RULES
from vertex_jobs.spec.rules.fallbacks import FALLBACK_RULES
from vertex_jobs.spec.rules.identity import IDENTITY_RULES
from vertex_jobs.spec.rules.local import LOCAL_RULES
from vertex_jobs.spec.rules.program import PROGRAM_RULES
from vertex_jobs.spec.rules.resources import RESOURCE_RULES
from vertex_jobs.spec.rules.serving import MODEL_RULES
from vertex_jobs.spec.rules.study import STUDY_RULES, WHOLE_STUDY_RULES

__all__ = ["COMMON_RULES", "DATA_RULES", "MODEL_RULES", "STUDY_RULES", "WHOLE_STUDY_RULES"]

COMMON_RULES = (
    *IDENTITY_RULES,
    *LOCAL_RULES,
    *PROGRAM_RULES,
    *RESOURCE_RULES,
    *ATTACHMENT_RULES,
    *FALLBACK_RULES,
)
