"""Models in the registry: the one that a training pipeline uploaded, and a trial's, put there once.

For `JobHandle`. Source: ModelService.UploadModel; Model and TrainingPipeline protos.
"""

from vertex_jobs import catalog
from vertex_jobs.client.job_calls import Jobs, Resource
from vertex_jobs.client.snapshots import Snapshot
from vertex_jobs.client.timing import Timing
from vertex_jobs.errors import RequestRefusedError, UnsupportedHereError
from vertex_jobs.names import ResourceName, location_name
from vertex_jobs.study import Trial

SERVING_IMAGE = catalog.load().image_addresses.default_serving


def uploaded_model(jobs: Jobs, timing: Timing, ended: Snapshot) -> Resource | None:
    """Return the model that an ended training pipeline uploaded; None without one.

    Raises:
        EndpointError: If the endpoint refused or was lost.
    """
    model = ended.resource.get("modelToUpload", {})
    if not model.get("name"):
        return None
    version = model.get("versionId")
    name = f"{model['name']}@{version}" if version else model["name"]
    return timing.ask(lambda: jobs.model(name))


def register(jobs: Jobs, snapshot: Snapshot, trial: Trial, serving_image: str) -> Resource:
    """Upload the trial's model and return it; if it was uploaded before, return that one.

    The model's id names study and trial, so that a repeated call makes no second one.

    Raises:
        UnsupportedHereError: If the trial has no model directory.
        EndpointError: If the endpoint refused or was lost.
    """
    if trial.model_dir is None:
        raise UnsupportedHereError(
            f"trial {trial.id} has no model directory: the job has no base output directory; "
            "give the next one a base_output_dir"
        )
    place = jobs.connection.place
    parent = location_name(place.project, place.location)
    model_id = f"study-{snapshot.job_id}-trial-{trial.id}"
    longest = catalog.load().limits.display_name_max_chars
    body = {
        "displayName": f"{snapshot.display_name}-trial-{trial.id}"[-longest:],
        "description": f"Trial {trial.id} of {snapshot.name}",
        "artifactUri": trial.model_dir.rstrip("/"),
        "containerSpec": {"imageUri": serving_image},
    }
    try:
        return jobs.upload_model(parent, model_id, body)
    except RequestRefusedError as error:
        if error.code != 409:
            raise
        return jobs.model(str(ResourceName(place.project, place.location, "models", model_id)))
