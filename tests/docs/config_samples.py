"""A value for every key of a config, and what has to stand beside it.

For ``config_pages``, which asks the request what each key becomes, and for the test that every key
becomes something.
"""

from typing import Any

KEY = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"
IMAGE = "us-docker.pkg.dev/my-project/images/trainer:1"
SERVED = {"model_serving_container_image_uri": IMAGE}
DATA = {"dataset": "123"}
FRACTIONS = {
    "training_fraction_split": 0.8,
    "validation_fraction_split": 0.1,
    "test_fraction_split": 0.1,
}
FILTERS = {
    "training_filter_split": "a",
    "validation_filter_split": "b",
    "test_filter_split": "c",
}
ACCOUNT = {"service_account": "a@b.c"}
SPECIFIC = {
    "reservation_affinity_type": "SPECIFIC_RESERVATION",
    "reservation_affinity_key": "key",
    "reservation_affinity_values": ["name"],
}
PACKAGED = {
    "script_path": None,
    "python_package_gcs_uri": "gs://bucket/p.tar.gz",
    "python_module_name": "m",
}
CONTAINER = {"script_path": None, "container_uri": IMAGE}
A100 = {"accelerator_type": "NVIDIA_TESLA_A100", "accelerator_count": 1}

#: Keys that are no part of the request, and who reads them.
NOT_SENT = {
    "base": "the files that this one lies over",
    "data_files": "the package",
    "exclude_files": "the package",
    "fallback": "the client, which tries each place in order",
    "kind": "the collection that the request goes to",
    "local": "Local Vertex",
    "max_cost_usd": "the check before a submission",
    "max_resubmissions": "`run`, which submits the job again",
    "prices": "the check before a submission",
    "requirements": "the package",
    "staging_bucket": "the default `base_output_dir` and the packages lie there",
}

