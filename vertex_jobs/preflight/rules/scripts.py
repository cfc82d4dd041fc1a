"""Rules on the script: it can be packaged, it takes its arguments, it reports its metrics.

A fault that the parser finds is given in the parser's words.
"""

from collections.abc import Iterator

from vertex_jobs.errors import Fault
from vertex_jobs.preflight.contract import Contract
from vertex_jobs.preflight.rule import rule
from vertex_jobs.preflight.subject import Subject
from vertex_jobs.spec import HyperparameterTuningJob
from vertex_jobs.spec.requirement_files import requirements_file
from vertex_jobs.spec.spelling import suggestion

_CODE = ("script_path", "python_module_name", "requirements")
_FLAGS = (*_CODE, "args", "parameter_spec", "worker_pools", "environment_variables")
_PARSER = "the script's own parser"
_TRIAL = 'documentation page "Use hyperparameter tuning"'
_NOT_ASKED = {
    "ended": "it ended without reading a command line",
    "forbidden": "before it reads its command line it",
    "slow": "it did not read its command line within minutes",
}


@rule("error", source="the package", needs=_CODE)
def script_packaged(subject: Subject) -> Iterator[Fault]:
    """The script and all that it imports from beside it can travel."""
    contract = subject.contract
    if contract is not None and contract.package_error:
        reason, _, remedy = contract.package_error.partition("; ")
        files = [
            file.path for line in subject.job.requirements if (file := requirements_file(line))
        ]
        of_file = reason.startswith(tuple(files)) if files else False
        field = "requirements" if of_file or reason.startswith("requirement") else "script_path"
        yield Fault(field, subject.job.script_path, reason, remedy or "correct it")


@rule("error", source="the package, unpacked into an empty folder", needs=_FLAGS)
def script_starts(subject: Subject) -> Iterator[Fault]:
    """The script, packaged, comes as far as reading its command line."""
    contract = subject.contract
    outcome = contract.outcome if contract is not None else None
    if outcome is not None and outcome.kind == "failed":
        rule_text = f"fails before it reads its command line: {outcome.detail}"
        yield Fault("script_path", subject.job.script_path, rule_text, "run it here and correct it")


@rule("warning", source="the package, unpacked into an empty folder", needs=_FLAGS)
def script_asked(subject: Subject) -> Iterator[Fault]:
    """The script reads its command line with argparse, click or absl, so that it can be asked."""
    contract = subject.contract
    if contract is None or contract.package_error:
        return
    path = subject.job.script_path
    if contract.outcome is None:
        if _has_arguments(subject):
            rule_text = "names neither argparse, click nor absl, so its flags are not checked"
            yield Fault("script_path", path, rule_text, "try one trial: check --dry-trial")
    elif contract.outcome.kind in _NOT_ASKED:
        why = f"{_NOT_ASKED[contract.outcome.kind]} {contract.outcome.detail}".strip()
        rule_text = f"its flags are not checked: {why}"
        yield Fault("script_path", path, rule_text, "read the command line first of all")


@rule("error", source=_PARSER, needs=_FLAGS)
def command_line_read(subject: Subject) -> Iterator[Fault]:
    """The script reads the command line that it is given."""
    contract = subject.contract
    if contract is not None and contract.outcome is not None and contract.outcome.ignores:
        rule_text = "gives its parser an empty command line, so every argument is ignored"
        yield Fault("script_path", subject.job.script_path, rule_text, "call it without arguments")


@rule("error", source=_PARSER, needs=_FLAGS)
def flags_known(subject: Subject) -> Iterator[Fault]:
    """The script knows every flag that it is given."""
    contract = subject.contract
    for probe, verdict in contract.answers if contract is not None else ():
        for token in verdict.unknown:
            assert contract is not None
            assert contract.outcome is not None
            flags = contract.outcome.flags
            near = suggestion(token.partition("=")[0], flags, f"it knows {', '.join(flags)}")
            flag = token.partition("=")[0]
            yield Fault(probe.path, probe.value, f"the script has no {flag}", near)


@rule("error", source=_PARSER, needs=_FLAGS)
def values_accepted(subject: Subject) -> Iterator[Fault]:
    """The script takes every value that it may be given."""
    for probe, verdict in subject.contract.answers if subject.contract is not None else ():
        if verdict.error and not probe.as_float:
            rule_text = f"the script refuses {probe.tokens[-1]}: {verdict.error}"
            yield Fault(probe.path, probe.value, rule_text, "correct the value or the script")


