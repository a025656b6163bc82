"""Lines in parquet format that are not as they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault

from .ways.wrapped import CHANGES, PARQUET, QUERY, Document, leave_out, on_all, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install


def _metadata(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("metaData", edit, form=PARQUET)


def _changed(kind: str, edit: Callable[[Document], object]) -> Install:
    return on_wrapped(kind, edit, form=PARQUET, of=(QUERY, CHANGES))


def _joined(lines: list[Any]) -> list[Any]:
    """Put the first two lines on one."""
    return [{**lines[0], **lines[1]}, *lines[2:]]


def _bare(lines: list[Any]) -> list[Any]:
    """Leave out the wrapper of files."""
    return [line.get("file", line) for line in lines]


def _in_an_envelope(lines: list[Any]) -> list[Any]:
    """Say the kind of a line in a member."""
    return [{"kind": kind, "content": content} for line in lines for kind, content in line.items()]


def _one_more(file: Document) -> None:
    file["partitionValues"]["elsewhere"] = "1"


def _only_first(file: Document) -> None:
    file["partitionValues"] = dict(list(file["partitionValues"].items())[:1])


FAULTS = (
    Fault("sizes-are-texts", "The size of a file is a text.", ("DS-FIL-05",), on_wrapped("file", rewrite("size", str), form=PARQUET)),
    Fault("protocol-and-metadata-on-one-line", "The first two lines are one.", ("DS-WRP-01",), on_all(_joined, form=PARQUET)),
    Fault("files-are-not-wrapped", "Lines of files have no wrapper.", ("DS-WRP-01",), on_all(_bare, form=PARQUET)),
    Fault("kinds-of-lines-are-a-member", "Lines say their kind in a member.", ("DS-WRP-01",), on_all(_in_an_envelope, form=PARQUET)),
    Fault(
        "reader-version-of-the-log",
        "The protocol in parquet format has the reader version of the log.",
        ("DS-PRO-01",),
        on_wrapped("protocol", write(minReaderVersion=3), form=PARQUET),
    ),
    Fault(
        "reader-version-is-a-text",
        "The minReaderVersion is a text.",
        ("DS-PRO-01",),
        on_wrapped("protocol", write(minReaderVersion="1"), form=PARQUET),
    ),
    Fault(
        "no-reader-version",
        "There is no minReaderVersion.",
        ("DS-PRO-01",),
        on_wrapped("protocol", leave_out("minReaderVersion"), form=PARQUET),
    ),
    Fault("tables-have-no-format", "Metadata has no format.", ("DS-MDT-06",), _metadata(leave_out("format"))),
    Fault("format-is-a-text", "The format of a table is a text.", ("DS-MDT-06",), _metadata(write(format="parquet"))),
    Fault("provider-is-delta", "The provider of a table is delta.", ("DS-FMT-01",), _metadata(write(format={"provider": "delta"}))),
    Fault("format-without-provider", "The format of a table has no provider.", ("DS-FMT-01",), _metadata(write(format={}))),
    Fault("tables-have-no-schema", "Metadata has no schemaString.", ("DS-MDT-07",), _metadata(leave_out("schemaString"))),
    Fault("schema-is-sql", "The schemaString of a table is SQL.", ("DS-MDT-07",), _metadata(write(schemaString="id bigint, word string"))),
    Fault(
        "no-partition-columns-where-there-are-none",
        "A table without partitions has no partitionColumns.",
        ("DS-MDT-08",),
        _metadata(lambda m: m["partitionColumns"] or m.pop("partitionColumns")),
    ),
    Fault(
        "partition-columns-are-not-in-the-schema",
        "The partition columns are called otherwise than in the schema.",
        ("DS-MDT-08",),
        _metadata(rewrite("partitionColumns", lambda names: [f"{name}_" for name in names])),
    ),
    Fault(
        "partition-columns-are-objects",
        "The partition columns are objects.",
        ("DS-MDT-08",),
        _metadata(rewrite("partitionColumns", lambda names: [{"name": name} for name in names])),
    ),
    Fault(
        "files-without-partition-values",
        "Files of tables without partitions have no partitionValues.",
        ("DS-FIL-04",),
        on_wrapped("file", lambda f: f["partitionValues"] or f.pop("partitionValues"), form=PARQUET),
    ),
    Fault(
        "partition-values-of-elsewhere",
        "Files have a partition value of no column.",
        ("DS-FIL-04",),
        on_wrapped("file", _one_more, form=PARQUET),
    ),
    Fault(
        "first-partition-value-alone",
        "Files have their first partition value alone.",
        ("DS-FIL-04",),
        on_wrapped("file", _only_first, form=PARQUET),
    ),
    *(
        Fault(f"{kind}-without-{member}", f"A line {kind} has no {member}.", (requirement,), _changed(kind, leave_out(member)))
        for kind, requirement in (("add", "DS-ADD-01"), ("cdf", "DS-CDC-01"), ("remove", "DS-REM-01"))
        for member in ("id", "size", "timestamp", "partitionValues")
    ),
    *(
        Fault(f"{kind}-without-version", f"A line {kind} has no version.", (requirement, "DS-QRY-05"), _changed(kind, leave_out("version")))
        for kind, requirement in (("add", "DS-ADD-01"), ("cdf", "DS-CDC-01"), ("remove", "DS-REM-01"))
    ),
    Fault(
        "times-of-changes-are-texts",
        "The timestamp of a changed file is a text.",
        ("DS-ADD-01", "DS-CDC-01", "DS-REM-01", "DS-QRY-05"),
        on_wrapped(("add", "cdf", "remove"), rewrite("timestamp", str), form=PARQUET),
    ),
    Fault("removed-files-have-no-url", "Removed files have no URL.", ("DS-REM-01",), _changed("remove", leave_out("url"))),
)
