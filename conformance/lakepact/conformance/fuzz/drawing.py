"""Draws the requests of a fuzzed sequence: examples, near misses of them, and documents by the
schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.fuzz.near import near_miss
from lakepact.conformance.fuzz.steps import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from random import Random

    from lakepact.conformance.fuzz.bodies import Bodies
    from lakepact.conformance.fuzz.world import World
    from lakepact.generated.contract import Contract, OperationId

KINDS = ("example", "example", "near", "near", "valid", "wild")


class Drawing:
    """Draws sequences without an end.

    Args:
        contract: whose operations are sent.
        bodies: draws bodies and queries.
    """

    def __init__(self, contract: Contract, bodies: Bodies) -> None:
        self._contract = contract
        self._bodies = bodies

    def drawn(
        self, world: World, random: Random, operations: Sequence[OperationId]
    ) -> Iterator[Step]:
        """Yield the steps of one sequence; each is drawn after the answer to the one before."""
        yield from (step for step in world.opening(random) if step.operation in operations)
        while True:
            operation = random.choice(operations)
            arguments = world.arguments(operation, random)
            kind = random.choice(KINDS)
            example = (
                world.example(operation, arguments, random) if kind in {"example", "near"} else None
            )
            if example is not None:
                body = example if kind == "example" else near_miss(example, random)
                yield Step(operation, arguments, world.confine(operation, body), kind=kind)
                continue
            drawn = self._bodies.draw(operation, random, valid=kind != "wild")
            is_complete = kind == "example" or (
                kind == "near" and self._says_more(operation, arguments)
            )
            query = () if is_complete else drawn.query
            yield Step(
                operation,
                arguments,
                world.confine(operation, drawn.body),
                query,
                "wild" if kind == "wild" else "valid",
            )

    def _says_more(self, operation: OperationId, arguments: Mapping[str, object]) -> bool:
        """Return whether arguments go beyond the path of an operation, so that no query is drawn."""
        return any(
            p.where != "path" and p.argument in arguments
            for p in self._contract.operations[operation].parameters
        )
