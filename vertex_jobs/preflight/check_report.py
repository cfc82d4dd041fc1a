"""The findings of a check, for programs, for a terminal and for notebooks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.preflight.cost import Estimate
from vertex_jobs.wording import count


@dataclass(frozen=True, repr=False)
class Report:
    """The findings of a check; ``print`` shows all of them.

    The source is the config's path, or the job's display name. Faults begin with the errors, each
    kind in the order of the rules. The cost is None where too little of the config could be read.
    The choices say, a clause each, why a machine was chosen that the config does not name.
    """

    source: str
    faults: tuple[Fault, ...]
    cost: Estimate | None
    choices: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when nothing stops a submission."""
        return not self.errors

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults that stop a submission."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """The faults that do not."""
        return tuple(fault for fault in self.faults if fault.severity != "error")

    def with_errors(self, errors: Sequence[Fault]) -> "Report":
        """Return the same with further errors, each in place of a warning at its path."""
        paths = {fault.path for fault in errors}
        warnings = (fault for fault in self.warnings if fault.path not in paths)
        return replace(self, faults=(*self.errors, *errors, *warnings))

    def require_ok(self) -> None:
        """Raise InvalidJobError with every error, if there is one."""
        if not self.ok:
            raise InvalidJobError(self.errors, self.source)

    def __repr__(self) -> str:
        cost = "" if self.cost is None else f"; at worst {self.cost.worst_case}"
        return f"<{self._summary}{cost}>"

    def __str__(self) -> str:
        """Every fault on two lines, then the cost."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """Return the faults as a table for notebooks, and the cost below it."""
        rows = "".join(
            f"<tr><td>{escape(fault.severity)}</td><td><code>{escape(fault.subject)}</code></td>"
            f"<td>{escape(fault.rule)}</td><td>{escape(fault.remedy)}</td></tr>"
            for fault in self.faults
        )
        totals = "" if self.cost is None else "<br>".join(map(escape, self.cost.total_lines()))
        return f"<table><caption>{escape(self._summary)}</caption>{rows}</table><p>{totals}</p>"

    @property
    def _summary(self) -> str:
        found = [
            count(len(faults), severity)
            for faults, severity in ((self.errors, "error"), (self.warnings, "warning"))
            if faults
        ]
        return f"{self.source}: {', '.join(found) or 'no mistake found'}"

    def _lines(self) -> Iterator[str]:
        yield self._summary
        for fault in self.faults:
            place = f"  ({fault.place})" if fault.place else ""
            yield f"  {fault.severity:<8} {fault.subject}{place}"
            yield f"           {fault.rule}; {fault.remedy}"
        yield from (f"  {choice}" for choice in self.choices)
        if self.cost is not None:
            yield from ("", "cost, in list prices without tax:")
            yield from (f"  {line}" for line in self.cost.total_lines())
            yield "made of:"
            yield from (f"  {line}" for line in self.cost.price_lines())
