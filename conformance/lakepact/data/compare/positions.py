"""Columns and members of structs by position, because engines take names that differ by case alone
for the same.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.evidence.arrow import Array, Schema, pa


def positional(schema: Schema) -> Schema:
    """Return a schema that names columns `c0`, `c1` and members of structs `m0`, `m1`."""
    return pa.schema([pa.field(f"c{n}", _type(field.type)) for n, field in enumerate(schema)])


def with_positions(batch: Any) -> Any:
    """Return a record batch with the names of `positional`."""
    schema = positional(batch.schema)
    arrays = [_array(array, field.type) for array, field in zip(batch.columns, schema, strict=True)]
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


def _array(array: Array, kind: Any) -> Array:
    """Return the same values as a type whose members have other names."""
    if array.type == kind:
        return array
    if pa.types.is_struct(kind):
        fields = [kind.field(n) for n in range(kind.num_fields)]
        members = [_array(array.field(n), field.type) for n, field in enumerate(fields)]
        return pa.StructArray.from_arrays(members, fields=fields, mask=array.is_null())
    if pa.types.is_map(kind):
        pair = pa.struct([kind.key_field, kind.item_field])
        values = (_array(array.keys, kind.key_type), _array(array.items, kind.item_type))
        inner = pa.StructArray.from_arrays(values, fields=list(pair))
    else:
        inner = _array(array.values, kind.value_type)
    # Lists and maps keep their offsets: `values`, `keys` and `items` are whole, also those of a
    # slice.
    own = array.buffers()[: 1 if pa.types.is_fixed_size_list(kind) else 2]
    return pa.Array.from_buffers(kind, len(array), own, array.null_count, array.offset, [inner])
