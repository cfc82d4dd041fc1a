"""The child process in which a script is run as far as its argument parser, which is then asked.

It is started by ``contract.asking`` and is alone in its process: standard library only, and no
name of it stands where the script could see it. The script never gets past its parser: the answer
is written and the process ends there.
"""

import json
import os
import runpy
import sys
import traceback
from typing import Any

from . import absl_flags, argparse_parsers, click_commands, guards, stand_ins
from .answers import Answer

__all__ = ["main"]

_ASKERS = {
    "argparse": argparse_parsers.intercept,
    "click": click_commands.intercept,
    "absl": absl_flags.intercept,
}


def main(answer_descriptor: int) -> None:
    """Read the questions from stdin, run the script, write the answer, end."""
    questions = json.loads(sys.stdin.read())
    answer = Answer(answer_descriptor, questions)
    folder = questions["folder"]
    sys.path.insert(0, folder)
    # As python -m does, before the script can see it.
    sys.argv = [os.path.join(folder, questions["module"], "__main__.py"), *questions["argv"]]
    if questions["stand_ins"]:
        stand_ins.install(os.path.join(folder, questions["module"]), questions["missing"])
    for name in questions["parsers"]:
        _ASKERS[name](answer)
    guards.install(os.path.dirname(folder), starts_processes=not questions["stand_ins"])
    _run(questions["module"], answer)


def _run(module: str, answer: Answer) -> None:
    fields: dict[str, Any] = {"outcome": "ended"}
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except stand_ins.NeedsRealError as reason:
        fields = {"outcome": "needs_real", "detail": str(reason)}
    except guards.ForbiddenError as reason:
        fields = {"outcome": "forbidden", "detail": str(reason)}
    except ModuleNotFoundError as error:
        fields = {"outcome": "failed", "detail": _last_line(error), "missing": error.name or ""}
    except SystemExit as error:
        fields = {"outcome": "ended", "detail": f"it ended with {error.code}"}
    except BaseException as error:
        traceback.print_exc()
        fields = {"outcome": "failed", "detail": _last_line(error)}
    answer.end(**fields)


def _last_line(error: BaseException) -> str:
    return traceback.format_exception_only(type(error), error)[-1].strip()
