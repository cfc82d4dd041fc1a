"""Each mistake is found, with path, value, rule and remedy, and none hides another."""

from pathlib import Path
from typing import Any

import pytest

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec import CustomJob, DoubleParameterSpec, HyperparameterTuningJob, from_mapping

STUDY: dict[str, Any] = {
    "kind": "hyperparameter_tuning_job",
    "display_name": "study",
    "script_path": "train.py",
    "metric_spec": {"accuracy": "maximize"},
    "parameter_spec": {
        "rate": {"type": "double", "min": 1e-4, "max": 0.1, "scale": "log"},
        "layers": {"type": "integer", "min": 1, "max": 3},
        "batch": {"type": "discrete", "values": [16, 32]},
        "optimizer": {"type": "categorical", "values": ["adam", "sgd"]},
    },
    "max_trial_count": 4,
    "parallel_trial_count": 2,
}
PIPELINE: dict[str, Any] = {
    "kind": "custom_training_job",
    "display_name": "pipeline",
    "script_path": "train.py",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("print('trained')")
    return tmp_path


def faults_of(written: dict[str, Any], directory: Path) -> dict[str, Fault]:
    with pytest.raises(InvalidJobError) as caught:
        from_mapping(written, source="test", base_directory=directory)
    return {fault.path: fault for fault in caught.value.faults}


def only_fault(written: dict[str, Any], directory: Path) -> str:
    (fault,) = faults_of(written, directory).values()
    return str(fault)


def test_the_correct_study_has_no_fault(directory: Path) -> None:
    assert from_mapping(STUDY, source="test", base_directory=directory).display_name == "study"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("hyperparameters", "parameter_spec"),
        ("image_uri", "container_uri"),
        ("trials", "max_trial_count"),
        ("maxTrialCount", "max_trial_count"),
        ("max_trail_count", "max_trial_count"),
        ("python_package", "script_path"),
        ("env", "environment_variables"),
    ],
)
def test_an_unknown_key_names_the_right_one(wrong: str, right: str, directory: Path) -> None:
    expected = f"{wrong} = 1: is no key here; did you mean {right!r}?"
    assert only_fault({**STUDY, wrong: 1}, directory) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"display_name": ""}, "display_name = '': must not be empty"),
        ({"display_name": "x" * 129}, "has at most 128 characters; shorten it"),
        ({"display_name": 7}, 'display_name = 7: must be text; write it in quotes: "7"'),
        ({"timeout": 0}, "timeout = 0: must be greater than 0"),
        ({"timeout": "3600"}, "must be a whole number; write it without quotes: 3600"),
        ({"timeout": 1.5}, "timeout = 1.5: must be a whole number; round it"),
        ({"timeout": True}, "timeout = True: must be a whole number"),
        ({"replica_count": 0}, "replica_count = 0: must be at least 1"),
        ({"boot_disk_size_gb": 10}, "boot_disk_size_gb = 10: must be at least 100"),
        ({"max_trial_count": 2**40}, "must be at most 2147483647"),
        ({"disable_retries": "true"}, "must be true or false; write true or false, without quotes"),
        ({"data_files": "words"}, "must be a list, not one text; write it as [words]"),
        ({"labels": None}, "labels: must be a mapping of keys to values"),
        ({"labels": {"Team": "x"}}, "letters, digits, _ and - only; write 'team'"),
        ({"labels": {"team": "a b"}}, "label's value has lower case letters"),
        ({"labels": {"team": "x" * 64}}, "a label's value has at most 63 characters"),
        ({"labels": {"team": "語" * 43}}, "a label's value has at most 127 bytes in UTF-8"),
        ({"labels": {"_team": "x"}}, "a label's key starts with a letter or digit; write 'team'"),
        ({"labels": {f"l{n}": "" for n in range(63)}}, "keep 62"),
        ({"labels": {"vertex-jobs-submission": "x"}}, "is set by each submission"),
        ({"staging_bucket": "my-bucket"}, "staging_bucket = 'my-bucket': must be a Cloud Storage"),
        ({"base_output_dir": "/tmp/out"}, "base_output_dir = '/tmp/out': must be a Cloud Storage"),
        ({"accelerator_type": "NVIDIA_TESLA_T4"}, "needs accelerator_count; add"),
        ({"accelerator_count": 1}, "needs accelerator_type; add accelerator_type, for example"),
        (
            {"accelerator_type": "T4", "accelerator_count": 1},
            "did you mean 'NVIDIA_TESLA_T4'?",
        ),
        ({"max_wait_duration": 60}, "only scheduling_strategy flex_start waits"),
        ({"scheduling_strategy": "preemptible"}, "must be one of standard, spot, flex_start"),
        (
            {"restart_job_on_worker_restart": True, "disable_retries": True},
            "disable_retries = True: overrides restart_job_on_worker_restart",
        ),
        ({"environment_variables": {"AIP_MODEL_DIR": "x"}}, "is set by Vertex AI in every replica"),
        ({"environment_variables": {"TF_CONFIG": "x"}}, "environment_variables.TF_CONFIG = 'x'"),
        ({"environment_variables": {"N": 2}}, 'N = 2: must be text; write it in quotes: "2"'),
        ({"environment_variables": {"A=B": ""}}, "a variable's name has no ="),
        ({"environment_variables": {f"V{n}": "" for n in range(101)}}, "at most 100 environment"),
        ({"args": "--epochs 3"}, "not one text; write ['--epochs', '3']"),
        ({"args": {"--epochs": 3}}, "must be a flag's name without dashes; write epochs: value"),
        ({"args": {"epochs": None}}, "args.epochs: has no value"),
        ({"args": ["x" * 100_001]}, "all arguments together have at most 100000 characters"),
        ({"args": {"rate": 0.1}}, "args.rate = '--rate=0.1': rate is tuned, so every trial would"),
        ({"args": ["--batch", "16"]}, "args.0 = '--batch': batch is tuned"),
        ({"command": ["sh"]}, "command = ['sh']: replaces the program of the image"),
        ({"python_module_name": "a.b"}, "is for a package directory, and script_path is a file"),
        ({"network": "default"}, "write projects/NUMBER/global/networks/NAME"),
        ({"reserved_ip_ranges": ["r"]}, "are ranges of the peered network; add network"),
        (
            {"tensorboard": "projects/p/locations/l/tensorboards/1"},
            "needs service_account; add service_account",
        ),
        ({"experiment": "e"}, "experiment = 'e': needs service_account"),
        ({"experiment_run": "r"}, "experiment_run = 'r': is a run of an experiment"),
        (
            {
                "experiment": "e",
                "tensorboard": "projects/p/locations/l/tensorboards/1",
                "service_account": "a@b.c",
            },
            "experiment = 'e': excludes tensorboard",
        ),
        ({"encryption_spec_key_name": "key"}, "must be the full name of a key"),
        ({"persistent_resource_id": "Held_1"}, "has numbers, lower case letters and hyphens only"),
        (
            {"nfs_mounts": [{"server": "s", "path": "/e", "mount_point": "/mnt/nfs/data"}]},
            "mount_point = '/mnt/nfs/data': is a name below /mnt/nfs/; write data",
        ),
        (
            {"nfs_mounts": [{"server": "s", "path": "e", "mount_point": "d"}]},
            "nfs_mounts.0.path = 'e': starts at the server's root; write /e",
        ),
        (
            {"nfs_mounts": 2 * [{"server": "s", "path": "/e", "mount_point": "d"}]},
            "nfs_mounts.1.mount_point = 'd': is taken by another mount",
        ),
        (
            {"psc_interface_config": {"network_attachment": "projects/p/a"}},
            "must name a network attachment; write projects/PROJECT/regions/REGION",
        ),
        (
            {
                "psc_interface_config": {"network_attachment": "a"},
                "network": "projects/1/global/networks/n",
            },
            "is another way to the network than peering by psc_interface_config",
        ),
        (
            {
                "psc_interface_config": {
                    "network_attachment": "a",
                    "dns_peering_configs": [
                        {"domain": "a.b", "target_project": "p", "target_network": "n"}
                    ],
                }
            },
            "dns_peering_configs.0.domain = 'a.b': ends in a dot; write a.b.",
        ),
        ({"tpu_topology": "four"}, "tpu_topology = 'four': is no topology; write for example 2x2"),
        (
            {"tpu_topology": "2x2", "accelerator_type": "TPU_V3", "accelerator_count": 8},
            "goes with a TPU machine, which takes no accelerator_type",
        ),
        ({"gpu_partition_size": "1g.5gb"}, "splits a GPU, and there is none"),
        (
            {
                "gpu_partition_size": "1g.5gb",
                "accelerator_type": "NVIDIA_TESLA_A100",
                "accelerator_count": 2,
            },
            "gpu_partition_size = '1g.5gb': needs accelerator_count 1",
        ),
        ({"reservation_affinity_type": "any_reservation"}, "did you mean 'ANY_RESERVATION'?"),
        (
            {"reservation_affinity_key": "k"},
            "names a specific reservation; add reservation_affinity_type: SPECIFIC_RESERVATION",
        ),
        (
            {
                "reservation_affinity_type": "SPECIFIC_RESERVATION",
                "reservation_affinity_key": "k",
            },
            "reservation_affinity_values: are required with SPECIFIC_RESERVATION",
        ),
        ({"max_cost_usd": 0}, "max_cost_usd = 0: must be greater than 0"),
        ({"fallback": [{}]}, "fallback.0 = {}: says nothing that differs"),
        ({"fallback": [{"location": "Europe"}]}, "fallback.0.location = 'Europe': is no region's"),
        ({"local": {"pace": "fast"}}, "local.pace = 'fast': must be one of immediate, stepped"),
        ({"local": {"pace": {"queued": "soon"}}}, "local.pace.queued = 'soon': must be a duration"),
        ({"local": {"envronment": "docker"}}, "did you mean 'environment'?"),
        ({"script_path": "trian.py"}, "script_path = 'trian.py': is not there, seen from"),
    ],
)
def test_a_fault_of_any_job(change: dict[str, Any], message: str, directory: Path) -> None:
    assert message in only_fault({**STUDY, **change}, directory)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric_spec": {}}, "metric_spec: must not be empty"),
        ({"metric_spec": {"a": "maximise"}}, "did you mean 'maximize'?"),
        ({"metric_spec": {"val acc": "maximize"}}, "has no white space; write val_acc"),
        ({"parameter_spec": {}}, "parameter_spec: must not be empty"),
        ({"max_trial_count": 0}, "max_trial_count = 0: must be at least 1"),
        ({"parallel_trial_count": 5}, "must not exceed max_trial_count = 4; write at most 4"),
        ({"max_failed_trial_count": 5}, "max_failed_trial_count = 5: must not exceed"),
        ({"search_algorithm": "grid"}, "parameter_spec.rate.type = 'double': search_algorithm"),
        ({"search_algorithm": "bayesian"}, "must be one of random, grid"),
        ({"measurement_selection": "mean"}, "must be one of best, last"),
        (
            {
                "automated_stopping_spec": {
                    "type": "convex",
                    "min_step_count": 5,
                    "max_step_count": 2,
                }
            },
            "automated_stopping_spec.min_step_count = 5: must be below max_step_count = 2",
        ),
        (
            {"study_stopping_config": {"min_num_trials": 10, "max_num_trials": 5}},
            "min_num_trials = 10: must not exceed max_num_trials = 5; write at most 5",
        ),
        (
            {"study_stopping_config": {"minimum_runtime": 100, "maximum_runtime": 10}},
            "minimum_runtime = 100: must not exceed maximum_runtime = 10; write at most 10",
        ),
    ],
)
def test_a_fault_of_a_study(change: dict[str, Any], message: str, directory: Path) -> None:
    assert message in only_fault({**STUDY, **change}, directory)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"type": "double", "min": 2, "max": 1}, "p.min = 2.0: must not be greater than max = 1"),
        ({"type": "double", "min": 0, "max": 1, "scale": "log"}, "scale log needs a range above 0"),
        (
            {"type": "double", "min": 0, "max": 1, "scale": "logarithmic"},
            "linear, log, reverse_log",
        ),
        ({"type": "double", "min": "1e-4", "max": 1}, "write it without quotes: 1e-4"),
        ({"type": "double", "min": float("nan"), "max": 1}, "p.min = nan: must be finite"),
        ({"type": "double", "min": 0}, "parameter_spec.p.max: is required; add max"),
        ({"type": "double", "low": 0, "min": 0, "max": 1}, "p.low = 0: is no key here; did you"),
        ({"type": "integer", "min": 1.5, "max": 3}, "p.min = 1.5: must be a whole number"),
        ({"type": "integer", "min": 0, "max": 2**60}, "must be at most 9007199254740992"),
        ({"type": "integer", "min": -1, "max": 3, "scale": "reverse_log"}, "above 0; raise min"),
        ({"type": "discrete", "values": []}, "p.values: must not be empty"),
        ({"type": "discrete", "values": [1, 3, 2]}, "DISCRETE values increase; write [1, 2, 3]"),
        ({"type": "discrete", "values": [1, 2, 2]}, "p.values.2 = 2.0: DISCRETE values are at"),
        ({"type": "discrete", "values": [0, 1], "scale": "log"}, "needs values above 0"),
        ({"type": "discrete", "values": list(range(1001))}, "has at most 1000 entries"),
        ({"type": "categorical", "values": []}, "p.values: must not be empty"),
        ({"type": "categorical", "values": ["a", "a"]}, "p.values.1 = 'a': stands twice"),
        ({"type": "categorical", "values": [True]}, 'no boolean type; write it in quotes: "true"'),
        ({"type": "categorical", "values": [1]}, 'write it in quotes: "1", or use type: discrete'),
        ({"type": "categorical", "values": ["a"], "scale": "log"}, "p.scale = 'log': is no key"),
        ({"type": "float", "min": 0, "max": 1}, "p.type = 'float': must be one of double, integer"),
        ({"min": 0, "max": 1}, "has no type; add type: one of double, integer, discrete"),
        (7, "parameter_spec.p = 7: must be a mapping"),
    ],
)
def test_a_fault_of_a_parameter(parameter: Any, message: str, directory: Path) -> None:
    assert message in only_fault({**STUDY, "parameter_spec": {"p": parameter}}, directory)


