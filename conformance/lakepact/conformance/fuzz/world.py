"""The objects of a sequence on the target: their names and state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.outcome import Unmet
from lakepact.conformance.fuzz.steps import Learned, Step
from lakepact.generated.contract import OperationId


class World(Protocol):
    """A part of the target that one sequence has to itself."""

    @property
    def plain(self) -> Mapping[str, Any]:
        """Path arguments of the objects of the opening."""
        ...

    def opening(self, random: Random) -> Sequence[Step]:
        """Return the first requests, which create the objects."""
        ...

    def arguments(self, operation: OperationId, random: Random) -> dict[str, Any]:
        """Return path arguments for an operation, of existing or missing objects."""
        ...

    def confine(self, operation: OperationId, body: Any) -> Any:
        """Return a body with its names moved into this part of the target."""
        ...

    def example(self, operation: OperationId, arguments: dict[str, Any], random: Random) -> Any:
        """Return a body that the target should accept now; `None` if there is none."""
        ...

    def value_of(self, placeholder: Learned) -> Any:
        """Return the value of a placeholder; `None` if it is unknown."""
        ...

    def verdicts(self, step: Step, reply: Reply) -> Iterable[tuple[str, Unmet | None]]:
        """Return requirements that an answer keeps or breaks, judged by all earlier answers."""
        ...

    def learn(self, step: Step, reply: Reply) -> None:
        """Remember the objects that a request created or removed, and clean them up in the end."""
        ...


class Remembering(World, Protocol):
    """Objects with a model: the state that the target must have, as far as one sequence sees it."""

    def history(self, random: Random, operations: Sequence[OperationId]) -> Iterator[Step]:
        """Yield steps without end: changes, each followed by reads of the expected state."""
        ...
