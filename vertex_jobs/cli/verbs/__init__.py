"""The verbs: what each is called, says about itself, takes, and is done by.

For ``program``. One module for each heading of the overview, its verbs' own options beside them;
nothing is done here, and nothing is imported but the parser.
"""

from vertex_jobs.cli.verbs import configs, emulation, first_steps, jobs, studies
from vertex_jobs.cli.verbs.verb import PROGRAM, Verb, verb_parser

__all__ = ["PROGRAM", "VERBS", "Verb", "overview", "verb_parser"]

_HEADINGS = {
    "first steps": first_steps.VERBS,
    "a job or study from its config": configs.VERBS,
    "jobs that exist, on either endpoint": jobs.VERBS,
    "trials of a study": studies.VERBS,
    "programs that know nothing of vertex-jobs": emulation.VERBS,
}
VERBS = {name: verb for verbs in _HEADINGS.values() for name, verb in verbs.items()}


def overview() -> str:
    """The program's help: every verb on one line."""
    lines = [
        f"usage: {PROGRAM} VERB [options]",
        "",
        "Run and tune training jobs on Vertex AI, rehearsed on your own machine first.",
        "The same config runs here (--on local, the default) and there (--on vertex).",
    ]
    for heading, verbs in _HEADINGS.items():
        lines += ["", f"{heading}:"]
        lines += [f"  {name:<13}{verb.summary}" for name, verb in verbs.items()]
    lines += [
        "",
        "Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 the job",
        "failed, 2 the input is wrong, 3 the endpoint refused or was lost,",
        "130 interrupted (the job goes on).",
        "",
        f"A verb's options and examples: {PROGRAM} VERB --help",
    ]
    return "\n".join(lines)
