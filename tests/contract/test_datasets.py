"""Datasets on Cloud Storage, and the pipelines that read them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from job_forms import pool

TABULAR = "gs://google-cloud-aiplatform/schema/dataset/metadata/tabular_1.0.0.yaml"
IMAGE = "gs://google-cloud-aiplatform/schema/dataset/metadata/image_1.0.0.yaml"
TASK = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"


@pytest.fixture
def datasets(clients: Callable[[str], Any]) -> Any:
    return clients("DatasetServiceClient")


@pytest.fixture
def pipelines(clients: Callable[[str], Any]) -> Any:
    return clients("PipelineServiceClient")


@pytest.fixture
def table(bucket: Any, marker: str) -> list[str]:
    """Two CSV files of one table with ten rows."""
    uris = []
    for number, rows in enumerate((range(6), range(6, 10))):
        lines = ["x,name,part,day"]
        parts = ["training"] * 7 + ["validation"] * 2 + ["test"]
        lines += [f'{row},"a, b",{parts[row]},2026-01-{row + 1:02d}' for row in rows]
        blob = bucket.blob(f"tables/{marker}-{number}.csv")
        blob.upload_from_string("\n".join(lines) + "\n")
        uris.append(f"gs://{bucket.name}/{blob.name}")
    return uris


@pytest.fixture
def new_dataset(datasets: Any, parent: str) -> Callable[..., Any]:
    def make(*uris: str, schema: str = TABULAR) -> Any:
        metadata = {"inputConfig": {"gcsSource": {"uri": list(uris)}}} if uris else {}
        dataset = {"display_name": "d", "metadata_schema_uri": schema, "metadata": metadata}
        return datasets.create_dataset(parent=parent, dataset=dataset).result()

    return make


@pytest.fixture
def train(
    pipelines: Any, parent: str, package_uri: str, bucket: Any, marker: str, wait: Any, outputs: Any
) -> Callable[..., Any]:
    """Runs a pipeline over a dataset; answers it, the replica's variables and all files."""

    def run(dataset: Any, **split: Any) -> Any:
        base = f"gs://{bucket.name}/{marker}"
        worker = pool(package_uri, f"--write-environment={base}/environment")
        # Inputs are a free-form value: JSON names, as the SDK sends them.
        worker["replica_count"] = 1
        inputs = {
            "worker_pool_specs": [worker],
            "base_output_directory": {"output_uri_prefix": base},
        }
        config = {
            "dataset_id": dataset.name.rsplit("/", 1)[1],
            "gcs_destination": {"output_uri_prefix": base},
            **split,
        }
        pipeline = {
            "display_name": "p",
            "training_task_definition": TASK,
            "training_task_inputs": inputs,
            "input_data_config": config,
        }
        created = pipelines.create_training_pipeline(parent=parent, training_pipeline=pipeline)
        done = wait(lambda: pipelines.get_training_pipeline(name=created.name))
        files = outputs(base)
        seen = [text for name, text in files.items() if name.startswith("environment/")]
        return done, json.loads(seen[0]) if seen else {}, files

    return run


def shards(files: dict[str, str], name: str) -> list[str]:
    """The rows of one set, without headers."""
    return [
        line
        for path, text in sorted(files.items())
        if path.rsplit("/", 1)[-1].startswith(f"{name}-")
        for line in text.splitlines()[1:]
    ]


def test_a_dataset_is_created_changed_and_deleted(
    datasets: Any, new_dataset: Any, table: list[str]
) -> None:
    created = new_dataset(*table)
    changed = datasets.update_dataset(
        dataset={"name": created.name, "display_name": "new"},
        update_mask={"paths": ["display_name"]},
    )
    datasets.delete_dataset(name=created.name).result()
    with pytest.raises(exceptions.NotFound, match="does not exist"):
        datasets.get_dataset(name=created.name)
    assert (changed.display_name, changed.metadata_schema_uri) == ("new", TABULAR)


def test_datasets_are_listed_in_order(
    datasets: Any, parent: str, marker: str, new_dataset: Any
) -> None:
    for name in ("b", "a"):
        dataset = {
            "display_name": name,
            "metadata_schema_uri": TABULAR,
            "labels": {"marker": marker},
        }
        datasets.create_dataset(parent=parent, dataset=dataset).result()
    request = {"parent": parent, "filter": f"labels.marker={marker}", "order_by": "display_name"}
    assert [one.display_name for one in datasets.list_datasets(request)] == ["a", "b"]


def test_bigquery_is_refused_with_a_pointer(datasets: Any, parent: str) -> None:
    metadata = {"inputConfig": {"bigquerySource": {"uri": "bq://p.d.t"}}}
    dataset = {"display_name": "d", "metadata_schema_uri": TABULAR, "metadata": metadata}
    message = r"The Dataset 'd' reads from BigQuery.*export the table to Cloud Storage"
    with pytest.raises(exceptions.GoogleAPICallError, match=message):
        datasets.create_dataset(parent=parent, dataset=dataset)


