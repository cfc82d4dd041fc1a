"""A job's script, asked: its package, its parser's answers, its metrics.

For ``Subject``, which makes one when a rule first wants it.
"""

from dataclasses import dataclass

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import Package, describe
from vertex_jobs.preflight.contract.asking import Outcome, Questions, Verdict, ask
from vertex_jobs.preflight.contract.command_lines import Probe, probes_of, trial_tokens
from vertex_jobs.preflight.contract.metric_tags import MetricTags, find_metric_tags
from vertex_jobs.preflight.contract.sources import parsers_in, reads_often
from vertex_jobs.spec import JobSpec

__all__ = ["Contract", "contract_of"]


@dataclass(frozen=True)
class Contract:
    """What is known of a script.

    Attributes:
        package_error: Why it cannot be packaged; empty if it can.
        outcome: How the asking went; None when there is no package, or no parser in its sources.
        answers: Each probe with its verdict.
        metrics: What it reports; None without a package.
    """

    package_error: str
    outcome: Outcome | None
    answers: tuple[tuple[Probe, Verdict], ...]
    metrics: MetricTags | None

    @property
    def complete_line(self) -> Verdict | None:
        """What the parser makes of all fixed arguments with those of a first trial."""
        whole = self.outcome.whole if self.outcome is not None else ()
        return whole[0] if whole else None


def contract_of(job: JobSpec) -> Contract:
    """Package a job's script in memory and ask it."""
    try:
        package = describe(job)
    except PackagingError as error:
        return Contract(str(error), None, (), None)
    metrics = find_metric_tags(package)
    outcome, answers = _asked(job, package)
    return Contract("", outcome, answers, metrics)


def _asked(
    job: JobSpec, package: Package
) -> tuple[Outcome | None, tuple[tuple[Probe, Verdict], ...]]:
    parsers = parsers_in(package)
    if not parsers:
        return None, ()
    probes = tuple(probes_of(job))
    line = (*job.argument_tokens(), *trial_tokens(job))
    questions = Questions(
        argv=line,
        whole=(line,),
        single=tuple(probe.tokens for probe in probes),
        parsers=parsers,
        several=reads_often(package),
        variables=job.environment_variables,
    )
    outcome = ask(package, questions)
    answers = tuple(zip(probes, outcome.single, strict=False))
    return outcome, answers