#: Key -> its value, and the keys that it needs beside it.
MACHINE: dict[str, tuple[Any, dict[str, Any]]] = {
    "machine_type": ("e2-standard-8", {}),
    "cpus": (8, {}),
    "memory_gb": (30, {}),
    "accelerator": ("T4:2", {}),
    "accelerator_type": ("NVIDIA_L4", A100),
    "accelerator_count": (2, A100),
    "gpu_partition_size": ("1g.5gb", A100),
    "tpu_topology": ("2x2", {"machine_type": "ct5lp-hightpu-4t"}),
    "reservation_affinity_type": ("ANY_RESERVATION", {}),
    "reservation_affinity_key": ("other", SPECIFIC),
    "reservation_affinity_values": (["other"], SPECIFIC),
    "boot_disk_type": ("pd-standard", {}),
    "boot_disk_size_gb": (200, {}),
    "container_uri": ("us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-15.py310:latest", {}),
    "python_package_gcs_uri": ("gs://bucket/other.tar.gz", PACKAGED),
    "python_module_name": ("other", PACKAGED),
    "args": ({"epochs": 3}, {}),
    "environment_variables": ({"A": "1"}, {}),
    "nfs_mounts": ([{"server": "s", "path": "/e", "mount_point": "d"}], {}),
    "lustre_mounts": (
        [{"instance_ip": "i", "volume_handle": "v", "filesystem": "f", "mount_point": "d"}],
        {},
    ),
}
COMMON: dict[str, tuple[Any, dict[str, Any]]] = {
    **MACHINE,
    "display_name": ("other", {}),
    "script_path": (None, CONTAINER),
    "command": (["run"], CONTAINER),
    "replica_count": (3, {}),
    "worker_pools": ({"chief": {"machine_type": "e2-standard-8"}}, {}),
    "base_output_dir": ("gs://bucket/out", {}),
    "labels": ({"team": "x"}, {}),
    "encryption_spec_key_name": (KEY, {}),
    "timeout": (60, {}),
    "restart_job_on_worker_restart": (True, {}),
    "disable_retries": (True, {}),
    "scheduling_strategy": ("spot", {}),
    "max_wait_duration": (60, {"scheduling_strategy": "flex_start"}),
    "service_account": ("a@b.c", {}),
    "network": ("projects/1/global/networks/n", {}),
    "reserved_ip_ranges": (["r"], {"network": "projects/1/global/networks/n"}),
    "psc_interface_config": ({"network_attachment": "a"}, {}),
    "enable_web_access": (True, {}),
    "enable_dashboard_access": (True, {}),
    "tensorboard": ("projects/p/locations/us-central1/tensorboards/1", ACCOUNT),
    "experiment": ("e", ACCOUNT),
    "experiment_run": ("r", {**ACCOUNT, "experiment": "e"}),
    "persistent_resource_id": ("held", {}),
    "protected_artifact_location_id": ("us", {}),
}
TRAINING: dict[str, tuple[Any, dict[str, Any]]] = {
    "model_display_name": ("m", SERVED),
    "model_description": ("d", SERVED),
    "model_serving_container_image_uri": (IMAGE, {}),
    "model_serving_container_predict_route": ("/p", SERVED),
    "model_serving_container_health_route": ("/h", SERVED),
    "model_serving_container_command": (["c"], SERVED),
    "model_serving_container_args": (["a"], SERVED),
    "model_serving_container_environment_variables": ({"A": "1"}, SERVED),
    "model_serving_container_ports": ([8080], SERVED),
    "model_serving_container_grpc_ports": ([9000], SERVED),
    "model_serving_container_deployment_timeout": (60, SERVED),
    "model_serving_container_shared_memory_size_mb": (64, SERVED),
    "model_instance_schema_uri": ("gs://bucket/s.yaml", SERVED),
    "model_parameters_schema_uri": ("gs://bucket/s.yaml", SERVED),
    "model_prediction_schema_uri": ("gs://bucket/s.yaml", SERVED),
    "explanation_metadata": ({"inputs": {"i": {"inputTensorName": "x"}}}, SERVED),
    "explanation_parameters": ({"topK": 1}, SERVED),
    "model_labels": ({"stage": "x"}, SERVED),
    "model_encryption_spec_key_name": (KEY, SERVED),
    "model_id": ("m", SERVED),
    "parent_model": ("m", SERVED),
    "is_default_version": (False, SERVED),
    "model_version_aliases": (["a"], SERVED),
    "model_version_description": ("d", SERVED),
    "dataset": ("123", {}),
    "annotation_schema_uri": ("gs://bucket/s.yaml", DATA),
    "annotations_filter": ("f", DATA),
    "saved_query_id": ("7", DATA),
    "bigquery_destination": ("bq://p", DATA),
    "training_fraction_split": (0.7, {**DATA, **FRACTIONS}),
    "validation_fraction_split": (0.05, {**DATA, **FRACTIONS}),
    "test_fraction_split": (0.05, {**DATA, **FRACTIONS}),
    "training_filter_split": ("x", {**DATA, **FILTERS}),
    "validation_filter_split": ("x", {**DATA, **FILTERS}),
    "test_filter_split": ("x", {**DATA, **FILTERS}),
    "predefined_split_column_name": ("c", DATA),
    "timestamp_split_column_name": ("c", {**DATA, **FRACTIONS}),
    "stratified_split_column_name": ("c", {**DATA, **FRACTIONS}),
    "persist_ml_use_assignment": (True, DATA),
}
STUDY: dict[str, tuple[Any, dict[str, Any]]] = {
    "metric_spec": ({"loss": "minimize"}, {}),
    "parameter_spec": ({"n": {"type": "integer", "min": 1, "max": 2}}, {}),
    "search_algorithm": ("random", {}),
    "measurement_selection": ("last", {}),
    "max_trial_count": (9, {}),
    "parallel_trial_count": (3, {}),
    "max_failed_trial_count": (1, {}),
    "automated_stopping_spec": ({"type": "decay_curve", "use_elapsed_duration": True}, {}),
    "study_stopping_config": ({"max_num_trials": 9}, {}),
}
POOL: dict[str, tuple[Any, dict[str, Any]]] = {
    **MACHINE,
    "replica_count": (2, {}),
    "command": (["run"], {"container_uri": IMAGE}),
    "python_package_gcs_uri": (
        "gs://bucket/other.tar.gz",
        {"python_package_gcs_uri": "gs://bucket/p.tar.gz", "python_module_name": "m"},
    ),
    "python_module_name": (
        "other",
        {"python_package_gcs_uri": "gs://bucket/p.tar.gz", "python_module_name": "m"},
    ),
}
