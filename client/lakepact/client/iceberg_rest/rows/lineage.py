"""Ids and versions of rows, which tables of format version 3 keep when files are replaced."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

ROW_ID = NestedField(2147483540, "_row_id", LongType(), required=False)
LAST_UPDATED = NestedField(2147483539, "_last_updated_sequence_number", LongType(), required=False)
_IDS = frozenset({ROW_ID.field_id, LAST_UPDATED.field_id})


def with_lineage(schema: Schema) -> Schema:
    """Return a schema with the columns of lineage.

    Raises:
        ValueError: It has columns of these names.
    """
    for field in schema.fields:
        if field.name in {ROW_ID.name, LAST_UPDATED.name}:
            raise ValueError(f"the name of column {field.name} is reserved: rename it first")
    return Schema(*schema.fields, ROW_ID, LAST_UPDATED)


@dataclass(frozen=True)
class Lineage:
    """The lineage of the rows of one data file."""

    #: The columns that are read of the file.
    file: Schema
    first_row_id: int | None
    sequence_number: int | None

    @cached_property
    def schema(self) -> Schema:
        """The columns with those of lineage at the end."""
        return with_lineage(
            Schema(*(field for field in self.file.fields if field.field_id not in _IDS))
        )

    def batch(self, rows: Any, position: int) -> Any:
        """Return a batch of the file, which begins at a position, with the lineage of its rows."""
        count = rows.num_rows
        numbers = pa.array(range(position, position + count), pa.int64())
        inherited: dict[int, Any] = {
            ROW_ID.field_id: pa.nulls(count, pa.int64())
            if self.first_row_id is None
            else pc.add(numbers, self.first_row_id),
            LAST_UPDATED.field_id: pa.repeat(pa.scalar(self.sequence_number, pa.int64()), count),
        }
        columns = []
        for one, values in zip(self.file.fields, rows.columns, strict=True):
            if one.field_id in _IDS:
                inherited[one.field_id] = pc.coalesce(values, inherited[one.field_id])
            else:
                columns.append(values)
        names = [field.name for field in self.schema.fields]
        return pa.RecordBatch.from_arrays([*columns, *inherited.values()], names=names)
