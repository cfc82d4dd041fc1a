"""What a replica is given, and how its output and its end come back."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from launcher_runs import MODULE, Run, run_module, run_replica, spec, with_launcher

from vertex_jobs import errors
from vertex_jobs.emulator.launcher.launcher_client import Launcher
from vertex_jobs.emulator.launcher.launcher_values import Exit

BOTH = pytest.mark.parametrize("warm", [True, False], ids=["warm", "fresh"])

#: Prints all that a module can see of how it was started.
DUMP = """
    import json, os, signal, sys

    main = sys.modules["__main__"]
    seen = {
        "environment": {name: os.environ[name] for name in sorted(os.environ)},
        "argv": sys.argv,
        "orig_argv": sys.orig_argv[1:],
        "path": sys.path,
        "executable": sys.executable,
        "prefix": sys.prefix,
        "flags": repr(sys.flags),
        "folder": os.getcwd(),
        "umask": os.umask(0o022),
        "signals": {int(s): str(signal.getsignal(s)) for s in signal.valid_signals()},
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "main": {name: str(getattr(main, name)).partition(" object at ")[0]
                 for name in dir(main) if name.startswith("__") and name != "__spec__"},
        "spec": main.__spec__.name,
        "is_main": main.__dict__ is globals(),
        "descriptors": sorted(int(one) for one in os.listdir("/proc/self/fd"))[:3],
        "open": len(os.listdir("/proc/self/fd")),
        "stdin": os.readlink("/proc/self/fd/0"),
        "streams": [(s.encoding, s.errors, s.line_buffering) for s in (sys.stdout, sys.stderr)],
        "ours": [name for name in sys.modules if "vertex_jobs" in name or name in
                 ("bootstrap", "wire", "kernel")],
    }
    print(json.dumps(seen))
