"""Trials: a random table is written, changed and read, and each answer compared with the model."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from uuid import UUID

import duckdb
import polars as pl
import pyarrow as pa

from lakepact.client import IcebergCatalog, pyiceberg_table
from lakepact.client.iceberg_rest.rows.planning import plan_files, scan_of
from rows_fuzz.deletes import delete_equal, delete_positions
from rows_fuzz.lineage import lineage
from rows_fuzz.model import (
    ALL,
    NESTED,
    NONE,
    POOLS,
    WIDER,
    Column,
    Filter,
    Row,
    bag,
    canonical,
    document,
    filter_of,
)

_NUMBERS = itertools.count()
_TRANSFORMS = {
    "int": ["identity", "bucket[3]", "truncate[2]"],
    "long": ["identity", "bucket[3]", "truncate[2]"],
    "string": ["identity", "bucket[3]", "truncate[1]"],
    "date": ["identity", "month", "day"],
    "timestamp": ["day", "hour", "year"],
    "timestamptz": ["day"],
    "decimal(9, 2)": ["identity", "bucket[2]"],
    "boolean": ["identity"],
}


@dataclass(frozen=True)
class Version:
    """A snapshot and its columns and rows in the model."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    snapshot: int | None


@dataclass
class Trial:
    """One table and its model."""

    catalog: IcebergCatalog
    seed: int
    failures: list[str] = field(default_factory=list)
    answers: int = 0
    log: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Change the table in random ways, and compare its rows after each step."""
        self.random = Random(self.seed)
        self.table = f"fuzz.t{self.seed}_{next(_NUMBERS)}"
        self.format = self.random.choice([1, 2, 2, 3])
        kinds = ["long", *self.random.choices([*POOLS, *NESTED], k=self.random.randint(2, 6))]
        is_required = self.random.random() < 0.5
        fields = [
            {
                "id": n + 1,
                "name": f"c{n}",
                "type": document(kind),
                "required": is_required and n == 0,
            }
            for n, kind in enumerate(kinds)
        ]
        self.catalog.create_table(
            self.table,
            {"type": "struct", "fields": fields},
            properties={"format-version": str(self.format)},
        )
        ids = {one.name: one.id for one in self._metadata().current_schema.fields}
        self.columns = tuple(
            Column(ids[f"c{n}"], f"c{n}", kind, is_required and n == 0)
            for n, kind in enumerate(kinds)
        )
        self.rows: tuple[Row, ...] = ()
        self.next_id = 0
        self.versions: list[Version] = []
        self.lineage: tuple[dict[Any, Any], dict[Any, Row]] = {}, {}
        self.partitions = 0
        if self.random.random() < 0.6:
            self._partition()
        self._append()
        for _ in range(self.random.randint(3, 7)):
            self._step()
            for _ in range(2):
                self._check_read()

    def _metadata(self) -> Any:
        return self.catalog.load_table(self.table, snapshots="all").metadata

    def _step(self) -> None:
        steps: list[tuple[Callable[[], None], int]] = [
            (self._append, 4),
            (self._evolve, 5),
            (self._partition, 1),
            (self._delete, 4),
            (self._overwrite, 3),
            (self._upsert, 3),
        ]
        if self.format < 3:
            steps.append((self._append_theirs, 1))
        if self.format > 1:
            steps += [(self._foreign_deletes, 3), (self._upgrade, 1)]
        step = self.random.choices([one for one, _ in steps], [weight for _, weight in steps])[0]
        step()

    def _record(self, what: str) -> None:
        self.log.append(what)
        metadata = self._metadata()
        current = metadata.current_snapshot
        # Nessie shows the current snapshot alone.
        self.snapshots = {one.snapshot_id for one in metadata.snapshots or ()}
        version = Version(self.columns, self.rows, current and current.snapshot_id)
        self.versions.append(version)
        if self.format == 3:
            self._check_lineage()

    def _check_lineage(self) -> None:
        """Check that rows keep their ids, and that only changed rows have a later version."""
        key = self.columns[0]
        rows = {row[key.id]: row for row in self.rows}
        if len(rows) < len(self.rows) or None in rows:
            return
        numbers = lineage(self.catalog, self.table, key.name)
        ids = [row_id for row_id, _ in numbers.values() if row_id is not None]
        self._compare("ids of rows", len(ids), len(set(ids)))
        before, before_rows = self.lineage
        for number in before.keys() & numbers.keys():
            (old_id, old_version), (new_id, new_version) = before[number], numbers[number]
            old, new = before_rows[number], rows[number]
            columns = [one.id for one in self.columns if one.id in old]
            is_same = bag([[old[one] for one in columns]]) == bag([[new[one] for one in columns]])
            if old_id is not None and (old_id != new_id or is_same != (old_version == new_version)):
                self._fail(f"lineage of {number}: {before[number]}, then {numbers[number]}")
        self.lineage = numbers, {number: dict(row) for number, row in rows.items()}

    # -- writes -----------------------------------------------------------------------------------

    def _new_rows(self, count: int | None = None) -> list[Row]:
        new = []
        for _ in range(self.random.choice([1, 2, 5, 9]) if count is None else count):
            row = {one.id: one.value(self.random) for one in self.columns}
            row[self.columns[0].id] = self.next_id
            self.next_id += 1
            new.append(row)
        return new

    def _arrow(self, rows: list[Row], columns: tuple[Column, ...] | None = None) -> pa.Table:
        """Return rows as a table of Arrow, with the types of the table."""
        columns = self.columns if columns is None else columns
        theirs = pyiceberg_table(self.catalog, self.table).schema().as_arrow()
        fields = [theirs.field(one.name).with_nullable(True).remove_metadata() for one in columns]
        arrays = [
            pa.array([_plain(row[one.id]) for row in rows], kind.type)
            for one, kind in zip(columns, fields, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def _append(self) -> None:
        rows = self._new_rows()
        absent = [one for one in self.columns[1:] if self.random.random() < 0.15]
        columns = tuple(one for one in self.columns if one not in absent)
        for row in rows:
            row.update({one.id: one.default for one in absent})
        table = self._arrow(rows, columns)
        chosen = self.random.random()
        if chosen < 0.2:
            table = table.to_reader(max_chunksize=2)
        elif chosen < 0.3:
            table = table.select(self.random.sample(table.column_names, table.num_columns))
        self.catalog.append(self.table, table)
        self.rows += tuple(rows)
        self._record(f"append {len(rows)}")

    def _append_theirs(self) -> None:
        """Append with pyiceberg, which loses null lists and maps of structs."""
        if any(one.kind.endswith("of structs") or one.required for one in self.columns):
            return
        sources = [one.source_id for one in pyiceberg_table(self.catalog, self.table).spec().fields]
        if len(set(sources)) < len(sources):
            return  # it refuses two partition fields of one column, even if one is void
        rows = self._new_rows()
        pyiceberg_table(self.catalog, self.table).append(self._arrow(rows))
        self.rows += tuple(rows)
        self._record(f"append {len(rows)} by pyiceberg")

    def _delete(self) -> None:
        chosen, written = self._filter()
        self.log.append(f"delete where {chosen.text or chosen.tree}")
        self.catalog.delete(self.table, written)
        self.rows = tuple(row for row in self.rows if chosen.test(row) is not True)
        self._record("deleted")
        self._check_all()

    def _overwrite(self) -> None:
        chosen, written = self._filter()
        rows = self._new_rows()
        self.log.append(f"overwrite where {chosen.text or chosen.tree}")
        self.catalog.overwrite(self.table, self._arrow(rows), written)
        self.rows = (*(row for row in self.rows if chosen.test(row) is not True), *rows)
        self._record("overwrote")
        self._check_all()

    def _upsert(self) -> None:
        key = self.columns[0]
        stored = {row[key.id] for row in self.rows}
        if key.name not in [one.name for one in self.columns] or None in stored:
            return
        rows = self._new_rows(self.random.choice([1, 2, 4]))
        for row in rows:
            if stored and self.random.random() < 0.6:
                row[key.id] = stored.pop()
        before = {row[key.id]: row for row in self.rows}
        absent = {one for one in self.columns[1:] if self.random.random() < 0.1}
        for row in rows:
            old = before.get(row[key.id])
            row.update({one.id: one.default if old is None else old[one.id] for one in absent})
        ids = [one.id for one in self.columns]
        updated = [
            row
            for row in rows
            if (old := before.get(row[key.id])) is not None
            and canonical([row[one] for one in ids]) != canonical([old[one] for one in ids])
        ]
        inserted = [row for row in rows if row[key.id] not in before]
        columns = tuple(one for one in self.columns if one not in absent)
        self.log.append(f"upsert {[row[key.id] for row in rows]}")
        numbers = self.catalog.upsert(self.table, self._arrow(rows, columns), [key.name])
        changed = {row[key.id]: row for row in updated}
        self.rows = (*(changed.get(row[key.id], row) for row in self.rows), *inserted)
        self._record("upserted")
        self._compare(
            "numbers of upsert",
            (len(updated), len(inserted)),
            (numbers.rows_updated, numbers.rows_inserted),
        )
        self._check_all()

    def _foreign_deletes(self) -> None:
        """Delete rows of one file as other engines do."""
        table = pyiceberg_table(self.catalog, self.table)
        key = self.columns[0]
        if table.current_snapshot() is None or any(row[key.id] is None for row in self.rows):
            return
        tasks = [one.task for one in plan_files(scan_of(table, None), None)]
        files = [one.file for one in tasks if not one.delete_files]
        if not files:
            return
        file = self.random.choice(files)
        reader = pa.parquet.ParquetFile(table.io.new_input(file.file_path).open())
        numbers = [field.metadata[b"PARQUET:field_id"] for field in reader.schema_arrow]
        name = reader.schema_arrow.names[numbers.index(str(key.id).encode())]
        keys = reader.read([name]).column(0).to_pylist()
        positions = sorted(self.random.sample(range(len(keys)), self.random.randint(1, len(keys))))
        gone = {keys[position] for position in positions}
        if self.random.random() < 0.3:
            columns = {"key": (key.id, pa.array([*gone, None], pa.int64()))}
            delete_equal(table, file, columns)
            self.log.append("equality deletes")
        else:
            delete_positions(table, file, positions, vector=self.format == 3)
        self.rows = tuple(row for row in self.rows if row[key.id] not in gone)
        self._record(f"delete {sorted(gone)} by delete file")
        self._check_all()

    # -- schema and spec --------------------------------------------------------------------------

    def _upgrade(self) -> None:
        if self.format == 2:
            self.format = 3
            self.catalog.change(self.table).upgrade_format_version(3).commit()
            self._record("upgrade")

    def _partition(self) -> None:
        fitting = [one for one in self.columns if one.kind in _TRANSFORMS]
        chosen = self.random.choice(fitting)
        name = f"p{self.partitions}"
        change = self.catalog.change(self.table)
        if self.partitions and self.random.random() < 0.5:
            change.remove_partition_field(f"p{self.partitions - 1}")
        transform = self.random.choice(_TRANSFORMS[chosen.kind])
        try:
            change.add_partition_field(chosen.name, transform, name=name).commit()
        except ValueError:
            return  # the spec has such a field
        self.partitions += 1
        self._record(f"partition by {transform} of {chosen.name}")

    def _evolve(self) -> None:  # noqa: C901 - one branch for each edit
        change, name = self.catalog.change(self.table), f"n{next(_NUMBERS)}"
        one = self.random.choice(self.columns[1:] or self.columns)
        edit = self.random.choice(["add", "add", "drop", "rename", "swap", "widen", "move"])
        columns = list(self.columns)
        if edit == "add":
            kind = self.random.choice([*POOLS, *NESTED])
            values = POOLS.get(kind, [])
            default = None
            if self.format == 3 and kind in {"int", "string", "date", "boolean", "decimal(9, 2)"}:
                default = self.random.choice(values)
            change.add_column(name, document(kind), default=default)
            columns.append(Column(-1, name, kind, default=default))
        elif edit == "drop" and one is not self.columns[0]:
            change.drop_column(one.name)
            columns.remove(one)
        elif edit == "rename":
            change.rename_column(one.name, name)
            columns[columns.index(one)] = replace(one, name=name)
        elif edit == "swap":
            other = self.random.choice(columns)
            change.rename_column(one.name, name)
            change.rename_column(other.name if other != one else name, one.name)
            change.rename_column(name if other != one else one.name, other.name)
            columns[columns.index(one)] = replace(one, name=other.name)
            if other != one:
                columns[columns.index(other)] = replace(other, name=one.name)
        elif edit == "widen":
            narrow = [one for one in columns if one.kind in WIDER]
            if not narrow:
                return
            one = self.random.choice(narrow)
            change.update_column(one.name, WIDER[one.kind])
            columns[columns.index(one)] = replace(one, kind=WIDER[one.kind])
        elif edit == "move" and len(columns) > 1 and one is not columns[0]:
            change.move_column(one.name, after=columns[0].name)
            columns.remove(one)
            columns.insert(1, one)
        else:
            return
        try:
            change.commit()
        except ValueError:
            return  # a column of the partition spec
        ids = {each.name: each.id for each in self._metadata().current_schema.fields}
        self.columns = tuple(replace(each, id=ids[each.name]) for each in columns)
        for each in self.columns:
            for row in self.rows:
                row.setdefault(each.id, each.default)
        self._record(f"{edit} {one.name}")

    # -- reads ------------------------------------------------------------------------------------

    def _filter(self, columns: tuple[Column, ...] | None = None) -> tuple[Filter, Any]:
        """Return a filter of the model, and one of its written forms."""
        choice = self.random.random()
        chosen = filter_of(list(columns or self.columns), self.random)
        if choice < 0.08:
            chosen = ALL if choice < 0.05 else NONE
        forms = [chosen.tree, chosen.expression, *([chosen.text] if chosen.text else [])]
        return chosen, self.random.choice(forms)

    def _check_all(self) -> None:
        self._check(Version(self.columns, self.rows, None), ALL, "true", None, self.columns)

    def _check_read(self) -> None:
        version = Version(self.columns, self.rows, None)
        earlier = [one for one in self.versions if one.snapshot in self.snapshots]
        if earlier and self.random.random() < 0.4:
            # The schema of a snapshot is the one that it was committed with.
            chosen = self.random.choice(earlier)
            version = next(one for one in earlier if one.snapshot == chosen.snapshot)
        selected, written = self._filter(version.columns)
        columns = None
        if self.random.random() < 0.5:
            columns = tuple(
                self.random.sample(version.columns, self.random.randint(1, len(version.columns)))
            )
        self._check(version, selected, written, columns, columns or version.columns)

    def _check(
        self,
        version: Version,
        selected: Filter,
        written: Any,
        names: tuple[Column, ...] | None,
        columns: tuple[Column, ...],
    ) -> None:
        scan = self.catalog.scan(
            self.table,
            None if names is None else [one.name for one in names],
            written,
            snapshot=version.snapshot,
        )
        rows = [row for row in version.rows if selected.test(row) is True]
        expected = [[row[one.id] for one in columns] for row in rows]
        way = self.random.choice(list(_WAYS))
        what = f"{way} of {[one.name for one in columns]} where {selected.text or selected.tree}"
        try:
            actual = _WAYS[way](scan, columns)
        except Exception as error:  # noqa: BLE001 - every error is a wrong answer
            self._fail(f"{what}: {type(error).__name__}: {error}")
            return
        expected = [list(_SHOWN.get(way, lambda row, _: row)(row, columns)) for row in expected]
        self._compare(f"{what} at {version.snapshot}", bag(expected), bag(actual))

    def _compare(self, what: str, expected: Any, actual: Any) -> None:
        self.answers += 1
        if expected != actual:
            self.failures.append(
                f"seed {self.seed}: {what}: expected {expected}, actual {actual}; {self.log}"
            )

    def _fail(self, what: str) -> None:
        self.answers += 1
        self.failures.append(f"seed {self.seed}: {what}; {self.log}")


def _plain(value: Any) -> Any:
    return value.bytes if hasattr(value, "bytes") else value


def _table_rows(table: pa.Table) -> list[list[Any]]:
    return [list(row.values()) for row in table.to_pylist()]


def _batch_rows(scan: Any, _: Any) -> list[list[Any]]:
    schema = scan.to_arrow().schema
    batches = list(scan.batches())
    assert all(batch.schema == schema for batch in batches)
    return [row for batch in batches for row in _table_rows(batch)]


def _reader_rows(scan: Any, _: Any) -> list[list[Any]]:
    with scan.reader() as reader:
        return _table_rows(pa.Table.from_batches(list(reader), reader.schema))


def _polars_rows(scan: Any, columns: tuple[Column, ...]) -> list[list[Any]]:
    frame = scan.to_polars()
    assert frame.columns == [one.name for one in columns]
    return [list(_flat(row, columns)) for row in frame.rows()]


def _pandas_rows(scan: Any, columns: tuple[Column, ...]) -> list[list[Any]]:
    frame = scan.to_pandas()
    rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return [list(_flat(_lists(row), columns)) for row in rows]


def _lists(value: Any) -> Any:
    if isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray":
        return [_lists(part) for part in value]
    if isinstance(value, dict):
        return {key: _lists(part) for key, part in value.items()}
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


def _duckdb_rows(scan: Any, columns: tuple[Column, ...]) -> list[list[Any]]:
    with duckdb.connect() as connection:
        result = scan.to_duckdb(connection=connection).to_arrow_table()
    return [list(_flat(row, columns)) for row in _table_rows(result)]


def _flat(row: Any, columns: tuple[Column, ...]) -> Iterator[Any]:
    """Yield values that every library shows alike: whether nested ones are null, and no NaN."""
    for value, one in zip(row, columns, strict=True):
        if one.kind.startswith(("map", "list", "struct")):
            yield value is None
        elif one.kind in {"float", "double"}:
            yield None if value is None or value != value else value
        else:
            # Polars shows the bytes of a UUID.
            is_bytes = one.kind == "uuid" and isinstance(value, bytes)
            uuid = UUID(bytes=value) if is_bytes else value
            yield str(uuid) if isinstance(uuid, UUID) else uuid


_WAYS: dict[str, Callable[[Any, tuple[Column, ...]], list[list[Any]]]] = {
    "to_arrow": lambda scan, _: _table_rows(scan.to_arrow()),
    "batches": _batch_rows,
    "reader": _reader_rows,
    "pandas": _pandas_rows,
    "polars": _polars_rows,
    "duckdb": _duckdb_rows,
}
_SHOWN = {"pandas": _flat, "polars": _flat, "duckdb": _flat}


def trial(catalog: IcebergCatalog, seed: int) -> Trial:
    """Return a trial that was run; errors of writes are failures too."""
    new = Trial(catalog, seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            new.run()
    except Exception as error:  # noqa: BLE001 - every error is a wrong answer
        new._fail(f"{type(error).__name__}: {error}")
    return new


__all__ = ["pl", "trial"]
