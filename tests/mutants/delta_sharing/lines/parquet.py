"""Lines in parquet format that are not as they should be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, fault
from mutants.delta_sharing.operators.wrapped import (
    CHANGES,
    PARQUET,
    QUERY,
    Document,
    leave_out,
    on_all,
    on_wrapped,
    rewrite,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install


def _metadata(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("metaData", edit, form=PARQUET)


def _changed(kind: str, edit: Callable[[Document], object]) -> Install:
    return on_wrapped(kind, edit, form=PARQUET, of=(QUERY, CHANGES))


@fault("DS-FIL-05")
def sizes_are_texts() -> Install:
    """The size of a file is a text."""
    return on_wrapped("file", rewrite("size", str), form=PARQUET)


@fault("DS-WRP-01", by=partial(on_all, form=PARQUET))
def protocol_and_metadata_on_one_line(lines: list[Any]) -> list[Any]:
    """The first two lines are one."""
    return [{**lines[0], **lines[1]}, *lines[2:]]


@fault("DS-WRP-01", by=partial(on_all, form=PARQUET))
def files_are_not_wrapped(lines: list[Any]) -> list[Any]:
    """Lines of files have no wrapper."""
    return [line.get("file", line) for line in lines]


@fault("DS-WRP-01", by=partial(on_all, form=PARQUET))
def kinds_of_lines_are_a_member(lines: list[Any]) -> list[Any]:
    """Lines say their kind in a member."""
    return [{"kind": kind, "content": content} for line in lines for kind, content in line.items()]


@fault("DS-PRO-01")
def reader_version_of_the_log() -> Install:
    """The protocol in parquet format has the reader version of the log."""
    return on_wrapped("protocol", write(minReaderVersion=3), form=PARQUET)


@fault("DS-PRO-01")
def reader_version_is_a_text() -> Install:
    """The minReaderVersion is a text."""
    return on_wrapped("protocol", write(minReaderVersion="1"), form=PARQUET)


@fault("DS-PRO-01")
def no_reader_version() -> Install:
    """There is no minReaderVersion."""
    return on_wrapped("protocol", leave_out("minReaderVersion"), form=PARQUET)


@fault("DS-MDT-06")
def tables_have_no_format() -> Install:
    """Metadata has no format."""
    return _metadata(leave_out("format"))


@fault("DS-MDT-06")
def format_is_a_text() -> Install:
    """The format of a table is a text."""
    return _metadata(write(format="parquet"))


@fault("DS-FMT-01")
def provider_is_delta() -> Install:
    """The provider of a table is delta."""
    return _metadata(write(format={"provider": "delta"}))


@fault("DS-FMT-01")
def format_without_provider() -> Install:
    """The format of a table has no provider."""
    return _metadata(write(format={}))


@fault("DS-MDT-07")
def tables_have_no_schema() -> Install:
    """Metadata has no schemaString."""
    return _metadata(leave_out("schemaString"))


@fault("DS-MDT-07")
def schema_is_sql() -> Install:
    """The schemaString of a table is SQL."""
    return _metadata(write(schemaString="id bigint, word string"))


@fault("DS-MDT-08")
def no_partition_columns_where_there_are_none() -> Install:
    """A table without partitions has no partitionColumns."""
    return _metadata(lambda m: m["partitionColumns"] or m.pop("partitionColumns"))


@fault("DS-MDT-08")
def partition_columns_are_not_in_the_schema() -> Install:
    """The partition columns are called otherwise than in the schema."""
    return _metadata(rewrite("partitionColumns", lambda names: [f"{name}_" for name in names]))


@fault("DS-MDT-08")
def partition_columns_are_objects() -> Install:
    """The partition columns are objects."""
    return _metadata(rewrite("partitionColumns", lambda names: [{"name": name} for name in names]))


@fault("DS-FIL-04")
def files_without_partition_values() -> Install:
    """Files of tables without partitions have no partitionValues."""
    return on_wrapped("file", lambda f: f["partitionValues"] or f.pop("partitionValues"), form=PARQUET)


@fault("DS-FIL-04", by=partial(on_wrapped, "file", form=PARQUET))
def partition_values_of_elsewhere(file: Document) -> None:
    """Files have a partition value of no column."""
    file["partitionValues"]["elsewhere"] = "1"


@fault("DS-FIL-04", by=partial(on_wrapped, "file", form=PARQUET))
def first_partition_value_alone(file: Document) -> None:
    """Files have their first partition value alone."""
    file["partitionValues"] = dict(list(file["partitionValues"].items())[:1])


@fault("DS-ADD-01", "DS-CDC-01", "DS-REM-01", "DS-QRY-05")
def times_of_changes_are_texts() -> Install:
    """The timestamp of a changed file is a text."""
    return on_wrapped(("add", "cdf", "remove"), rewrite("timestamp", str), form=PARQUET)


@fault("DS-REM-01")
def removed_files_have_no_url() -> Install:
    """Removed files have no URL."""
    return _changed("remove", leave_out("url"))


FAULTS: tuple[Fault, ...] = (
    *(
        Fault(f"{kind}-without-{member}", f"A line {kind} has no {member}.", (requirement,), _changed(kind, leave_out(member)))
        for kind, requirement in (("add", "DS-ADD-01"), ("cdf", "DS-CDC-01"), ("remove", "DS-REM-01"))
        for member in ("id", "size", "timestamp", "partitionValues")
    ),
    *(
        Fault(f"{kind}-without-version", f"A line {kind} has no version.", (requirement, "DS-QRY-05"), _changed(kind, leave_out("version")))
        for kind, requirement in (("add", "DS-ADD-01"), ("cdf", "DS-CDC-01"), ("remove", "DS-REM-01"))
    ),
)
