"""Columns and members of structs by position, because engines take names that differ by case alone
for the same.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.evidence.arrow import Schema, pa


def positional(schema: Schema) -> Schema:
    """Return a schema that names columns `c0`, `c1` and members of structs `m0`, `m1`."""
    return pa.schema([pa.field(f"c{n}", _type(field.type)) for n, field in enumerate(schema)])


def with_positions(batch: Any) -> Any:
    """Return a record batch with the names of `positional`."""
    schema = positional(batch.schema)
    arrays = [array.view(field.type) for array, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _type(kind: Any) -> Any:
    if pa.types.is_struct(kind):
        fields = [kind.field(n) for n in range(kind.num_fields)]
        return pa.struct([pa.field(f"m{n}", _type(each.type)) for n, each in enumerate(fields)])
    if pa.types.is_map(kind):
        return pa.map_(_type(kind.key_type), _type(kind.item_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_type(kind.value_type))
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_type(kind.value_type), kind.list_size)
    return pa.list_(_type(kind.value_type)) if pa.types.is_list(kind) else kind
