import asyncio
from collections.abc import Mapping

import pytest

from vertex_jobs.emulator.replicas import accelerators
from vertex_jobs.emulator.replicas.accelerators import AcceleratorPool, find_devices, variables_for


def test_devices_are_handed_out_in_order_and_taken_back() -> None:
    async def use() -> list[list[str]]:
        pool, seen = AcceleratorPool(("0", "1", "2")), []
        async with pool.hold(2) as first:
            seen.append(first)
            async with pool.hold(1) as second:
                seen.append(second)
        async with pool.hold(3) as again:
            seen.append(again)
        return seen

    assert asyncio.run(use()) == [["0", "1"], ["2"], ["0", "1", "2"]]


def test_whoever_came_first_is_served_first_even_if_a_smaller_wish_could_be_met() -> None:
    async def use() -> list[str]:
        pool, order = AcceleratorPool(("0", "1")), []
        release = asyncio.Event()

        async def job(name: str, count: int) -> None:
            async with pool.hold(count):
                order.append(name)

        async def holder() -> None:
            async with pool.hold(1):
                await release.wait()

        held = asyncio.create_task(holder())
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(job("two", 2)), asyncio.create_task(job("one", 1))]
        await asyncio.sleep(0)
        release.set()
        await asyncio.gather(held, *waiting)
        return order

    assert asyncio.run(use()) == ["two", "one"]


def test_a_job_that_gives_up_waiting_lets_the_next_one_through() -> None:
    async def use() -> list[str]:
        pool = AcceleratorPool(("0", "1"))

        async def take(count: int) -> list[str]:
            async with pool.hold(count) as devices:
                return devices

        async with pool.hold(1):
            greedy = asyncio.create_task(take(2))
            modest = asyncio.create_task(take(1))
            await asyncio.sleep(0)
            greedy.cancel()
            return await modest

    assert asyncio.run(use()) == ["1"]


def test_a_wait_is_announced_with_what_is_free() -> None:
    async def use() -> list[int]:
        pool, said = AcceleratorPool(("0", "1", "2")), []

        async def wait() -> None:
            async with pool.hold(3, said.append):
                pass

        async with pool.hold(1):
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(0)
        await waiting
        return said

    assert asyncio.run(use()) == [2]


def test_nothing_is_handed_out_where_there_is_nothing() -> None:
    async def use() -> list[str]:
        async with AcceleratorPool().hold(0) as devices:
            return devices

    assert asyncio.run(use()) == []


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({}, ("0", "1", "2")),
        ({"CUDA_VISIBLE_DEVICES": ""}, ()),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, ()),
        ({"CUDA_VISIBLE_DEVICES": "2,0"}, ("2", "0")),
        ({"CUDA_VISIBLE_DEVICES": "GPU-1f,-1,0"}, ("GPU-1f",)),
    ],
)
def test_the_starters_own_choice_limits_the_devices(
    environ: Mapping[str, str], found: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accelerators, "_gpu_count", lambda: 3)
    assert find_devices(environ) == found


def test_a_process_sees_its_own_devices_in_the_order_of_the_bus() -> None:
    assert variables_for(["2", "3"]) == {
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "CUDA_VISIBLE_DEVICES": "2,3",
    }