def test_a_parameters_id_has_no_white_space(directory: Path) -> None:
    written = {**STUDY, "parameter_spec": {"learning rate": STUDY["parameter_spec"]["rate"]}}
    assert "has no white space; write learning_rate" in only_fault(written, directory)


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ({"optimiser": ["sgd"]}, "is no parameter of this study; did you mean 'optimizer'?"),
        ({"rate": [0.1]}, "when.rate = [0.1]: a DOUBLE parameter has no children; make rate"),
        ({"optimizer": ["sdg"]}, "when.optimizer.0 = 'sdg': optimizer takes one of adam, sgd"),
        ({"layers": [4]}, "when.layers.0 = 4: layers takes 1 to 3"),
        ({"layers": [1.5]}, "when.layers.0 = 1.5: layers takes 1 to 3"),
        ({"batch": [64]}, "when.batch.0 = 64: batch takes one of 16, 32"),
        ({"batch": [16, 16]}, "when.batch.1 = 16: stands twice; remove one"),
        ({"optimizer": []}, "when.optimizer = []: must not be empty"),
        ({"optimizer": ["sgd"], "layers": [1]}, "names exactly one parent"),
        ({"child": [1]}, "goes in a circle: child under child"),
    ],
)
def test_a_fault_of_a_condition(when: dict[str, Any], message: str, directory: Path) -> None:
    child = {"type": "integer", "min": 0, "max": 9, "when": when}
    parameters = {**STUDY["parameter_spec"], "child": child}
    assert message in only_fault({**STUDY, "parameter_spec": parameters}, directory)


