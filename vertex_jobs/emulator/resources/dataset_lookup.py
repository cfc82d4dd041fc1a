"""Managed datasets as training pipelines see them: which one is meant, and where its rows are.

Rows of tabular datasets are in CSV files, those of others in the JSON Lines that were imported.
BigQuery is refused. Source: Dataset and InputDataConfig protos.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.data_splits import check_split
from vertex_jobs.emulator.resources.request_names import find_resource
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.store.resource_store import Store
from vertex_jobs.names import ResourceName, is_gcs_uri

_TABLES = ("tabular", "time_series")
#: Value of the system label by kind of metadata schema; what holds for further kinds is not known.
#: Source: GoogleCloudPlatform/vertex-ai-samples, notebooks/community/migration/UJ1, UJ4, UJ6, UJ14,
#: saved answers to datasets.create; Dataset proto, ``labels``.
_SYSTEM_LABELS = {"image": "IMAGE", "video": "VIDEO", "text": "TEXT", "tabular": "TABLE"}
_SYSTEM_LABEL = "aiplatform.googleapis.com/dataset_metadata_schema"
_SCHEMAS = "gs://google-cloud-aiplatform/schema/dataset"


@dataclass(frozen=True)
class DataSource:
    """Where a dataset's rows are.

    Attributes:
        uris: Its files, ``gs://`` URIs, ``*`` for any characters of an object's name.
        format: ``csv`` or ``jsonl``.
        kind: Of the dataset, e.g. ``tabular``.
    """

    dataset_id: str
    uris: tuple[str, ...]
    format: str
    kind: str


def complete_dataset(dataset: protos.Message) -> None:
    """Add what the service adds to a dataset: its system label, and the schema of its items."""
    kind = kind_of(dataset)
    if kind in _SYSTEM_LABELS:
        dataset.labels[_SYSTEM_LABEL] = _SYSTEM_LABELS[kind]
    if kind in _SYSTEM_LABELS and kind not in _TABLES and not dataset.HasField("metadata"):
        version = dataset.metadata_schema_uri.rpartition("_")[2]
        items = f"{_SCHEMAS}/dataitem/{kind}_{version}"
        dataset.metadata.struct_value["dataItemSchemaUri"] = items


def kind_of(dataset: protos.Message) -> str:
    """Return the kind that a dataset's metadata schema names, e.g. ``tabular``."""
    schema = dataset.metadata_schema_uri.rpartition("/")[2]
    return str(schema.rpartition("_")[0]) or "unknown"


def source_of(dataset_id: str, dataset: protos.Message, imported: Sequence[str]) -> DataSource:
    """Return the source of a dataset.

    Raises:
        ApiError: UNIMPLEMENTED for BigQuery, FAILED_PRECONDITION for a dataset without data.
    """
    kind = kind_of(dataset)
    form = protos.to_json(dataset.metadata) if dataset.HasField("metadata") else {}
    config = form.get("inputConfig", {}) if isinstance(form, dict) else {}
    if "bigquerySource" in config:
        raise ApiError(
            "UNIMPLEMENTED",
            f"The Dataset {dataset.display_name!r} reads from BigQuery, which Local Vertex does "
            "not have; export the table to Cloud Storage to rehearse, or submit to Vertex AI.",
        )
    uris = tuple(config.get("gcsSource", {}).get("uri", ())) or tuple(imported)
    if not uris:
        raise ApiError("FAILED_PRECONDITION", f"The Dataset {dataset.name!r} has no data.")
    form_of_rows = "csv" if kind in _TABLES else "jsonl"
    return DataSource(dataset_id, uris, form_of_rows, kind)


class DatasetLookup:
    """The datasets that pipelines name."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, text: str, field: str = "name") -> protos.Message:
        """Return the dataset that the request's field names, or raise NOT_FOUND."""
        return find_resource(self._store, text, "datasets", "Dataset", field=field)

    def imported(self, dataset_id: str) -> list[str]:
        """Return the files that were imported into the dataset."""
        return list(self._store.settings("datasets", dataset_id).get("imported", ()))

    def check(self, config: protos.Message, parent: ResourceName) -> None:
        """Refuse a pipeline's input that could not be read or written.

        Raises:
            ApiError: If dataset, split or destination are missing or make no sense.
        """
        dataset_id = config.dataset_id.rpartition("/")[2]
        name = ResourceName(parent.project, parent.location, "datasets", dataset_id)
        dataset = self.find(str(name), "input_data_config.dataset_id")
        source_of(dataset_id, dataset, self.imported(dataset_id))
        if not is_gcs_uri(config.gcs_destination.output_uri_prefix):
            raise ApiError(
                "INVALID_ARGUMENT",
                "input_data_config.gcs_destination.output_uri_prefix: expected a Cloud Storage "
                "URI; set base_output_dir.",
            )
        check_split(config)
