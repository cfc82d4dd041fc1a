"""A config as text or mapping, checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from configs_to_check import TODAY

from vertex_jobs.preflight import Report, check
from vertex_jobs.requests import Place
from vertex_jobs.spec import examine


@pytest.fixture
def checked(tmp_path: Path) -> Callable[..., Report]:
    """Writes a config, and checks it for Vertex AI."""

    def write_and_check(config: dict[str, Any], **settings: Any) -> Report:
        path = tmp_path / "job.yaml"
        path.write_text(yaml.safe_dump(config))
        where = {"on": "vertex", "location": "us-central1", "today": TODAY, **settings}
        place = Place("p", where.pop("location"), str(config.get("staging_bucket", "")))
        return check(examine(path), place=place, **where)

    return write_and_check
