"""``image CONFIG``: the Dockerfile of an image that has a config's libraries, and how to build it.

It asks the package index for exact versions, and nothing else; the list goes to stderr, the
Dockerfile's path to stdout.
"""

from dataclasses import dataclass
from pathlib import Path

from vertex_jobs.cli.options import option
from vertex_jobs.cli.shared_options import ConfigOptions
from vertex_jobs.cli.terminal import print_result, say, warn
from vertex_jobs.cli.verb import Verb
from vertex_jobs.errors import PackagingError

_REPOSITORY = "us-central1-docker.pkg.dev/PROJECT/REPOSITORY"


@dataclass(frozen=True, kw_only=True)
class ImageOptions:
    """The options of ``image``."""

    config: ConfigOptions
    output: Path = option(
        "--output DIR",
        "folder of the files, created if missing (default: image)",
        default=Path("image"),
    )
    repository: str = option(
        "--repository ADDRESS",
        f"of Artifact Registry, where the image is to lie (default: {_REPOSITORY})",
        default=_REPOSITORY,
    )


def image(options: ImageOptions) -> int:
    """Write the files, print the Dockerfile's path and say how the image is built.

    Raises:
        PackagingError: If the script cannot be packaged, or the files cannot be written.
    """
    from datetime import datetime, timezone

    from vertex_jobs import packaging
    from vertex_jobs.jobs import load

    config = options.config
    job = load(config.path, config.overrides, config.overlays)
    today = datetime.now(timezone.utc).date()
    try:
        files = packaging.write_image(job, packaging.describe(job), options.output, today)
    except OSError as error:
        raise PackagingError(
            f"{options.output}: the files cannot be written ({error.strerror}); "
            "name another folder with --output"
        ) from error
    if files.unpinned:
        warn(f"versions are as in the config, not exact: {files.unpinned}")
    name = f"{options.repository}/{job.display_name}:{files.tag}"
    say("build it there, and push it:")
    say(f"  gcloud builds submit {files.folder} --tag={name} --timeout=3600")
    if files.twin is not None:
        say("here, without GPUs, from the twin beside it:")
        say(f"  docker build --file {files.twin} --tag={job.display_name}-cpu {files.folder}")
    say("then, in the config; the script still travels with each submission:")
    say(f"  container_uri: {name}")
    print_result(str(files.folder / "Dockerfile"))
    return 0


VERB = Verb(
    description="A Dockerfile with the config's image as its base, its requirements in exact "
    "versions, its private wheels and the small wheel of vertex_jobs.runtime. A job on such an "
    "image starts without installing gigabytes. A config with GPUs has a twin for CPUs beside it, "
    "to rehearse with. Nothing is built or pushed.",
    examples=(
        "image configs/digits_training.yaml",
        "image configs/mirrored_fit.yaml --repository us-docker.pkg.dev/my-project/training",
    ),
    options=ImageOptions,
    handler=image,
)
