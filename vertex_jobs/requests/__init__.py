"""A job, its package and its place -> the exact request of the Vertex AI API.

For the preview, the golden files and the client, which all use this one form: the v1 API's JSON in
the canonical form of the protos (camelCase, 64-bit integers as text, names of enums, defaults left
out). Nothing of the SDK is imported and nothing is sent.

Source: CustomJob, HyperparameterTuningJob, TrainingPipeline.
"""

from vertex_jobs.requests.bodies import build, content_hash
from vertex_jobs.requests.gcloud import GcloudForm, gcloud_form
from vertex_jobs.requests.places import LOCAL_PLACE, Place, Request, package_uris, place_of
from vertex_jobs.requests.programs import container_command
from vertex_jobs.requests.reading import read_job

__all__ = [
    "LOCAL_PLACE",
    "GcloudForm",
    "Place",
    "Request",
    "build",
    "container_command",
    "content_hash",
    "gcloud_form",
    "package_uris",
    "place_of",
    "read_job",
]
