"""The exception tree: one class for each thing a caller can do something about.

    VertexJobsError
    ├── InvalidJobError            the input is wrong; every fault at once; nothing was submitted
    ├── PackagingError             the script or package cannot be packaged
    ├── UnsupportedHereError       this machine or endpoint cannot do it; says what can
    │   └── NotSignedInError       there are no Google credentials here, or no project
    ├── JobFailedError             the job ended without success
    ├── NoFeasibleTrialError       a study has no trial that could win
    └── EndpointError              the endpoint refused, was lost, or knows no such job
        ├── JobNotFoundError       no job of that id, name or display name
        ├── RequestRefusedError    the endpoint answered with an error; it carries the code
        │   ├── JobRefusedError    the endpoint found the job wrong; nothing was submitted
        │   └── ServerFaultError   Local Vertex has a fault of its own, which its log explains
        ├── EndpointLostError      the endpoint could not be reached
        └── SubmissionUnknownError it is unknown whether the job exists; says how to find out

Every message names the value, the rule it breaks and the remedy. The command line maps the
branches to exit codes: input 2, job 1, endpoint 3. What does not stop a job is a
`VertexJobsWarning`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

__all__ = [
    "EndpointError",
    "EndpointLostError",
    "Fault",
    "InvalidJobError",
    "JobFailedError",
    "JobNotFoundError",
    "JobRefusedError",
    "NoFeasibleTrialError",
    "NotSignedInError",
    "PackagingError",
    "RequestRefusedError",
    "ServerFaultError",
    "SubmissionUnknownError",
    "UnsupportedHereError",
    "VertexJobsError",
    "VertexJobsWarning",
]

#: A longer value says no more.
_VALUE_CHARACTERS = 60


@dataclass(frozen=True)
class Fault:
    """One mistake in a job: its place, the value, the rule and the remedy.

    Attributes:
        path: Dotted path in the config, e.g. ``parameter_spec.learning_rate.min``.
        value: The offending value as written; None when something is missing.
        rule: The rule that it breaks, a clause without a full stop.
        remedy: The right value or action, a clause without a full stop.
        severity: ``error`` stops a submission, ``warning`` does not.
        place: File and line, e.g. ``configs/study.yaml:12``; empty when unknown.
        rule_id: Name of the rule for programs, e.g. ``image-available``; it does not change when
            the rule's wording does.
    """

    path: str
    value: object
    rule: str
    remedy: str
    severity: str = "error"
    place: str = ""
    rule_id: str = field(default="", compare=False)

    def of_rule(self, rule_id: str) -> "Fault":
        """Return the same with the rule's name, unless it has one."""
        return self if self.rule_id else replace(self, rule_id=rule_id)

    @property
    def subject(self) -> str:
        """The path and value, ``timeout = 5``; a long value is cut."""
        if self.value is None:
            return self.path
        text = repr(self.value)
        if len(text) > _VALUE_CHARACTERS:
            text = f"{text[: _VALUE_CHARACTERS - 3]}..."
        return f"{self.path} = {text}"

    def __str__(self) -> str:
        """Return one line: path, value, rule, remedy and place."""
        place = f" ({self.place})" if self.place else ""
        return f"{self.subject}: {self.rule}; {self.remedy}{place}"


class VertexJobsWarning(UserWarning):
    """Something about a job that does not stop it, and that its author will want to know."""


class VertexJobsError(Exception):
    """The root of every error that this library raises on purpose."""


class InvalidJobError(VertexJobsError):
    """The job as written cannot be submitted; ``faults`` holds every reason."""

    def __init__(self, faults: Sequence[Fault], source: str = "job") -> None:
        """Collect the faults of one source, for example a config's path."""
        self.faults = tuple(faults)
        self.source = source
        count = len(self.faults)
        lines = [f"{source}: {count} fault{'' if count == 1 else 's'}"]
        lines += [f"  {fault}" for fault in self.faults]
        super().__init__("\n".join(lines))


