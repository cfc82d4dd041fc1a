"""A job's settings that Vertex AI does not have, as the controllers read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vertex_jobs.emulator.status import ApiError
from vertex_jobs.errors import InvalidJobError
from vertex_jobs.spec.local import LocalSettings

__all__ = ["JobSettings"]


@dataclass(frozen=True)
class JobSettings:
    """What came with the create request beside the job.

    Attributes:
        local: The config's ``local:`` section.
        fresh: Whether every replica starts as a fresh process.
    """

    local: LocalSettings
    fresh: bool = False

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> "JobSettings":
        """The settings in the options of a create request.

        Raises:
            ApiError: INVALID_ARGUMENT, with every fault of the ``local:`` section.
        """
        section = {key: options[key] for key in LocalSettings.model_fields if key in options}
        try:
            local = LocalSettings(**section)
        except InvalidJobError as error:
            raise ApiError("INVALID_ARGUMENT", f"local settings: {error}") from error
        return cls(local, bool(options.get("fresh")))
