"""The requirements of every config, resolved for its image's Python, and how they are stored.

``tests/docs/resolved_configs.json`` holds what uv chose when it last could ask an index; after a
change of a config's requirements, write it again:

    python tests/docs/resolved_configs.py
"""

import json
from pathlib import Path

from vertex_jobs.catalog.container_images import parse_image
from vertex_jobs.packaging import describe, resolve
from vertex_jobs.spec import load

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
STORED = Path(__file__).with_suffix(".json")


def asked(config: Path) -> tuple[list[str], str]:
    """What is to be installed beside each other, the image's own among it, and for which Python."""
    job = load(config)
    images = {pool.container_uri for pool in job.worker_pools_resolved()}
    (image,) = map(parse_image, images)
    assert image is not None
    return sorted((*image.requirements, *describe(job).requirements)), image.python


def resolved(config: Path) -> dict[str, object]:
    """What the index answers: the exact versions; PackagingError if they do not fit together."""
    requirements, python = asked(config)
    return {
        "python": python,
        "asked": requirements,
        "chosen": list(resolve(requirements, python)),
    }


def stored() -> dict[str, dict[str, object]]:
    """What was chosen, by the config's name."""
    found: dict[str, dict[str, object]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    everything = {config.stem: resolved(config) for config in CONFIGS}
    STORED.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
