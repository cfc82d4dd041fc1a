"""Run a script as far as its parser in a child process, and read the parser's answers.

For ``contracts``. The first run has inert stand-ins for the libraries and takes a fraction of a
second; if the script decides something by a library, a second run has the real ones.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vertex_jobs.packaging import Package, clean_environment

#: Started from text, so that no folder of ours is on the path that the script sees.
_START = (
    "import sys; sys.path.insert(0, {home!r}); import interrogation; sys.path.remove({home!r}); "
    "interrogation.main({descriptor})"
)
_HOME = str(Path(__file__).parent)
#: Time for the standard library, and for loading TensorFlow on a busy machine.
_QUICK_SECONDS, _LONG_SECONDS = 60.0, 240.0


@dataclass(frozen=True)
class Questions:
    """The questions to a parser.

    Attributes:
        argv: The command line that the script sees.
        whole: Command lines that must be accepted as they are.
        single: Tokens that must be accepted, whatever else is required.
        parsers: The kinds that the sources import, of ``argparse``, ``click``, ``absl``.
        several: Whether the sources read a command line in more than one place.
    """

    argv: tuple[str, ...]
    whole: tuple[tuple[str, ...], ...]
    single: tuple[tuple[str, ...], ...]
    parsers: tuple[str, ...]
    several: bool
    variables: Mapping[str, str]


@dataclass(frozen=True)
class Verdict:
    """The parser's verdict on some tokens.

    Attributes:
        error: In the parser's words; empty if it accepted them.
        abbreviates: The flag that a token was short for.
        reads_text: Whether it reads every text as true.
    """

    error: str
    unknown: tuple[str, ...]
    abbreviates: str
    reads_text: bool


@dataclass(frozen=True)
class Outcome:
    """The result of the questions.

    Attributes:
        kind: ``answered``; ``failed`` before there was a parser; ``ended`` without one;
            ``forbidden``, stopped at something that only a job may do; ``slow``, timed out.
        detail: The reason, if not answered.
        missing: Libraries that are not installed here.
        ignores: Whether the script gives its parser an empty command line.
    """

    kind: str
    detail: str = ""
    missing: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    whole: tuple[Verdict, ...] = ()
    single: tuple[Verdict, ...] = ()
    ignores: bool = False


def ask(package: Package, questions: Questions, interpreter: str = sys.executable) -> Outcome:
    """Unpack a package, run it as far as its parser, and put the questions to that.

    The package's own modules never have stand-ins.
    """
    with tempfile.TemporaryDirectory(prefix="vertex-jobs-check-") as scratch:
        folder = Path(scratch, "package")
        for file in package.files:
            target = folder / package.module_name / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
        child = _Child(interpreter, Path(scratch), folder, package.module_name, questions)
        missing: list[str] = []
        answer = child.run(stand_ins=True, missing=missing)
        while answer.get("missing") and len(missing) < len(package.files) + 20:
            top = str(answer["missing"]).partition(".")[0]
            if top in missing or top.startswith("vertex_jobs"):
                break
            missing.append(top)
            answer = child.run(stand_ins=True, missing=missing)
        if answer["outcome"] in ("needs_real", "failed") and not missing:
            answer = child.run(stand_ins=False, missing=[])
    return _outcome(answer, missing)


@dataclass(frozen=True)
class _Child:
    interpreter: str
    scratch: Path
    folder: Path
    module: str
    questions: Questions

    def run(self, *, stand_ins: bool, missing: Sequence[str]) -> dict[str, Any]:
        """Run the script once, and return the answer as the child wrote it."""
        asked = {
            "folder": str(self.folder),
            "module": self.module,
            "argv": self.questions.argv,
            "whole": self.questions.whole,
            "single": self.questions.single,
            "parsers": self.questions.parsers,
            "several": self.questions.several,
            "stand_ins": stand_ins,
            "missing": list(missing),
        }
        empty = self._empty_folder()
        with tempfile.TemporaryFile() as written:
            start = _START.format(home=_HOME, descriptor=written.fileno())
            try:
                done = subprocess.run(
                    [self.interpreter, "-B", "-s", "-c", start],
                    input=json.dumps(asked).encode(),
                    cwd=empty,
                    env=clean_environment(empty) | dict(self.questions.variables),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    pass_fds=(written.fileno(),),
                    timeout=_QUICK_SECONDS if stand_ins else _LONG_SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return {"outcome": "slow"}
            written.seek(0)
            text = written.read()
        if not text:
            last = done.stdout.decode(errors="replace").strip().rpartition("\n")[2]
            return {"outcome": "failed", "detail": last or f"ended with {done.returncode}"}
        answer: dict[str, Any] = json.loads(text)
        return answer

    def _empty_folder(self) -> Path:
        folder = self.scratch / "work"
        folder.mkdir(exist_ok=True)
        return folder


def _outcome(answer: Mapping[str, Any], missing: Sequence[str]) -> Outcome:
    kind = "failed" if answer["outcome"] == "needs_real" else str(answer["outcome"])
    return Outcome(
        kind=kind,
        detail=str(answer.get("detail", "")),
        missing=tuple(missing),
        flags=tuple(answer.get("flags", ())),
        whole=tuple(_verdict(one) for one in answer.get("whole", ())),
        single=tuple(_verdict(one) for one in answer.get("single", ())),
        ignores=bool(answer.get("ignores")),
    )


def _verdict(form: Mapping[str, Any]) -> Verdict:
    return Verdict(
        form["error"].rstrip("."), tuple(form["unknown"]), form["abbreviates"], form["reads_text"]
    )
