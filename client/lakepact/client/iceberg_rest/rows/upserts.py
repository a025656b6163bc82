"""Rows with keys, which replace the rows of a table that have the same."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg import types as t

from lakepact.client.iceberg_rest.rows.lineage import LAST_UPDATED
from lakepact.client.iceberg_rest.rows.projection import Projection, arrow_schema, source_schema
from lakepact.client.rows.predicates import And, Predicate, column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyiceberg.schema import Schema

_TARGET, _SOURCE = "lakepact.target", "lakepact.source"
#: Most keys that are named one by one when files are planned.
_FEW = 200


@dataclass(slots=True)
class KeyedRows:
    """Rows in the types of a table, with the number of those that were matched so far."""

    rows: pa.Table
    names: Sequence[str]
    #: The rows that no row of the table has the key of.
    others: pa.Table
    updates_count: int = 0
    _places: set[int] = field(default_factory=set[int])

    @classmethod
    def of(cls, rows: pa.Table, names: Sequence[str], schema: Schema) -> KeyedRows:
        """Return rows with their keys.

        Raises:
            ValueError: There are no keys, or they are missing, null, NaN or there twice.
        """
        if not names:
            raise ValueError(
                "the table has no identifier fields: name the columns of the keys, such as"
                ' keys=["id"]'
            )
        for name in names:
            if name not in rows.column_names:
                raise ValueError(f"the rows have no key column {json.dumps(name)}")
            if not isinstance(schema.find_type(name), t.PrimitiveType):
                raise ValueError(  # noqa: TRY004 - the table is as it is
                    f"key column {json.dumps(name)} is a struct, list or map"
                )
        source = source_schema(rows.schema, schema)
        result = schema.select(*rows.column_names)
        projection = Projection(source, result, is_write=True)
        batches = [projection.batch(batch) for batch in rows.to_batches(max_chunksize=65_536)]
        table = pa.Table.from_batches(batches, arrow_schema(result, has_ids=True))
        keys = _keys(table, names, _SOURCE)
        for name, values in zip(names, keys.columns, strict=False):
            is_real = pa.types.is_floating(values.type)
            if values.null_count or (is_real and pc.any(pc.is_nan(values)).as_py()):
                raise ValueError(
                    f"key column {json.dumps(name)} has null or NaN, which equals nothing"
                )
        if keys.group_by(keys.column_names[:-1]).aggregate([]).num_rows < table.num_rows:
            raise ValueError(f"several rows have the same key in {', '.join(names)}")
        return cls(table, names, table)

    def predicate(self) -> Predicate:
        """Return a filter that every row with one of the keys satisfies."""
        parts = []
        for name in self.names:
            values: Any = self.rows.column(name)
            if not _is_ordered(values.type) or not len(values):
                continue
            if len(values) <= _FEW:
                parts.append(column(name).is_in(dict.fromkeys(values.to_pylist())))
            else:
                bounds: Any = pc.min_max(values).as_py()
                parts.append((column(name) >= bounds["min"]) & (column(name) <= bounds["max"]))
        return And(tuple(parts))

    def match(self, batch: Any) -> None:
        """Note the rows of a batch that have one of the keys, and those that are updated."""
        _, places, mask = self._pairs(batch)
        self._places.update(places.to_pylist())
        self.updates_count += pc.sum(mask).as_py() or 0

    def updates(self, batch: Any) -> Iterator[Any]:
        """Yield the rows of a batch as they are after the update."""
        target, source, mask = self._pairs(batch)
        target, source = target.filter(mask), source.filter(mask)
        stays = pc.invert(pc.is_in(pa.array(range(batch.num_rows), pa.int64()), target))
        yield batch.filter(stays)
        if len(target):
            rows, new = batch.take(target), self.rows.take(source)
            columns: list[Any] = []
            for one in batch.schema:
                if one.name in new.column_names:
                    columns.append(new.column(one.name).combine_chunks())
                elif one.name == LAST_UPDATED.name:
                    columns.append(pa.nulls(len(source), one.type))
                else:
                    columns.append(rows.column(one.name))
            yield pa.RecordBatch.from_arrays(columns, schema=batch.schema)

    def finish(self) -> None:
        """Keep the rows that were not matched in `others`."""
        places = pa.array(range(self.rows.num_rows), pa.int64())
        self.others = self.rows.filter(
            pc.invert(pc.is_in(places, pa.array(sorted(self._places), pa.int64())))
        )

    def _pairs(self, batch: Any) -> tuple[Any, Any, Any]:
        """Return the places of rows with equal keys in a batch and here, and which differ."""
        keys = self.names
        pairs = _keys(batch, keys, _TARGET).join(
            _keys(self.rows, keys, _SOURCE),
            [f"key{number}" for number in range(len(keys))],
            join_type="inner",
            use_threads=False,
        )
        target, source = (pairs.column(name).combine_chunks() for name in (_TARGET, _SOURCE))
        mask = pa.repeat(False, len(target))
        if len(target):
            for name in self.rows.column_names:
                one = batch.column(batch.schema.get_field_index(name)).take(target)
                other = self.rows.column(name).combine_chunks().take(source)
                mask = pc.or_(mask, _differ(one, other))
        return target, source, mask


def _is_ordered(kind: Any) -> bool:
    kinds = pa.types
    return bool(
        kinds.is_integer(kind)
        or kinds.is_string(kind)
        or kinds.is_date(kind)
        or (kinds.is_timestamp(kind) and kind.unit == "us")
    )


def _keys(rows: Any, names: Sequence[str], number: str) -> pa.Table:
    columns = [rows.column(name) for name in names]
    storage = [
        one.cast(one.type.storage_type) if isinstance(one.type, pa.BaseExtensionType) else one
        for one in columns
    ]
    keys: dict[str, Any] = {f"key{place}": one for place, one in enumerate(storage)}
    return pa.table({**keys, number: pa.array(range(rows.num_rows), pa.int64())})


def _differ(one: Any, other: Any) -> Any:
    """Return where two arrays differ; nulls are equal, and reals if they have the same bits."""
    if pa.types.is_nested(one.type):
        pairs = zip(one.to_pylist(), other.to_pylist(), strict=True)
        return pa.array([repr(left) != repr(right) for left, right in pairs], pa.bool_())
    if isinstance(one.type, pa.BaseExtensionType):
        one, other = one.storage, other.storage
    if pa.types.is_floating(one.type):
        bits = pa.int32() if one.type.bit_width == 32 else pa.int64()
        one, other = one.view(bits), other.view(bits)
    both = pc.and_(one.is_null(), other.is_null())
    return pc.invert(pc.or_(pc.equal(one, other).fill_null(False), both))