def test_a_circle_of_conditions_is_found_at_each_of_its_parameters(directory: Path) -> None:
    a = {"type": "integer", "min": 0, "max": 9, "when": {"b": [1]}}
    b = {"type": "integer", "min": 0, "max": 9, "when": {"a": [1]}}
    faults = faults_of({**STUDY, "parameter_spec": {"a": a, "b": b}}, directory)
    assert "a under b under a" in faults["parameter_spec.a.when"].rule


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        ({"rate": 1}, "initial_trials.0.rate = 1: rate takes 0.0001 to 0.1"),
        ({"layer": 2}, "initial_trials.0.layer = 2: is no parameter of this study; did you"),
        ({"batch": None}, "initial_trials.0.batch: must be a number or text"),
        ({"momentum": 0.5}, "is only active when optimizer is one of ['sgd']; remove it"),
        ({"optimizer": "sgd"}, "momentum: a trial gives every active parameter; add momentum"),
    ],
)
def test_a_fault_of_an_initial_trial(trial: dict[str, Any], message: str, directory: Path) -> None:
    momentum = {"type": "double", "min": 0, "max": 0.9, "when": {"optimizer": ["sgd"]}}
    complete = {"rate": 0.01, "layers": 1, "batch": 16, "optimizer": "adam"}
    written = {
        **STUDY,
        "parameter_spec": {**STUDY["parameter_spec"], "momentum": momentum},
        "local": {"initial_trials": [{**complete, **trial}]},
    }
    assert message in only_fault(written, directory)


