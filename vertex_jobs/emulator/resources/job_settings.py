"""A job's settings that Vertex AI does not have, read once from what came with its creation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vertex_jobs.emulator.status import ApiError
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec.local import LocalSettings


@dataclass(frozen=True)
class JobSettings:
    """The settings of one job.

    Attributes:
        fresh: Whether every replica starts as a fresh process.
        warnings: Lines from admission for the job's log.
        data_variables: Variables that lead to the dataset that a pipeline exported for the job.
    """

    local: LocalSettings = field(default_factory=LocalSettings)
    fresh: bool = False
    warnings: tuple[str, ...] = ()
    data_variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> "JobSettings":
        """Read the options of a create request, or what the store has kept of them.

        Raises:
            ApiError: INVALID_ARGUMENT, with every fault of the ``local:`` section.
        """
        section = {key: options[key] for key in LocalSettings.model_fields if key in options}
        try:
            local = LocalSettings(**section)
        except InvalidJobError as error:
            raise ApiError("INVALID_ARGUMENT", f"local settings: {error}") from error
        return cls(
            local,
            bool(options.get("fresh")),
            tuple(options.get("warnings", ())),
            dict(options.get("data_variables", {})),
        )
