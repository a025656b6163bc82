"""What a contract tells the fuzzer: where a sequence may play, what it can address there, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.conformance.wire import Reply

    Choose = Callable[[Sequence[Any]], Any]


class World(Protocol):
    """A corner of the target that one sequence has to itself."""

    def arguments(self, operation: str, choose: Choose) -> dict[str, Any]:
        """Path arguments for an operation: what exists in the corner, or what does not."""
        ...

    def confined(self, operation: str, body: Any) -> Any:
        """`body` with the names in it moved into the corner."""
        ...

    def example(self, operation: str, arguments: dict[str, Any]) -> Any:
        """A body that the target should accept now, or `None` where there is none to give."""
        ...

    def learn(self, operation: str, arguments: dict[str, Any], body: Any, reply: Reply) -> None:
        """Remember what a request made or removed."""
        ...
