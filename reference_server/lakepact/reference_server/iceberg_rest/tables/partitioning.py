"""Partition specs: validation against a schema, comparison, and the ids of their fields."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING

from lakepact.reference_server.iceberg_rest.documents import (
    as_text,
    objects,
    optional_integer,
    refusal,
    text,
)
from lakepact.reference_server.iceberg_rest.tables.transforms import VOID, check_transform

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from lakepact.generated.iceberg_rest.documents import PartitionField, PartitionSpec
    from lakepact.reference_server.iceberg_rest.tables.schemas import Columns

FIRST_FIELD_ID = 1000
NONE_ASSIGNED = FIRST_FIELD_ID - 1  #: `last-partition-id` of a table that was never partitioned
FIELD_IDS = range(2**31)

FieldMeaning = tuple[int, str, str]


def check_spec(spec: PartitionSpec, columns: Columns, where: str) -> None:
    """Refuse a spec that is not valid for a schema with these columns."""
    names: set[str] = set()
    for index, field in enumerate(objects(spec, "fields", where)):
        here = f"{where}/fields/{index}"
        check_transform(field, columns, here)
        name = text(field, "name", here)
        if name in names:
            raise refusal(
                here,
                f"there is another partition field {as_text(name)}; names are unique in a spec",
            )
        names.add(name)
        if columns.ids.get(name, field["source-id"]) != field["source-id"]:
            raise refusal(
                here,
                f"{as_text(name)} is the name of another column than the field's source; choose"
                " another name",
            )


def spec_meaning(spec: PartitionSpec) -> tuple[FieldMeaning, ...]:
    """Return how a spec divides data: equal for specs that divide it in the same way under the same
    names, and only for them.
    """
    return tuple(field_meaning(field) for field in spec["fields"])


def field_meaning(field: PartitionField) -> FieldMeaning:
    """Return how a field divides data, and under which name."""
    return field["source-id"], field["transform"], field["name"]


def highest_field_id(specs: Iterable[PartitionSpec]) -> int:
    """Return the highest field id of these specs."""
    return max(
        (field["field-id"] for spec in specs for field in spec["fields"]), default=NONE_ASSIGNED
    )


class PartitionFields:
    """The fields of all partition specs by their ids; where specs differ, those of later specs
    count.

    Args:
        specs: in their order.
    """

    def __init__(self, specs: Iterable[PartitionSpec]) -> None:
        self._by_id: defaultdict[int, list[tuple[PartitionSpec, PartitionField]]] = defaultdict(
            list
        )
        self._ids: defaultdict[FieldMeaning, list[int]] = defaultdict(
            list
        )  # perhaps with some that mean something else by now
        for spec in specs:
            self.add(spec)

    def add(self, spec: PartitionSpec) -> None:
        """Add the fields of the spec that is the last one from now on."""
        for field in spec["fields"]:
            self._by_id[field["field-id"]].append((spec, field))
            self._note(field)

    def remove(
        self, specs: Iterable[PartitionSpec], is_current: Callable[[PartitionSpec], bool]
    ) -> None:
        """Forget the fields of specs that are gone."""
        for spec in specs:
            for field in spec["fields"]:
                entries = self._by_id[field["field-id"]]
                before = len(entries)
                while entries and not is_current(entries[-1][0]):
                    entries.pop()
                if entries and len(entries) < before:
                    self._note(entries[-1][1])

    def get(self, field_id: int) -> PartitionField | None:
        """Return the field with this id, or None."""
        entries = self._by_id.get(field_id)
        return entries[-1][1] if entries else None

    def id_of(self, meaning: FieldMeaning, *, but: Collection[int]) -> int | None:
        """Return the id of a field that divides data in the same way under the same name, if it is
        not one of `but`.
        """
        ids = self._ids.get(meaning, [])
        others: list[int] = []
        result: int | None = None
        while ids and result is None:
            field = self.get(ids[-1])
            if field is None or field_meaning(field) != meaning:
                ids.pop()
            elif ids[-1] in but:
                others.append(ids.pop())
            else:
                result = ids[-1]
        ids.extend(reversed(others))
        return result

    def _note(self, field: PartitionField) -> None:
        ids = self._ids[field_meaning(field)]
        if not ids or ids[-1] != field["field-id"]:
            ids.append(field["field-id"])


def with_field_ids(
    spec: PartitionSpec,
    earlier: PartitionFields,
    where: str,
    *,
    last_id: int,
    format_version: int,
) -> PartitionSpec:
    """Return the valid spec with an id for each field: the one that was sent, that of an equal
    field of a known spec, or the next.

    Raises:
        Problem: 400, an id is given twice, or stands for something else in a known spec.
    """
    fields = spec["fields"]
    field_ids = [
        optional_integer(field, "field-id", f"{where}/fields/{index}", within=FIELD_IDS)
        for index, field in enumerate(fields)
    ]
    ids = (
        _sequential(field_ids, where)
        if format_version == 1
        else _unique(fields, field_ids, earlier, where, last_id=last_id)
    )
    return {
        **spec,
        "fields": [
            {**field, "field-id": field_id} for field, field_id in zip(fields, ids, strict=True)
        ],
    }


def _sequential(ids: Sequence[int | None], where: str) -> list[int]:
    for index, field_id in enumerate(ids):
        expected = FIRST_FIELD_ID + index
        if field_id not in {None, expected}:
            raise refusal(
                f"{where}/fields/{index}/field-id",
                f"in format version 1 partition field ids count from {FIRST_FIELD_ID}: expected"
                f" {expected}, found {field_id}",
            )
    return [FIRST_FIELD_ID + index for index in range(len(ids))]


def _unique(
    fields: Sequence[PartitionField],
    field_ids: Sequence[int | None],
    earlier: PartitionFields,
    where: str,
    *,
    last_id: int,
) -> list[int]:
    own_ids = {field_id for field_id in field_ids if field_id is not None}
    following = count(max(last_id, NONE_ASSIGNED, *own_ids) + 1)
    ids: dict[int, None] = {}
    for index, (field, own_id) in enumerate(zip(fields, field_ids, strict=True)):
        field_id = (
            own_id
            if own_id is not None
            else earlier.id_of(field_meaning(field), but=own_ids) or next(following)
        )
        if field_id in ids:
            raise refusal(
                f"{where}/fields/{index}/field-id", f"partition field id {field_id} is given twice"
            )
        if field_id not in FIELD_IDS:
            raise refusal(f"{where}/fields/{index}", "the table has no partition field ids left")
        _check_meaning(field, earlier.get(field_id), f"{where}/fields/{index}/field-id")
        ids[field_id] = None
    return list(ids)


def _check_meaning(field: PartitionField, before: PartitionField | None, where: str) -> None:
    if before is None or VOID in {field["transform"], before["transform"]}:
        return
    if _divides_alike(field, before):
        return
    raise refusal(
        where,
        f"partition field id {before['field-id']} stands for {before['transform']} of column"
        f" {before['source-id']} in another spec; leave the id out, or send one above"
        " last-partition-id",
    )


def _divides_alike(one: PartitionField, other: PartitionField) -> bool:
    return one["source-id"] == other["source-id"] and one["transform"] == other["transform"]


def unpartitioned() -> PartitionSpec:
    """Return the spec of a table that is not partitioned."""
    return {"spec-id": 0, "fields": []}
