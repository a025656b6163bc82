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
    """A corner of the target that one sequence has to itself."""

    @property
    def plain(self) -> Mapping[str, Any]:
        """Path arguments for what the opening makes."""
        ...

    def opening(self, random: Random) -> Sequence[Step]:
        """Return the requests that make the corner; they come first."""
        ...

    def arguments(self, operation: OperationId, random: Random) -> dict[str, Any]:
        """Path arguments for an operation: what exists in the corner, or what does not."""
        ...

    def confined(self, operation: OperationId, body: Any) -> Any:
        """`body` with the names in it moved into the corner."""
        ...

    def example(self, operation: OperationId, arguments: dict[str, Any], random: Random) -> Any:
        """Return a body that the target should accept now, or `None` where there is none to
        give.
        """
        ...

    def known(self, learned: Learned) -> Any:
        """Return the value that is meant, or `None` when it is not known."""
        ...

    def judged(self, step: Step, reply: Reply) -> Iterable[tuple[str, Unmet | None]]:
        """Return requirements that an answer keeps or, with what is unmet, breaks by all that was
        answered before it.
        """
        ...

    def learn(self, step: Step, reply: Reply) -> None:
        """Remember what a request made or removed, and have it removed in the end."""
        ...


class Remembering(World, Protocol):
    """Objects with a model: the state that the target must have, as far as one sequence sees it."""

    def history(self, random: Random, operations: Sequence[OperationId]) -> Iterator[Step]:
        """Yield steps without end: changes, each followed by reads of the expected state."""
        ...
