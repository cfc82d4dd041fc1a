"""The page on unmodified programs names every variable that they get."""

import re
from pathlib import Path

from vertex_jobs.emulator.client_environment.certificates import Certificates
from vertex_jobs.emulator.client_environment.client_variables import google_variables

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-unmodified-programs.md"
#: Of the command ``emulate`` itself.
OUR_OWN = {"VERTEX_JOBS_STATE_DIR"}


def test_the_page_names_every_variable(tmp_path: Path) -> None:
    section = PAGE.read_text(encoding="utf-8").partition("\n## How a program gets there")[2]
    rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|")]
    named = {name for row in rows for name in re.findall(r"`([A-Za-z_]+)`", row.split("|")[1])}
    certificates = Certificates.load_or_make(tmp_path, "p")
    assert named == set(google_variables(1, certificates, "p")) | OUR_OWN