@rule("warning", source="public issue kuds/mesozoic-labs#127", needs=_FLAGS)
def whole_numbers_as_floats(subject: Subject) -> Iterator[Fault]:
    """The script takes a whole DISCRETE value in the form 64.0, too."""
    contract = subject.contract
    refused: set[str] = set()
    for probe, verdict in contract.answers if contract is not None else ():
        if verdict.error and not probe.as_float:
            refused.add(probe.path)  # in either form
        if verdict.error and probe.as_float and probe.path not in refused:
            refused.add(probe.path)
            rule_text = f"may arrive as {probe.tokens[-1]}, which the script refuses"
            remedy = "read it with vertex_jobs.runtime.arguments, or as int(float(text))"
            yield Fault(probe.path, probe.value, rule_text, remedy)


@rule("error", source="argparse: bool('false') is true", needs=_FLAGS)
def truth_values_read(subject: Subject) -> Iterator[Fault]:
    """A flag that is true or false is not read with type=bool, for which every text is true."""
    for probe, verdict in subject.contract.answers if subject.contract is not None else ():
        if verdict.reads_text and not verdict.error:
            rule_text = f"the script reads {probe.tokens[-1]} with type=bool: every text is true"
            remedy = "use vertex_jobs.runtime.arguments, or compare the text with 'true'"
            yield Fault(probe.path, probe.value, rule_text, remedy)


@rule("warning", source=_PARSER, needs=_FLAGS)
def flags_in_full(subject: Subject) -> Iterator[Fault]:
    """A flag is written in full: an abbreviation breaks when the script gets another flag."""
    for probe, verdict in subject.contract.answers if subject.contract is not None else ():
        if verdict.abbreviates:
            flag = probe.tokens[-1].partition("=")[0]
            rule_text = f"{flag} is short for {verdict.abbreviates}"
            yield Fault(probe.path, probe.value, rule_text, f"write {verdict.abbreviates[2:]}")


@rule("error", source=_PARSER, needs=_FLAGS)
def required_flags_given(subject: Subject) -> Iterator[Fault]:
    """The script gets every argument that it requires."""
    contract = subject.contract
    line = contract.complete_line if contract is not None else None
    if contract is None or line is None or not line.error:
        return
    alone = {verdict.error for _, verdict in contract.answers if verdict.error}
    if line.error not in alone:
        remedy = "add what is missing to args"
        yield Fault("args", list(subject.job.argument_tokens()), line.error, remedy)


@rule("error", source=_TRIAL, needs=(*_CODE, "metric_spec"))
def metric_named_alike(subject: Subject) -> Iterator[Fault]:
    """A metric of the study is one that the script reports, if its sources name them all."""
    for name, contract in _metrics(subject):
        found = contract.metrics
        if found is not None and found.is_reported and found.is_complete and name not in found.tags:
            reported = ", ".join(found.tags)
            near = suggestion(name, found.tags, f"it reports {reported}")
            rule_text = "the script reports no metric of that name, so every trial would fail"
            yield Fault(f"metric_spec.{name}", name, rule_text, near)


@rule("warning", source=_TRIAL, needs=(*_CODE, "metric_spec"))
def metric_reported(subject: Subject) -> Iterator[Fault]:
    """The sources of a study's script report something."""
    for name, contract in _metrics(subject):
        if contract.metrics is not None and not contract.metrics.is_reported:
            yield Fault(
                f"metric_spec.{name}",
                name,
                "no report of a metric is found in the script's sources",
                "call vertex_jobs.runtime.metrics.report, or try one trial: check --dry-trial",
            )


def _metrics(subject: Subject) -> Iterator[tuple[str, Contract]]:
    contract = subject.contract
    if contract is not None and isinstance(subject.job, HyperparameterTuningJob):
        for name in subject.job.metric_spec:
            yield name, contract


def _has_arguments(subject: Subject) -> bool:
    tuned = isinstance(subject.job, HyperparameterTuningJob)
    return tuned or bool(subject.job.argument_tokens())


SCRIPT_RULES = (
    script_packaged,
    script_starts,
    script_asked,
    command_line_read,
    flags_known,
    values_accepted,
    whole_numbers_as_floats,
    truth_values_read,
    flags_in_full,
    required_flags_given,
    metric_named_alike,
    metric_reported,
)