def test_a_pipeline_gets_its_data_in_three_sets(
    train: Any, new_dataset: Any, table: list[str], bucket: Any, marker: str
) -> None:
    dataset = new_dataset(*table)
    _, variables, files = train(dataset)
    start = f"gs://{bucket.name}/{marker}/dataset-{dataset.name.rsplit('/', 1)[1]}-tabular-"
    uris = [variables[f"AIP_{name}_DATA_URI"] for name in ("TRAINING", "VALIDATION", "TEST")]
    counts = [len(shards(files, name)) for name in ("training", "validation", "test")]
    assert (
        variables["AIP_DATA_FORMAT"],
        [uri.startswith(start) for uri in uris],
        [uri.rsplit("/", 1)[1] for uri in uris],
        counts,
    ) == ("csv", [True] * 3, ["training-*.csv", "validation-*.csv", "test-*.csv"], [8, 1, 1])


def test_rows_come_out_as_they_went_in(train: Any, new_dataset: Any, table: list[str]) -> None:
    fractions = {"training_fraction": 1.0}
    _, _, files = train(new_dataset(*table), fraction_split=fractions)
    assert shards(files, "training")[0] == '0,"a, b",training,2026-01-01'


def test_a_predefined_split(train: Any, new_dataset: Any, table: list[str]) -> None:
    _, _, files = train(new_dataset(*table), predefined_split={"key": "part"})
    counts = [len(shards(files, name)) for name in ("training", "validation", "test")]
    assert counts == [7, 2, 1]


def test_a_split_by_time_tests_on_the_newest(
    train: Any, new_dataset: Any, table: list[str]
) -> None:
    split = {"key": "day", "training_fraction": 0.5, "validation_fraction": 0.3}
    _, _, files = train(new_dataset(*table), timestamp_split={**split, "test_fraction": 0.2})
    assert [row.split(",")[0] for row in shards(files, "test")] == ["8", "9"]


def test_imported_lines_come_as_jsonl(
    train: Any, datasets: Any, new_dataset: Any, bucket: Any, marker: str
) -> None:
    lines = "".join(f'{{"imageGcsUri": "gs://b/{number}.jpg"}}\n' for number in range(10))
    bucket.blob(f"tables/{marker}.jsonl").upload_from_string(lines)
    dataset = new_dataset(schema=IMAGE)
    source = {"uris": [f"gs://{bucket.name}/tables/{marker}.jsonl"]}
    configs = [{"gcs_source": source, "import_schema_uri": "gs://schema"}]
    datasets.import_data(name=dataset.name, import_configs=configs).result()
    _, variables, files = train(dataset)
    rows = [text for path, text in files.items() if "/training-" in path]
    assert (variables["AIP_DATA_FORMAT"], rows[0].splitlines()[0]) == (
        "jsonl",
        '{"imageGcsUri": "gs://b/0.jpg"}',
    )


def test_files_that_are_gone_fail_the_pipeline(train: Any, new_dataset: Any, bucket: Any) -> None:
    done, _, _ = train(new_dataset(f"gs://{bucket.name}/none.csv"))
    assert (done.state.name, "none.csv" in done.error.message) == ("PIPELINE_STATE_FAILED", True)


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ({"fraction_split": {"training_fraction": 1.5}}, "must not be negative or exceed 1"),
        ({"predefined_split": {}}, "predefined_split.key: The key is required"),
        ({"gcs_destination": {}}, "set base_output_dir"),
        ({"filter_split": {"training_filter": "*"}}, "filter_split: splits by filters"),
        ({"dataset_id": "404"}, "The Dataset does not exist."),
    ],
)
def test_input_that_makes_no_sense_is_refused(
    train: Any, new_dataset: Any, table: list[str], split: dict[str, Any], message: str
) -> None:
    with pytest.raises(exceptions.GoogleAPICallError, match=message):
        train(new_dataset(*table), **split)


@pytest.mark.local_only
def test_the_sdks_training_job_takes_a_dataset(
    google_clients: dict[str, str], table: list[str], bucket: Any, tmp_path: Any, marker: str
) -> None:
    from google.cloud import aiplatform

    script = tmp_path / "task.py"
    script.write_text(
        "import os\n"
        "from google.cloud import storage\n"
        "uri = os.environ['AIP_TRAINING_DATA_URI']\n"
        "bucket, _, pattern = uri[5:].partition('/')\n"
        "client = storage.Client()\n"
        "blobs = client.list_blobs(bucket, prefix=pattern.partition('*')[0])\n"
        "rows = sum(len(blob.download_as_text().splitlines()) - 1 for blob in blobs)\n"
        f"storage.Blob.from_string('gs://{bucket.name}/{marker}/rows', client=client)"
        ".upload_from_string(str(rows))\n"
    )
    aiplatform.init(
        project="local-project", location="us-central1", staging_bucket=f"gs://{bucket.name}"
    )
    dataset = aiplatform.TabularDataset.create(display_name="t", gcs_source=table)
    job = aiplatform.CustomTrainingJob(
        display_name="t",
        script_path=str(script),
        container_uri="us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest",
        requirements=["google-cloud-storage"],
    )
    job.run(
        dataset, base_output_dir=f"gs://{bucket.name}/{marker}/out", machine_type="n1-standard-4"
    )
    assert bucket.blob(f"{marker}/rows").download_as_text() == "8"
