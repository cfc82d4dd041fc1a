"""The request equals what Google's SDK would send for the same arguments.

The SDK's packager and its create calls are replaced: nothing is uploaded and nothing sent.
"""

from typing import Any

import pytest
from golden_requests import PACKAGE, PLACE, request
from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform
from google.cloud import aiplatform_v1 as api
from google.cloud.aiplatform import hyperparameter_tuning as hpt
from google.cloud.aiplatform.utils import source_utils
from google.protobuf import json_format

from vertex_jobs.jobs import HyperparameterTuningJob
from vertex_jobs.requests import Request, build, package_uris
from vertex_jobs.requests.job_messages import container_command

SDK_SCRIPT = "trial_scripts/digits_mlp.py"


class NotSentError(Exception):
    """Raised in place of a create call; carries the resource."""

    def __init__(self, resource: Any) -> None:
        super().__init__()
        self.resource = resource


@pytest.fixture(autouse=True)
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    packager = source_utils._TrainingScriptPythonPackager
    uri = package_uris(PLACE, PACKAGE)[-1]
    monkeypatch.setattr(packager, "package_and_copy_to_gcs", lambda self, **_: uri)
    monkeypatch.setattr(packager, "module_name", PACKAGE.module_name)
    for client, method, argument in (
        (api.JobServiceClient, "create_custom_job", "custom_job"),
        (api.JobServiceClient, "create_hyperparameter_tuning_job", "hyperparameter_tuning_job"),
        (api.PipelineServiceClient, "create_training_pipeline", "training_pipeline"),
    ):

        def send(self: object, *, argument: str = argument, **fields: Any) -> None:
            raise NotSentError(fields[argument])

        monkeypatch.setattr(client, method, send)
    aiplatform.init(
        project=PLACE.project,
        location=PLACE.location,
        staging_bucket=PLACE.staging_bucket,
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
    )


def sent_json(sent: NotSentError) -> dict[str, Any]:
    """What the SDK would have sent, task inputs read as the service reads them."""
    resource = sent.resource
    body: dict[str, Any] = json_format.MessageToDict(type(resource).pb(resource))
    if "trainingTaskInputs" in body:
        spec = api.CustomJobSpec.pb(api.CustomJobSpec())
        inputs = {key: value for key, value in body["trainingTaskInputs"].items() if value}
        body["trainingTaskInputs"] = json_format.MessageToDict(json_format.ParseDict(inputs, spec))
    return body


def base_output_dir(built: Request) -> str:
    body = built.body
    spec = body.get("trialJobSpec") or body.get("jobSpec") or body["trainingTaskInputs"]
    directory: str = spec["baseOutputDirectory"]["outputUriPrefix"]
    return directory


def sdk_trial(built: Request, **arguments: Any) -> Any:
    return aiplatform.CustomJob.from_local_script(
        display_name="unused",
        script_path=SDK_SCRIPT,
        container_uri="us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
        base_output_dir=base_output_dir(built),
        **arguments,
    )


def in_a_public_image(sent: dict[str, Any], image: str) -> dict[str, Any]:
    """The same job as the SDK sends it, its package run in an image that is no executor."""
    spec = sent.get("trialJobSpec") or sent["trainingTaskInputs"]
    for pool in spec["workerPoolSpecs"]:
        package = pool.pop("pythonPackageSpec")
        command = container_command(package["packageUris"], package["pythonModule"])
        pool["containerSpec"] = {"imageUri": image, "command": command, "args": package["args"]}
    return sent


