"""The Python of ``docs/how-to/check-before-you-pay.md`` runs and refuses the mistake in it."""

import os
import re
import subprocess
import sys
from pathlib import Path

from vertex_jobs.endpoints import Endpoint

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "check-before-you-pay.md"


def test_the_pages_python_names_the_mistake(local_vertex: Endpoint) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    state = {"VERTEX_JOBS_STATE_DIR": str(local_vertex.server.directory.path)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | state,
        capture_output=True,
        text=True,
        check=True,
    )
    refused = "args.epoch: the script has no --epoch; did you mean '--epochs'?"
    assert (done.stdout.splitlines()[-1], done.stderr) == (refused, "")
    assert "  error    args.epoch = 3" in done.stdout