def test_more_initial_trials_than_trials_are_a_fault(directory: Path) -> None:
    one = {"rate": 0.01, "layers": 1, "batch": 16, "optimizer": "adam"}
    written = {**STUDY, "max_trial_count": 2, "local": {"initial_trials": [one] * 4}}
    message = (
        "initial_trials = 4: no more are tried than max_trial_count = 2; remove the last 2, or"
    )
    assert message in only_fault(written, directory)
    enough = {**written, "max_trial_count": 4}
    assert from_mapping(enough, source="test", base_directory=directory).display_name == "study"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_display_name": "m"}, "none is uploaded without an image to serve it"),
        ({"model_serving_container_ports": [8080]}, "add model_serving_container_image_uri, or"),
        ({"model_serving_image": "i"}, "did you mean 'model_serving_container_image_uri'?"),
        (
            {"model_serving_container_image_uri": "i", "model_id": "1digits"},
            "model_id = '1digits': has up to 63 of a-z",
        ),
        (
            {
                "model_serving_container_image_uri": "i",
                "model_serving_container_predict_route": "predict",
            },
            "must be an HTTP path; write /predict",
        ),
        (
            {"model_serving_container_image_uri": "i", "model_labels": {"A": "b"}},
            "model_labels.A = 'A': a label's key has lower case letters",
        ),
        (
            {"model_serving_container_image_uri": "i", "display_name": "x" * 125},
            "the job's name with -model has more than 128 characters",
        ),
        ({"parameter_spec": {}}, "write kind: hyperparameter_tuning_job, or remove it"),
    ],
)
def test_a_fault_of_a_model(change: dict[str, Any], message: str, directory: Path) -> None:
    assert message in only_fault({**PIPELINE, **change}, directory)


