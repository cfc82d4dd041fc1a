"""The search process: studies in, suggestions out, as JSON.

The server runs it as ``python -m vertex_jobs.emulator.study_search.search_process``, so that a
long suggestion never stalls the fronts. It keeps the completed trials of each open study; the
server opens a study again after a restart. It imports NumPy and SciPy and nothing of the API.

Messages in, one a line: ``{"open": study, "study_spec": ..., "seed": ...}`` with a StudySpec in
JSON, ``{"tell": study, "trials": [...]}``, ``{"ask": study, "request": n, "trial_ids": [...],
"pending": [...]}``, ``{"close": study}``, ``{"judge": rule, "request": n, "curve": ...,
"ended": [...]}``. Messages out, each behind four bytes of its length, answer ``ask`` and ``judge``:
``{"request": n, "assignments": [...]}``, ``{"request": n, "stops": ..., "prediction": ...}`` or
``{"request": n, "error": text, "study_is_unknown": ...}``. What is wrong with an ``open`` or a
``tell`` is the answer to that study's next ``ask``. Nothing that is wrong with one study ends the
process: it is everybody's.
"""

import importlib
import json
import os
import sys
import threading
import traceback
from typing import Any

from vertex_jobs.search import Algorithm, Completed, Pending, algorithm
from vertex_jobs.search.curves import Curve
from vertex_jobs.search.study_spec import is_maximized, read_algorithm, read_space

#: Before each message out, the number of its bytes, the highest first.
LENGTH_BYTES = 4


class UnknownStudyError(ValueError):
    """This process was never told of the study: it is a successor of the one that was."""


class OpenStudy:
    """One study's algorithm and its completed trials."""

    def __init__(self, study_spec: dict[str, Any], seed: int) -> None:
        """Begin the search of a StudySpec, in JSON, with no trial.

        Raises:
            ValueError: If the search cannot have its parameters.
        """
        maximize = tuple(is_maximized(metric) for metric in study_spec["metrics"])
        self.algorithm: Algorithm = algorithm(
            read_algorithm(study_spec), read_space(study_spec), maximize, seed
        )
        self.completed: list[Completed] = []

    def tell(self, trials: list[dict[str, Any]]) -> None:
        """Take in finished trials."""
        for form in trials:
            objectives = form["objectives"]
            self.completed.append(
                Completed(
                    form["trial_id"],
                    form["assignment"],
                    None if objectives is None else tuple(objectives),
                )
            )

    def ask(self, trial_ids: list[int], pending: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return an assignment for each of these trials; fewer when the space is exhausted."""
        running = [Pending(form["trial_id"], form["assignment"]) for form in pending]
        return [dict(one) for one in self.algorithm.suggest(trial_ids, self.completed, running)]


class Studies:
    """The open studies, and what is wrong with some."""

    def __init__(self) -> None:
        self._open: dict[str, OpenStudy] = {}
        self._faults: dict[str, str] = {}

    def take(self, message: dict[str, Any]) -> None:
        """Open a study, tell it of trials, or close it."""
        try:
            if "open" in message:
                self._close(message["open"])
                self._open[message["open"]] = OpenStudy(message["study_spec"], message["seed"])
            elif "tell" in message:
                self._find(message["tell"]).tell(message["trials"])
            else:
                self._close(message["close"])
        except UnknownStudyError:
            pass  # it is told so when it asks
        except Exception as error:
            # The first is the reason: a study that could not be opened cannot be told either.
            self._faults.setdefault(message.get("open") or message["tell"], _text(error))

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a study that asks.

        Raises:
            UnknownStudyError: If it is not open.
            ValueError: If it could not be opened, or could not be told of a trial.
        """
        if message["ask"] in self._faults:
            raise ValueError(self._faults[message["ask"]])
        study = self._find(message["ask"])
        return {"assignments": study.ask(message["trial_ids"], message["pending"])}

    def _find(self, study: str) -> OpenStudy:
        if study not in self._open:
            raise UnknownStudyError(f"study {study} is not open")
        return self._open[study]

    def _close(self, study: str) -> None:
        self._open.pop(study, None)
        self._faults.pop(study, None)


def _text(error: Exception) -> str:
    """Return an error in words; what is no refusal of the search is traced in the server's log."""
    if isinstance(error, ValueError):
        return str(error)
    traceback.print_exception(error)
    return f"{type(error).__name__}: {error}"


def _judge(message: dict[str, Any]) -> dict[str, Any]:
    from vertex_jobs.search.stopping_rules import judge

    curve, *ended = (
        Curve(tuple(form["places"]), tuple(form["values"]), form.get("final"))
        for form in (message["curve"], *message["ended"])
    )
    verdict = judge(message["judge"], curve, ended)
    return {"stops": verdict.stops, "prediction": verdict.prediction}


def main() -> None:
    """Answer until the input ends."""
    # SciPy is needed only once a model is fitted; loaded beside the first trials it costs nobody.
    threading.Thread(target=importlib.import_module, args=("scipy.optimize",), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    studies = Studies()
    for line in sys.stdin:
        message = json.loads(line)
        if "request" not in message:
            studies.take(message)
            continue
        answer = {"request": message["request"]}
        try:
            answer |= _judge(message) if "judge" in message else studies.ask(message)
        except Exception as error:
            answer |= {"error": _text(error)}
            answer |= {"study_is_unknown": isinstance(error, UnknownStudyError)}
        text = json.dumps(answer).encode()
        answers.write(len(text).to_bytes(LENGTH_BYTES, "big") + text)
        answers.flush()


if __name__ == "__main__":
    main()
