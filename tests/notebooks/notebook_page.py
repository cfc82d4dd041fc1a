"""The page of verdicts: ``docs/reference/notebooks.md``."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from notebook_reasons import NOT_REACHED
from notebook_selection import LEFT_OUT, STRIDE, Chosen, Selection
from notebook_verdicts import ORDER, Finding

_HEAD = """\
# Public notebooks on Local Vertex

*This page is generated (`make notebooks FROM=DIR`). None of the notebooks' text is kept here.*

Notebooks that submit custom jobs, tuning jobs, training pipelines of custom code or studies, found
by a static search for the calls that create them. The submitting cells run unmodified, after the
cells that they need; blanks that a notebook leaves to its reader (project, bucket, region) are
filled in. What stood in for the network and for this machine is named. Each notebook had
{seconds} s on a busy machine of two processors: training that was not over by then is its own
verdict.

Of {found} notebooks that match, ordered by repository and path, every {stride}nd is run: {run}.
Every third of these was kept unseen while faults were mended; some of the unseen were run twice, as
the first runs met an environment that a notebook had damaged.

A verdict follows from the words of an error or a log. None of them says that Local Vertex is wrong:
that takes a person, who read what was of unknown reason. What is *not here* would, as far as is
known, run on Vertex AI.

Left out: {left_out}; exercises (`labs/`) of which the solution is there.

"""


@dataclass(frozen=True)
class Row:
    """One notebook, its verdict and what stood in."""

    chosen: Chosen
    finding: Finding
    stood_in: Sequence[str]


def page(rows: Sequence[Row], selection: Selection, seconds: int) -> str:
    """Return the page."""
    left_out = "; ".join(f"`{_plain(rule)}` ({why})" for rule, why in LEFT_OUT)
    head = _HEAD.format(
        seconds=seconds,
        found=selection.found,
        stride=STRIDE,
        run=len(rows),
        left_out=left_out,
    )
    return head + _counts(rows) + _repositories(rows) + _list(rows)


def _plain(rule: re.Pattern[str]) -> str:
    return rule.pattern.strip("/")


def _counts(rows: Sequence[Row]) -> str:
    worked = Counter(row.finding.verdict for row in rows if not row.chosen.unseen)
    unseen = Counter(row.finding.verdict for row in rows if row.chosen.unseen)
    lines = ["## Verdicts", "", "| verdict | worked with | unseen |", "|---|--:|--:|"]
    lines += [
        f"| {verdict} | {worked[verdict]} | {unseen[verdict]} |"
        for verdict in ORDER
        if worked[verdict] or unseen[verdict]
    ]
    reached = [sum(counts.values()) - counts[NOT_REACHED] for counts in (worked, unseen)]
    lines.append(f"| *came to Local Vertex* | {reached[0]} | {reached[1]} |")
    return "\n".join(lines) + "\n\n"


def _repositories(rows: Sequence[Row]) -> str:
    found = {row.chosen.notebook.repository for row in rows}
    lines = ["## Repositories", "", "| repository | commit |", "|---|---|"]
    lines += [
        f"| {repository.name} | `{repository.commit}` |"
        for repository in sorted(found, key=lambda repository: repository.name)
    ]
    return "\n".join(lines) + "\n\n"


def _list(rows: Sequence[Row]) -> str:
    lines = [
        "## Notebooks",
        "",
        "Cells are counted from 0, code cells alone. *(unseen)* was not looked at before its run.",
        "",
        "| repository, path | submitting cells | stood in | verdict | reason | source |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        notebook, finding = row.chosen.notebook, row.finding
        repository = notebook.repository.name.partition("/")[2] or notebook.repository.name
        cells = ", ".join(map(str, row.chosen.slice.submitting))
        unseen = " (unseen)" if row.chosen.unseen else ""
        lines.append(
            f"| {repository}: {_cell(notebook.path)}{unseen} | {cells} | "
            f"{_cell('; '.join(row.stood_in))} | {finding.verdict} | {_cell(finding.words)} | "
            f"{_source(finding.source)} |"
        )
    return "\n".join(lines) + "\n"


def _source(source: str) -> str:
    """Return a page of ours as a link, anything else as it is."""
    if not source.startswith("docs/"):
        return _cell(source)
    path = "../" + source.removeprefix("docs/")
    return f"[{source.rpartition('/')[2]}]({path})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