DATA: dict[str, Any] = {**PIPELINE, "dataset": "123"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dataset": "digits"}, "dataset = 'digits': must name a managed dataset; write its num"),
        ({"annotation_schema_uri": "a.yaml"}, "annotation_schema_uri = 'a.yaml': must be a Cloud"),
        ({"bigquery_destination": "p"}, "must be a BigQuery URI; write bq://PROJECT"),
        ({"dataset": None, "saved_query_id": "7"}, "and the job reads none; add dataset, or rem"),
        ({"dataset": None, "training_fraction_split": 0.5}, "is about a managed dataset"),
        ({"dataset": None, "predefined_split_column_name": "c"}, "is about a managed dataset"),
        (
            {"training_fraction_split": 0.8, "test_fraction_split": 0.3},
            "all fractions together are at most 1, and these are 1.1; lower one of them",
        ),
        ({"test_fraction_split": -0.1}, "test_fraction_split = -0.1: must be at least 0"),
        (
            {"timestamp_split_column_name": "day", "training_fraction_split": 0.8},
            "needs all three fractions; add validation_fraction_split and test_fraction_split",
        ),
        (
            {"training_filter_split": "a", "test_filter_split": "b"},
            "validation_filter_split: is required where another set has a filter; add valid",
        ),
        (
            {"predefined_split_column_name": "c", "training_fraction_split": 0.8},
            "is another way to split the data than predefined_split_column_name",
        ),
    ],
)
def test_a_fault_of_a_dataset(change: dict[str, Any], message: str, directory: Path) -> None:
    assert message in only_fault({**DATA, **change}, directory)


