"""A replica's environment: the variables AIP_*, TF_CONFIG, CLUSTER_SPEC and CLOUD_ML_*.

A training script asks ``current()`` for its role, and for the directories to read from and to write
to. Local Vertex renders the same class with ``to_variables()``, so reader and writer cannot differ.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass

from vertex_jobs.runtime.cluster import Cluster, invalid_variable
from vertex_jobs.runtime.directories import Directories, scratch_directories

__all__ = ["INITIAL_MODEL_VARIABLE", "LOCAL_DEVICES_VARIABLE", "Environment", "current"]

#: Ours, not the service's: the number of accelerators in the machine spec. Local Vertex sets it on
#: machines without a GPU; ``strategies`` then splits the CPU into as many logical devices.
LOCAL_DEVICES_VARIABLE = "VERTEX_JOBS_LOCAL_DEVICES"

#: Ours as well: the model directory of an earlier job, from which this one continues. The config
#: that ``vertex-jobs best --continue`` prints sets it.
INITIAL_MODEL_VARIABLE = "VERTEX_JOBS_INITIAL_MODEL_DIR"

_DIRECTORY_VARIABLES = {
    "model_dir": "AIP_MODEL_DIR",
    "checkpoint_dir": "AIP_CHECKPOINT_DIR",
    "tensorboard_log_dir": "AIP_TENSORBOARD_LOG_DIR",
}
_TEXT_VARIABLES = {
    "trial_id": "CLOUD_ML_TRIAL_ID",
    "metric_file": "CLOUD_ML_HP_METRIC_FILE",
    "project_number": "CLOUD_ML_PROJECT_ID",
    "region": "CLOUD_ML_REGION",
    "job_id": "CLOUD_ML_JOB_ID",
    "initial_model_dir": INITIAL_MODEL_VARIABLE,
    "training_data_uri": "AIP_TRAINING_DATA_URI",
    "validation_data_uri": "AIP_VALIDATION_DATA_URI",
    "test_data_uri": "AIP_TEST_DATA_URI",
    "data_format": "AIP_DATA_FORMAT",
}


@dataclass(frozen=True)
class Environment:
    """One replica's view of its job.

    Attributes:
        directories: The job's own directories; None without a base output directory. Every
            replica sees the same ones. Scripts use ``read_from`` and ``write_to`` instead.
        cluster: The job's replicas; None when the service gave none, as in a bare run.
        trial_id: ``"1"``, ``"2"``, ...; None outside tuning.
        metric_file: The file that cloudml-hypertune writes; None outside tuning.
        project_number: The user's project; the container itself runs in another one.
        region: E.g. ``us-central1``.
        job_id: Numeric id of the CustomJob, or of the tuning job whose trial this is.
        initial_model_dir: ``gs://`` directory of the model to continue from, with a slash at its
            end; None for a fresh start.
        accelerator_count: Accelerators announced by ``VERTEX_JOBS_LOCAL_DEVICES``; 0 when not
            announced, as on Vertex AI, where TensorFlow sees the real ones.
        training_data_uri: Pattern of the training set's files, e.g. ``gs://b/d/training-*.csv``;
            None without a managed dataset, like the next three.
        validation_data_uri: The same for the validation set.
        test_data_uri: The same for the test set.
        data_format: ``csv``, ``jsonl`` or ``bigquery``; each CSV file begins with a header.

    Source: "Prepare training code", environment variables; messages CustomJobSpec and
    InputDataConfig.
    """

    directories: Directories | None = None
    cluster: Cluster | None = None
    trial_id: str | None = None
    metric_file: str | None = None
    project_number: str | None = None
    region: str | None = None
    job_id: str | None = None
    initial_model_dir: str | None = None
    accelerator_count: int = 0
    training_data_uri: str | None = None
    validation_data_uri: str | None = None
    test_data_uri: str | None = None
    data_format: str | None = None

    @property
    def in_job(self) -> bool:
        """True when the service started this process; a file that also submits itself asks this."""
        return self.cluster is not None or self.job_id is not None

    @property
    def is_chief(self) -> bool:
        """True when this process writes and reports for the whole job, or is alone."""
        return self.cluster is None or self.cluster.is_chief

    @property
    def task_type(self) -> str:
        """``chief``, ``worker``, ``ps`` or ``evaluator``."""
        return "chief" if self.cluster is None else self.cluster.task_type

    @property
    def task_index(self) -> int:
        """This replica's place within its task type, from 0."""
        return 0 if self.cluster is None else self.cluster.task_index

    @property
    def replica_count(self) -> int:
        """The number of known replicas, this one included."""
        return 1 if self.cluster is None else self.cluster.replica_count

    def read_from(self, local: str) -> Directories:
        """Return the directories of the job's outputs, above all of the chief's checkpoints.

        They are the same for every replica.

        Args:
            local: The base directory of a run outside the service.
        """
        return self.directories or Directories.under(local)

    def write_to(self, local: str) -> Directories:
        """Return the directories that this replica writes to, so that none overwrites another's.

        The chief gets the job's directories, the evaluator ``eval`` below the job's logs. All
        others are scratch, removed at exit: replicas must save together with the chief, since
        saving can contain collective operations, but only the chief's files are kept.

        Args:
            local: The base directory of a run outside the service.
        """
        own = self.read_from(local)
        if self.is_chief:
            return own
        scratch = scratch_directories()
        if self.task_type != "evaluator":
            return scratch
        logs = own.subdirectory_of_logs("eval")
        return Directories(scratch.model_dir, scratch.checkpoint_dir, logs)

    def to_variables(self) -> dict[str, str]:
        """Return the variables of this replica, without those that do not apply."""
        variables = {
            variable: str(getattr(self, attribute))
            for attribute, variable in _TEXT_VARIABLES.items()
            if getattr(self, attribute) is not None
        }
        if self.directories is not None:
            for attribute, variable in _DIRECTORY_VARIABLES.items():
                variables[variable] = getattr(self.directories, attribute)
        if self.cluster is not None:
            variables["CLUSTER_SPEC"] = json.dumps(self.cluster.cluster_spec(self.trial_id))
            tf_config = self.cluster.tf_config(self.trial_id)
            if tf_config is not None:
                variables["TF_CONFIG"] = json.dumps(tf_config)
        if self.accelerator_count:
            variables[LOCAL_DEVICES_VARIABLE] = str(self.accelerator_count)
        return variables


