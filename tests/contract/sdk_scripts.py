"""The tiny scripts that the SDK suite submits: what they print and write is all they do."""

#: Reports one metric of its arguments, as a tuning trial does.
REPORT = """
import argparse, sys
import hypertune
parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float, default=0.5)
parser.add_argument("--kind", default="a")
parser.add_argument("--exit", type=int, default=0)
options = parser.parse_args()
tune = hypertune.HyperTune()
tune.report_hyperparameter_tuning_metric("score", options.x, 1)
sys.exit(options.exit)
"""

#: Leaves a file where a model is expected; the chief alone, as every replica has one directory.
SAVE = """
import json, os
from google.cloud import storage
task = json.loads(os.environ["CLUSTER_SPEC"])["task"]
if task["type"] in ("chief", "workerpool0"):
    blob = storage.Blob.from_string(os.environ["AIP_MODEL_DIR"] + "weights.txt", storage.Client())
    blob.upload_from_string(json.dumps(task))
"""

#: Ends as its one argument says.
EXIT = """
import sys, time
if sys.argv[1:] == ["--forever"]:
    time.sleep(600)
sys.exit(int(sys.argv[1]) if sys.argv[1:] else 0)
"""
