"""The members of an answer by the contract's schema: which are declared, and whose values servers choose for themselves."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from lakepact.generated.contract import OperationId

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.generated.contract import Contract

Declared: TypeAlias = "tuple[tuple[str, dict[str, Any]], ...]"  #: schemas, each with the component that it is in

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
        own = list(self._flat(declared))
        self._members: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for component, schema in own:
            for name, member in schema.get("properties", {}).items():
                self._members.setdefault(name, []).append((component, member))
        self.required = {name for _, schema in own for name in schema.get("required", ())}
        self.is_set = any(schema.get("uniqueItems") for _, schema in own)
        self._items = tuple((component, schema["items"]) for component, schema in own if "items" in schema)
        rest = tuple((c, s["additionalProperties"]) for c, s in own if isinstance(s.get("additionalProperties"), dict))
        self.other = Place(schemas, rest) if rest else None  #: members of a map
        self.is_open = not self._members and self.other is None  #: nothing is declared: everything counts
        self.member = cache(self._member)
        self.names = cache(self._names)

    def _flat(self, declared: Declared) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield schemas without references and unions, each once."""
        for component, schema in declared:
            name = schema.get("$ref", "").removeprefix(REFERENCE)
            if name in self.components:
                continue
            if name:
                self.components.add(name)
                yield from self._flat(((name, self._schemas[name]),))
                continue
            yield component, schema
            for union in UNIONS:
                yield from self._flat(tuple((component, part) for part in schema.get(union, ())))

    def _member(self, name: str) -> Place | None:
        """Return the place of a member; `None` if the contract declares none of that name."""
        return Place(self._schemas, tuple(self._members[name])) if name in self._members else self.other

    def _names(self, name: str) -> frozenset[str]:
        """Return how the contract names a member: `Component.member`, and the components of its value."""
        inner = self.member(name) if name in self._members else None
        return frozenset(f"{component}.{name}" for component, _ in self._members.get(name, ())) | (inner.components if inner else set())

    def is_declared(self, name: str) -> bool:
        """Return whether the contract names a member here; others are members of a map, or unknown."""
        return name in self._members

    @cached_property
    def item(self) -> Place | None:
        """The place of an item of a list here."""
        return Place(self._schemas, self._items) if self._items else None


@cache
def place_of_answer(contract: Contract, operation: str, status: int) -> Place | None:
    """Return the place of the body of an answer; `None` if the contract declares no schema for it."""
    if operation not in contract.operations:
        return None
    answers = contract.operations[OperationId(operation)].answers
    alike = [answer for name, answer in answers.items() if (name[0] in "45") == (status >= 400)]  # a status that is not declared
    declared = next((a for a in (answers.get(str(status)), answers.get(f"{status // 100}XX"), *alike) if a and a.schema), None)
    schemas = contract.bundle["components"]["schemas"]
    return Place(schemas, (("", {"$ref": f"{REFERENCE}{declared.schema}"}),)) if declared else None
