"""A managed dataset's rows, split and written to the bucket before a pipeline's job starts.

For training pipelines. Every row goes out as it came in.
Source: InputDataConfig, FractionSplit, PredefinedSplit, TimestampSplit protos.
"""

import contextlib
import csv
import fnmatch
import io
import json
from collections.abc import Iterator, Mapping, Sequence

from vertex_jobs.emulator import protos
from vertex_jobs.emulator.resources.data_splits import SETS, Row, split_rows
from vertex_jobs.emulator.resources.dataset_lookup import DataSource
from vertex_jobs.emulator.status import ApiError
from vertex_jobs.emulator.storage.objects.object_errors import ObjectStoreError
from vertex_jobs.emulator.storage.objects.object_listing import ListQuery
from vertex_jobs.emulator.storage.objects.object_store import ObjectStore
from vertex_jobs.names import GcsUri

_ROWS_PER_SHARD = 10_000
_SET_VARIABLES = {name: f"AIP_{name.upper()}_DATA_URI" for name in SETS}


def export(
    objects: ObjectStore, source: DataSource, config: protos.Message, moment: str
) -> dict[str, str]:
    """Write the shards of the three sets; return the variables that lead to them.

    ``config`` is an InputDataConfig, ``moment`` the time of the call, for the folder's name.

    Raises:
        ApiError: If the rows cannot be read, or not split as asked.
    """
    header, rows = "", _json_rows(objects, source)
    if source.format == "csv":
        header, rows = _table(objects, source)
    annotation = config.annotation_schema_uri.rsplit("/", 1)[-1].partition("_1.")[0] or source.kind
    folder = GcsUri.parse(config.gcs_destination.output_uri_prefix).join(
        f"dataset-{source.dataset_id}-{annotation}-{moment}"
    )
    variables = {"AIP_DATA_FORMAT": source.format}
    for name, part in split_rows(rows, config).items():
        _write_shards(objects, folder, f"{name}-%05d-of-%05d.{source.format}", header, part)
        variables[_SET_VARIABLES[name]] = str(folder.join(f"{name}-*.{source.format}"))
    return variables


def _write_shards(
    objects: ObjectStore, folder: GcsUri, pattern: str, header: str, rows: Sequence[Row]
) -> None:
    starts = range(0, max(len(rows), 1), _ROWS_PER_SHARD)
    for number, start in enumerate(starts):
        with objects.writer() as payload:
            payload.write(header.encode())
            for row in rows[start : start + _ROWS_PER_SHARD]:
                payload.write(row.text.encode())
            name = folder.join(pattern % (number, len(starts))).path
            objects.put(folder.bucket, name, payload)


def _files(objects: ObjectStore, source: DataSource) -> Iterator[str]:
    """Yield the text of each file, in the order of the URIs."""
    for uri in source.uris:
        place = GcsUri.parse(uri)
        for name in _names(objects, place):
            try:
                _, file = objects.open(place.bucket, name)
            except ObjectStoreError as error:
                raise ApiError("INVALID_ARGUMENT", f"{uri}: {error}") from error
            with file:
                yield file.read().decode("utf-8-sig")


def _names(objects: ObjectStore, place: GcsUri) -> list[str]:
    start, star, _ = place.path.partition("*")
    if not star:
        return [place.path]
    found: list[str] = []
    with contextlib.suppress(ObjectStoreError):
        listing = objects.list_objects(place.bucket, ListQuery(prefix=start))
        names = (one.name for one in listing.objects)
        found = [name for name in names if fnmatch.fnmatchcase(name, place.path)]
    if not found:
        raise ApiError("INVALID_ARGUMENT", f"There are no files that match {place}.")
    return found


def _table(objects: ObjectStore, source: DataSource) -> tuple[str, Iterator[Row]]:
    """Return the header as written, and the rows below it; every file has the same header."""
    files = _files(objects, source)
    first = next(files)
    header = next(_records(first), [])

    def rows() -> Iterator[Row]:
        for text in (first, *files):
            records = _records(text)
            if next(records, header) != header:
                raise ApiError(
                    "INVALID_ARGUMENT",
                    f"The files of the Dataset {source.dataset_id} have different headers.",
                )
            for record in records:
                yield Row(_line(record), dict(zip(header, record, strict=False)))

    return _line(header), rows()


def _records(text: str) -> Iterator[list[str]]:
    return (record for record in csv.reader(io.StringIO(text, newline="")) if record)


def _line(record: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(record)
    return line.getvalue()


def _json_rows(objects: ObjectStore, source: DataSource) -> Iterator[Row]:
    for text in _files(objects, source):
        for line in text.splitlines():
            if not line.strip():
                continue
            try:
                form = json.loads(line)
            except json.JSONDecodeError as error:
                raise ApiError(
                    "UNIMPLEMENTED",
                    f"The Dataset {source.dataset_id} was imported from files that are not JSON "
                    "Lines; import JSON Lines to rehearse, or submit to Vertex AI.",
                ) from error
            yield Row(f"{line}\n", _labels(form))


def _labels(form: object) -> Mapping[str, str]:
    labels = form.get("dataItemResourceLabels", {}) if isinstance(form, dict) else {}
    return labels if isinstance(labels, dict) else {}