SERVED: dict[str, Any] = {**PIPELINE, "model_serving_container_image_uri": "image"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parent_model": "digits@2"}, "must name a model, without a version; write its id"),
        ({"parent_model": "digits", "model_id": "d"}, "and parent_model gets a new version"),
        ({"model_encryption_spec_key_name": "k"}, "must be the full name of a key"),
        ({"model_instance_schema_uri": "a"}, "model_instance_schema_uri = 'a': must be a Cloud"),
    ],
)
def test_a_fault_of_a_version(change: dict[str, Any], message: str, directory: Path) -> None:
    assert message in only_fault({**SERVED, **change}, directory)


@pytest.mark.parametrize(
    "change",
    [
        {"parent_model": "digits"},
        {"is_default_version": False},
        {"explanation_metadata": {"inputs": {}}},
        {"model_serving_container_grpc_ports": [9000]},
    ],
)
def test_a_model_needs_an_image_to_serve_it(change: dict[str, Any], directory: Path) -> None:
    assert "describes a model, and none is uploaded" in only_fault(
        {**PIPELINE, **change}, directory
    )


PACKAGED: dict[str, Any] = {
    "kind": "custom_job",
    "display_name": "packaged",
    "python_package_gcs_uri": "gs://bucket/trainer.tar.gz",
    "python_module_name": "trainer.task",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"python_module_name": None}, "python_module_name: is required with python_package_gcs"),
        ({"python_package_gcs_uri": ["trainer.tar.gz"]}, "gcs_uri.0 = 'trainer.tar.gz': must be"),
        ({"command": ["sh"]}, "is what runs, and so is command"),
    ],
)
def test_a_fault_of_a_package(change: dict[str, Any], message: str, directory: Path) -> None:
    assert message in only_fault({**PACKAGED, **change}, directory)


POOL = {"machine_type": "n1-standard-4"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"worker_pools": {"workers": POOL}}, "worker_pools.chief: is required; add chief"),
        ({"worker_pools": {"chief": POOL, "worker": POOL}}, "did you mean 'workers'?"),
        ({"worker_pools": {"chief": {"machin_type": "n1"}}}, "did you mean 'machine_type'?"),
        ({"worker_pools": {"chief": {"replica_count": 2}}}, "there is exactly one chief; write 1"),
        (
            {"worker_pools": {"chief": {"accelerator_count": 1}}},
            "chief.accelerator_count = 1: need",
        ),
        (
            {"worker_pools": {"chief": POOL}, "machine_type": "n1-standard-8"},
            "move it to worker_pools.chief.machine_type, or remove worker_pools",
        ),
        (
            {"worker_pools": {"chief": POOL, "evaluators": {"args": {"-x": 1}}}},
            "worker_pools.evaluators.args.-x",
        ),
        (
            {"worker_pools": {"chief": {"environment_variables": {"CLUSTER_SPEC": ""}}}},
            "worker_pools.chief.environment_variables.CLUSTER_SPEC",
        ),
    ],
)
def test_a_fault_of_a_pool(change: dict[str, Any], message: str, directory: Path) -> None:
    assert message in only_fault({**PIPELINE, **change}, directory)


