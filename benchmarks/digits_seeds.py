"""The gain of tuning the digits classifier: the default search, random search and no search.

    python benchmarks/digits_seeds.py --seeds 5 --trials 30

For each seed the study of ``configs/digits_search.yaml`` runs on Local Vertex twice, once with the
default search and once with random search, in turns; the script's own defaults run once. It prints
the best accuracies on held-back digits at equal budget.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from vertex_jobs import HyperparameterTuningJob, IntegerParameterSpec, local
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.spec import load

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "configs" / "digits_search.yaml"


def best_accuracy(endpoint: Endpoint, seed: int, algorithm: str, trials: int) -> float:
    """Return the best accuracy of one study."""
    job = load(CONFIG, (f"search_algorithm={algorithm}", f"max_trial_count={trials}"))
    return float(endpoint.submit(job, seed=seed).result().best_trial.metrics["accuracy"])


def default_accuracy(endpoint: Endpoint) -> float:
    """Return the accuracy of the script's defaults, as a study of one fixed trial."""
    job = HyperparameterTuningJob(
        display_name="digits-defaults",
        script_path=str(ROOT / "trial_scripts" / "digits_mlp.py"),
        metric_spec={"accuracy": "maximize"},
        parameter_spec={"epochs": IntegerParameterSpec(min=12, max=12)},
        max_trial_count=1,
        parallel_trial_count=1,
    )
    return float(endpoint.submit(job).result().best_trial.metrics["accuracy"])


def main() -> None:
    """Run every study and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds (default 5)")
    parser.add_argument("--trials", type=int, default=16, help="of each study (default 16)")
    options = parser.parse_args()
    ours, random = [], []
    with tempfile.TemporaryDirectory() as folder, local(state_dir=folder) as endpoint:
        defaults = default_accuracy(endpoint)
        print(f"defaults   {defaults:.4f}", flush=True)
        for seed in range(options.seeds):
            ours.append(best_accuracy(endpoint, seed, "null", options.trials))
            random.append(best_accuracy(endpoint, seed, "random", options.trials))
            print(
                f"seed {seed}: default search {ours[-1]:.4f}, random {random[-1]:.4f}", flush=True
            )
        endpoint.server.stop()
    medians = statistics.median(ours), statistics.median(random)
    print(f"least gain over the defaults {min(ours) - defaults:+.4f}")
    print(f"median: default search {medians[0]:.4f}, random {medians[1]:.4f}")


if __name__ == "__main__":
    main()
