"""A program that writes its metric to the literal path of a real trial, as a Google sample does.

Source: GoogleCloudPlatform/vertex-ai-samples,
notebooks/community/ml_ops/stage2/get_started_vertex_hpt_r_kernel.ipynb.
"""

import json
from pathlib import Path

#: Waits for the other trial, so that both have the path at once; the rest of /var is there.
SCRIPT = """\
import argparse, json, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
x = parser.parse_args().x
assert os.path.isdir("/var/lib")
line = {"score": str(x), "global_step": "1", "trial": os.environ["CLOUD_ML_TRIAL_ID"]}
with open("/var/hypertune/output.metrics", "w") as file:
    file.write(json.dumps(line))
own, other = (f"/gcs/literal-path/{name}" for name in (x, 3 - x))
open(own, "w").close()
while not os.path.exists(other):
    time.sleep(0.05)
"""


def test_each_trial_has_it_for_itself_and_the_host_does_not(command, config):
    before = Path("/var/hypertune").exists()
    path = config(
        "literal",
        SCRIPT,
        kind="hyperparameter_tuning_job",
        metric_spec="{score: maximize}",
        parameter_spec="{x: {type: discrete, values: [1, 2]}}",
        search_algorithm="grid",
        max_trial_count=2,
        parallel_trial_count=2,
    )
    done = command("run", path)
    assert done.code == 0, done.err
    found = json.loads(command("trials", "literal", "--format", "json").out)
    assert [(trial["metrics"], trial["parameters"]) for trial in found] == [
        ({"score": x}, {"x": x}) for x in (1, 2)
    ]
    assert Path("/var/hypertune").exists() == before


#: Both replicas write, meet, and then find their own line.
REPLICAS = """\
import argparse, json, os, time
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
x = parser.parse_args().x
me = json.loads(os.environ["CLUSTER_SPEC"])["task"]["type"]
line = json.dumps({"score": str(x if me == "workerpool0" else 10 * x), "global_step": "1"})
with open("/var/hypertune/output.metrics", "w") as file:
    file.write(line)
open(f"/gcs/literal-path/{me}", "w").close()
while not all(os.path.exists(f"/gcs/literal-path/workerpool{pool}") for pool in (0, 1)):
    time.sleep(0.05)
assert open("/var/hypertune/output.metrics").read() == line
"""


def test_each_replica_has_it_for_itself_and_the_chiefs_value_counts(command, config):
    path = config(
        "replicas",
        REPLICAS,
        kind="hyperparameter_tuning_job",
        metric_spec="{score: maximize}",
        parameter_spec="{x: {type: discrete, values: [1]}}",
        search_algorithm="grid",
        max_trial_count=1,
        parallel_trial_count=1,
        replica_count=2,
    )
    done = command("run", path)
    assert done.code == 0, done.err
    (trial,) = json.loads(command("trials", "replicas", "--format", "json").out)
    assert trial["metrics"] == {"score": 1}
    said = [
        line for line in command("logs", "replicas").out.splitlines() if "beside the chief" in line
    ]
    assert [("workerpool1-0 reported score" in line) for line in said] == [True]