def test_digits_search_equals_the_sdk() -> None:
    built = request("digits_search")
    job = aiplatform.HyperparameterTuningJob(
        display_name="digits-search",
        custom_job=sdk_trial(built, args=["--batch_size=32", "--epochs=12"]),
        metric_spec={"accuracy": "maximize"},
        parameter_spec={
            "learning_rate": hpt.DoubleParameterSpec(min=1e-4, max=1e-1, scale="log"),
            "n_units": hpt.IntegerParameterSpec(min=16, max=256, scale="log"),
            "n_layers": hpt.IntegerParameterSpec(min=1, max=3, scale="linear"),
            "optimizer": hpt.CategoricalParameterSpec(values=["sgd", "adam", "rmsprop"]),
        },
        max_trial_count=16,
        parallel_trial_count=2,
        max_failed_trial_count=2,
        labels=built.body["labels"],
    )
    with pytest.raises(NotSentError) as sent:
        job.run(timeout=1800)
    image = "docker.io/tensorflow/tensorflow:2.21.0"
    assert built.body == in_a_public_image(sent_json(sent.value), image)


def test_digits_training_equals_the_sdk() -> None:
    built = request("digits_training")
    job = aiplatform.CustomTrainingJob(
        display_name="digits-training",
        script_path=SDK_SCRIPT,
        container_uri="us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-17.py310:latest",
        model_serving_container_image_uri=(
            "us-docker.pkg.dev/vertex-ai/prediction/tf2-cpu.2-15:latest"
        ),
        labels=built.body["labels"],
    )
    with pytest.raises(NotSentError) as sent:
        job.run(
            model_display_name="digits",
            args=[
                "--learning_rate=0.003",
                "--n_units=128",
                "--n_layers=2",
                "--batch_size=32",
                "--optimizer=adam",
                "--epochs=30",
            ],
            machine_type="n1-standard-4",
            accelerator_type="NVIDIA_TESLA_T4",
            accelerator_count=1,
            base_output_dir=base_output_dir(built),
            timeout=3600,
        )
    image = "docker.io/python:3.11-slim"
    assert built.body == in_a_public_image(sent_json(sent.value), image)


def test_a_distributed_custom_job_equals_the_sdk() -> None:
    built = request("everything")
    job = aiplatform.CustomJob.from_local_script(
        display_name="Größe ✓",
        script_path=SDK_SCRIPT,
        container_uri="europe-docker.pkg.dev/vertex-ai/training/tf-gpu.2-17.py310:latest",
        args=["--epochs=20", "--rate=0.0001", "--fast=true", "--name=a b"],
        environment_variables={"TF_CPP_MIN_LOG_LEVEL": "2"},
        replica_count=3,
        machine_type="n1-standard-8",
        accelerator_type="NVIDIA_TESLA_V100",
        accelerator_count=2,
        boot_disk_size_gb=200,
        base_output_dir=base_output_dir(built),
        labels=built.body["labels"],
        encryption_spec_key_name="projects/p/locations/europe-west4/keyRings/r/cryptoKeys/k",
    )
    with pytest.raises(NotSentError) as sent:
        job.run(
            service_account="trainer@my-project.iam.gserviceaccount.com",
            network="projects/12345/global/networks/my-vpc",
            timeout=3600,
            restart_job_on_worker_restart=True,
            enable_web_access=True,
            tensorboard="projects/p/locations/europe-west4/tensorboards/7",
            persistent_resource_id="held-1",
            scheduling_strategy=api.Scheduling.Strategy.FLEX_START,
            max_wait_duration=0,
        )
    expected = sent_json(sent.value)
    # The SDK has no argument for these two members.
    expected["jobSpec"] |= {"reservedIpRanges": ["range-a"], "enableDashboardAccess": True}
    assert built.body == expected


def test_a_whole_model_equals_the_sdk() -> None:
    built = request("model")
    key = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"
    job = aiplatform.CustomTrainingJob(
        display_name="model",
        script_path=SDK_SCRIPT,
        container_uri="us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
        model_serving_container_image_uri="us-docker.pkg.dev/my-project/images/server:1",
        model_serving_container_predict_route="/predict",
        model_serving_container_health_route="/health",
        model_serving_container_command=["serve"],
        model_serving_container_args=["--model", "digits"],
        model_serving_container_environment_variables={"THREADS": "4"},
        model_serving_container_ports=[8080, 8081],
        labels=built.body["labels"],
        training_encryption_spec_key_name=key,
        model_encryption_spec_key_name=key,
    )
    with pytest.raises(NotSentError) as sent:
        job.run(
            model_labels={"stage": "test"},
            model_id="digits",
            model_version_aliases=["candidate"],
            base_output_dir=base_output_dir(built),
        )
    assert built.body == sent_json(sent.value)


