"""The verb ``package``: what travels, what stays behind, and the proof that it works.

It contacts nothing and does not import the SDK. The list goes to stderr, the file's path to stdout.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vertex_jobs.cli.options import Options
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.words import count
from vertex_jobs.errors import PackagingError
from vertex_jobs.spec import load

if TYPE_CHECKING:
    from pathlib import Path

    from vertex_jobs.packaging import Package

__all__ = ["write_package"]

#: Enough for a traceback's end.
_LAST_LINES = 12
#: A longer list is not read; the archive has all of it.
_LISTED_FILES = 40
_LISTED_NAMES = 6
_OWN_FILES = ("__init__.py", "__main__.py")


def write_package(options: Options) -> int:
    """Write the package, prove it and print its path.

    Raises:
        UsageError: If there is no config, and not the runtime alone is wanted.
        PackagingError: If there is no package, or the proof fails.
    """
    try:
        return _write_runtime(options) if options.runtime_only else _write(options)
    except OSError as error:
        raise PackagingError(
            f"{options.output}: the package cannot be written ({error.strerror}); "
            "name another folder with --output"
        ) from error


def _write_runtime(options: Options) -> int:
    from vertex_jobs import packaging

    path = packaging.write_runtime_wheel(options.output)
    say("the runtime alone, for an image of your own; in its Dockerfile:")
    say(f"  COPY {path.name} /tmp/")
    say(f"  RUN pip install /tmp/{path.name}")
    print_result(str(path))
    return 0


def _write(options: Options) -> int:
    from vertex_jobs import packaging

    if options.optional_config is None:
        raise UsageError(
            "name a CONFIG, or ask for --runtime-only\nsee: vertex-jobs package --help"
        )
    described = packaging.describe(
        load(options.optional_config, options.overrides, options.overlays)
    )
    for line in _listing(described):
        say(line)
    *wheels, path = packaging.write(described, options.output)
    _prove(path, wheels)
    print_result(str(path))
    return 0


def _prove(path: "Path", wheels: "list[Path]") -> None:
    from vertex_jobs import packaging

    say("the proof: python -m … --help, unpacked into an empty folder")
    proof = packaging.verify(path, wheels)
    if not proof.passed:
        ended = "did not end" if proof.exit_code is None else f"ended with {proof.exit_code}"
        last = "\n".join(f"  | {line}" for line in proof.output.splitlines()[-_LAST_LINES:])
        raise PackagingError(
            f"{path} is written, but its module {ended} when asked for --help, unpacked into an "
            f"empty folder; its last lines:\n{last}"
        )
    say("  it works")


def _listing(package: "Package") -> Iterator[str]:
    """What travels with sizes, what is installed beside it, what stays behind and why."""
    runtime = [file for file in package.files if file.path.startswith("vertex_jobs/")]
    own = [file for file in package.files if file not in runtime and file.path not in _OWN_FILES]
    yield "travels:"
    for file in own[:_LISTED_FILES]:
        yield f"  {_size(len(file.content))}  {file.path}"
    if len(own) > _LISTED_FILES:
        rest = own[_LISTED_FILES:]
        yield f"  {_size(sum(len(file.content) for file in rest))}  {count(len(rest), 'more file')}"
    for wheel in package.wheels:
        yield f"  {_size(len(wheel.content))}  {wheel.file_name}, installed before it"
    size = sum(len(file.content) for file in runtime)
    yield f"  {_size(size)}  vertex_jobs.runtime, for the code to import"
    yield f"installed with it: {', '.join(package.requirements)}"
    reasons = dict.fromkeys(package.left_out.values())
    for reason in reasons:
        names = [name for name, why in package.left_out.items() if why == reason]
        more = f" and {len(names) - _LISTED_NAMES} more" if len(names) > _LISTED_NAMES else ""
        yield f"stays behind ({reason}): {', '.join(names[:_LISTED_NAMES])}{more}"


def _size(size: int) -> str:
    """Right-aligned, with the unit that makes it short."""
    for unit, scale in (("B", 1), ("kB", 1024), ("MB", 1024**2)):
        if size < 1000 * scale:
            return f"{size / scale:6.0f} {unit:<2}" if scale == 1 else f"{size / scale:6.1f} {unit}"
    return f"{size / 1024**3:6.1f} GB"
