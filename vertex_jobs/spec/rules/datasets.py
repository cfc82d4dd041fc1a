"""Rules on the managed dataset that a training pipeline reads, and on how it is split.

For the table in ``rules``. Whether the dataset exists, and has such columns, the service says.

Source: InputDataConfig, FractionSplit, FilterSplit, TimestampSplit, StratifiedSplit.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vertex_jobs.errors import Fault
from vertex_jobs.names import is_gcs_uri

_DATASET = re.compile(r"\d+|projects/[^/]+/locations/[^/]+/datasets/[^/]+")
_SETS = ("training", "validation", "test")
#: For sums of fractions such as 0.7 + 0.2 + 0.1, which is no exact 1.
_TOLERANCE = 1e-9


def _dataset_is_a_resource(dataset: str | None) -> Iterator[Fault]:
    if dataset is not None and not _DATASET.fullmatch(dataset):
        remedy = "write its number, or projects/PROJECT/locations/LOCATION/datasets/ID"
        yield Fault("dataset", dataset, "must name a managed dataset", remedy)


def _schema_is_gcs(annotation_schema_uri: str | None) -> Iterator[Fault]:
    if annotation_schema_uri is not None and not is_gcs_uri(annotation_schema_uri):
        rule = "must be a Cloud Storage URI"
        remedy = "write gs://google-cloud-aiplatform/schema/dataset/annotation/…"
        yield Fault("annotation_schema_uri", annotation_schema_uri, rule, remedy)


def _destination_is_bigquery(bigquery_destination: str | None) -> Iterator[Fault]:
    if bigquery_destination is not None and not bigquery_destination.startswith("bq://"):
        rule = "must be a BigQuery URI"
        yield Fault("bigquery_destination", bigquery_destination, rule, "write bq://PROJECT")


def _data_needs_dataset(
    dataset: str | None,
    annotation_schema_uri: str | None,
    annotations_filter: str | None,
    saved_query_id: str | None,
    bigquery_destination: str | None,
    persist_ml_use_assignment: bool,
) -> Iterator[Fault]:
    written = {
        "annotation_schema_uri": annotation_schema_uri,
        "annotations_filter": annotations_filter,
        "saved_query_id": saved_query_id,
        "bigquery_destination": bigquery_destination,
        "persist_ml_use_assignment": persist_ml_use_assignment or None,
    }
    yield from _without_dataset(dataset, written)


def _columns_need_dataset(
    dataset: str | None,
    predefined_split_column_name: str | None,
    timestamp_split_column_name: str | None,
    stratified_split_column_name: str | None,
) -> Iterator[Fault]:
    columns = {
        "predefined_split_column_name": predefined_split_column_name,
        "timestamp_split_column_name": timestamp_split_column_name,
        "stratified_split_column_name": stratified_split_column_name,
    }
    yield from _without_dataset(dataset, columns)


def _sets_need_dataset(
    dataset: str | None,
    training_fraction_split: float | None,
    validation_fraction_split: float | None,
    test_fraction_split: float | None,
    training_filter_split: str | None,
    validation_filter_split: str | None,
    test_filter_split: str | None,
) -> Iterator[Fault]:
    fractions = (training_fraction_split, validation_fraction_split, test_fraction_split)
    filters = (training_filter_split, validation_filter_split, test_filter_split)
    written: dict[str, Any] = {
        f"{name}_{kind}_split": value
        for kind, values in (("fraction", fractions), ("filter", filters))
        for name, value in zip(_SETS, values, strict=True)
    }
    yield from _without_dataset(dataset, written)


def _without_dataset(dataset: str | None, written: Mapping[str, Any]) -> Iterator[Fault]:
    if dataset is None:
        for field, value in written.items():
            if value is not None:
                rule = "is about a managed dataset, and the job reads none"
                yield Fault(field, value, rule, "add dataset, or remove it")


def _fractions_add_up(
    training_fraction_split: float | None,
    validation_fraction_split: float | None,
    test_fraction_split: float | None,
) -> Iterator[Fault]:
    given = (training_fraction_split, validation_fraction_split, test_fraction_split)
    total = sum(fraction or 0.0 for fraction in given)
    if total > 1 + _TOLERANCE:
        rule = f"all fractions together are at most 1, and these are {total:g}"
        yield Fault("training_fraction_split", training_fraction_split, rule, "lower one of them")


def _columns_need_fractions(
    timestamp_split_column_name: str | None,
    stratified_split_column_name: str | None,
    training_fraction_split: float | None,
    validation_fraction_split: float | None,
    test_fraction_split: float | None,
) -> Iterator[Fault]:
    given = (training_fraction_split, validation_fraction_split, test_fraction_split)
    columns = {"timestamp": timestamp_split_column_name, "stratified": stratified_split_column_name}
    for kind, column in columns.items():
        if column is not None and None in given:
            missing = " and ".join(
                f"{name}_fraction_split"
                for name, value in zip(_SETS, given, strict=True)
                if value is None
            )
            rule = "needs all three fractions"
            yield Fault(f"{kind}_split_column_name", column, rule, f"add {missing}")


def _whole_filters(
    training_filter_split: str | None,
    validation_filter_split: str | None,
    test_filter_split: str | None,
) -> Iterator[Fault]:
    given = (training_filter_split, validation_filter_split, test_filter_split)
    if any(one is not None for one in given):
        for name, value in zip(_SETS, given, strict=True):
            if value is None:
                rule = "is required where another set has a filter"
                remedy = f"add {name}_filter_split, - for no data item"
                yield Fault(f"{name}_filter_split", None, rule, remedy)


def _one_split(
    training_fraction_split: float | None,
    training_filter_split: str | None,
    predefined_split_column_name: str | None,
    timestamp_split_column_name: str | None,
    stratified_split_column_name: str | None,
) -> Iterator[Fault]:
    ways = {
        "training_filter_split": training_filter_split,
        "predefined_split_column_name": predefined_split_column_name,
        "timestamp_split_column_name": timestamp_split_column_name,
        "stratified_split_column_name": stratified_split_column_name,
    }
    given = {field: value for field, value in ways.items() if value is not None}
    by_fractions = training_fraction_split is not None and not (
        timestamp_split_column_name or stratified_split_column_name
    )
    first, *others = [*given, *(["training_fraction_split"] if by_fractions else [])] or [""]
    for field in others:
        value = given.get(field, training_fraction_split)
        rule = f"is another way to split the data than {first}"
        yield Fault(field, value, rule, "keep one of the two")


DATA_RULES = (
    _dataset_is_a_resource,
    _schema_is_gcs,
    _destination_is_bigquery,
    _data_needs_dataset,
    _columns_need_dataset,
    _sets_need_dataset,
    _fractions_add_up,
    _columns_need_fractions,
    _whole_filters,
    _one_split,
)
