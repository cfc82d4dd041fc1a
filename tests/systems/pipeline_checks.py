"""What must hold of training from sharded files, and the managed dataset that one row reads."""

from finished import Finished
from google.cloud import aiplatform_v1
from google.cloud.aiplatform_v1.types import Dataset
from sklearn.datasets import load_digits

from vertex_jobs.endpoints import Endpoint

__all__ = ["from_dataset", "make_dataset", "own_shards"]

_TABULAR = "gs://google-cloud-aiplatform/schema/dataset/metadata/tabular_1.0.0.yaml"


def own_shards(job: Finished) -> str:
    """Training reads 4 TFRecord files that it made of 4 CSV files on gs://, in bfloat16; accuracy
    passes 0.97.
    """
    shards = [f"checkpoints/shards/training-{number:05d}-of-00004" for number in range(4)]
    assert {f"{shard}.{kind}" for shard in shards for kind in ("csv", "tfrecord")} <= set(job.files)
    assert "checkpoints/shards/training-*-of-00004.csv" in job.log()
    return _trained(job)


def from_dataset(job: Finished) -> str:
    """The rows come from a managed dataset: the service writes CSV shards under
    AIP_TRAINING_DATA_URI, the script makes TFRecords of them; accuracy passes 0.97.
    """
    (line,) = [line for line in job.log().splitlines() if line.startswith("training: ")]
    assert "/dataset-" in line
    assert line.endswith("/training-*.csv")
    assert "checkpoints/shards/training-00000-of-00004.csv" not in job.files
    assert "checkpoints/shards/training-00000-of-00004.tfrecord" in job.files
    return _trained(job)


def make_dataset(endpoint: Endpoint) -> tuple[str, ...]:
    """Make a managed dataset of the digits, as a person would have one; the run is told its id."""
    pixels, digits = load_digits(return_X_y=True)
    lines = [",".join([*(f"pixel_{column}" for column in range(64)), "digit"])]
    for row, digit in zip(pixels.astype(int), digits, strict=True):
        lines.append(",".join(map(str, [*row, digit])))
    uri = f"{endpoint.place.staging_bucket}/digits.csv"
    endpoint.outputs().write_bytes(uri, "\n".join(lines).encode())
    connection = endpoint.connection
    client = aiplatform_v1.DatasetServiceClient(
        transport=connection.transport,
        credentials=connection.credentials,
        client_options={"api_endpoint": connection.api_endpoint},
    )
    created = client.create_dataset(
        parent=f"projects/{connection.place.project}/locations/{connection.place.location}",
        dataset=Dataset(
            display_name="digits",
            metadata_schema_uri=_TABULAR,
            metadata={"inputConfig": {"gcsSource": {"uri": [uri]}}},
        ),
    )
    return "--set", f"dataset='{created.result().name.rpartition('/')[2]}'"


def _trained(job: Finished) -> str:
    job.succeeded()
    assert "computes in bfloat16, its weights are float32" in job.log()
    assert {"model/saved_model.pb", "model/model.keras"} <= set(job.files)
    accuracy = job.values("val_accuracy")[-1]
    assert accuracy > 0.97
    return f"accuracy {accuracy:.4f}"
