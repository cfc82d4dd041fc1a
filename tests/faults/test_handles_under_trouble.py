"""Handles as futures while calls break, hang and fail, and while the server itself goes away."""

import asyncio
import concurrent.futures
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waits import wait_for

from vertex_jobs import as_completed, local
from vertex_jobs.client import Client
from vertex_jobs.emulator.joining import LocalServer, join
from vertex_jobs.endpoints import Endpoint
from vertex_jobs.spec import CustomJob

Inject = Callable[..., None]
MakeJob = Callable[..., CustomJob]

GET = "JobService.GetCustomJob"
TROUBLE = ["drop_before", "drop_after", "hang", 429, 500, 503, 504]


@pytest.mark.parametrize("fault", TROUBLE)
def test_a_result_comes_through_trouble(
    ours: Client, make_job: MakeJob, inject: Inject, fault: int | str
) -> None:
    handle = ours.submit(make_job())
    inject(GET, fault, times=2)
    assert handle.exception() is None


@pytest.mark.parametrize("fault", TROUBLE)
def test_done_is_answered_through_trouble(
    ours: Client, make_job: MakeJob, inject: Inject, fault: int | str
) -> None:
    handle = ours.submit(make_job("wait"))
    inject(GET, fault)
    assert handle.done() is False
    handle.cancel()


def test_a_timeout_ends_the_waiting_though_nobody_answers(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    handle = ours.submit(make_job("wait"))
    inject(GET, 503, times=None)
    with pytest.raises(concurrent.futures.TimeoutError, match="no answer about the job"):
        handle.result(timeout=5)


def test_jobs_come_as_they_end_through_trouble(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    handles = [ours.submit(make_job()) for _ in range(3)]
    for fault in TROUBLE:
        inject(GET, fault)
    assert {each.name for each in as_completed(handles)} == {each.name for each in handles}


def test_jobs_that_do_not_end_in_time_go_on(ours: Client, make_job: MakeJob) -> None:
    ends, waits = ours.submit(make_job()), ours.submit(make_job("wait"))
    wait_for(ends.done)
    completed = as_completed([waits, ends], timeout=0.2)
    assert next(completed).name == ends.name
    with pytest.raises(concurrent.futures.TimeoutError, match="1 jobs have not ended in time"):
        next(completed)
    waits.cancel()


def test_several_jobs_are_awaited_through_trouble(
    ours: Client, make_job: MakeJob, inject: Inject
) -> None:
    handles = [ours.submit(make_job()) for _ in range(2)]
    inject(GET, "drop_before", times=3)

    async def gather() -> list[object]:
        return list(await asyncio.gather(*handles))

    assert [type(each).__name__ for each in asyncio.run(gather())] == ["Snapshot", "Snapshot"]


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Endpoint]:
    """A Local Vertex that a test may kill."""
    endpoint = local(state_dir=tmp_path)
    endpoint.server.hold(os.getpid())
    yield endpoint
    endpoint.close()
    join(tmp_path).stop()


def restarted(own: Endpoint) -> LocalServer:
    """Kill the server, and start it again on the same directory."""
    os.kill(own.server.record.pid, signal.SIGKILL)
    wait_for(lambda: not own.server.runs())
    server = join(own.server.directory.path)
    server.hold(os.getpid())
    return server


def test_a_watch_outlives_the_server(own: Endpoint, make_job: MakeJob, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    script = tmp_path / "train.py"
    script.write_text(
        "import os, time\n"
        f"while not os.path.exists({str(gate)!r}):\n    time.sleep(0.01)\n"
        "print('through', flush=True)\n"
    )
    handle = own.submit(make_job(script_path=str(script)))
    wait_for(handle.running)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        error = pool.submit(handle.exception, 120)
        lines = pool.submit(lambda: [line.text for line in own.job(handle.name).logs(follow=True)])
        restarted(own).resume()
        gate.touch()
        assert error.result() is None
        assert lines.result().count("through") == 1
