"""Run one module as ``python -m module arguments`` would, in a process made for it.

A replica that is a command instead of a module starts here too, and becomes that program.

The launcher executes this file by its path for a fresh replica; a warm parent loads it by its
path for the replicas that it forks. Both so take the same steps in the same order, and nothing of
this project is in ``sys.modules`` when the user's code runs. Standard library only, Python 3.9.
Standard streams, session and process group are the launcher's work.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import importlib
import itertools
import json
import os
import runpy
import signal
import site
import sys
import types
import weakref
from typing import Any, NoReturn

#: At import NumPy's and SciPy's OpenBLAS start a thread per core otherwise, and a process with
#: threads cannot be forked safely. Set when a process starts, fresh ones too, so that both
#: compute alike; removed before user code runs.
THREAD_LIMITS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

#: Where pip and Debian install. Other folders of the search path may be a script's own.
INSTALLED = ("dist-packages", "site-packages")
#: The exit code of a container whose command cannot be started.
CANNOT_START = 128
#: Python's own name for runpy's file is not its path in every version.
_STARTING_FILES = (__file__, runpy.run_module.__code__.co_filename)
_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))


def leave_own_folder() -> None:
    """Take this file's folder, where Python started, off the search path."""
    if sys.path and os.path.abspath(sys.path[0]) == _OWN_FOLDER:
        del sys.path[0]


def import_preload(modules: list[str]) -> dict[str, str]:
    """Import what the script will import, and return the failures: module to reason.

    The script meets a failure itself, at its own import.
    """
    failures = {}
    for name in modules:
        try:
            importlib.import_module(name)
        except BaseException as error:  # a module may even raise SystemExit
            failures[name] = f"{type(error).__name__}: {error}"
    return failures


def run(replica: dict[str, Any]) -> NoReturn:
    """Become the replica: settings, the module's code, then the interpreter's end.

    ``replica`` has ``module``, ``arguments``, ``search_path``, ``environment`` and
    ``working_directory`` of the launcher's ReplicaSpec.
    """
    installed = tuple(os.path.join(path, "") for path in sys.path)
    _settle(replica)
    sys.modules["__main__"] = _new_main()
    last = next(reversed(sys.modules))
    _finish(_report(_run_main(replica["module"])), last, installed)


def _new_main() -> types.ModuleType:
    """Return a module for the script to run in, as the interpreter makes it at its start."""
    main = types.ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    if "__annotations__" in vars(sys.modules["__main__"]):  # until Python 3.13
        main.__annotations__ = {}
    return main


def _settle(replica: dict[str, Any]) -> None:
    """Make environment, folder, search path and arguments those of ``python -m``."""
    environment = replica["environment"]
    # LC_CTYPE may be the interpreter's own addition (PEP 538), so it stays.
    for name in set(os.environ) - set(environment) - {"LC_CTYPE"}:
        del os.environ[name]
    os.environ.update(environment)
    _enter(replica["working_directory"])
    _extend_search_path(replica["search_path"])
    safe_path = getattr(sys.flags, "safe_path", False)
    if not (safe_path or sys.flags.isolated):
        sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    sys.argv = ["-m", *replica["arguments"]]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.executable, "-m", replica["module"], *replica["arguments"]]


def _extend_search_path(folders: list[str]) -> None:
    """Put folders where a user's own ``site-packages`` stands; programs started here see them too.

    That is after the standard library and before what all users share.
    """
    if not folders:
        return
    shared = (at for at, path in enumerate(sys.path) if os.path.basename(path) in INSTALLED)
    place = next(shared, len(sys.path))
    sys.path[place:place] = folders
    for folder in folders:
        site.addsitedir(folder)  # it is there already: this reads its .pth files
    known = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([known, *folders] if known else folders)


def _enter(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError as error:
        _give_up(f"cannot enter the working directory {folder!r}: {error.strerror}", 1)


def _give_up(message: str, code: int) -> NoReturn:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
    os._exit(code)


def _execute(replica: dict[str, Any]) -> NoReturn:
    """Become another program, found on the replica's own PATH."""
    command, environment = replica["command"], replica["environment"]
    _enter(replica["working_directory"])
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        _give_up(f"cannot start {command[0]!r}: {error.strerror}", CANNOT_START)


def _run_main(module: str) -> BaseException | None:
    try:
        # What the interpreter itself calls for -m. The public run_module takes __main__ away
        # again before threads are joined and exit handlers run.
        runpy._run_module_as_main(module)  # type: ignore[attr-defined]
    except BaseException as error:  # as the interpreter: the last resort
        return error
    return None


def _report(ending: BaseException | None) -> int:
    """Print an ending as the interpreter does; return the exit code, negative for a signal."""
    if ending is None:
        return 0
    if isinstance(ending, SystemExit):
        if ending.code is None:
            return 0
        if isinstance(ending.code, int):
            return ending.code & 0xFF
        _flush_streams()
        print(ending.code, file=sys.stderr)
        return 1
    _flush_streams()
    trace = _user_frames(ending.__traceback__)
    sys.excepthook(type(ending), ending.with_traceback(trace), trace)
    return -signal.SIGINT if isinstance(ending, KeyboardInterrupt) else 1


def _user_frames(trace: types.TracebackType | None) -> types.TracebackType | None:
    """Drop the frames that led to the user's code: this file's, runpy's, the import system's."""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name not in _STARTING_FILES and not name.startswith(
            ("<frozen importlib", "<frozen zip")
        ):
            break
        trace = trace.tb_next
    return trace


def _finish(code: int, last: str, installed: tuple[str, ...]) -> NoReturn:
    """End as the interpreter would: threads, exit handlers, the script's objects, buffers.

    Then without the interpreter's own teardown, which would run a preloaded library's
    destructors in every fork of one parent.
    """
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        atexit._run_exitfuncs()
    except BaseException as error:  # as the interpreter: shown, then ignored
        sys.excepthook(type(error), error, error.__traceback__)
    _flush_streams()
    _forget_script(last, installed)
    _flush_streams()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


def _forget_script(last: str, installed: tuple[str, ...]) -> None:
    """Let go of the script's own objects, so that open files and event writers are flushed.

    Args:
        last: The last module that was there before the script; it and all before it stay. To look
            at each of their names would copy half of a forked process's pages.
        installed: Folders of the standard library and of third parties; their modules stay.
    """
    added = list(itertools.takewhile(lambda name: name != last, reversed(sys.modules)))
    names = dict.fromkeys(["__main__", *reversed(added)])
    alive = []
    for name in [name for name in names if name in sys.modules]:
        origin = getattr(sys.modules[name], "__file__", None)
        if name == "__main__" or (origin and not origin.startswith(installed)):
            alive.append(weakref.ref(sys.modules.pop(name)))
    gc.collect()
    if len(sys._current_frames()) > 1:
        return  # a daemon thread still looks its names up there
    for reference in reversed(alive):
        module = reference()
        if module is not None:
            vars(module).clear()
    gc.collect()


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        # It may have been replaced or closed, and perhaps nobody reads any more.
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()


def _main() -> NoReturn:
    leave_own_folder()
    replica = json.loads(sys.argv[1])
    replica["arguments"] = sys.argv[3:]
    replica["environment"] = {
        name: text for name, text in os.environ.items() if name not in replica["hidden"]
    }
    if replica["command"]:
        _execute(replica)
    import_preload(replica["preload"])
    gc.freeze()  # as in a warm parent: what is only imported need not be searched at the end
    run(replica)


if __name__ == "__main__":
    _main()
