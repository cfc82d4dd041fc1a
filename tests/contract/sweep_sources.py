"""Places of answers that no recording has: which document names them, or that they are ours.

The material of ``test_sweep`` and of the page of fidelity. A place is as ``sweep`` writes it.
"""

__all__ = ["DOCUMENTED", "OURS"]

#: Where a place stands, by the document; ``NAME.*`` are all places below.
DOCUMENTED: dict[str, tuple[str, ...]] = {
    "CustomJob, HyperparameterTuningJob and TrainingPipeline protos": (
        *("customJobs.webAccessUris", "customJobs.error", "customJobs.error.*"),
        *("hyperparameterTuningJobs.startTime", "hyperparameterTuningJobs.endTime"),
        *("hyperparameterTuningJobs.error", "hyperparameterTuningJobs.error.*"),
        *("trainingPipelines.startTime", "trainingPipelines.endTime"),
        *("trainingPipelines.error", "trainingPipelines.error.*"),
        "hyperparameterTuningJobs.trials.infeasibleReason",
    ),
    "Trial proto": (
        *("trials.id", "trials.infeasibleReason", "trials.measurements.stepCount"),
        "trials.finalMeasurement.stepCount",
    ),
    "Model proto": ("models.*",),
    "Tensorboard proto": ("tensorboards.isDefault",),
    "Dataset proto": ("datasets.createTime", "datasets.updateTime"),
    "List… responses of the v1 API; AIP-158": (
        *("customJobs.customJobs", "customJobs.nextPageToken", "models.models", "trials.trials"),
        *("hyperparameterTuningJobs.hyperparameterTuningJobs", "studies.studies"),
        *("trainingPipelines.trainingPipelines", "datasets.datasets", "operations.operations"),
        *("tensorboards.tensorboards", "experiments.tensorboardExperiments"),
    ),
    "google.longrunning.Operation; metadata and responses of the v1 API": ("operations.*",),
    "google.cloud.location.Locations": ("locations.*",),
    "Resource Manager v3, Project": ("projects.*",),
    "Cloud Logging, LogEntry and entries.list": (
        *("entries:list.entries.labels", "entries:list.entries.logName"),
        *("entries:list.entries.receiveTimestamp", "entries:list.entries.textPayload"),
        "entries:list.nextPageToken",
    ),
    "published logs of jobs, February 2026": (
        *("line:Vertex AI is setting up this job.", "line:Waiting for job to be provisioned."),
        *("line:Waiting for training program to start.", "line:Job is preparing."),
        *("line:Job is running.", "line:Job completed successfully.", "line:Job failed."),
        *("line:Tearing down training program.", "line:Finished tearing down training program."),
    ),
    "Cloud Storage JSON API, Buckets and Objects": ("object.*", "o.items", "b.items", "b.kind"),
    "RFC 9110": ("header:content-length", "header:date", "header:connection"),
    "CustomJobSpec proto, baseOutputDirectory; the program and its user": (
        *("file:out/model/weights.txt", "file:trainer-N.N.tar.gz"),
    ),
}

#: What the service does not show: how it is marked as ours, and what it is for. A place that ends
#: in ``*`` stands for all that begin so.
OURS: dict[str, str] = {
    "header:x-vertex-jobs-position": "named after this project; holds the next read of a log",
    "line:image: *": "a line of the task `service`: what stands here for the image",
    "line:Stored, without effect on this machine: *": "a warning that names this machine",
    "line:Retired on Vertex AI, rehearsed here all the same: *": "a warning that names the page",
    "line:The bucket * did not exist and came into being with the first write to it. *": (
        "a warning that says what holds on Vertex AI; not with `--strict`"
    ),
}
