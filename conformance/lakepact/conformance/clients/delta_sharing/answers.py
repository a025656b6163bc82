"""Handling of the lines of an answer, and of their optional members."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from lakepact.conformance.clients.delta_sharing.api import (
    ROWS,
    Document,
    NotOffered,
    Performance,
    SharingClientLab,
    Unmet,
    check,
    expect,
    op,
    same_rows,
)
from lakepact.conformance.clients.delta_sharing.scripts import (
    CAPABILITIES,
    in_lines,
    with_capabilities,
)
from lakepact.generated.contract import OperationId

END = "endStreamAction"
WITH_END = "includeEndStreamAction=true"
FUTURE = 99  #: a version that no client of today can know
UNKNOWN = {"lakepactUnknown": {"of": ["a", "later", "version"]}}
QUERY = op.query_table
CHANGED = "changes"  #: a table with a change data feed
DELTA_FORMAT = ("responseformat", "delta", op.get_table_metadata, QUERY)
DELTA = (
    "responseformat=delta;readerfeatures=deletionvectors,columnmapping,timestampntz,v2checkpoint"
)


def _inside(lines: list[Document], kind: str, change: Document) -> list[Document]:
    """Return the lines with other members in those of one kind; in delta format, in the wrapped
    action.
    """
    wrapper = {"protocol": "deltaProtocol", "metaData": "deltaMetadata"}.get(kind, "")
    result = []
    for line in lines:
        inner = line.get(kind)
        if isinstance(inner, dict):
            inner = (
                {**inner, wrapper: {**inner[wrapper], **change}}
                if wrapper in inner
                else {**inner, **change}
            )
            result.append({**line, kind: inner})
        else:
            result.append(line)
    return result


def _all_unknown(lines: list[Document]) -> list[Document]:
    for kind in ("protocol", "metaData", "file", END):
        lines = _inside(lines, kind, UNKNOWN)
    return [
        {
            kind: {**inner, **UNKNOWN} if isinstance(inner, dict) else inner
            for kind, inner in line.items()
        }
        for line in lines
    ]


def asks_for(
    performance: Performance, capability: str, value: str, *operations: OperationId
) -> bool:
    """Return whether the client sent a capability with this value in requests of some
    operations.
    """
    headers = [
        v for exchange in performance.of(*operations) for v in exchange.request_values(CAPABILITIES)
    ]
    pairs = [part.partition("=") for part in ";".join(headers).lower().split(";")]
    return any(
        name.strip() == capability and value in [v.strip() for v in values.split(",")]
        for name, _, values in pairs
    )


@check("DS-PRO-03")
def unknown_members(lab: SharingClientLab) -> None:
    """A client reads exactly the rows of a table whose lines have unknown members."""
    table, rows = lab.reads()
    with lab.judge("DS-PRO-03"):
        same_rows(
            lab.performs("read-table", in_lines(_all_unknown), table=table),
            rows,
            "where lines have members of a later version",
        )


@check("DS-PRO-02")
def unknown_reader_versions(lab: SharingClientLab) -> None:
    """A client reports an error for a table with an unknown `minReaderVersion`."""
    table, _ = lab.reads()
    script = in_lines(lambda lines: _inside(lines, "protocol", {"minReaderVersion": FUTURE}))
    with lab.judge("DS-PRO-02"):
        lab.performs("read-table", script, table=table).expect_refusal(
            f"minReaderVersion is {FUTURE}"
        )


@check("DS-EST-05")
def error_lines_at_the_end(lab: SharingClientLab) -> None:
    """A client reports an error for a response whose endStreamAction has an `errorMessage`."""
    table, _ = lab.reads()

    def fails(lines: list[Document]) -> list[Document]:
        return [
            *(line for line in lines if END not in line),
            {END: {"errorMessage": "the rest could not be read"}},
        ]

    fixture = lab.pack.tables[CHANGED]
    bounds: Document = {
        "table": lab.address(CHANGED),
        "starting-version": 0,
        "ending-version": fixture.last.version,
    }
    changes = lab.tries(
        "read-changes", in_lines(fails, op.query_table_changes, capabilities=WITH_END), **bounds
    )
    with lab.judge_each("DS-EST-05") as case:
        with case():
            performance = lab.performs(
                "read-table", in_lines(fails, QUERY, capabilities=WITH_END), table=table
            )
            performance.expect_refusal(f"the {END} of the answer has an errorMessage")
        if changes is not None:
            with case():
                changes.expect_refusal(f"the {END} of the changes has an errorMessage")


@check("DS-ESA-05", "DS-ESA-06")
def missing_end_stream_actions(lab: SharingClientLab) -> None:
    """A client reports an error if a declared endStreamAction is missing; a client that did not
    request it reads without it.
    """
    table, rows = lab.reads()
    plain = lab.performs("read-table", table=table)
    if not asks_for(plain, "includeendstreamaction", "true", QUERY):
        lab.skip("DS-ESA-05", f"the client does not ask for an {END}")
        with lab.judge("DS-ESA-06"):
            same_rows(plain, rows, f"without an {END}, which the client did not ask for")
        return
    lab.skip("DS-ESA-06", f"the client asks for an {END}")

    def cut(lines: list[Document]) -> list[Document]:
        return [line for line in lines if END not in line][:-1]

    with lab.judge("DS-ESA-05"):
        performance = lab.performs(
            "read-table", in_lines(cut, QUERY, capabilities=WITH_END), table=table
        )
        performance.expect_refusal(f"the answer declares {WITH_END} and has no {END}")


@check("DS-CAP-08")
def parquet_format_instead_of_delta(lab: SharingClientLab) -> None:
    """A client that requested delta format and gets parquet format reads exactly the rows of the
    table.
    """
    table, rows = lab.reads()
    if not asks_for(lab.performs("read-table", table=table), *DELTA_FORMAT):
        raise NotOffered("the client does not ask for delta format")
    with lab.judge("DS-CAP-08"):
        same_rows(
            lab.performs("read-table", with_capabilities("responseformat=parquet"), table=table),
            rows,
            "where the answer is in parquet format",
        )


@check("DS-CAP-09")
def delta_format_instead_of_parquet(lab: SharingClientLab) -> None:
    """A client that did not request delta format and gets it reports an error."""
    table, _ = lab.reads()
    if asks_for(lab.performs("read-table", table=table), *DELTA_FORMAT):
        raise NotOffered("the client asks for delta format")
    with lab.judge("DS-CAP-09"):
        lab.performs("read-table", with_capabilities(DELTA), table=table).expect_refusal(
            "the answer is in delta format, which the client did not ask for"
        )


@check("DS-CLI-14")
def metadata_formats(lab: SharingClientLab) -> None:
    """A client returns the columns of metadata in parquet format, and in delta format if it
    requested that.
    """
    fixture = lab.pack.tables[ROWS]
    table, columns = lab.address(ROWS), [field["name"] for field in fixture.last.schema["fields"]]
    plain = lab.performs("read-metadata", table=table)
    has_delta = asks_for(plain, "responseformat", "delta", op.get_table_metadata)
    with lab.judge_each("DS-CLI-14") as case:
        for capabilities in ("responseformat=parquet", *([DELTA] if has_delta else [])):
            with case():
                performance = lab.performs(
                    "read-metadata", with_capabilities(capabilities), table=table
                )
                expect.equal(
                    columns,
                    performance.result,
                    f"columns of metadata in {capabilities.partition(';')[0]}:",
                )


#: Optional members of lines in parquet format, and of wrapped actions in delta format.
OPTIONAL = {
    "metaData": ("name", "description", "size", "numFiles", "version", "configuration"),
    "file": ("stats", "expirationTimestamp", "version", "timestamp"),
    "deltaMetadata": ("name", "description", "createdTime"),
    "add": ("stats", "tags"),
}
TYPED = "partition_types"
WAYS = (("read-table", ()), ("read-table", ("limit",)), ("read-table-at-version", ("version",)))
FEATURES = ("deletion_vectors", "column_mapping_name", "column_mapping_id", "timestamp_ntz")


def _change_members(value: Any, kind: str, change: Callable[[str, Document], Document]) -> Any:
    """Return a value of a line with changed members, nested ones too."""
    if not isinstance(value, dict):
        return value
    return change(
        kind, {name: _change_members(inner, name, change) for name, inner in value.items()}
    )


def _absent(kind: str, line: Document) -> Document:
    return {name: value for name, value in line.items() if name not in OPTIONAL.get(kind, ())}


def _null(kind: str, line: Document) -> Document:
    return {**line, **dict.fromkeys(OPTIONAL.get(kind, ()))}


def lines_with(
    change: Callable[[str, Document], Document],
) -> Callable[[list[Document]], list[Document]]:
    """Return a function that changes the members of all lines."""
    return lambda lines: [_change_members(line, "", change) for line in lines]


@check("DS-CLI-04", "DS-CLI-05")
def optional_members(lab: SharingClientLab) -> None:
    """A client reads exactly the rows of a table whose lines lack their optional members, or have
    null in them.
    """
    table, rows = lab.reads()
    changes = (
        ("DS-CLI-04", _absent, "lack their optional members"),
        ("DS-CLI-05", _null, "have null in them"),
    )
    for requirement, change, how in lab.each(changes):
        with lab.judge(requirement):
            performance = lab.performs("read-table", in_lines(lines_with(change)), table=table)
            same_rows(performance, rows, f"whose lines {how}")


def same_values(performance: Performance, rows: Sequence[Document], what: str) -> None:
    """Expect rows with these ids, equal nulls, and equal values of the types that JSON has.

    Raises:
        Unmet: they differ.
    """
    actual_rows = performance.result
    if not isinstance(actual_rows, list) or not all(isinstance(row, dict) for row in actual_rows):
        raise Unmet(f"the rows of {what}, an array of objects", performance.outcome)
    by_id = {row.get("id"): row for row in actual_rows}
    expect.same_items([row["id"] for row in rows], list(by_id), f"ids of the rows of {what}:")
    for row in rows:
        for column, value in row.items():
            actual = by_id[row["id"]].get(column)
            if value is None or isinstance(value, (bool, int, str)):
                expect.equal(value, actual, f"{column} of the row {row['id']} of {what}:")
            elif actual is None:
                raise Unmet(
                    f"{column} of the row {row['id']} of {what}: {expect.excerpt(value)}", "null"
                )


@check("DS-CLI-10")
def partition_values(lab: SharingClientLab) -> None:
    """A client returns the rows of a table with partition columns of all types, with their values
    and nulls.
    """
    lab.reads()
    with lab.judge("DS-CLI-10"):
        same_values(
            lab.performs("read-table", table=lab.address(TYPED)),
            lab.rows(TYPED),
            "a table with partition columns of all types",
        )


@check("DS-CLI-12")
def reader_features(lab: SharingClientLab) -> None:
    """A client that gets 200 for a table with reader features returns its rows, however it reads
    them.
    """
    lab.reads()
    count = 0
    with lab.judge_each("DS-CLI-12") as case:
        for fixture, (task, how) in itertools.product(FEATURES, WAYS):
            table, last = lab.pack.tables[fixture], lab.pack.tables[fixture].last
            more: Document = {
                name: last.version if name == "version" else len(last.rows) for name in how
            }
            performance = lab.tries(task, table=lab.address(fixture), **more)
            if performance is None or all(
                one.status != 200 for one in performance.of(op.query_table)
            ):
                continue
            count += 1
            with case():
                features = ", ".join(sorted(table.features))
                what = f"a table with the features {features}, by {task} {expect.excerpt(more)}"
                same_values(performance, lab.rows(fixture), what)
    if not count:
        raise NotOffered("the client names no reader features")