def test_something_has_to_run(directory: Path) -> None:
    message = only_fault({"kind": "custom_job", "display_name": "empty"}, directory)
    assert message == ("script_path: is required in a job without container_uri; add script_path")


def test_every_pool_has_something_to_run(directory: Path) -> None:
    written = {
        "kind": "custom_job",
        "display_name": "pools",
        "worker_pools": {"chief": {"container_uri": "image"}, "workers": {}},
    }
    message = only_fault(written, directory)
    assert message.startswith("worker_pools.workers.container_uri: is required in a job without")


def test_requirements_belong_to_a_script(directory: Path) -> None:
    written = {
        "kind": "custom_job",
        "display_name": "container",
        "container_uri": "image",
        "requirements": ["numpy"],
    }
    assert "there is no script" in only_fault(written, directory)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (None, "kind: is required; add kind: one of custom_job, custom_training_job, hyperp"),
        ("hyperparameter_tuning", "did you mean 'hyperparameter_tuning_job'?"),
        (["custom_job"], "kind = ['custom_job']: must be one of custom_job"),
    ],
)
def test_a_fault_of_the_kind(kind: Any, message: str, directory: Path) -> None:
    assert message in only_fault({**STUDY, "kind": kind}, directory)


def test_all_faults_come_at_once(directory: Path) -> None:
    written = {
        **STUDY,
        "kind": "tuning_job",
        "display_name": 5,
        "hyperparameters": {},
        "metric_spec": "accuracy",
        "parameter_spec": {
            **STUDY["parameter_spec"],
            "rate": {"type": "double", "min": "x", "max": 1},
            "units": {"type": "integer", "min": 9, "max": 1},
        },
        "args": {"units": 3},
        "max_trial_count": 1,
        "labels": {"Team": "x"},
        "script_path": "missing.py",
    }
    assert set(faults_of(written, directory)) == {
        "kind",
        "display_name",
        "hyperparameters",
        "metric_spec",
        "parameter_spec.rate.min",
        "parameter_spec.units.min",
        "args.units",
        "parallel_trial_count",
        "labels.Team",
        "script_path",
    }


def test_an_unreadable_parent_is_not_called_unknown(directory: Path) -> None:
    parameters = {
        "parent": {"type": "categorical", "values": [1]},
        "child": {"type": "integer", "min": 1, "max": 2, "when": {"parent": ["1"]}},
    }
    message = only_fault({**STUDY, "parameter_spec": parameters}, directory)
    assert message.startswith("parameter_spec.parent.values.0 = 1: CATEGORICAL values are text")


def test_a_job_made_in_python_reports_the_same_way() -> None:
    written: dict[str, Any] = {"display_name": "", "metric_spec": {"a": "up"}}
    with pytest.raises(InvalidJobError) as caught:
        HyperparameterTuningJob(**written, parallel_trial_count=1)
    paths = [fault.path for fault in caught.value.faults]
    assert paths == [
        "display_name",
        "metric_spec.a",
        "parameter_spec",
        "max_trial_count",
        "script_path",
    ]


def test_a_parameter_made_in_python_reports_at_once() -> None:
    with pytest.raises(InvalidJobError, match=r"min = 2\.0: must not be greater than max = 1"):
        DoubleParameterSpec(min=2, max=1)


def test_a_job_cannot_be_changed() -> None:
    job = CustomJob(display_name="frozen", script_path="train.py")
    with pytest.raises(ValueError, match="frozen"):
        job.display_name = "other"
