"""Writes ``docs/reference/mistakes.md``: ``python tests/docs/mistakes.py``.

Each mistake is made twice: with the unmodified SDK against Local Vertex, and in a config that is
checked. What is written is what happened.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import groupby
from pathlib import Path

import yaml
from mistake_cases import CASES, IMAGE, Case

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.preflight import check
from vertex_jobs.requests import Place
from vertex_jobs.spec import Reading, examine
from vertex_jobs.spec.kinds import KINDS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "mistakes.md"
#: The day of the catalog's facts.
TODAY = date(2026, 11, 22)

INTRODUCTION = """\
# Mistakes: what the SDK does, and what `check` says

*This page is generated (`python tests/docs/mistakes.py`) by making every mistake twice: with the
unmodified `google-cloud-aiplatform` SDK against Local Vertex, and in a config for
`vertex-jobs check`. A test fails when it is out of date.*

*sent* means that the SDK sent the request without a word: what is wrong is found out later, from
the service's answer or from a job that was paid for. What Vertex AI itself answers is not shown
here.
"""


def in_sdk(url: str) -> dict[str, str]:
    """What the SDK does with each mistake, by the mistake's text."""
    script = Path(__file__).with_name("mistakes_in_sdk.py")
    done = subprocess.run(
        [sys.executable, str(script), url], capture_output=True, text=True, timeout=280, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def in_check(case: Case) -> list[Fault]:
    """What a check finds in the config with the mistake."""
    with tempfile.TemporaryDirectory() as name:
        folder = _with_scripts(case, Path(name))
        (folder / "job.yaml").write_text(yaml.safe_dump({**case.base, **case.config}))
        return _found(examine(folder / "job.yaml"), folder)


def in_python(case: Case) -> list[Fault]:
    """What stops a program with the mistake: the job cannot be made, or its check finds faults."""
    fields = {**case.base, **case.config}
    with tempfile.TemporaryDirectory() as name:
        folder = _with_scripts(case, Path(name))
        if "script_path" in fields:
            fields["script_path"] = folder / fields["script_path"]
        try:
            job = KINDS[fields.pop("kind")](**fields)
        except InvalidJobError as error:
            return list(error.faults)
        return _found(Reading.of(job), folder)


def _with_scripts(case: Case, folder: Path) -> Path:
    for file, source in case.scripts.items():
        (folder / file).write_text(source)
    return folder


def _found(reading: Reading, folder: Path) -> list[Fault]:
    place = Place("mistakes", "us-central1", "gs://mistakes")
    report = check(reading, on="vertex", place=place, today=TODAY)
    return [replace(fault, rule=fault.rule.replace(f"{folder}/", "")) for fault in report.faults]


def page(sdk: Mapping[str, str]) -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_tables(sdk)]).rstrip() + "\n"


def _tables(sdk: Mapping[str, str]) -> Iterator[str]:
    for area, cases in groupby(CASES, key=lambda case: case.area):
        yield f"## {area[0].upper()}{area[1:]}\n"
        yield "| mistake | the SDK | `check` |\n|---|---|---|"
        for case in cases:
            cells = (case.text, sdk[case.text], "<br>".join(map(_said, in_check(case))))
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
        yield ""


def _said(fault: Fault) -> str:
    rule = fault.rule.replace(IMAGE, "…")
    return f"**{fault.severity}** `{fault.path}`: {rule}; {fault.remedy}"


if __name__ == "__main__":
    from vertex_jobs import local

    with tempfile.TemporaryDirectory() as state, local(state_dir=state) as endpoint:
        PAGE.write_text(page(in_sdk(endpoint.connection.api_endpoint)))
