"""The verb ``emulate``: Local Vertex for programs that know nothing of it.

It prints what a person needs to point a program at the server; what a program itself needs is in
its environment.
"""

import os
import shlex
import shutil
import signal
from typing import TYPE_CHECKING, Any

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.places import open_endpoint, resume_interrupted
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.words import count
from vertex_jobs.errors import EndpointLostError, Fault, InvalidJobError

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer

__all__ = ["emulate"]

#: Seconds between two looks whether the server still lives.
_LOOK_SECONDS = 1.0
#: Sent by the kernel, not by a process: Ctrl-C, which the command has got as well.
#: Source: the siginfo_t page of the Linux manual.
_SI_KERNEL = 0x80
_FORWARDED = (signal.SIGINT, signal.SIGTERM)


def emulate(options: Options) -> int:
    """Run a command against Local Vertex, print its environment, or serve.

    Raises:
        InvalidJobError: If the command does not exist, or the settings have faults.
        EndpointLostError: If the server ends while it is needed.
    """
    if options.print_env and options.command:
        rule = "prints variables for a shell, and a command gets them by itself"
        raise InvalidJobError([Fault("--print-env", None, rule, "drop one")], "command line")
    if options.command and shutil.which(options.command[0]) is None:
        rule = "is no command that can be run"
        fault = Fault("COMMAND", options.command[0], rule, "correct the name or the path")
        raise InvalidJobError([fault], "command line")
    settings = _settings(options)
    with open_endpoint(options) as endpoint:
        server = endpoint.server
        resume_interrupted(endpoint)
    if options.print_env:
        return _print_environment(server, options, settings)
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_FORWARDED, signal.SIGCHLD})
    try:
        hold_reads = _hold_reads(options, bool(options.command))
        server.hold(os.getpid(), hold_reads=hold_reads, settings=settings)
        return _run(server, options.command) if options.command else _serve(server)
    finally:
        _end(server)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_FORWARDED, signal.SIGCHLD})


def _settings(options: Options) -> dict[str, Any] | None:
    """What holds for jobs that bring no settings of their own; None if nothing was said.

    Raises:
        InvalidJobError: With every fault of the file.
    """
    if options.settings is None:
        return None
    from vertex_jobs.spec import load_local

    return load_local(options.settings).model_dump(mode="json", exclude_defaults=True)


def _hold_reads(options: Options, default: bool) -> bool | None:
    """Whether unmodified clients' reads are held; None leaves the server as it is."""
    return False if options.strict else default or None


def _variables(server: "LocalServer") -> dict[str, str]:
    from vertex_jobs.endpoints import google_environment

    # The last one is for our own programs, which then join this server.
    state = {"VERTEX_JOBS_STATE_DIR": str(server.directory.path)}
    return google_environment(server) | state


def _print_environment(
    server: "LocalServer", options: Options, settings: dict[str, Any] | None
) -> int:
    server.hold(os.getppid(), hold_reads=_hold_reads(options, False), settings=settings)
    for name, value in _variables(server).items():
        print_result(f"export {name}={shlex.quote(value)}")
    return 0


def _run(server: "LocalServer", command: list[str]) -> int:
    """Run the command and return its exit code, 128 and the number for a signal."""
    say(f"Local Vertex answers on {server.record.url}; running {command[0]}")
    # Blocked signals stay blocked over exec, and the command must get its own.
    pid = os.posix_spawnp(command[0], command, os.environ | _variables(server), setsigmask=[])
    while True:
        news = signal.sigwaitinfo({*_FORWARDED, signal.SIGCHLD})
        if news.si_signo != signal.SIGCHLD:
            if news.si_code != _SI_KERNEL:
                os.kill(pid, news.si_signo)
            continue
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _serve(server: "LocalServer") -> int:
    """Serve until Ctrl-C.

    Raises:
        EndpointLostError: If the server ends by itself.
    """
    state = shlex.quote(str(server.directory.path))
    say(f"Local Vertex answers on {server.record.url}; Ctrl-C ends it")
    say(f'  a shell:    eval "$(vertex-jobs emulate --print-env --state-dir {state})"')
    say(f"  a command:  vertex-jobs emulate --state-dir {state} -- COMMAND")
    while signal.sigtimedwait(_FORWARDED, _LOOK_SECONDS) is None:
        if not server.runs():
            raise EndpointLostError(
                f"Local Vertex has ended by itself; its log is {server.directory.server_log}"
            )
    return 0


def _end(server: "LocalServer") -> None:
    """Stop the server if this command started it; say which jobs go on later."""
    if not server.started or not server.runs():
        return
    names = server.stop()
    if names:
        state = shlex.quote(str(server.directory.path))
        say(f"stopped {count(len(names), 'job')} that still ran:")
        for name in names:
            say(f"  {name}")
        say(f"to go on with them: vertex-jobs watch JOB --state-dir {state}, or emulate again")
