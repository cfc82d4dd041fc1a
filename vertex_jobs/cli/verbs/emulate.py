"""``emulate``: Local Vertex for programs that know nothing of it.

It prints what a person needs to point a program at the server; what a program itself needs is in
its environment.
"""

import os
import shlex
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from vertex_jobs.cli.endpoint_access import open_endpoint, resume_interrupted
from vertex_jobs.cli.options import option, option_error, switch
from vertex_jobs.cli.shared_options import EndpointOptions, state_directory_option
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.verb import Verb
from vertex_jobs.errors import EndpointLostError
from vertex_jobs.names import ResourceName
from vertex_jobs.requests import LOCAL_PLACE
from vertex_jobs.state import state_directory
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.emulator.joining import LocalServer

#: Seconds between two looks whether the server still lives.
_LOOK_SECONDS = 1.0
#: Sent by the kernel, not by a process: Ctrl-C, which the command has got as well.
#: Source: the siginfo_t page of the Linux manual.
_SI_KERNEL = 0x80
_FORWARDED = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """The server, and what programs that say nothing get from it."""

    TITLE: ClassVar = "server"

    state_dir: Path | None = state_directory_option()
    project: str | None = option(
        "--project ID", "default project of programs (default: local-project)"
    )
    location: str | None = option("--location, --region L", "default region (default: us-central1)")


@dataclass(frozen=True, kw_only=True)
class EmulateOptions:
    """The options of ``emulate``."""

    print_env: bool = switch(
        "--print-env",
        "print the variables as shell commands, and keep the server while the calling shell lives",
    )
    strict: bool = switch(
        "--strict",
        "answer as the service does in what is eased otherwise: a bucket that nobody made is not "
        "there, reads are answered at once, a log query has to name the right field",
    )
    settings: Path | None = option(
        "--settings FILE",
        "a YAML file whose section local: holds for every job that a program makes, as it "
        "does in a config (default: none)",
    )
    server: ServerOptions
    command: tuple[str, ...] = ()


def emulate(options: EmulateOptions) -> int:
    """Run a command against Local Vertex, print its environment, or serve.

    Raises:
        InvalidJobError: If the command does not exist, or the settings have faults.
        EndpointLostError: If the server ends while it is needed.
    """
    if options.print_env and options.command:
        rule = "prints variables for a shell, and a command gets them by itself"
        raise option_error("--print-env", None, rule, "drop one")
    if options.command and shutil.which(options.command[0]) is None:
        rule = "is no command that can be run"
        raise option_error("COMMAND", options.command[0], rule, "correct the name or the path")
    settings = _settings(options.settings)
    place = options.server
    where = EndpointOptions(
        state_dir=place.state_dir, project=place.project, location=place.location
    )
    with open_endpoint(where) as endpoint:
        server = endpoint.server
        resume_interrupted(endpoint)
    # Whether the reads of unmodified clients are held; None leaves the server as it is.
    hold_reads = False if options.strict else bool(options.command) or None
    strict = options.strict or None
    if options.print_env:
        server.hold(os.getppid(), hold_reads=hold_reads, strict=strict, settings=settings)
        for name, value in _variables(server).items():
            print_result(f"export {name}={shlex.quote(value)}")
        return 0
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_FORWARDED, signal.SIGCHLD})
    began = time.time()
    try:
        server.hold(os.getpid(), hold_reads=hold_reads, strict=strict, settings=settings)
        return _run(server, options.command) if options.command else _serve(server)
    finally:
        _say_failed(server, began)
        _end(server)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_FORWARDED, signal.SIGCHLD})


VERB = Verb(
    description="With a command: runs it with the environment that points every Google client at "
    "Local Vertex, and exits with its code. Without: serves until Ctrl-C. Jobs that were "
    "interrupted go on. A server that this command started ends with it.",
    examples=(
        "emulate -- python my_program.py",
        "emulate",
        "emulate --settings configs/digits_search.yaml -- python my_program.py",
        'emulate --print-env    # in a shell: eval "$(vertex-jobs emulate --print-env)"',
    ),
    options=EmulateOptions,
    handler=emulate,
    takes_command=True,
)


def _settings(path: Path | None) -> dict[str, Any] | None:
    """Return what holds for jobs that bring no settings of their own; None without a file."""
    if path is None:
        return None
    from vertex_jobs.spec import load_local

    return load_local(path).model_dump(mode="json", exclude_defaults=True)


def _variables(server: "LocalServer") -> dict[str, str]:
    from vertex_jobs.endpoints import google_environment

    # The last one is for our own programs, which then join this server.
    state = {"VERTEX_JOBS_STATE_DIR": str(server.directory.path)}
    return google_environment(server) | state


def _run(server: "LocalServer", command: tuple[str, ...]) -> int:
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


def _say_failed(server: "LocalServer", since: float) -> None:
    """Print the jobs that failed meanwhile, each with the command that shows why."""
    if not server.runs():
        return
    state = server.directory.path
    for name, project in server.failed(since):
        job = ResourceName.parse(name)
        words = ["vertex-jobs", "logs", job.resource_id, "--project", project]
        words += ["--location", job.location] if job.location != LOCAL_PLACE.location else []
        words += ["--state-dir", str(state)] if state != state_directory(None) else []
        say(f"failed: {shlex.join(words)}")


def _end(server: "LocalServer") -> None:
    """Stop the server if this command started it, and say which jobs go on later."""
    if not server.started or not server.runs():
        return
    names = server.stop()
    if names:
        state = shlex.quote(str(server.directory.path))
        say(f"stopped {count(len(names), 'job')} that still ran:")
        for name in names:
            say(f"  {name}")
        say(f"to go on with them: vertex-jobs watch JOB --state-dir {state}, or emulate again")
