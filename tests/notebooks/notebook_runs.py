"""Run one notebook in a folder, a home and a Local Vertex of its own, with a time limit."""

import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import notebook_kernel
from notebook_blanks import fill_in
from notebook_slices import Slice
from notebook_sources import Notebook

#: Each notebook's process is forked from one that has already imported what most of them do.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["notebook_kernel", "google.cloud.aiplatform"])
_HERE = Path(__file__).parent
#: For the server's start and end, beside the notebook's own time.
_GRACE_SECONDS = 45


def run(notebook: Notebook, sliced: Slice, seconds: int) -> dict[str, Any]:
    """Execute a slice and return its record; `notebook_kernel` says what that is."""
    base = Path(tempfile.mkdtemp(prefix="notebook-"))
    work = base / "work"
    for folder in (work, base / "home", base / "images"):
        folder.mkdir()
    try:
        notebook.lay_out(work)
        plan, record = base / "plan.json", base / "record.json"
        cells = [(index, fill_in(notebook.cells[index])) for index in sliced.cells]
        plan.write_text(
            json.dumps(
                {
                    "cells": cells,
                    "submitting": sliced.submitting,
                    "seconds": seconds,
                    "state": str(base / "state"),
                }
            )
        )
        _execute(plan, record, work, seconds)
        if not record.exists():
            return {"cells": [], "jobs": [], "time_up": True, "lost": True}
        return dict(json.loads(record.read_text()))
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _execute(plan: Path, record: Path, work: Path, seconds: int) -> None:
    base = plan.parent
    programs = f"{_HERE / 'stand_ins'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {
        "PATH": programs,
        "HOME": str(base / "home"),
        "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "1",
        "NOTEBOOK_IMAGES": str(base / "images.json"),
        "MPLBACKEND": "agg",
        # Google's notebooks look at it before they restart the kernel or sign the reader in.
        "IS_TESTING": "1",
    }
    output = base / "output"
    process = _PROCESSES.Process(
        target=notebook_kernel.main, args=(plan, record, work, output, environment)
    )
    process.start()
    process.join(seconds + _GRACE_SECONDS)
    if process.is_alive():
        os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
    if not record.exists():
        print(output.read_text(errors="replace")[-1500:], file=sys.stderr)