class PackagingError(VertexJobsError):
    """The training code cannot be turned into a package that works."""


class UnsupportedHereError(VertexJobsError):
    """Something real that this machine or endpoint cannot do; the message says what can."""


class NotSignedInError(UnsupportedHereError):
    """Vertex AI cannot be called from here yet.

    Attributes:
        subject: The missing thing: ``credentials`` or ``project``.
        fact: The state that was found instead.
        remedy: The way to sign in.
    """

    def __init__(self, subject: str, fact: str, remedy: str) -> None:
        """Keep the parts and join them in the text."""
        self.subject = subject
        self.fact = fact
        self.remedy = remedy
        super().__init__(f"no {subject}: {fact}; {remedy}")


class JobFailedError(VertexJobsError):
    """The job ended without success.

    Attributes:
        name: Resource name of the job.
        state: The terminal state, e.g. ``JOB_STATE_FAILED``.
        replica: The replica that failed first, e.g. ``workerpool0-0``; empty when unknown.
        trial: The id of the trial that failed first; empty outside studies and when unknown.
        raised_at: The user's own code in the traceback, e.g. ``train.py, line 12, in main``.
        last_lines: That replica's traceback, or its last log lines, oldest first.
        remedy: The next step, when the cause is known.
    """

    def __init__(
        self,
        name: str,
        state: str,
        message: str,
        *,
        replica: str = "",
        trial: str = "",
        raised_at: str = "",
        last_lines: Sequence[str] = (),
        remedy: str = "",
    ) -> None:
        """Keep the parts and join them in the text, the cause first."""
        self.name = name
        self.state = state
        self.message = message
        self.replica = replica
        self.trial = trial
        self.raised_at = raised_at
        self.last_lines = tuple(last_lines)
        self.remedy = remedy
        parts = [f"{name} ended as {state}: {message}"]
        if self.last_lines:
            parts.append(f"last lines of {self.origin}:")
            parts += [f"  {line}" for line in self.last_lines]
        if raised_at:
            parts.append(f"raised at {raised_at}")
        if remedy:
            parts.append(remedy)
        super().__init__("\n".join(parts))

    @property
    def origin(self) -> str:
        """The trial and replica that failed, in words."""
        named = (f"trial {self.trial}" if self.trial else "", self.replica)
        return ", ".join(filter(None, named)) or "the job"


class NoFeasibleTrialError(VertexJobsError):
    """The study has no trial that could be the best."""


class EndpointError(VertexJobsError):
    """The endpoint refused, was lost, or knows no such job."""


class JobNotFoundError(EndpointError):
    """No job has that id, resource name or display name."""


class RequestRefusedError(EndpointError):
    """The endpoint answered a request with an error.

    Attributes:
        message: The service's own words.
        code: The HTTP status, e.g. 400.
        status: The canonical name, e.g. ``INVALID_ARGUMENT``.
    """

    def __init__(self, message: str, *, code: int, status: str) -> None:
        """Keep code and status with the service's own message."""
        self.message = message
        self.code = code
        self.status = status
        super().__init__(f"{code} {status}: {message}")


class JobRefusedError(RequestRefusedError):
    """The endpoint found the job itself wrong, or cannot run it; nothing was submitted."""


class ServerFaultError(RequestRefusedError):
    """Local Vertex failed by a fault of its own; asking again would meet it again.

    Attributes:
        changed_nothing: Whether it is certain that the request had no effect.
    """

    def __init__(self, message: str, *, code: int, status: str, changed_nothing: bool) -> None:
        """Keep what is known of the effect with the refusal."""
        self.changed_nothing = changed_nothing
        super().__init__(message, code=code, status=status)


class EndpointLostError(EndpointError):
    """The endpoint could not be reached, or stopped answering."""


class SubmissionUnknownError(EndpointError):
    """It is unknown whether the create request took effect; the message says how to find out."""
