"""The server's end of the search process: open a study, tell trials, ask for suggestions."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["SearchClient", "SearchFailedError"]


class SearchFailedError(Exception):
    """The search could not suggest, or its process has ended."""


class SearchClient:
    """Starts the process at the first study and keeps it for the server's life."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._process: asyncio.subprocess.Process | None = None
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._requests = 0
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Start the process unless it runs."""
        async with self._starting:
            if self._reading is not None and not self._reading.done():
                return
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "vertex_jobs.emulator.study_search.search_process",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=1 << 24,
                # Its matrices are small: threads of its own would only take cores from trials.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )
            self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            answer = json.loads(line)
            future = self._answers.get(answer["request"])
            if future is not None and not future.done():
                future.set_result(answer)
        await process.wait()
        # The last thing that this task does: whoever asks after it starts another process.
        for future in self._answers.values():
            if not future.done():
                future.set_exception(_lost())

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        try:
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise _lost() from error

    async def open(self, study: str, study_spec: Mapping[str, Any], seed: int) -> None:
        """Begin a study of that StudySpec, in JSON; its trials so far are told next.

        Raises:
            SearchFailedError: If the search process has ended, like `tell` and `close_study`. What
                it finds wrong with the study it says when asked.
        """
        await self._send({"open": study, "study_spec": dict(study_spec), "seed": seed})

    async def tell(self, study: str, trials: Sequence[Mapping[str, Any]]) -> None:
        """Add completed trials: ``trial_id``, ``assignment``, ``objectives`` (None: infeasible)."""
        await self._send({"tell": study, "trials": list(trials)})

    async def ask(
        self, study: str, trial_ids: Sequence[int], pending: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Suggestions for the given trials; fewer when the space is exhausted.

        Raises:
            SearchFailedError: If the search refuses, or its process has ended.
        """
        answer = await self._answer(
            {"ask": study, "trial_ids": list(trial_ids), "pending": list(pending)}
        )
        assignments: list[dict[str, Any]] = answer["assignments"]
        return assignments

    async def judge(
        self,
        rule: Mapping[str, Any],
        curve: Mapping[str, Any],
        ended: Sequence[Mapping[str, Any]],
    ) -> tuple[bool, tuple[float, float] | None]:
        """Whether a trial stops early, and the last measurement that is predicted for it.

        Args:
            rule: See `vertex_jobs.search.stopping_rules.judge`.
            curve: ``places`` and ``values`` of the trial.
            ended: The same of the trials that have succeeded, with ``final``.

        Raises:
            SearchFailedError: If the search refuses, or its process has ended.
        """
        answer = await self._answer({"judge": dict(rule), "curve": curve, "ended": list(ended)})
        prediction = answer["prediction"]
        return bool(answer["stops"]), tuple(prediction) if prediction else None

    async def _answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send a question and wait for its answer."""
        self._requests += 1
        request = self._requests
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[request] = future
        try:
            await self._send({**message, "request": request})
            answer = await future
        finally:
            self._answers.pop(request, None)
        if "error" in answer:
            raise SearchFailedError(str(answer["error"]))
        return answer

    async def close_study(self, study: str) -> None:
        """Forget a study that has ended."""
        await self._send({"close": study})

    async def close(self) -> None:
        """End the process."""
        if self._process is None or self._reading is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._reading


def _lost() -> SearchFailedError:
    return SearchFailedError("the search process has ended")
