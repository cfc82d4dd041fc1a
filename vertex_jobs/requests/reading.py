"""A job's resource back as the keys of a config: what ``bodies`` writes, read.

For what is made of a job that ran: its winner trained again, its study gone on with. The JSON may
come from either endpoint. Labels and output directory of the submission are not the job's own, so
they are left out; so is what the service says about the job.

Source: CustomJob, HyperparameterTuningJob.
"""

from collections.abc import Mapping
from typing import Any

from vertex_jobs.spec.gcloud import read_gcloud_form

__all__ = ["read_job"]

_INPUTS = frozenset(
    {
        "displayName",
        "jobSpec",
        "labels",
        "encryptionSpec",
        "studySpec",
        "trialJobSpec",
        "maxTrialCount",
        "parallelTrialCount",
        "maxFailedTrialCount",
    }
)


def read_job(resource: Mapping[str, Any]) -> dict[str, Any]:
    """The config of a CustomJob or HyperparameterTuningJob in the API's JSON.

    A package stays where it lies: the config names its ``python_package_gcs_uri``. A field of a job
    that no config can say, as another client may have set, is left out.
    """
    config, _ = read_gcloud_form({key: resource[key] for key in resource if key in _INPUTS})
    config.pop("base_output_dir", None)
    return config
