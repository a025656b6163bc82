"""Lines without optional members, partition values of all types, and tables with reader features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.delta_sharing.lab import same_rows
from lakepact.conformance.clients.delta_sharing.scripts import in_lines
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.program import in_order
from lakepact.conformance.evidence.outcome import NotOffered, Unmet
from lakepact.conformance.judging import expect
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.lab import Performance

    Line = dict[str, Any]

#: Optional members of lines in parquet format, and of what lines in delta format wrap.
OPTIONAL = {
    "metaData": ("name", "description", "size", "numFiles", "version", "configuration"),
    "file": ("stats", "expirationTimestamp", "version", "timestamp"),
    "deltaMetadata": ("name", "description", "createdTime"),
    "add": ("stats", "tags"),
}
TYPED = "partition_types"
FEATURES = ("deletion_vectors", "column_mapping_name", "column_mapping_id", "timestamp_ntz")


def _changed(value: Any, kind: str, change: Callable[[str, Line], Line]) -> Any:
    """Return a value of a line with changed members, also in what it wraps."""
    if not isinstance(value, dict):
        return value
    return change(kind, {name: _changed(inner, name, change) for name, inner in value.items()})


def _absent(kind: str, line: Line) -> Line:
    return {name: value for name, value in line.items() if name not in OPTIONAL.get(kind, ())}


def _null(kind: str, line: Line) -> Line:
    return {**line, **dict.fromkeys(OPTIONAL.get(kind, ()))}


def lines_with(change: Callable[[str, Line], Line]) -> Callable[[list[Line]], list[Line]]:
    """Return a function that changes the members of all lines."""
    return lambda lines: [_changed(line, "", change) for line in lines]


@check("DS-CLI-04", "DS-CLI-05")
def optional_members(lab: SharingClientLab) -> None:
    """A client reads exactly the rows of a table whose lines lack their optional members, or have null in them."""
    table, rows = lab.reads()
    changes = (("DS-CLI-04", _absent, "lack their optional members"), ("DS-CLI-05", _null, "have null in them"))
    for requirement, change, how in lab.each(changes):
        with lab.judge(requirement):
            done = lab.performs("read-table", in_lines(lines_with(change)), table=table)
            same_rows(done.ended, rows, f"whose lines {how}")


def same_values(done: Performance, rows: Sequence[Line], what: str) -> None:
    """Expect rows with these ids, whose other values are the same where JSON has their type, and null where they are null.

    Raises:
        Unmet: they differ.
    """
    printed = done.result
    if not isinstance(printed, list) or not all(isinstance(row, dict) for row in printed):
        raise Unmet(f"the rows of {what}, an array of objects", done.ended.outcome)
    by_id = {row.get("id"): row for row in printed}
    expect.equal(in_order([row["id"] for row in rows]), in_order(list(by_id)), f"ids of the rows of {what}:", at=None)
    for row in rows:
        for column, value in row.items():
            found = by_id[row["id"]].get(column)
            if value is None or isinstance(value, (bool, int, str)):
                expect.equal(value, found, f"{column} of the row {row['id']} of {what}:", at=None)
            elif found is None:
                raise Unmet(f"{column} of the row {row['id']} of {what}: {expect.shown(value)}", "null")


@check("DS-CLI-10")
def partition_values(lab: SharingClientLab) -> None:
    """A client returns the rows of a table with partition columns of all types, with their values and nulls."""
    lab.reads()
    with lab.judge("DS-CLI-10"):
        same_values(lab.performs("read-table", table=lab.address(TYPED)), lab.rows(TYPED), "a table with partition columns of all types")


@check("DS-CLI-12")
def reader_features(lab: SharingClientLab) -> None:
    """A client that gets 200 for a table with reader features returns its rows and values."""
    lab.reads()
    judged = 0
    with lab.judge_each("DS-CLI-12") as case:
        for fixture in FEATURES:
            done = lab.performs("read-table", table=lab.address(fixture))
            if not any(exchange.status == 200 for exchange in done.of(op.query_table)):
                continue
            judged += 1
            with case():
                same_values(done, lab.rows(fixture), f"a table with the features {', '.join(sorted(lab.pack.tables[fixture].features))}")
    if not judged:
        raise NotOffered("the client names no reader features")
