"""The fields of all schemas of a table by their ids, while updates add and remove schemas."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.tables.schemas import types_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.generated.iceberg_rest.documents import Schema
    from lakepact.reference_server.iceberg_rest.updates.members import Members


class FieldTypes:
    """The types of the fields of all schemas; those of later schemas count.

    Args:
        schemas: in their order.
    """

    def __init__(self, schemas: Iterable[Schema]) -> None:
        self._by_id: defaultdict[int, list[tuple[Schema, Any]]] = defaultdict(list)
        self._by_schema: dict[int, tuple[Schema, dict[int, Any]]] = {}
        for schema in schemas:
            self.add(schema)

    def add(self, schema: Schema) -> None:
        """Add the fields of the schema that is the last one from now on."""
        for field_id, type_ in types_by_id(schema).items():
            self._by_id[field_id].append((schema, type_))

    def of_schema(self, schema: Schema) -> dict[int, Any]:
        """Return the types of the fields of one schema by field id."""
        if id(schema) not in self._by_schema:
            self._by_schema[id(schema)] = schema, types_by_id(schema)
        return self._by_schema[id(schema)][1]

    def latest(self, field_id: int, schemas: Members) -> Any:
        """Return the type of a field in the last schema that has it, of those that are still there;
        None if none has it.
        """
        entries = self._by_id.get(field_id)
        while entries and not schemas.has(entries[-1][0]):
            entries.pop()
        return entries[-1][1] if entries else None
