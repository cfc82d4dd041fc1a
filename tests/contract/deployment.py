"""Which Vertex AI the suite runs against: Local Vertex, a real project, or recorded exchanges.

``VERTEX_JOBS_CONTRACT_PROJECT``, ``…_LOCATION`` and ``…_BUCKET`` name a real project,
``…_BUDGET`` its ceiling in US dollars; ``…_RECORD`` a folder for what it said, ``…_POLL_SECONDS``
the time between two looks; ``…_REPLAY`` such a folder, which then answers instead of a server.
Without any of them Local Vertex is started.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from exchanges import BUCKET, PROJECT

PREFIX = "VERTEX_JOBS_CONTRACT_"
#: A job waits for machines and installs its package for some minutes on the service.
_LIVE_PATIENCE_SECONDS = 3600.0
_LIVE_POLL_SECONDS = 10.0


@dataclass(frozen=True)
class Deployment:
    """Where requests go.

    Attributes:
        kind: ``local``, ``live`` or ``replay``.
        project: Project id.
        location: Region.
        bucket: Staging bucket; made in a real project if it is not there.
        budget_usd: What the jobs may cost at worst.
        folder: Where exchanges are written (live) or read (replay).
        patience_seconds: How long a job may take.
        poll_seconds: Between two looks at a job.
    """

    kind: str = "local"
    project: str = "local-project"
    location: str = "us-central1"
    bucket: str = "contract-suite"
    budget_usd: float = 0.0
    folder: Path | None = None
    patience_seconds: float = 60.0
    poll_seconds: float = 0.02

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Deployment":
        """What the variables say.

        Raises:
            ValueError: If a real project is named without bucket or budget.
        """
        values = {
            name.removeprefix(PREFIX): value
            for name, value in environ.items()
            if name.startswith(PREFIX) and value
        }
        location = values.get("LOCATION", cls.location)
        if "REPLAY" in values:
            folder = Path(values["REPLAY"])
            return cls("replay", PROJECT, location, BUCKET, folder=folder, poll_seconds=0.0)
        if "PROJECT" not in values:
            return cls()
        missing = [f"{PREFIX}{name}" for name in ("BUCKET", "BUDGET") if name not in values]
        if missing:
            raise ValueError(
                f"a real project costs money: set {' and '.join(missing)}, the staging bucket and "
                "the ceiling in US dollars"
            )
        return cls(
            "live",
            values["PROJECT"],
            location,
            values["BUCKET"].removeprefix("gs://").rstrip("/"),
            float(values["BUDGET"]),
            Path(values["RECORD"]) if "RECORD" in values else None,
            _LIVE_PATIENCE_SECONDS,
            float(values.get("POLL_SECONDS", _LIVE_POLL_SECONDS)),
        )
