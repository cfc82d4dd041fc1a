"""Run the submission cells of public notebooks, unmodified, and write the page of verdicts.

    make notebooks FROM=DIR

DIR holds copies of repositories, checkouts or bare mirrors. None of their text is kept: the page
has a repository, a commit, a path, numbers of cells and a verdict for each notebook. To look into
one, ``--show PATH`` prints what its cells and its jobs said. What each run said is kept beside the
environment, in ``.venv-notebooks/records``, until that is removed: a run that was interrupted goes
on, and the page can be made anew.
"""

import argparse
import hashlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from notebook_page import Row, page
from notebook_runs import run
from notebook_selection import Chosen, select
from notebook_stand_ins import in_use
from notebook_verdicts import judge

RECORDS = Path(sys.prefix) / "records"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "notebooks.md"


def main() -> int:
    """Run what the arguments ask for; return the exit code."""
    options = _options()
    selection = select(options.folder)
    chosen = [one for one in selection.chosen if options.show in one.notebook.path]
    with ThreadPoolExecutor(options.parallel) as pool:
        records = list(pool.map(lambda one: _record(one, options), chosen))
    if options.show:
        json.dump(records, sys.stdout, indent=1)
        return 0
    rows = [
        Row(one, judge(record), in_use(_cells(one)))
        for one, record in zip(chosen, records, strict=True)
    ]
    PAGE.write_text(page(rows, selection, options.seconds), encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of repositories")
    parser.add_argument("--seconds", type=int, default=120, help="limit of one notebook")
    parser.add_argument("--parallel", type=int, default=2, help="notebooks at a time")
    parser.add_argument("--show", default="", help="run these paths alone, and print all")
    return parser.parse_args()


def _record(chosen: Chosen, options: argparse.Namespace) -> dict[str, Any]:
    """Return the record of a notebook's run, an earlier one's unless it is to be shown."""
    notebook = chosen.notebook
    key = f"{notebook.repository.name} {notebook.path} {notebook.repository.commit}"
    kept = RECORDS / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    if kept.exists() and not options.show:
        return dict(json.loads(kept.read_text()))
    record = run(notebook, chosen.slice, options.seconds)
    record["path"] = notebook.path
    RECORDS.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(record))
    print(f"{judge(record).verdict:40.40}  {notebook.path}", file=sys.stderr, flush=True)
    return record


def _cells(chosen: Chosen) -> list[str]:
    return [chosen.notebook.cells[index] for index in chosen.slice.cells]


if __name__ == "__main__":
    sys.exit(main())
