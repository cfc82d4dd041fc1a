"""The base of every spec: frozen data whose construction reports all faults at once.

For the models of this package. A spec made in Python and one read from a file are checked by the
same code and raise the same error.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from vertex_jobs.errors import Fault, InvalidJobError
from vertex_jobs.spec.inspection import Inspection, Rule, find_faults, inspect_fields


class Spec(BaseModel):
    """Validated data; the rules across its fields are functions listed by each subclass."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        protected_namespaces=(),  # the SDK's arguments for the uploaded model begin with model_
    )

    rules: ClassVar[Sequence[Rule]] = ()
    whole_rules: ClassVar[Sequence[Rule]] = ()

    @classmethod
    def prepare(cls, written: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what was written in the form that the fields declare."""
        return written

    @classmethod
    def faults_in(cls, written: Mapping[str, Any]) -> list[Fault]:
        """Return every fault that making this spec of these fields would raise."""
        return cls.inspect(written).faults

    @classmethod
    def inspect(cls, written: Mapping[str, Any]) -> Inspection:
        """Return the same faults, and as much of the spec as can be made."""
        return inspect_fields(cls, cls.prepare(written), cls.rules, cls.whole_rules)

    def faults_at(self, path: str) -> Iterator[Fault]:
        """Yield what its own rules find where it is a part of another spec, at that path there."""
        for fault in self.faults_in(dict(self)):
            yield dataclasses.replace(fault, path=f"{path}.{fault.path}")

    if not TYPE_CHECKING:  # type checkers see the fields as parameters

        def __init__(self, **written: Any) -> None:
            """Check and keep the fields.

            Raises:
                InvalidJobError: With every fault of the fields.
            """
            prepared = type(self).prepare(written)
            faults = find_faults(type(self), prepared, self.rules, self.whole_rules)
            if faults:
                raise InvalidJobError(faults, source=type(self).__name__)
            super().__init__(**prepared)

        # Specs inside specs are then made by pydantic itself, which reports all their errors.
        __init__.__pydantic_base_init__ = True
