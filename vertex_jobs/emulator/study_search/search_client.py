"""The server's end of the search process: open a study, tell trials, ask for suggestions."""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from vertex_jobs.emulator.study_search.search_process import LENGTH_BYTES

_T = TypeVar("_T")

#: A longer answer is a fault of the process.
_MOST_ANSWER_BYTES = 1 << 28
#: How often a question is asked that its process does not survive.
ATTEMPTS = 5


class SearchFailedError(Exception):
    """The search could not suggest, or its process has ended."""


class SearchLostError(SearchFailedError):
    """The process has ended, and its successor knows no study: open it and ask again."""


class SearchClient:
    """Starts the process when it is needed, and again when it has ended."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._requests = 0
        self._starting = asyncio.Lock()

    async def _running(self) -> tuple[asyncio.subprocess.Process, "asyncio.Task[None]"]:
        """Return the process that runs, started if need be, and the task that reads from it."""
        async with self._starting:
            if self._process is not None and self._reading is not None and not self._reading.done():
                return self._process, self._reading
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "vertex_jobs.emulator.study_search.search_process",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                # Its matrices are small: threads of its own would only take cores from trials.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )
            self._reading = asyncio.create_task(self._read(self._process))
            return self._process, self._reading

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hand on the answers until there are no more; nobody waits for one afterwards."""
        assert process.stdout is not None
        reason = "the search process has ended"
        try:
            while True:
                answer = await _read_answer(process.stdout)
                future = self._answers.get(answer["request"])
                if future is not None and not future.done():
                    future.set_result(answer)
        except asyncio.IncompleteReadError:
            pass
        except Exception as error:  # whatever it is, this process can no longer be understood
            reason = f"the search process answered what cannot be read: {error!r}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            # The last thing that this task does: whoever asks after it starts another process.
            for future in self._answers.values():
                if not future.done():
                    future.set_exception(SearchLostError(reason))

    async def _send(self, message: Mapping[str, Any]) -> None:
        process, reading = await self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(message).encode() + b"\n")
            await process.stdin.drain()
        except (OSError, RuntimeError) as error:  # the latter is uvloop's for a closed pipe
            await _end(process, reading)  # so that the next question starts another
            raise SearchLostError("the search process has ended") from error

    async def open(self, study: str, study_spec: Mapping[str, Any], seed: int) -> None:
        """Begin a study of that StudySpec, in JSON; its trials so far are told next.

        Raises:
            SearchLostError: If the search process has ended, like `tell` and `close_study`. What
                it finds wrong with the study it says when asked.
        """
        await self._send({"open": study, "study_spec": dict(study_spec), "seed": seed})

    async def tell(self, study: str, trials: Sequence[Mapping[str, Any]]) -> None:
        """Add completed trials: ``trial_id``, ``assignment``, ``objectives`` (None: infeasible)."""
        await self._send({"tell": study, "trials": list(trials)})

    async def ask(
        self, study: str, trial_ids: Sequence[int], pending: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return suggestions for the given trials; fewer when the space is exhausted.

        Raises:
            SearchFailedError: If the search refuses.
            SearchLostError: If the process has ended, or does not know the study.
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
        """Return whether a trial stops early, and the last measurement that is predicted for it.

        ``rule`` is that of `vertex_jobs.search.stopping_rules.judge`. ``curve`` has ``places`` and
        ``values``, and so does each of ``ended``, trials that have succeeded, with ``final``.

        Raises:
            SearchFailedError: If the search refuses, or its process ends again and again.
        """
        question = {"judge": dict(rule), "curve": curve, "ended": list(ended)}
        answer = await outlast_losses(lambda: self._answer(question))
        prediction = answer["prediction"]
        return bool(answer["stops"]), tuple(prediction) if prediction else None

    async def _answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
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
            failure = SearchLostError if answer["study_is_unknown"] else SearchFailedError
            raise failure(str(answer["error"]))
        return answer

    async def close_study(self, study: str) -> None:
        """Forget a study that has ended."""
        await self._send({"close": study})

    async def close(self) -> None:
        """End the process, whatever it is doing: it keeps nothing that is not in the store."""
        if self._process is not None and self._reading is not None:
            await _end(self._process, self._reading)


async def _end(process: asyncio.subprocess.Process, reading: "asyncio.Task[None]") -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await asyncio.shield(reading)


async def _read_answer(stream: asyncio.StreamReader) -> dict[str, Any]:
    """Return the next answer.

    Raises:
        asyncio.IncompleteReadError: If there is none, or not all of it.
        ValueError: If it is none.
    """
    length = int.from_bytes(await stream.readexactly(LENGTH_BYTES), "big")
    if length > _MOST_ANSWER_BYTES:
        raise ValueError(f"{length} bytes at once")
    answer: dict[str, Any] = json.loads(await stream.readexactly(length))
    return answer


async def outlast_losses(ask: Callable[[], Awaitable[_T]]) -> _T:
    """Ask until a process lives long enough to answer, `ATTEMPTS` times at most.

    Raises:
        SearchFailedError: If the search refuses, or no process lives long enough.
    """
    for _ in range(ATTEMPTS - 1):
        with contextlib.suppress(SearchLostError):
            return await ask()
    return await ask()
