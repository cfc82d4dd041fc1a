"""Rules on a job's names and labels, its buckets, its network and its account.

For the table in ``rules``. Whether an account or a bucket exists is not checked.
"""

import re
from collections.abc import Iterator, Mapping

from vertex_jobs import catalog
from vertex_jobs.catalog.text_forms import (
    fits_label,
    is_network_name,
    is_persistent_resource_id,
    starts_label_key,
)
from vertex_jobs.errors import Fault
from vertex_jobs.names import CONTENT_LABEL, SUBMISSION_LABEL, is_gcs_uri

_LIMITS = catalog.load().limits
_OUR_LABELS = (SUBMISSION_LABEL, CONTENT_LABEL)

_TENSORBOARD = re.compile(r"projects/[^/]+/locations/[^/]+/tensorboards/[^/]+")
_KEY = re.compile(r"projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+")


def label_faults(field: str, labels: Mapping[str, str]) -> Iterator[Fault]:
    """Yield faults of labels: their number, length and letters, and the names that are ours."""
    most = _LIMITS.labels_max - len(_OUR_LABELS)
    if len(labels) > most:
        rule = f"a resource has at most {_LIMITS.labels_max} labels, two of them for the submission"
        yield Fault(field, len(labels), rule, f"keep {most}")
    longest = _LIMITS.label_max_chars
    for key, value in labels.items():
        path = f"{field}.{key}"
        if key in _OUR_LABELS:
            yield Fault(path, value, "is set by each submission", "choose another key")
        for what, text in (("key", key), ("value", value)):
            if len(text) > longest:
                rule = f"a label's {what} has at most {longest} characters"
                yield Fault(path, text, rule, "shorten it")
            elif len(text.encode()) > _LIMITS.label_max_bytes:
                rule = f"a label's {what} has at most {_LIMITS.label_max_bytes} bytes in UTF-8"
                yield Fault(path, text, rule, "shorten it")
            if not fits_label(text):
                rule = f"a label's {what} has lower case letters, digits, _ and - only"
                fixed = "".join(letter if fits_label(letter) else "-" for letter in text.lower())
                yield Fault(path, text, rule, f"write {fixed!r}")
        if fits_label(key) and not starts_label_key(key):
            rule = "a label's key starts with a letter or digit"
            yield Fault(path, key, rule, f"write {key.lstrip('_-')!r}" if key else "write a key")


def _labels(labels: Mapping[str, str]) -> Iterator[Fault]:
    yield from label_faults("labels", labels)


def _staging_bucket_is_gcs(staging_bucket: str | None) -> Iterator[Fault]:
    yield from _gcs("staging_bucket", staging_bucket)


def _base_output_dir_is_gcs(base_output_dir: str | None) -> Iterator[Fault]:
    yield from _gcs("base_output_dir", base_output_dir)


def _gcs(field: str, uri: str | None) -> Iterator[Fault]:
    if uri is not None and not is_gcs_uri(uri):
        yield Fault(
            field, uri, "must be a Cloud Storage URI", "write gs://BUCKET or gs://BUCKET/DIR"
        )


def _network_is_a_resource(network: str | None) -> Iterator[Fault]:
    if network is not None and not is_network_name(network):
        yield Fault(
            "network",
            network,
            "must name a network with the project's number",
            "write projects/NUMBER/global/networks/NAME",
        )


def _reserved_ranges_need_network(
    reserved_ip_ranges: tuple[str, ...], network: str | None
) -> Iterator[Fault]:
    if reserved_ip_ranges and network is None:
        yield Fault(
            "reserved_ip_ranges",
            list(reserved_ip_ranges),
            "are ranges of the peered network",
            "add network, or remove them",
        )


def _tensorboard_is_a_resource(tensorboard: str | None) -> Iterator[Fault]:
    if tensorboard is not None and not _TENSORBOARD.fullmatch(tensorboard):
        yield Fault(
            "tensorboard",
            tensorboard,
            "must be the full name of a managed TensorBoard",
            "write projects/PROJECT/locations/LOCATION/tensorboards/ID",
        )


def _tensorboard_needs_account(
    tensorboard: str | None, service_account: str | None
) -> Iterator[Fault]:
    if tensorboard is not None and service_account is None:
        yield Fault("tensorboard", tensorboard, "needs service_account", "add service_account")


def _experiment_needs_account(
    experiment: str | None, service_account: str | None
) -> Iterator[Fault]:
    if experiment is not None and service_account is None:
        yield Fault("experiment", experiment, "needs service_account", "add service_account")


def _tensorboard_or_experiment(tensorboard: str | None, experiment: str | None) -> Iterator[Fault]:
    if tensorboard is not None and experiment is not None:
        yield Fault(
            "experiment", experiment, "excludes tensorboard", "remove experiment or tensorboard"
        )


def _run_needs_experiment(experiment_run: str | None, experiment: str | None) -> Iterator[Fault]:
    if experiment_run is not None and experiment is None:
        yield Fault("experiment_run", experiment_run, "is a run of an experiment", "add experiment")


def _key_is_a_resource(encryption_spec_key_name: str | None) -> Iterator[Fault]:
    yield from key_faults("encryption_spec_key_name", encryption_spec_key_name)


def key_faults(field: str, key: str | None) -> Iterator[Fault]:
    """Yield the fault of a customer-managed key's name."""
    if key is not None and not _KEY.fullmatch(key):
        yield Fault(
            field,
            key,
            "must be the full name of a key",
            "write projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY",
        )


def _persistent_resource_id_letters(persistent_resource_id: str | None) -> Iterator[Fault]:
    resource_id = persistent_resource_id
    if resource_id is not None and not is_persistent_resource_id(resource_id):
        yield Fault(
            "persistent_resource_id",
            resource_id,
            "has numbers, lower case letters and hyphens only",
            "write the id, not the full name",
        )


IDENTITY_RULES = (
    _labels,
    _staging_bucket_is_gcs,
    _base_output_dir_is_gcs,
    _network_is_a_resource,
    _reserved_ranges_need_network,
    _tensorboard_is_a_resource,
    _tensorboard_needs_account,
    _experiment_needs_account,
    _tensorboard_or_experiment,
    _run_needs_experiment,
    _key_is_a_resource,
    _persistent_resource_id_letters,
)
