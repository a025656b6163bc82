"""The members of an answer by the contract's schema: which are declared, and whose values servers
choose for themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any, TypeAlias

from lakepact.generated.contract import Contract, OperationId

Declared: TypeAlias = (
    "tuple[tuple[str, dict[str, Any]], ...]"  #: schemas, each with the component that it is in
)

REFERENCE = "#/components/schemas/"
UNIONS = ("allOf", "anyOf", "oneOf")


class Place:
    """A place in an answer, with everything that any alternative of its schema declares.

    Args:
        schemas: all components of the contract.
        declared: the schemas of the place.
    """

    def __init__(self, schemas: Mapping[str, dict[str, Any]], declared: Declared) -> None:
        self._schemas = schemas
        self.components: set[str] = set()
        self._own = tuple(self._flat(declared))
        self.required = {name for _, schema in self._own for name in schema.get("required", ())}
        self.is_set = any(schema.get("uniqueItems") for _, schema in self._own)

    def _flat(self, declared: Declared) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield schemas without references and unions, each once."""
        for component, schema in declared:
            name = schema.get("$ref", "").removeprefix(REFERENCE)
            if name and name not in self.components:
                self.components.add(name)
                yield from self._flat(((name, self._schemas[name]),))
            elif not name:
                yield component, schema
                yield from self._flat(
                    tuple((component, part) for union in UNIONS for part in schema.get(union, ()))
                )

    @cached_property
    def members(self) -> dict[str, tuple[frozenset[str], Place]]:
        """Each declared member: `Component.member` and the components of its value, and its
        place.
        """
        by_name: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for component, schema in self._own:
            for name, member in schema.get("properties", {}).items():
                by_name.setdefault(name, []).append((component, member))
        places = {name: Place(self._schemas, tuple(schemas)) for name, schemas in by_name.items()}
        return {
            name: (frozenset(f"{c}.{name}" for c, _ in by_name[name]) | place.components, place)
            for name, place in places.items()
        }

    @cached_property
    def other(self) -> Place | None:
        """The place of members of a map here."""
        return self._inner("additionalProperties")

    @cached_property
    def item(self) -> Place | None:
        """The place of items of a list here."""
        return self._inner("items")

    def _inner(self, keyword: str) -> Place | None:
        inner = tuple(
            (component, schema[keyword])
            for component, schema in self._own
            if isinstance(schema.get(keyword), dict)
        )
        return Place(self._schemas, inner) if inner else None


@cache
def place_of_answer(contract: Contract, operation: str, status: int) -> Place | None:
    """Return the place of the body of an answer; `None` if the contract declares no schema for
    it.
    """
    if operation not in contract.operations:
        return None
    answers = contract.operations[OperationId(operation)].answers
    alike = [
        answer for name, answer in answers.items() if (name[0] in "45") == (status >= 400)
    ]  # a status that is not declared
    declared = next(
        (
            a
            for a in (answers.get(str(status)), answers.get(f"{status // 100}XX"), *alike)
            if a and a.schema
        ),
        None,
    )
    schemas = contract.bundle["components"]["schemas"]
    return Place(schemas, (("", {"$ref": f"{REFERENCE}{declared.schema}"}),)) if declared else None
