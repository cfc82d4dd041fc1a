"""The contract of a job's script: its package, its parser's answers, its metrics.

For ``Subject``. Each part is worked out when a rule first asks for it, since a config with faults
may have one and not another.
"""

from dataclasses import dataclass
from functools import cached_property

from vertex_jobs.errors import PackagingError
from vertex_jobs.packaging import Package, describe
from vertex_jobs.preflight.contract.asking import Outcome, Questions, Verdict, ask
from vertex_jobs.preflight.contract.command_lines import Probe, probes_of, trial_tokens
from vertex_jobs.preflight.contract.source_code import (
    MetricTags,
    find_metric_tags,
    parsers_in,
    reads_often,
)
from vertex_jobs.spec import JobSpec


@dataclass(frozen=True)
class Contract:
    """Everything known of the script of a job that has one."""

    job: JobSpec

    @cached_property
    def _packaged(self) -> Package | str:
        """The package, or the reason why there is none."""
        try:
            return describe(self.job)
        except PackagingError as error:
            return str(error)

    @property
    def package(self) -> Package | None:
        """The package; None without one."""
        return None if isinstance(self._packaged, str) else self._packaged

    @property
    def package_error(self) -> str:
        """The reason why it cannot be packaged; empty if it can."""
        return self._packaged if isinstance(self._packaged, str) else ""

    @cached_property
    def metrics(self) -> MetricTags | None:
        """The metrics that its sources report; None without a package."""
        return None if isinstance(self._packaged, str) else find_metric_tags(self._packaged)

    @cached_property
    def outcome(self) -> Outcome | None:
        """The parser's answers; None without a package, or without a parser in its sources."""
        package = self._packaged
        parsers = parsers_in(package) if isinstance(package, Package) else ()
        if isinstance(package, str) or not parsers:
            return None
        line = (*self.job.argument_tokens(), *trial_tokens(self.job))
        questions = Questions(
            argv=line,
            whole=(line,),
            single=tuple(probe.tokens for probe in self._probes),
            parsers=parsers,
            several=reads_often(package),
            variables=self.job.environment_variables,
        )
        return ask(package, questions)

    @property
    def answers(self) -> tuple[tuple[Probe, Verdict], ...]:
        """The questions and their verdicts; empty if there was no answer."""
        verdicts = self.outcome.single if self.outcome is not None else ()
        return tuple(zip(self._probes, verdicts, strict=False))

    @property
    def complete_line(self) -> Verdict | None:
        """The verdict on all fixed arguments with those of a first trial."""
        whole = self.outcome.whole if self.outcome is not None else ()
        return whole[0] if whole else None

    @cached_property
    def _probes(self) -> tuple[Probe, ...]:
        return tuple(probes_of(self.job))
