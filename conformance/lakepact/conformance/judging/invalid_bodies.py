"""Bodies that a contract's schema forbids, made from a valid body: one change each, at every depth.

The changes come from the schema: each required member is left out, and each typed value is replaced
by one of every other JSON type.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, TypeAlias

from lakepact.conformance.evidence.differences import pointer
from lakepact.conformance.evidence.exchanges import Members
from lakepact.conformance.evidence.outcome import Mutation, Wrong
from lakepact.conformance.judging.components import Components
from lakepact.generated.contract import Contract

#: A change and the body that has it.
Mutant: TypeAlias = "tuple[Mutation, Any]"

#: A value of each JSON type; null is left out, since clients send it for absent members.
OF_TYPES: Members = {
    "boolean": True,
    "number": 1.5,
    "string": "lakepact",
    "array": [],
    "object": {},
}
#: The kinds of requests with a value of the wrong JSON type.
WRONG_TYPES = frozenset({Wrong.TYPE, *(f"as {name}" for name in OF_TYPES)})


class InvalidBodies:
    """Makes invalid bodies of the components of one contract.

    Args:
        contract: the contract with the schemas.
    """

    def __init__(self, contract: Contract) -> None:
        self._schemas: Members = contract.bundle["components"]["schemas"]
        self._components = Components(contract)

    def without_members(self, component: str, body: Any) -> Iterator[Mutant]:
        """Yield the body without each of its required members.

        Args:
            component: the name of the schema that the body fits.
            body: a valid body.
        """
        for instance in self._components.instances(component, body):
            for member in self._schemas[instance.component].get("required", ()):
                if isinstance(instance.value, dict) and member in instance.value:
                    yield from self._invalid(
                        component, body, "missing", [*steps_of(instance.pointer), member]
                    )

    def of_wrong_types(self, component: str, body: Any) -> Iterator[Mutant]:
        """Yield the body with each typed value replaced by one of every other JSON type.

        Args:
            component: the name of the schema that the body fits.
            body: a valid body.
        """
        for instance in self._components.instances(component, body):
            properties = self._schemas[instance.component].get("properties", {})
            for member in (
                properties.keys() & instance.value.keys()
                if isinstance(instance.value, dict)
                else ()
            ):
                for name, value in OF_TYPES.items():
                    yield from self._invalid(
                        component, body, f"as {name}", [*steps_of(instance.pointer), member], value
                    )

    def _invalid(
        self, component: str, body: Any, kind: str, place: list[str], *values: Any
    ) -> Iterator[Mutant]:
        """Yield a changed body, if the schema forbids it."""
        mutant = copy.deepcopy(body)
        parent = mutant
        for step in place[:-1]:
            parent = parent[int(step)] if isinstance(parent, list) else parent[step]
        if values:
            parent[place[-1]] = copy.deepcopy(values[0])
        else:
            del parent[place[-1]]
        if any(flaw is not None for flaw in self._components.flaws(component, mutant).values()):
            yield (
                Mutation(kind, pointer(*place)),
                mutant,
            )


def steps_of(pointer: str) -> list[str]:
    """Return the members and positions that a JSON pointer goes through."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
