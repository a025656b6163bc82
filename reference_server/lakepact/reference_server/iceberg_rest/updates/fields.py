"""The fields of all schemas and partition specs of a table by their ids, while updates add and remove schemas and specs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.tables.partitioning import field_meaning
from lakepact.reference_server.iceberg_rest.tables.schemas import types_by_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.tables.partitioning import FieldMeaning
    from lakepact.reference_server.iceberg_rest.updates.members import Members


class FieldTypes:
    """The types of the fields of all schemas; those of later schemas count.

    Args:
        schemas: in their order.
    """

    def __init__(self, schemas: Iterable[Document]) -> None:
        self._by_id: defaultdict[int, list[tuple[Document, Any]]] = defaultdict(list)
        self._by_schema: dict[int, tuple[Document, dict[int, Any]]] = {}
        for schema in schemas:
            self.add(schema)

    def add(self, schema: Document) -> None:
        """Add the fields of the schema that is the last one from now on."""
        for field_id, type_ in types_by_id(schema).items():
            self._by_id[field_id].append((schema, type_))

    def of_schema(self, schema: Document) -> dict[int, Any]:
        """Return the types of the fields of one schema by field id."""
        if id(schema) not in self._by_schema:
            self._by_schema[id(schema)] = schema, types_by_id(schema)
        return self._by_schema[id(schema)][1]

    def latest(self, field_id: int, schemas: Members) -> Any:
        """Return the type of a field in the last schema that has it, of those that are still there; None if none has it."""
        found = self._by_id.get(field_id)
        while found and not schemas.has(found[-1][0]):
            found.pop()
        return found[-1][1] if found else None


class PartitionFields:
    """The fields of all partition specs by their ids; where specs differ, those of later specs count.

    Args:
        specs: in their order.
    """

    def __init__(self, specs: Iterable[Document]) -> None:
        self._by_id: defaultdict[int, list[tuple[Document, Document]]] = defaultdict(list)
        self._ids: defaultdict[FieldMeaning, list[int]] = defaultdict(list)  # perhaps with some that mean something else by now
        for spec in specs:
            self.add(spec)

    def add(self, spec: Document) -> None:
        """Add the fields of the spec that is the last one from now on."""
        for field in spec["fields"]:
            self._by_id[field["field-id"]].append((spec, field))
            self._note(field)

    def remove(self, specs: Iterable[Document], is_kept: Callable[[Document], bool]) -> None:
        """Forget the fields of specs that are gone."""
        for spec in specs:
            for field in spec["fields"]:
                found = self._by_id[field["field-id"]]
                before = len(found)
                while found and not is_kept(found[-1][0]):
                    found.pop()
                if found and len(found) < before:
                    self._note(found[-1][1])

    def get(self, field_id: int) -> Document | None:
        """Return the field with this id, or None."""
        found = self._by_id.get(field_id)
        return found[-1][1] if found else None

    def id_of(self, meaning: FieldMeaning, *, but: Collection[int]) -> int | None:
        """Return the id of a field that divides data in the same way under the same name, if it is not one of `but`."""
        ids = self._ids.get(meaning, [])
        spared: list[int] = []
        found: int | None = None
        while ids and found is None:
            field = self.get(ids[-1])
            if field is None or field_meaning(field) != meaning:
                ids.pop()
            elif ids[-1] in but:
                spared.append(ids.pop())
            else:
                found = ids[-1]
        ids.extend(reversed(spared))
        return found

    def _note(self, field: Document) -> None:
        ids = self._ids[field_meaning(field)]
        if not ids or ids[-1] != field["field-id"]:
            ids.append(field["field-id"])
