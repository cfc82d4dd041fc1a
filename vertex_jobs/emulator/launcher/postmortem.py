"""Run one module as ``python -m`` would; where it fails, the debugger opens on the spot.

Executed by its path for a replica in the foreground of a terminal. Without a terminal the traceback
is all there is. Standard library only.
"""

import json
import os
import pdb
import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

#: Python's own name for runpy's file is not its path in every version.
_STARTING_FILES = (__file__, runpy.__file__, runpy.run_module.__code__.co_filename)


def command(
    search_path: Sequence[Path], folder: Path, module: str, arguments: Sequence[str]
) -> tuple[str, ...]:
    """Return the command that runs a module so, with the job's packages on its search path."""
    settings = json.dumps(
        {"search_path": [str(path) for path in search_path], "folder": str(folder)}
    )
    return (sys.executable, __file__, settings, module, *arguments)


def _main() -> None:
    settings, module = json.loads(sys.argv[1]), sys.argv[2]
    os.chdir(settings["folder"])
    sys.path[0:1] = [settings["folder"], *settings["search_path"]]
    sys.argv = ["-m", *sys.argv[3:]]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit:
        raise
    except BaseException as error:  # Ctrl-C as well: it shows where the time goes
        trace = _user_frames(error.__traceback__)
        traceback.print_exception(type(error), error, trace)
        if sys.stdin.isatty():
            sys.stderr.write("the debugger: w shows where, u and d go up and down, q ends\n")
            pdb.post_mortem(trace)
        sys.exit(1)


def _user_frames(trace: TracebackType | None) -> TracebackType | None:
    """Drop the frames that led to the user's code: this file's and runpy's, and the package's."""
    user = trace
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        starting = name in _STARTING_FILES or name.startswith("<frozen runpy")
        if not starting and not name.endswith("__main__.py"):
            return trace
        trace = trace.tb_next
    return user


if __name__ == "__main__":
    _main()
