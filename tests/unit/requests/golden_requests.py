"""The golden requests: which there are, and how they are made anew.

After an intended change, write them again and read the difference:

    python tests/unit/requests/golden_requests.py
"""

import json
from pathlib import Path
from typing import Any

from vertex_jobs.packaging import Package
from vertex_jobs.requests import Place, Request, build
from vertex_jobs.spec import load

GOLDEN = Path(__file__).parent / "golden"
CONFIGS = Path(__file__).parents[3] / "configs"
PUBLISHED = ("digits_search", "digits_training")
NAMES = [*sorted(path.stem for path in GOLDEN.glob("*.yaml")), *PUBLISHED]

PLACE = Place("my-project", "us-central1", "gs://my-bucket/staging")
#: Stands for whatever the scripts hold, so that only a change of the request changes a file.
PACKAGE = Package(
    module_name="vertex_jobs_task_0123456789ab",
    content_hash="0123456789ab",
    file_name="vertex_jobs_task_0123456789ab-0.1.0.tar.gz",
    files=(),
    requirements=(),
)


def request(name: str) -> Request:
    """The request of a golden config, or of a published one."""
    config = GOLDEN / f"{name}.yaml"
    job = load(config if config.exists() else CONFIGS / f"{name}.yaml")
    return build(job, PACKAGE if job.script_path is not None else None, PLACE)


def recorded(name: str) -> dict[str, Any]:
    """The golden body."""
    body: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return body


if __name__ == "__main__":
    for name in NAMES:
        text = json.dumps(request(name).body, indent=2, ensure_ascii=False)
        (GOLDEN / f"{name}.json").write_text(text + "\n", encoding="utf-8")
