"""How the rows of an answer are made: which columns are read, under which names, and which rows of
them are kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lakepact.client.delta_sharing import partition_values
from lakepact.client.delta_sharing.rows.columns import conform, name_in_file
from lakepact.client.delta_sharing.rows.expressions import bound, row_matcher
from lakepact.client.delta_sharing.rows.types import UnknownType, arrow_field
from lakepact.client.delta_sharing.schemas import Field, Primitive, Schema
from lakepact.client.errors import BadReply, DamagedData, Failure, UpgradeNeeded
from lakepact.client.rows.predicates import columns_of
from lakepact.client.several import Names, several
from lakepact.formats.parquet import BoundedParquet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakepact.client.delta_sharing.lines import Metadata
    from lakepact.client.delta_sharing.pieces import Piece
    from lakepact.client.rows.predicates import Predicate
    from lakepact.client.rows.selection import Selection
    from lakepact.formats.limits import Limit

_CHANGE, _VERSION, _TIMESTAMP = "_change_type", "_commit_version", "_commit_timestamp"
_OF_CHANGES = (
    Field(_CHANGE, Primitive("string"), nullable=False),
    Field(_VERSION, Primitive("long"), nullable=False),
    Field(_TIMESTAMP, Primitive("timestamp"), nullable=False),
)
#: Errors of an invalid file.
_DAMAGE = (ValueError, TypeError, KeyError, NotImplementedError, OSError)


class Plan:
    """Reads files into tables of one schema.

    Args:
        metadata: The metadata of the table.
        operation: The operation whose answer is read.
        columns: The wanted columns, in this order; by default all.
        predicate: The wanted rows; by default all.
        gives_changes: Whether rows have the columns of their change.

    Raises:
        ValueError: The table does not have a column.
        TypeError: A column is compared with a value of another type.
        BadReply: The schema of the table is invalid.
        UpgradeNeeded: A wanted column has an unknown type.
    """

    def __init__(
        self,
        metadata: Metadata,
        operation: str,
        *,
        columns: Names | None,
        predicate: Predicate | None,
        gives_changes: bool,
    ) -> None:
        self._operation = operation
        self._mapping = metadata.column_mapping
        self._gives_changes = gives_changes
        schema = self._schema(metadata)
        selection = _select(schema, columns)
        #: The wanted rows, by the names and types of the schema; None for all.
        self.predicate = None if predicate is None else bound(predicate, schema)
        self._columns = _columns_to_read(schema, selection, self.predicate)
        self._known = frozenset(column.name for column in schema.fields)
        self._partitioned = {name.casefold() for name in metadata.partition_columns}
        try:
            self._read_as = pa.schema([_field(column) for column in self._columns])
        except UnknownType as kind:
            message = (
                f"the table has a column of type {kind}, which this client does not know; name"
                " other columns"
            )
            raise UpgradeNeeded(Failure(operation=operation, message=message)) from None
        self._match = None if self.predicate is None else row_matcher(self.predicate, self._read_as)
        #: The schema of what is read.
        self.schema = pa.schema([self._read_as.field(column.name) for column in selection])

    def _schema(self, metadata: Metadata) -> Schema:
        try:
            schema = metadata.schema
        except ValueError as error:
            raise BadReply(Failure(operation=self._operation, message=str(error))) from None
        for name in metadata.partition_columns:
            if name.casefold() not in {column.name.casefold() for column in schema.fields}:
                raise BadReply(
                    Failure(
                        operation=self._operation,
                        message=f"the schema of the table has no partition column {name!r}",
                    )
                )
        return (
            replace(schema, fields=(*schema.fields, *_OF_CHANGES))
            if self._gives_changes
            else schema
        )

    def tables(
        self, piece: Piece, content: bytearray, selection: Selection, limit: Limit
    ) -> Iterator[Any]:
        """Yield the wanted rows of a file, a few megabytes at a time.

        Raises:
            DamagedData: The file is not what its line and the schema say.
        """
        try:
            start = 0
            for whole in self._whole(piece, content, selection, limit):
                mask = selection.mask(whole.num_rows, start)
                start += whole.num_rows
                part = whole if mask is None else whole.filter(mask)
                rows = part if self._match is None else part.filter(self._match(part))
                yield rows.select(self.schema.names)
        except _DAMAGE as error:
            reason = str(error)
        else:
            return
        raise DamagedData(
            Failure(operation=self._operation, message=f"file {piece.file.id}: {reason}")
        )

    def _whole(
        self, piece: Piece, content: bytearray, selection: Selection, limit: Limit
    ) -> Iterator[Any]:
        file = BoundedParquet(pa.BufferReader(content), limit)
        selection.within(file.metadata.num_rows)
        fields = list(file.schema_arrow)
        if (
            self._mapping == "none"
            and fields
            and not any(field.name in self._known for field in fields)
        ):
            raise ValueError("it has none of the columns of the table's schema")
        names = {
            column.name: name_in_file(fields, column, self._mapping)
            for column in self._columns
            if self._is_read(column, piece)
        }
        in_file = [name for name in names.values() if name is not None]
        for read in file.tables(in_file or file.schema_arrow.names[:1]):
            columns = [
                self._column(column, piece, names, read, read.num_rows) for column in self._columns
            ]
            yield pa.table(columns, schema=self._read_as)

    def _is_read(self, column: Field, piece: Piece) -> bool:
        """Return whether the values of a column stand in the file."""
        if column in _OF_CHANGES:
            return column.name == _CHANGE and piece.change is None
        return column.name.casefold() not in self._partitioned

    def _column(
        self, column: Field, piece: Piece, names: dict[str, str | None], read: Any, count: int
    ) -> Any:
        kind = self._read_as.field(column.name).type
        if column.name in names:
            name = names[column.name]
            if name is None and column in _OF_CHANGES:
                raise ValueError(f"the file of changed rows has no column {_CHANGE}")
            return (
                pa.nulls(count, kind)
                if name is None
                else conform(read.column(name), column.type, self._mapping, column.name)
            )
        value = self._constant(column, piece)
        return pa.nulls(count, kind) if value is None else pa.repeat(pa.scalar(value, kind), count)

    def _constant(self, column: Field, piece: Piece) -> Any:
        """Return the one value that a column has in all rows of a file."""
        if column in _OF_CHANGES:
            value = {
                _CHANGE: piece.change,
                _VERSION: piece.file.version,
                _TIMESTAMP: piece.file.timestamp,
            }[column.name]
            if value is None:
                raise ValueError("the line does not say in which version the file changed")
            return value
        name = column.physical_name(self._mapping)
        if name not in piece.file.partition_values:
            raise ValueError(f"the line has no value of partition column {column.name}")
        try:
            return partition_values.parse(piece.file.partition_values[name], column.type)
        except ValueError as error:
            raise ValueError(f"partition column {column.name}: {error}") from None

    def join(self, tables: Iterable[pa.Table]) -> pa.Table:
        """Return the tables as one."""
        parts = list(tables)
        return pa.concat_tables(parts) if parts else self.schema.empty_table()


def _select(schema: Schema, columns: Names | None) -> list[Field]:
    if columns is None:
        return list(schema.fields)
    names = several("columns", columns)
    if not names:
        raise ValueError("no columns are wanted; name one at least, or leave it to be all of them")
    selection = [schema.column(name) for name in names]
    if len({column.name for column in selection}) < len(selection):
        raise ValueError(f"a column is named twice among {', '.join(names)}")
    return selection


def _columns_to_read(
    schema: Schema, selection: list[Field], predicate: Predicate | None
) -> list[Field]:
    names = set[str]() if predicate is None else columns_of(predicate)
    more = [schema.column(name) for name in sorted(names)]
    return [*selection, *(column for column in more if column not in selection)]


def _field(column: Field) -> Any:
    if column in _OF_CHANGES and column.name == _TIMESTAMP:
        # Commits are timed in milliseconds.
        return pa.field(_TIMESTAMP, pa.timestamp("ms", tz="UTC"))
    return arrow_field(column).with_nullable(column.nullable)
