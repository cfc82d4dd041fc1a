"""The verbs: one module each, under the verb's own name, with its options and what it does.

For ``main``. The module of a verb defines ``VERB``. At its head it imports only what its help
needs; its functions import what is heavy when they are called.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.parser import PROGRAM

if TYPE_CHECKING:
    from vertex_jobs.cli.verb import Verb

__all__ = ["SUMMARIES", "load_verb", "overview"]

#: The summary of every verb, below the headings of the overview.
_HEADINGS = {
    "first steps": {
        "demo": "run the demo study: 16 trials of a small digits classifier",
        "new": "a script and its config, ready to run, to go on from",
        "doctor": "what this machine can emulate, or whether the cloud side is ready",
        "machines": "the machines of Vertex AI training, their accelerators and prices",
    },
    "a job or study from its config": {
        "check": "every mistake that can be known before it is paid for; the cost",
        "run": "package a config's script, submit the job and watch it to its end",
        "show": "print the request of a config, exactly as run would send it",
        "package": "write a config's package, and prove that it works",
        "image": "write the Dockerfile of an image that has a config's libraries",
    },
    "jobs that exist, on either endpoint": {
        "list": "every job, newest first",
        "journal": "what this machine has submitted, and what came of it",
        "describe": "a job's resource, as the API gives it, and how it stands",
        "watch": "follow a job to its end, as run does",
        "logs": "a job's log lines, oldest first",
        "tensorboard": "TensorBoard on a job's logs in Cloud Storage, of either endpoint",
        "cancel": "ask for a job to end",
        "delete": "delete a job that has ended; what it wrote stays",
    },
    "trials of a study": {
        "trials": "every trial: state, metric, parameters",
        "best": "the best trial, why it is, how sure that is, and its model",
        "report": "a study as one HTML file with charts, to open without a network",
    },
    "programs that know nothing of vertex-jobs": {
        "emulate": "Local Vertex for unmodified programs",
    },
}
SUMMARIES = {name: text for verbs in _HEADINGS.values() for name, text in verbs.items()}


def load_verb(name: str) -> "Verb[Any]":
    """Import the verb of that name."""
    # A module becomes a name of this package: once imported, ``list`` hides the built-in here.
    verb: Verb[Any] = import_module(f"{__name__}.{name}").VERB
    return verb


def overview() -> str:
    """Return the program's help: every verb on one line."""
    lines = [
        f"usage: {PROGRAM} VERB [options]",
        "",
        "Run and tune training jobs on Vertex AI, rehearsed on your own machine first.",
        "The same config runs here (--on local, the default) and there (--on vertex).",
    ]
    for heading, verbs in _HEADINGS.items():
        lines += ["", f"{heading}:"]
        lines += [f"  {name:<13}{summary}" for name, summary in verbs.items()]
    lines += [
        "",
        "Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 the job",
        "failed, 2 the input is wrong, 3 the endpoint refused or was lost,",
        "130 interrupted (the job goes on).",
        "",
        f"A verb's options and examples: {PROGRAM} VERB --help",
    ]
    return "\n".join(lines)