def current(environ: Mapping[str, str] | None = None) -> Environment:
    """Return the environment of this process, or of the given variables.

    Raises:
        InvalidJobError: If a variable cannot be read; the message names it.
    """
    environ = os.environ if environ is None else environ
    texts = {
        attribute: environ.get(variable) or None for attribute, variable in _TEXT_VARIABLES.items()
    }
    return Environment(
        directories=_directories(environ),
        cluster=Cluster.read(environ),
        accelerator_count=_accelerator_count(environ),
        **texts,
    )


def _directories(environ: Mapping[str, str]) -> Directories | None:
    """Return the AIP_* directories; the service sets all of them or none."""
    found = {
        attribute: environ[variable]
        for attribute, variable in _DIRECTORY_VARIABLES.items()
        if environ.get(variable)
    }
    if not found:
        return None
    if len(found) < len(_DIRECTORY_VARIABLES):
        missing = _DIRECTORY_VARIABLES.keys() - found.keys()
        raise invalid_variable(
            ", ".join(sorted(_DIRECTORY_VARIABLES[attribute] for attribute in missing)),
            None,
            "the AIP_* directories come together",
            "set all three, or none for a local run",
        )
    return Directories(**{name: f"{path.rstrip('/')}/" for name, path in found.items()})


def _accelerator_count(environ: Mapping[str, str]) -> int:
    text = environ.get(LOCAL_DEVICES_VARIABLE, "0")
    if not text.isdecimal():
        raise invalid_variable(
            LOCAL_DEVICES_VARIABLE, text, "it counts devices", "set a whole number, or unset it"
        )
    return int(text)
