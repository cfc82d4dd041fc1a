"""``package CONFIG``: what travels, what stays behind, and the proof that it works.

It contacts nothing and does not import the SDK. The list goes to stderr, the file's path to stdout.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vertex_jobs.cli.options import option, switch
from vertex_jobs.cli.parser import UsageError
from vertex_jobs.cli.shared_options import OptionalConfigOptions
from vertex_jobs.cli.terminal import print_result, say
from vertex_jobs.cli.verb import Verb
from vertex_jobs.errors import PackagingError
from vertex_jobs.wording import count

if TYPE_CHECKING:
    from vertex_jobs.packaging import Package

#: Enough for a traceback's end.
_LAST_LINES = 12
#: A longer list is not read; the archive has all of it.
_LISTED_FILES = 40
_LISTED_NAMES = 6
_OWN_FILES = ("__init__.py", "__main__.py")


@dataclass(frozen=True, kw_only=True)
class PackageOptions:
    """The options of ``package``."""

    config: OptionalConfigOptions
    output: Path = option(
        "--output DIR",
        "folder of the package, created if missing (default: dist)",
        default=Path("dist"),
    )
    runtime_only: bool = switch(
        "--runtime-only",
        "without CONFIG: write the wheel that holds vertex_jobs.runtime and nothing else",
    )


def package(options: PackageOptions) -> int:
    """Write the package, prove it and print its path.

    Raises:
        UsageError: If there is no config, and not the runtime alone is wanted.
        PackagingError: If there is no package, or the proof fails.
    """
    try:
        if options.runtime_only:
            return _write_runtime(options.output)
        return _write(options.config, options.output)
    except OSError as error:
        raise PackagingError(
            f"{options.output}: the package cannot be written ({error.strerror}); "
            "name another folder with --output"
        ) from error


VERB = Verb(
    description="A source distribution whose name holds the hash of its content. What travels: a "
    "script and what it imports beside it, or a whole package folder; data_files; private wheels. "
    "What stays: exclude_files, what git ignores, build leftovers. A secret is refused. The "
    "proof: pip installs it into an empty environment, which has no library but what image and "
    "requirements bring, and its module answers --help there.",
    examples=(
        "package configs/digits_search.yaml",
        "package configs/digits_search.yaml --output /tmp",
        "package --runtime-only    # the small wheel for an image of your own",
    ),
    options=PackageOptions,
    handler=package,
)


def _write_runtime(folder: Path) -> int:
    from vertex_jobs import packaging

    path = packaging.write_runtime_wheel(folder)
    say("the runtime alone, for an image of your own; in its Dockerfile:")
    say(f"  COPY {path.name} /tmp/")
    say(f"  RUN pip install /tmp/{path.name}")
    print_result(str(path))
    return 0


def _write(config: OptionalConfigOptions, folder: Path) -> int:
    from vertex_jobs import packaging
    from vertex_jobs.jobs import load

    if config.path is None:
        raise UsageError(
            "name a CONFIG, or ask for --runtime-only\nsee: vertex-jobs package --help"
        )
    job = load(config.path, config.overrides, config.overlays)
    described = packaging.describe(job)
    for line in _listing(described):
        say(line)
    *wheels, path = packaging.write(described, folder)
    _prove(path, wheels, described, job.worker_pools_resolved()[0].container_uri)
    print_result(str(path))
    return 0


def _prove(path: Path, wheels: list[Path], package: "Package", container_uri: str) -> None:
    from vertex_jobs import packaging
    from vertex_jobs.catalog.container_images import parse_image

    say("the proof: python -m … --help, installed into an empty environment")
    image = parse_image(container_uri)
    libraries: frozenset[str] | None = None
    if image is None:
        say("  what the image brings is not known: every library that is installed here is seen")
    else:
        libraries = packaging.seen_libraries(package, image.requirements)
    proof = packaging.verify(path, wheels, libraries=libraries)
    if not proof.passed:
        ended = "did not end" if proof.exit_code is None else f"ended with {proof.exit_code}"
        last = "\n".join(f"  | {line}" for line in proof.output.splitlines()[-_LAST_LINES:])
        raise PackagingError(
            f"{path} is written, but its module {ended} when asked for --help, installed into "
            f"an empty environment; its last lines:\n{last}"
        )
    say("  it works")


def _listing(package: "Package") -> Iterator[str]:
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
    """Return a size in the unit that makes it short, aligned to the right."""
    for unit, scale in (("B", 1), ("kB", 1024), ("MB", 1024**2)):
        if size < 1000 * scale:
            return f"{size / scale:6.0f} {unit:<2}" if scale == 1 else f"{size / scale:6.1f} {unit}"
    return f"{size / 1024**3:6.1f} GB"