def test_the_sdks_parameter_specs_are_taken_as_they_are() -> None:
    momentum = hpt.DoubleParameterSpec(min=0, max=0.99, scale="linear", parent_values=["sgd"])
    width = hpt.IntegerParameterSpec(min=1, max=64, scale="log", parent_values=[2, 3])
    rate = hpt.DiscreteParameterSpec(values=[0.1, 0.2], scale="unspecified", parent_values=[64])
    width.conditional_parameter_spec = {"rate": rate}
    parameter_spec = {
        "optimizer": hpt.CategoricalParameterSpec(
            values=["adam", "sgd"], conditional_parameter_spec={"momentum": momentum}
        ),
        "layers": hpt.DiscreteParameterSpec(
            values=[1, 2, 3], scale="linear", conditional_parameter_spec={"width": width}
        ),
    }
    job = HyperparameterTuningJob(
        display_name="sdk",
        script_path="train.py",
        container_uri="us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
        metric_spec={"loss": "minimize"},
        parameter_spec=parameter_spec,  # type: ignore[arg-type]
        max_trial_count=2,
        parallel_trial_count=1,
    )
    built = build(job, PACKAGE, PLACE)
    sdk_job = aiplatform.HyperparameterTuningJob(
        display_name="sdk",
        custom_job=sdk_trial(built),
        metric_spec={"loss": "minimize"},
        parameter_spec=parameter_spec,
        max_trial_count=2,
        parallel_trial_count=1,
        labels=built.body["labels"],
    )
    with pytest.raises(NotSentError) as sent:
        sdk_job.run()
    assert built.body == sent_json(sent.value)


def test_a_pipeline_on_a_dataset_equals_the_sdk() -> None:
    built = request("dataset")
    dataset = aiplatform.ImageDataset.__new__(aiplatform.ImageDataset)
    dataset._gca_resource = api.Dataset(
        name="projects/p/locations/us-central1/datasets/123",
        metadata_schema_uri="gs://google-cloud-aiplatform/schema/dataset/metadata/image_1.0.0.yaml",
    )
    job = aiplatform.CustomTrainingJob(
        display_name="dataset",
        script_path=SDK_SCRIPT,
        container_uri="us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
        model_serving_container_image_uri="us-docker.pkg.dev/my-project/images/server:1",
        model_description="Digits",
        model_instance_schema_uri="gs://my-bucket/instance.yaml",
        model_parameters_schema_uri="gs://my-bucket/parameters.yaml",
        model_prediction_schema_uri="gs://my-bucket/prediction.yaml",
        model_encryption_spec_key_name=(
            "projects/p/locations/us-central1/keyRings/r/cryptoKeys/model"
        ),
        labels=built.body["labels"],
    )
    with pytest.raises(NotSentError) as sent:
        job.run(
            dataset=dataset,
            annotation_schema_uri=built.body["inputDataConfig"]["annotationSchemaUri"],
            timestamp_split_column_name="day",
            training_fraction_split=0.7,
            validation_fraction_split=0.2,
            test_fraction_split=0.1,
            base_output_dir="gs://my-bucket/out",
            parent_model="projects/p/locations/us-central1/models/digits",
            is_default_version=False,
            model_version_aliases=["candidate"],
            model_version_description="trained on more",
        )
    expected = sent_json(sent.value)
    # The SDK has no argument for these.
    expected["modelToUpload"]["containerSpec"] |= {
        "grpcPorts": [{"containerPort": 9000}],
        "deploymentTimeout": "600s",
        "sharedMemorySizeMb": "256",
    }
    expected["modelToUpload"]["explanationSpec"] = built.body["modelToUpload"]["explanationSpec"]
    assert built.body == expected
