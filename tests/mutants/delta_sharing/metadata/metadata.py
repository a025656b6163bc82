"""Metadata that is not that of the table, or not in the lines or the format that were asked for."""

from __future__ import annotations

import itertools
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, fault, on_call, on_lines, replace_rule
from lakepact.reference_server.http.problems import Problem
from mutants.delta_sharing.metadata.version import header
from mutants.delta_sharing.operators.lines import on_schema
from mutants.delta_sharing.operators.wrapped import (
    DELTA,
    METADATA,
    PARQUET,
    leave_out,
    on_all,
    on_wrapped,
    rewrite,
    write,
)

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler


@fault("DS-MDT-08")
def metadata_lacks_its_partition_columns() -> Install:
    """Metadata that is asked for by itself has no partition columns."""
    return on_wrapped("metaData", write(partitionColumns=[]), form=PARQUET, of=METADATA)


@fault("DS-DWP-02")
def delta_metadata_lacks_its_partition_columns() -> Install:
    """Metadata that is asked for by itself in delta format has no partition columns."""
    return on_wrapped("metaData", lambda one: one["deltaMetadata"].update(partitionColumns=[]), form=DELTA, of=METADATA)


@fault("DS-DWP-02", by=partial(on_schema, METADATA))
def metadata_has_the_names_of_files(columns: list[dict[str, Any]]) -> None:
    """Metadata that is asked for by itself in delta format calls columns as files do."""
    for column in columns:
        column["name"] = column["metadata"].get("delta.columnMapping.physicalName", column["name"])


@fault("DS-MDT-07")
def metadata_has_columns_upside_down() -> Install:
    """Metadata that is asked for by itself has the last column first."""
    return on_schema(METADATA, list[dict[str, Any]].reverse)


@fault("DS-MET-01")
def metadata_comes_first() -> Install:
    """In metadata, the protocol line comes second."""
    return on_lines(METADATA, lambda lines: lines[::-1])


@fault("DS-MET-01", "DS-DF-14")
def metadata_without_protocol() -> Install:
    """Metadata has no protocol line."""
    return on_lines(METADATA, lambda lines: lines[1:])


@fault("DS-MET-01", "DS-DF-14", by=partial(on_lines, METADATA))
def metadata_ends_in_so_many_words(lines: list[Any]) -> None:
    """Metadata ends with an endStreamAction that was not requested."""
    lines.append({"endStreamAction": {}})


@fault("DS-MET-02")
def metadata_is_of_the_next_version() -> Install:
    """The header of metadata names the next version."""
    return header(METADATA, lambda v: b"%d" % (v + 1))


@fault("DS-MET-02")
def metadata_has_no_version() -> Install:
    """Metadata has no header with a version."""
    return header(METADATA, lambda _: None)


@fault("DS-MET-03", "DS-CAP-03", "DS-CAP-04")
def always_in_delta_format() -> Install:
    """Everything is answered in delta format."""
    return replace_rule("negotiate", lambda _c, _n: DELTA)


@fault("DS-MET-04", "DS-CAP-04", by=partial(on_call, METADATA))
def delta_format_is_for_partitioned_tables(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Metadata of tables without partitions is in parquet format, whatever is asked for."""
    reply = handler(**arguments)
    metadata = json.loads(reply.body.split(b"\n")[1])["metaData"]
    inner = metadata.get("deltaMetadata", metadata)
    if inner["partitionColumns"] or inner.get("configuration", {}).get("delta.columnMapping.mode"):
        return reply
    try:
        return handler(**{name: value for name, value in arguments.items() if name != "delta_sharing_capabilities"})
    except Problem:
        return reply


@fault("DS-DF-13", by=partial(on_call, METADATA))
def metadata_is_always_current(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Metadata as of a version is the current one."""
    return handler(**{name: value for name, value in arguments.items() if name not in {"version", "timestamp"}})


@fault("DS-MDT-01")
def tables_have_no_id() -> Install:
    """Metadata has no id."""
    return on_wrapped("metaData", leave_out("id"), form=PARQUET)


@fault("DS-MDT-01")
def ids_of_tables_are_numbers() -> Install:
    """The id in metadata is a number."""
    return on_wrapped("metaData", write(id=7), form=PARQUET)


@fault("DS-MDT-01")
def ids_of_tables_change() -> Install:
    """The id in metadata is another one each time."""
    numbers = itertools.count()
    return on_wrapped("metaData", rewrite("id", lambda _: f"id-{next(numbers)}"), form=PARQUET)


@fault("DS-MDT-01")
def changes_are_of_another_table() -> Install:
    """The id in the metadata of changes is another one."""
    return on_wrapped("metaData", write(id="another"), form=PARQUET, of=op.query_table_changes)


@fault("DS-MDT-01")
def metadata_in_another_format_is_of_another_table() -> Install:
    """The id in metadata in delta format is not that in parquet format."""
    return on_all(lambda lines: lines[1]["metaData"]["deltaMetadata"].update(id="another"), form=DELTA)
