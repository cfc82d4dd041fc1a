"""The requests of the conformance suite: jobs that run one small program, and how long they may."""

import io
import tarfile
from typing import Any

from google.cloud.aiplatform_v1 import types

IMAGE = "us-docker.pkg.dev/vertex-ai/training/tf-cpu.2-17.py310:latest"
#: Of the service, one minute is start-up of the container; a job here takes a fraction of a second.
TIMEOUT_SECONDS = 600
TERMINAL = (
    "JOB_STATE_SUCCEEDED",
    "JOB_STATE_FAILED",
    "JOB_STATE_CANCELLED",
    "PIPELINE_STATE_SUCCEEDED",
    "PIPELINE_STATE_FAILED",
    "PIPELINE_STATE_CANCELLED",
)

#: Does what its arguments say: the one program of all contract jobs.
PROGRAM = """
import argparse, json, os, signal, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--exit", type=int, default=0)
parser.add_argument("--signal", type=int)
parser.add_argument("--raise", dest="raises", action="store_true")
parser.add_argument("--sleep", type=float, default=0)
parser.add_argument("--write-environment", metavar="GS_DIRECTORY")
parser.add_argument("--replicas", type=int, default=1)
parser.add_argument("--model", action="store_true")
parser.add_argument("--metric", default="score")
parser.add_argument("--without-step", action="store_true")
parser.add_argument("--x", type=float)
parser.add_argument("--n", type=float)
options = parser.parse_args()


def blob(uri):
    from google.cloud import storage
    return storage.Blob.from_string(uri, client=storage.Client())


if options.write_environment:
    names = ("AIP_", "CLOUD_ML_", "TF_CONFIG", "CLUSTER_SPEC", "MY_")
    seen = {k: v for k, v in os.environ.items() if k.startswith(names)}
    task = json.loads(os.environ["CLUSTER_SPEC"])["task"]
    name = "%s-%s.json" % (task["type"], task["index"])
    blob(options.write_environment + "/" + name).upload_from_string(json.dumps(seen))
    chief = task["type"] in ("chief", "workerpool0")
    while chief and options.replicas > 1:  # its end would be everybody's
        directory = blob(options.write_environment + "/")
        listed = directory.client.list_blobs(directory.bucket, prefix=directory.name)
        if len(list(listed)) == options.replicas:
            break
        time.sleep(0.05)
if options.model:
    blob(os.environ["AIP_MODEL_DIR"] + "weights.txt").upload_from_string("1")
if options.x is not None:
    import hypertune
    tune = hypertune.HyperTune()
    if options.without_step:
        tune.report_hyperparameter_tuning_metric(options.metric, 2 * options.x)
    for step in () if options.without_step else (1, 2):
        tune.report_hyperparameter_tuning_metric(options.metric, step * options.x, step)
print("a line", flush=True)
print("an error line", file=sys.stderr, flush=True)
time.sleep(options.sleep)
if options.raises:
    raise RuntimeError("on purpose")
if options.signal:
    os.kill(os.getpid(), options.signal)
sys.exit(options.exit)
"""


def source_distribution(**files: str) -> bytes:
    """A minimal sdist, ``trainer-0.1``, with the given modules."""
    content = {"PKG-INFO": "Metadata-Version: 2.1\nName: trainer\nVersion: 0.1\n"}
    content |= {"setup.py": "from setuptools import setup\nsetup(packages=['trainer'])\n"}
    content |= {"trainer/__init__.py": ""}
    content |= {f"trainer/{name}.py": text for name, text in files.items()}
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name, text in content.items():
            member = tarfile.TarInfo(f"trainer-0.1/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return archive.getvalue()


def pool(package_uri: str, *args: str, replicas: int = 1) -> dict[str, Any]:
    return {
        "machine_spec": {"machine_type": "n1-standard-4"},
        "replica_count": replicas,
        "python_package_spec": {
            "executor_image_uri": IMAGE,
            "package_uris": [package_uri],
            "python_module": "trainer.task",
            "args": list(args),
            "env": [{"name": "MY_SETTING", "value": "kept"}],
        },
    }


def spec(*pools: dict[str, Any], **fields: Any) -> dict[str, Any]:
    scheduling = {"timeout": {"seconds": TIMEOUT_SECONDS}}
    return {"worker_pool_specs": list(pools), "scheduling": scheduling, **fields}


def custom_job(package_uri: str, *args: str, **fields: Any) -> dict[str, Any]:
    job_spec = spec(pool(package_uri, *args), **fields.pop("spec", {}))
    return {"display_name": "contract", "job_spec": job_spec, **fields}


def base(uri: str) -> dict[str, Any]:
    return {"base_output_directory": {"output_uri_prefix": uri}}


def tuning_job(package_uri: str, *args: str, **fields: Any) -> dict[str, Any]:
    parameters = [
        {"parameter_id": "x", "double_value_spec": {"min_value": 0, "max_value": 1}},
        {"parameter_id": "n", "integer_value_spec": {"min_value": 1, "max_value": 9}},
    ]
    study = {
        "metrics": [{"metric_id": "score", "goal": 1}],
        "parameters": parameters,
        "algorithm": 3,
        "measurement_selection_type": 2,
    }
    return {
        "display_name": "contract",
        "study_spec": {**study, **fields.pop("study", {})},
        "max_trial_count": 4,
        "parallel_trial_count": 2,
        "trial_job_spec": spec(pool(package_uri, *args), **fields.pop("spec", {})),
        **fields,
    }


CUSTOM_TASK = "gs://google-cloud-aiplatform/schema/trainingjob/definition/custom_task_1.0.0.yaml"


def training_pipeline(inputs: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A pipeline around a CustomJobSpec, in the spelling that the SDK sends."""
    from google.protobuf import json_format, struct_pb2

    message = types.CustomJobSpec(inputs)
    form = json_format.MessageToDict(type(message).pb(message), preserving_proto_field_name=True)
    value = json_format.ParseDict(form, struct_pb2.Value())
    return {
        "display_name": "contract",
        "training_task_definition": CUSTOM_TASK,
        "training_task_inputs": value,
        **fields,
    }
