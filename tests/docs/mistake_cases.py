"""The mistakes of ``docs/reference/mistakes.md``: in the SDK's words, and as a config of ours.

The SDK is not imported here: each case is handed what it needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: What the cases are a change of. The script takes --units and --epochs and reports accuracy.
CONFIG: dict[str, Any] = {
    "kind": "custom_job",
    "display_name": "x",
    "script_path": "train.py",
    "timeout": 3600,
    "staging_bucket": "gs://mistakes",
}
STUDY: dict[str, Any] = {
    **CONFIG,
    "kind": "hyperparameter_tuning_job",
    "metric_spec": {"accuracy": "maximize"},
    "parameter_spec": {"units": {"type": "integer", "min": 1, "max": 4}},
    "max_trial_count": 4,
    "parallel_trial_count": 1,
}
SCRIPT = """\
import argparse
import hypertune
parser = argparse.ArgumentParser()
parser.add_argument("--units", type=int, default=1)
parser.add_argument("--epochs", type=int, default=1)
options = parser.parse_args()
hypertune.HyperTune().report_hyperparameter_tuning_metric("accuracy", 0.5)
"""
IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
TPU_IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-tpu.2-15.cp310:latest"


@dataclass(frozen=True)
class Case:
    """One mistake.

    Attributes:
        area: Heading.
        text: The mistake, in a few words.
        sdk: Makes it with the SDK; returns what is worth saying of the job that was created.
        config: The same mistake in a config, as changes of one.
        base: What it is a change of.
        scripts: Files beside the config, by name.
    """

    area: str
    text: str
    sdk: Callable[[Any], str | None]
    config: Mapping[str, Any]
    base: Mapping[str, Any] = field(default_factory=lambda: CONFIG)
    scripts: Mapping[str, str] = field(default_factory=lambda: {"train.py": SCRIPT})


def machine(text: str, spec: dict[str, Any], config: dict[str, Any]) -> Case:
    return Case("machine", text, lambda sdk: sdk.custom(machine=spec), config)


def study(text: str, sdk: Callable[[Any], str | None], **config: Any) -> Case:
    return Case("study", text, sdk, config, STUDY)


def parameter(
    text: str, spec: Callable[[Any], Any], ours: dict[str, Any], name: str = "units"
) -> Case:
    return study(
        text,
        lambda sdk: sdk.study(parameter_spec={name: spec(sdk.hpt)}),
        parameter_spec={name: ours},
    )


def script(
    text: str, source: str, sdk: Callable[[Any], str | None] | None = None, **config: Any
) -> Case:
    files = {"train.py": source, "sibling.py": "VALUE = 1\n"}
    return Case("script", text, sdk or (lambda one: one.script(source)), config, STUDY, files)


T4, K80 = "NVIDIA_TESLA_T4", "NVIDIA_TESLA_K80"

CASES = [
    machine(
        "a typing mistake in the machine",
        {"machine_type": "n1-standart-4"},
        {"machine_type": "n1-standart-4"},
    ),
    machine(
        "a machine that there is not", {"machine_type": "banana-1"}, {"machine_type": "banana-1"}
    ),
    machine(
        "a GPU that the machine cannot have",
        {"machine_type": "a2-highgpu-1g", "accelerator_type": T4, "accelerator_count": 1},
        {"machine_type": "a2-highgpu-1g", "accelerator_type": T4, "accelerator_count": 1},
    ),
    machine(
        "a GPU on a machine that takes none",
        {"machine_type": "e2-standard-8", "accelerator_type": K80, "accelerator_count": 3},
        {"machine_type": "e2-standard-8", "accelerator_type": K80, "accelerator_count": 3},
    ),
    machine(
        "a count that the machine does not take",
        {"accelerator_type": T4, "accelerator_count": 3},
        {"accelerator_type": T4, "accelerator_count": 3},
    ),
    machine(
        "a retired GPU",
        {"accelerator_type": K80, "accelerator_count": 1},
        {"accelerator_type": K80, "accelerator_count": 1},
    ),
    machine(
        "a TPU without topology",
        {"machine_type": "ct5lp-hightpu-4t"},
        {"machine_type": "ct5lp-hightpu-4t"},
    ),
    Case(
        "machine",
        "a boot disk of 10 GB",
        lambda sdk: sdk.custom(
            pool={"disk_spec": {"boot_disk_type": "pd-ssd", "boot_disk_size_gb": 10}}
        ),
        {"boot_disk_size_gb": 10},
    ),
    Case(
        "machine",
        "a GPU without a count",
        lambda sdk: sdk.script(accelerator_type=T4, accelerator_count=0),
        {"accelerator_type": T4},
    ),
    Case(
        "machine",
        "a count without a GPU",
        lambda sdk: sdk.script(accelerator_count=1),
        {"accelerator_count": 1},
    ),
    Case("replicas", "no replica", lambda sdk: sdk.script(replica_count=0), {"replica_count": 0}),
    Case(
        "replicas",
        "less than none",
        lambda sdk: sdk.script(replica_count=-1),
        {"replica_count": -1},
    ),
    Case(
        "replicas",
        "five chiefs",
        lambda sdk: sdk.custom(pool={"replica_count": 5}),
        {"worker_pools": {"chief": {"replica_count": 5}}},
    ),
    Case(
        "image",
        "a prebuilt image that there is not",
        lambda sdk: sdk.custom(package={"executor_image_uri": IMAGE.replace("2-17", "2-10")}),
        {"container_uri": IMAGE.replace("2-17", "2-10")},
    ),
    Case(
        "image",
        "an image that can no longer be pulled",
        lambda sdk: sdk.custom(package={"executor_image_uri": IMAGE}),
        {"container_uri": IMAGE},
    ),
    Case(
        "image",
        "one for TPUs that can no longer be pulled",
        lambda sdk: sdk.custom(
            machine={"machine_type": "ct5lp-hightpu-1t", "tpu_topology": "1x1"},
            package={"executor_image_uri": TPU_IMAGE},
        ),
        {
            "container_uri": TPU_IMAGE,
            "machine_type": "ct5lp-hightpu-1t",
            "tpu_topology": "1x1",
        },
    ),
    Case(
        "image",
        "an image for CPUs on a GPU",
        lambda sdk: sdk.script(
            container_uri="tensorflow/tensorflow:2.21.0", accelerator_type=T4, accelerator_count=1
        ),
        {
            "container_uri": "tensorflow/tensorflow:2.21.0",
            "accelerator_type": T4,
            "accelerator_count": 1,
        },
    ),
    Case(
        "image",
        "an image for GPUs that finds none",
        lambda sdk: sdk.script(
            container_uri="tensorflow/tensorflow:2.21.0-gpu",
            accelerator_type=T4,
            accelerator_count=1,
        ),
        {
            "container_uri": "tensorflow/tensorflow:2.21.0-gpu",
            "accelerator_type": T4,
            "accelerator_count": 1,
        },
    ),
    Case(
        "image",
        "a typing mistake in the image's host",
        lambda sdk: sdk.script(container_uri=IMAGE.replace("vertex-ai", "vertexai")),
        {"container_uri": IMAGE.replace("vertex-ai", "vertexai")},
    ),
    Case(
        "args",
        "one text instead of a list",
        lambda sdk: sdk.script(args="--epochs=1"),
        {"args": "--epochs=1"},
    ),
    Case("args", "a number in the list", lambda sdk: sdk.script(args=[1]), {"args": [1]}),
    Case(
        "environment",
        "AIP_MODEL_DIR set by hand",
        lambda sdk: sdk.script(environment_variables={"AIP_MODEL_DIR": "gs://b/m"}),
        {"environment_variables": {"AIP_MODEL_DIR": "gs://b/m"}},
    ),
    Case(
        "environment",
        "a number",
        lambda sdk: sdk.script(environment_variables={"N": 1}),
        {"environment_variables": {"N": 1}},
    ),
    Case(
        "output",
        "a local directory",
        lambda sdk: sdk.custom(job={"base_output_dir": "out/dir"}),
        {"base_output_dir": "out/dir"},
    ),
    Case(
        "labels",
        "capitals and spaces",
        lambda sdk: sdk.custom(job={"labels": {"My Key": "V"}}),
        {"labels": {"My Key": "V"}},
    ),
    Case(
        "name",
        "300 characters",
        lambda sdk: sdk.custom(job={"display_name": "x" * 300}),
        {"display_name": "x" * 300},
    ),
    Case(
        "time",
        "a timeout of -5 seconds",
        lambda sdk: sdk.custom(run={"timeout": -5}),
        {"timeout": -5},
    ),
    Case(
        "time",
        "a wait of 0 seconds, without end",
        lambda sdk: sdk.custom(run={"max_wait_duration": 0}),
        {"scheduling_strategy": "flex_start", "max_wait_duration": 0},
    ),
    Case(
        "time",
        "a wait for a GPU that nobody waits for",
        lambda sdk: sdk.custom(
            machine={"accelerator_type": T4, "accelerator_count": 1},
            run={"scheduling_strategy": sdk.strategy("FLEX_START")},
        ),
        {"accelerator": "T4:1", "scheduling_strategy": "flex_start", "max_wait_duration": 3600},
    ),
    Case(
        "time",
        "a wait for machines, and eight days of training",
        lambda sdk: sdk.custom(
            machine={
                "machine_type": "g2-standard-4",
                "accelerator_type": "NVIDIA_L4",
                "accelerator_count": 1,
            },
            run={"scheduling_strategy": sdk.strategy("FLEX_START"), "timeout": 8 * 86_400},
        ),
        {
            "accelerator": "L4:1",
            "scheduling_strategy": "flex_start",
            "max_wait_duration": 3600,
            "timeout": 8 * 86_400,
        },
    ),
    Case(
        "TensorBoard",
        "without a service account",
        lambda sdk: sdk.custom(
            run={"tensorboard": "projects/p/locations/us-central1/tensorboards/1"}
        ),
        {"tensorboard": "projects/p/locations/us-central1/tensorboards/1"},
    ),
    parameter(
        "a typing mistake in the scale",
        lambda hpt: hpt.DoubleParameterSpec(min=1, max=4, scale="logarithmic"),
        {"type": "integer", "min": 1, "max": 4, "scale": "logarithmic"},
    ),
    parameter(
        "a log scale from 0",
        lambda hpt: hpt.IntegerParameterSpec(min=0, max=4, scale="log"),
        {"type": "integer", "min": 0, "max": 4, "scale": "log"},
    ),
    parameter(
        "min above max",
        lambda hpt: hpt.IntegerParameterSpec(min=4, max=1, scale="linear"),
        {"type": "integer", "min": 4, "max": 1},
    ),
    parameter(
        "no category",
        lambda hpt: hpt.CategoricalParameterSpec(values=[]),
        {"type": "categorical", "values": []},
    ),
    parameter(
        "numbers as categories",
        lambda hpt: hpt.CategoricalParameterSpec(values=[1, 2]),
        {"type": "categorical", "values": [1, 2]},
    ),
    parameter(
        "discrete values out of order",
        lambda hpt: hpt.DiscreteParameterSpec(values=[4, 1, 1, 2, 3], scale="linear"),
        {"type": "discrete", "values": [4, 1, 1, 2, 3]},
    ),
    parameter(
        "an integer range from 1.5",
        lambda hpt: hpt.IntegerParameterSpec(min=1.5, max=3, scale="linear"),
        {"type": "integer", "min": 1.5, "max": 3},
    ),
    parameter(
        "a parameter named with a space",
        lambda hpt: hpt.IntegerParameterSpec(min=1, max=4, scale="linear"),
        {"type": "integer", "min": 1, "max": 4},
        "my units",
    ),
    study("no parameter", lambda sdk: sdk.study(parameter_spec={}), parameter_spec={}),
    study("no metric", lambda sdk: sdk.study(metric_spec={}), metric_spec={}),
    study("no trial", lambda sdk: sdk.study(max_trial_count=0), max_trial_count=0),
    study(
        "more parallel trials than trials",
        lambda sdk: sdk.study(parallel_trial_count=99),
        parallel_trial_count=99,
    ),
    study(
        "grid search over a DOUBLE",
        lambda sdk: sdk.study(
            search_algorithm="grid",
            parameter_spec={"units": sdk.hpt.DoubleParameterSpec(min=1, max=4, scale="linear")},
        ),
        search_algorithm="grid",
        parameter_spec={"units": {"type": "double", "min": 1, "max": 4}},
    ),
    study(
        "a typing mistake in the goal",
        lambda sdk: sdk.study(metric_spec={"accuracy": "maximise"}),
        metric_spec={"accuracy": "maximise"},
    ),
    study(
        "a typing mistake in the algorithm",
        lambda sdk: sdk.study(search_algorithm="gird"),
        search_algorithm="gird",
    ),
    study(
        "a condition on a value that the parent has not",
        lambda sdk: sdk.study(
            parameter_spec={
                "units": sdk.parent(
                    sdk.hpt.CategoricalParameterSpec, values=["a"], child_values=["b"]
                )
            }
        ),
        parameter_spec={
            "units": {"type": "integer", "min": 1, "max": 2},
            "epochs": {"type": "integer", "min": 1, "max": 2, "when": {"units": [5]}},
        },
    ),
    study(
        "a condition under a DOUBLE",
        lambda sdk: sdk.study(
            parameter_spec={
                "units": sdk.parent(
                    sdk.hpt.DoubleParameterSpec, min=0, max=1, scale="linear", child_values=[0.5]
                )
            }
        ),
        parameter_spec={
            "units": {"type": "double", "min": 1, "max": 2},
            "epochs": {"type": "integer", "min": 1, "max": 2, "when": {"units": [1]}},
        },
    ),
    study(
        "a fixed argument that is tuned, too",
        lambda sdk: sdk.study(package={"args": ["--units=3"]}),
        args={"units": 3},
    ),
    script(
        "a flag that the script does not have",
        SCRIPT,
        lambda sdk: sdk.study(
            parameter_spec={"lr": sdk.hpt.DoubleParameterSpec(min=0.1, max=1, scale="log")}
        ),
        parameter_spec={"lr": {"type": "double", "min": 0.1, "max": 1, "scale": "log"}},
    ),
    script(
        "an integer flag for a DOUBLE",
        SCRIPT,
        lambda sdk: sdk.study(
            parameter_spec={"units": sdk.hpt.DoubleParameterSpec(min=1.5, max=4, scale="linear")}
        ),
        parameter_spec={"units": {"type": "double", "min": 1.5, "max": 4}},
    ),
    script(
        "a metric that the script does not report",
        SCRIPT,
        lambda sdk: sdk.study(metric_spec={"acc": "maximize"}),
        metric_spec={"acc": "maximize"},
    ),
    script("a metric that is never reported", SCRIPT.rpartition("hypertune.")[0]),
    script("a SyntaxError", "def\n"),
    script("an import that is not there", "import sibling_that_is_not_there\n" + SCRIPT),
    script(
        "an import that only this machine has",
        "import optuna\n" + SCRIPT,
        requirements=["scikit-learn"],
    ),
    script(
        "TensorBoard, which TensorFlow no longer brings",
        SCRIPT + "import keras\nkeras.callbacks.TensorBoard('/tmp/logs')\n",
    ),
    Case(
        "package",
        "a requirement that replaces the image's TensorFlow",
        lambda sdk: sdk.script(requirements=["tf_keras"]),
        {"requirements": ["tf_keras"]},
    ),
    Case(
        "package",
        "TensorFlow for CPUs on a GPU",
        lambda sdk: sdk.script(
            container_uri="python:3.11-slim",
            requirements=["tensorflow==2.21.0"],
            accelerator_type=T4,
            accelerator_count=1,
        ),
        {
            "container_uri": "python:3.11-slim",
            "requirements": ["tensorflow==2.21.0"],
            "accelerator_type": T4,
            "accelerator_count": 1,
        },
    ),
    Case(
        "package",
        "a requirement that is no requirement",
        lambda sdk: sdk.script(requirements=["./mine.whl"]),
        {"requirements": ["./mine.whl"]},
    ),
    Case(
        "package",
        "a requirement that does not exist",
        lambda sdk: sdk.script(requirements=["no-such-thing-at-all"]),
        {"requirements": ["no-such-thing-at-all"]},
    ),
]
