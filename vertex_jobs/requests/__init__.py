"""A job, its package and its place -> the exact request of the Vertex AI API, and back.

For the preview, the golden files and the client, which all use this one form: the v1 API's JSON in
the canonical form of the protos (camelCase, 64-bit integers as text, names of enums, defaults left
out). Nothing of the SDK is imported and nothing is sent.

Source: CustomJob, HyperparameterTuningJob, TrainingPipeline.
"""

from vertex_jobs.requests.bodies import build, inputs_of, read_job
from vertex_jobs.requests.gcloud import GcloudForm, gcloud_form, read_gcloud_form
from vertex_jobs.requests.job_messages import container_command
from vertex_jobs.requests.places import LOCAL_PLACE, Place, Request, package_uris, place_of

__all__ = [
    "LOCAL_PLACE",
    "GcloudForm",
    "Place",
    "Request",
    "build",
    "container_command",
    "gcloud_form",
    "inputs_of",
    "package_uris",
    "place_of",
    "read_gcloud_form",
    "read_job",
]
