"""Find the word that a misspelt one was meant to be, for every "did you mean".

For fault messages. It knows words only, no models and no files.
"""

import difflib
import itertools
from collections.abc import Iterable

#: Keys of other tools and of the API's JSON, and their names here.
KNOWN_WRONG = {
    "algorithm": "search_algorithm",
    "arguments": "args",
    "bucket": "staging_bucket",
    "early_stopping": "automated_stopping_spec",
    "entrypoint": "command",
    "env": "environment_variables",
    "gpu": "accelerator",
    "gpu_count": "accelerator_count",
    "gpu_type": "accelerator_type",
    "gpus": "accelerator_count",
    "hyperparameters": "parameter_spec",
    "image": "container_uri",
    "image_uri": "container_uri",
    "job_name": "display_name",
    "machine": "machine_type",
    "max_parallel_trials": "parallel_trial_count",
    "metrics": "metric_spec",
    "model_serving_image": "model_serving_container_image_uri",
    "n_trials": "max_trial_count",
    "name": "display_name",
    "num_trials": "max_trial_count",
    "objective": "metric_spec",
    "output_dir": "base_output_dir",
    "parallel_trials": "parallel_trial_count",
    "parameters": "parameter_spec",
    "python_package": "script_path",
    "reduction_server_container_uri": "worker_pools",
    "reduction_server_machine_type": "worker_pools",
    "reduction_server_replica_count": "worker_pools",
    "restart": "restart_job_on_worker_restart",
    "script": "script_path",
    "search_space": "parameter_spec",
    "serving_image": "model_serving_container_image_uri",
    "spot": "scheduling_strategy",
    "strategy": "scheduling_strategy",
    "trials": "max_trial_count",
    "worker_pool_specs": "worker_pools",
    # within a parameter, a pool or a study
    "high": "max",
    "low": "min",
    "maximum": "max",
    "minimum": "min",
    "parent_values": "when",
    "scale_type": "scale",
    "ps": "parameter_servers",
    "worker": "workers",
    "evaluator": "evaluators",
}


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate that the word was probably meant to be; None if none is near.

    Case, dashes and underscores do not count, so ``maxTrialCount`` finds ``max_trial_count``. The
    last two or more letters of a candidate find it, too: ``T4`` finds ``NVIDIA_TESLA_T4``.
    """
    known = list(candidates)
    if KNOWN_WRONG.get(_folded(word)) in known:
        return KNOWN_WRONG[_folded(word)]
    plain = {_plain(candidate): candidate for candidate in known}
    target = _plain(word)
    if target in plain:
        return plain[target]
    ending = [whole for short, whole in plain.items() if len(target) > 1 and short.endswith(target)]
    if len(ending) == 1:
        return ending[0]
    close = difflib.get_close_matches(target, plain, n=3, cutoff=0.6)
    return plain[max(close, key=lambda other: _likeness(target, other))] if close else None


def suggestion(word: str, candidates: Iterable[str], otherwise: str) -> str:
    """Return the remedy ``did you mean 'x'?`` if a candidate is near, else the given clause."""
    near = nearest(word, candidates)
    return f"did you mean {near!r}?" if near is not None else otherwise


def _likeness(word: str, other: str) -> float:
    """Return a measure from 0 to 1; an equal start adds to it, as in Winkler's measure."""
    ratio = difflib.SequenceMatcher(None, word, other).ratio()
    pairs = zip(word[:4], other, strict=False)
    start = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    return ratio + 0.1 * start * (1 - ratio)


def _folded(word: str) -> str:
    return word.strip().lower().replace("-", "_")


def _plain(word: str) -> str:
    return _folded(word).replace("_", "").replace(" ", "")