"""


def dump(tmp_path: Path, **changes: object) -> dict[str, object]:
    environment = {"PATH": os.environ["PATH"], "AIP_MODEL_DIR": "gs://b/model", "LANG": "C.UTF-8"}
    settings: dict[str, Any] = {"arguments": ("--a=1", "b c"), "environment": environment}
    run = run_module(tmp_path, DUMP, **{**settings, **changes})
    seen: dict[str, object] = json.loads(run.text("stdout"))
    return seen


class TestStart:
    def test_a_warm_replica_sees_what_a_fresh_one_sees(self, tmp_path: Path) -> None:
        assert dump(tmp_path, warm=True) == dump(tmp_path, warm=False)

    @BOTH
    def test_it_sees_what_python_m_shows(self, tmp_path: Path, warm: bool) -> None:
        seen: Any = dump(tmp_path, warm=warm, search_path=())
        finished = subprocess.run(
            [sys.executable, "-m", MODULE, "--a=1", "b c"],
            cwd=tmp_path,
            env=seen["environment"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
        expected = json.loads(finished.stdout)
        del expected["environment"], seen["environment"]
        assert seen == expected

    @BOTH
    def test_packages_lie_where_a_users_own_do(self, tmp_path: Path, warm: bool) -> None:
        """After the standard library, before what all share, and in what it starts."""
        folder = tmp_path / "installed"
        folder.mkdir()
        (folder / "far.pth").write_text(str(tmp_path))
        seen: Any = dump(tmp_path, warm=warm, search_path=(str(folder),))
        plain: Any = dump(tmp_path, warm=warm, search_path=())
        shared = next(path for path in plain["path"] if path.endswith("-packages"))
        assert seen["path"][seen["path"].index(str(folder)) + 1] == shared
        assert [one for one in seen["path"] if one not in plain["path"]] == [str(folder)]
        assert seen["path"][-1] == str(tmp_path)
        assert seen["environment"] == {**plain["environment"], "PYTHONPATH": str(folder)}

    @BOTH
    def test_the_environment_is_the_one_given(self, tmp_path: Path, warm: bool) -> None:
        given = {"PATH": "/usr/bin", "LANG": "C.UTF-8", "RANK": "1", "ODD": "a=b\nc \udcff"}
        seen = dump(tmp_path, warm=warm, environment=given, search_path=())
        assert seen["environment"] == given

    @BOTH
    def test_it_leads_a_session_of_its_own(self, tmp_path: Path, warm: bool) -> None:
        run = run_module(
            tmp_path,
            "import os; print(os.getpid() == os.getsid(0) == os.getpgid(0))",
            warm=warm,
        )
        assert run.text("stdout") == "True"

    @pytest.mark.parametrize("preload", [(), ("numpy",)])
    @BOTH
    def test_thread_limits_do_not_show(
        self, tmp_path: Path, warm: bool, preload: tuple[str, ...]
    ) -> None:
        source = """
            import os, subprocess, sys
            print([name for name in os.environ if "THREADS" in name])
            sys.stdout.flush()
            subprocess.run(["/usr/bin/env"])
            """
        run = run_module(tmp_path, source, warm=warm, preload=preload)
        seen, *own = run.text("stdout").split("\n")
        assert (seen, [line for line in own if "THREADS" in line]) == ("[]", [])

    @pytest.mark.parametrize("limit", ["1", "2"])
    def test_a_thread_limit_of_its_own_wins(self, tmp_path: Path, limit: str) -> None:
        source = "import os; print(os.environ['OMP_NUM_THREADS'])"
        environment = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": limit}
        run = run_module(tmp_path, source, environment=environment)
        assert (run.text("stdout"), run.replica.why_fresh == "") == (limit, limit == "1")

    def test_the_pid_is_the_servers_view(self, tmp_path: Path) -> None:
        async def body(launcher: Launcher) -> None:
            lines: asyncio.Queue[bytes] = asyncio.Queue()
            replica = await launcher.launch(
                spec(tmp_path, "import sys; print('up', flush=True); import time; time.sleep(60)"),
                lambda stream, line, time: lines.put_nowait(line),
            )
            await lines.get()
            os.kill(replica.pid, signal.SIGKILL)
            assert await replica.wait() == Exit(None, signal.SIGKILL)

        with_launcher(tmp_path, body)

    @pytest.mark.parametrize("private_root", [True, False])
    def test_two_children_draw_different_numbers(self, tmp_path: Path, private_root: bool) -> None:
        source = "import numpy, random; print(numpy.random.rand(), random.random())"
        replica_spec = spec(tmp_path, source, preload=("numpy.random", "random"))
        drawn: list[str] = []

        async def body(launcher: Launcher) -> None:
            for _ in range(2):
                run = await run_replica(launcher, replica_spec)
                assert run.replica.why_fresh == ""
                drawn.extend(run.text("stdout").split())

        with_launcher(tmp_path, body, private_root=private_root)
        assert len(set(drawn)) == 4


class TestOutput:
    @BOTH
    def test_lines_come_in_order_from_both_streams(self, tmp_path: Path, warm: bool) -> None:
        source = """
            import sys
            for number in range(2000):
                print(number)
                print(number, file=sys.stderr)
            print("no newline", end="")
            """
        run = run_module(tmp_path, source, warm=warm)
        numbers = [str(number) for number in range(2000)]
        assert run.text("stdout").split("\n") == [*numbers, "no newline"]
        assert run.text("stderr").split("\n") == numbers

    def test_an_endless_line_comes_in_pieces(self, tmp_path: Path) -> None:
        run = run_module(tmp_path, "print('x' * 200_000); print('y')")
        pieces = [len(line) for _, line in run.lines]
        assert pieces == [65536, 65536, 65536, 200_000 - 3 * 65536, 1]

    def test_a_survivor_that_holds_the_pipe_does_not_hold_the_end(self, tmp_path: Path) -> None:
        source = """
            import subprocess
            subprocess.Popen(["sleep", "60"], start_new_session=True)
            print("done")
            """
        assert run_module(tmp_path, source).text("stdout") == "done"

    @BOTH
    def test_what_was_not_closed_is_written(self, tmp_path: Path, warm: bool) -> None:
        source = """
            import helper_of_task
            file = open("left_open.txt", "w")
            file.write("all of it")
            """
        (tmp_path / "helper_of_task.py").write_text("f = open('two.txt', 'w')\nf.write('too')\n")
        run_module(tmp_path, source, warm=warm)
        written = [(tmp_path / name).read_text() for name in ("left_open.txt", "two.txt")]
        assert written == ["all of it", "too"]


ENDINGS = {
    "pass": Exit(0, None),
    "import sys; sys.exit()": Exit(0, None),
    "import sys; sys.exit(1)": Exit(1, None),
    "import sys; sys.exit(3)": Exit(3, None),
    "import sys; sys.exit(-1)": Exit(255, None),
    "import sys; sys.exit('words')": Exit(1, None),
    "1 / 0": Exit(1, None),
    "raise KeyboardInterrupt": Exit(None, signal.SIGINT),
    "import os; os.abort()": Exit(None, signal.SIGABRT),
    "import os; os._exit(7)": Exit(7, None),
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": Exit(None, signal.SIGKILL),
    "import os, signal; os.kill(os.getpid(), signal.SIGTERM)": Exit(None, signal.SIGTERM),
}


class TestEnd:
    @BOTH
    def test_every_ending_is_told(self, tmp_path: Path, warm: bool) -> None:
        async def body(launcher: Launcher) -> None:
            for number, (source, ending) in enumerate(ENDINGS.items()):
                one = spec(tmp_path, source, module=f"ending_{number}", warm=warm)
                assert (source, (await run_replica(launcher, one)).exit) == (source, ending)

        with_launcher(tmp_path, body)

    @BOTH
    def test_the_words_of_an_exit_go_to_stderr(self, tmp_path: Path, warm: bool) -> None:
        run = run_module(tmp_path, "import sys; sys.exit('no such file')", warm=warm)
        assert run.text("stderr") == "no such file"

    @BOTH
    def test_a_traceback_shows_only_the_users_frames(self, tmp_path: Path, warm: bool) -> None:
        run = run_module(tmp_path, "def fail():\n    1 / 0\n\nfail()\n", warm=warm)
        files = [line.split('"')[1] for line in run.text("stderr").split("\n") if "File" in line]
        assert files == [str(tmp_path / f"{MODULE}.py")] * 2

    @BOTH
    def test_a_syntax_error_names_the_users_line(self, tmp_path: Path, warm: bool) -> None:
        run = run_module(tmp_path, "x = 1\ny = (\n", warm=warm)
        assert run.text("stderr").split("\n")[0] == f'  File "{tmp_path}/{MODULE}.py", line 2'

    @BOTH
    def test_a_missing_module_is_named(self, tmp_path: Path, warm: bool) -> None:
        one = spec(tmp_path, "pass", warm=warm)
        (tmp_path / f"{MODULE}.py").unlink()
        errors_seen: list[Run] = []

        async def body(launcher: Launcher) -> None:
            errors_seen.append(await run_replica(launcher, one))

        with_launcher(tmp_path, body)
        assert errors_seen[0].text("stderr") == f"{sys.executable}: No module named {MODULE}"

    @BOTH
    def test_exit_handlers_and_threads_come_before_the_end(
        self, tmp_path: Path, warm: bool
    ) -> None:
        source = """
            import atexit, threading
            import __main__

            def last():
                print("handler", __main__.word)

            word = "of main"
            atexit.register(last)
            go = threading.Event()
            threading.Thread(target=lambda: (go.wait(), print("thread", word))).start()
            threading.Timer(0.05, go.set).start()
            """
        run = run_module(tmp_path, source, warm=warm)
        assert run.text("stdout") == "thread of main\nhandler of main"

    @BOTH
    def test_an_interpreter_that_is_not_there_is_named(self, tmp_path: Path, warm: bool) -> None:
        run = run_module(tmp_path, "pass", interpreter="/no/such/python", warm=warm)
        assert (run.exit, run.text("stderr")) == (
            Exit(128, None),
            "cannot start '/no/such/python': No such file or directory",
        )

    @BOTH
    def test_a_working_directory_that_is_not_there_is_named(
        self, tmp_path: Path, warm: bool
    ) -> None:
        run = run_module(tmp_path, "pass", working_directory="/no/such/folder", warm=warm)
        assert (run.exit, run.text("stderr")) == (
            Exit(1, None),
            "cannot enter the working directory '/no/such/folder': No such file or directory",
        )


class TestWarmParent:
    @pytest.mark.parametrize("method", ["fork", "spawn"])
    @BOTH
    def test_multiprocessing_works(self, tmp_path: Path, warm: bool, method: str) -> None:
        source = f"""
            import multiprocessing

            def square(number):
                return number * number

            if __name__ == "__main__":
                with multiprocessing.get_context({method!r}).Pool(2) as pool:
                    print(pool.map(square, [1, 2, 3]))
            """
        run = run_module(tmp_path, source, warm=warm, preload=("multiprocessing",))
        assert (run.text("stdout"), run.text("stderr")) == ("[1, 4, 9]", "")

    @pytest.mark.parametrize(
        ("name", "why_fresh"),
        [
            ("busy", "the imports left 2 threads running (busy, python); one is safe to fork"),
            ("jemalloc_bg_thd", ""),
        ],
    )
    def test_the_guard_refuses_after_a_thread_that_does_not_mind_forks(
        self, tmp_path: Path, name: str, why_fresh: str
    ) -> None:
        site = tmp_path / "site"
        site.mkdir()
        (site / "starts_a_thread.py").write_text(
            "import threading, time\n"
            "from pathlib import Path\n"
            "named = threading.Event()\n"
            "def work():\n"
            f"    Path('/proc/thread-self/comm').write_text({name!r})\n"
            "    named.set()\n"
            "    time.sleep(600)\n"
            "Path('/proc/self/comm').write_text('python')\n"
            "threading.Thread(target=work, daemon=True).start()\n"
            "named.wait()\n"
        )
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
        source = "import starts_a_thread; print('ran')"
        run = run_module(tmp_path, source, preload=("starts_a_thread",), environment=environment)
        assert (run.replica.why_fresh, run.text("stdout")) == (why_fresh, "ran")

    def test_a_module_that_cannot_be_imported_is_the_scripts_to_meet(self, tmp_path: Path) -> None:
        run = run_module(tmp_path, "import no_such_thing", preload=("no_such_thing", "json"))
        assert run.replica.preload_failures == {
            "no_such_thing": "ModuleNotFoundError: No module named 'no_such_thing'"
        }
        assert run.text("stderr").endswith("No module named 'no_such_thing'")

    def test_an_import_that_crashes_leads_to_a_fresh_start(self, tmp_path: Path) -> None:
        site = tmp_path / "site"
        site.mkdir()
        (site / "crashes.py").write_text(
            "import os, sys\nif 'warm_parent' in sys.argv[0]:\n    os.abort()\n"
        )
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
        run = run_module(tmp_path, "print(1)", preload=("crashes",), environment=environment)
        assert (run.replica.why_fresh, run.text("stdout")) == (
            "the warm parent died while it imported crashes",
            "1",
        )

    def test_a_new_installation_gets_a_new_parent(self, tmp_path: Path) -> None:
        site = tmp_path / "site-packages"
        site.mkdir()
        (site / "library.py").write_text("version = 'old'\n")
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site)}
        source = "import library; print(library.version)"
        one = spec(tmp_path, source, preload=("library",), environment=environment)

        async def body(launcher: Launcher) -> None:
            assert (await run_replica(launcher, one)).text("stdout") == "old"
            (site / "library.py").write_text("version = 'renewed'\n")
            (site / "library-2.dist-info").mkdir()
            run = await run_replica(launcher, one)
            assert (run.text("stdout"), run.replica.why_fresh) == ("renewed", "")

        with_launcher(tmp_path, body)

    def test_the_replicas_of_a_job_share_a_parent(self, tmp_path: Path) -> None:
        parents = []

        async def body(launcher: Launcher) -> None:
            for number in "01":
                environment = {
                    "PATH": os.environ["PATH"],
                    "AIP_MODEL_DIR": f"gs://bucket/{number}",
                    "CLOUD_ML_TRIAL_ID": number,
                    "TF_CONFIG": number,
                }
                one = spec(tmp_path, "import os; print(os.getppid())", environment=environment)
                parents.append((await run_replica(launcher, one)).text("stdout"))

        with_launcher(tmp_path, body)
        assert parents[0] == parents[1]

    def test_a_variable_that_acts_at_import_gets_another_parent(self, tmp_path: Path) -> None:
        parents = []

        async def body(launcher: Launcher) -> None:
            for backend in ("jax", "tensorflow"):
                environment = {"PATH": os.environ["PATH"], "KERAS_BACKEND": backend}
                one = spec(tmp_path, "import os; print(os.getppid())", environment=environment)
                parents.append((await run_replica(launcher, one)).text("stdout"))

        with_launcher(tmp_path, body)
        assert parents[0] != parents[1]

    def test_an_edited_script_is_read_anew(self, tmp_path: Path) -> None:
        async def body(launcher: Launcher) -> None:
            for word in ("first", "second"):
                (tmp_path / "sibling.py").write_text(f"word = {word!r}\n" + "#" * len(word))
                one = spec(tmp_path, f"import sibling; print({word!r}, sibling.word)")
                run = await run_replica(launcher, one)
                assert run.text("stdout") == f"{word} {word}"

        with_launcher(tmp_path, body)


def test_a_launcher_that_is_gone_says_so(tmp_path: Path) -> None:
    async def body(launcher: Launcher) -> None:
        await launcher.close()
        with pytest.raises(errors.EndpointLostError, match="the launcher process is gone"):
            await launcher.launch(spec(tmp_path, "pass"), lambda *_: None)

    with_launcher(tmp_path, body)
