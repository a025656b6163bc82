"""Metadata that is not that of the table, or not in the lines or the format that were asked for."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, anew, instead, on_call, on_lines
from lakepact.reference_server.problems import Problem

from .table_version import header
from .ways.lines import on_schema
from .ways.wrapped import DELTA, METADATA, PARQUET, leave_out, on_all, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _with_end(lines: list[Any]) -> None:
    lines.append({"endStreamAction": {}})


def _as_of_now(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Answer the current metadata, whichever version is asked for."""
    return handler(**{name: value for name, value in arguments.items() if name not in {"version", "timestamp"}})


def _delta_if_partitioned(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    metadata = json.loads(reply.body.split(b"\n")[1])["metaData"]
    inner = metadata.get("deltaMetadata", metadata)
    if inner["partitionColumns"] or inner.get("configuration", {}).get("delta.columnMapping.mode"):
        return reply
    try:
        return handler(**{name: value for name, value in arguments.items() if name != "delta_sharing_capabilities"})
    except Problem:
        return reply


def _as_files_call_them(columns: list[dict[str, Any]]) -> None:
    for column in columns:
        column["name"] = column["metadata"].get("delta.columnMapping.physicalName", column["name"])


def _new_ids() -> Install:
    """Give tables another id in every answer."""
    numbers = itertools.count()
    return on_wrapped("metaData", rewrite("id", lambda _: f"id-{next(numbers)}"), form=PARQUET)


FAULTS = (
    Fault(
        "metadata-lacks-its-partition-columns",
        "Metadata that is asked for by itself has no partition columns.",
        ("DS-MDT-08",),
        on_wrapped("metaData", write(partitionColumns=[]), form=PARQUET, of=METADATA),
    ),
    Fault(
        "delta-metadata-lacks-its-partition-columns",
        "Metadata that is asked for by itself in delta format has no partition columns.",
        ("DS-DWP-02",),
        on_wrapped("metaData", lambda one: one["deltaMetadata"].update(partitionColumns=[]), form=DELTA, of=METADATA),
    ),
    Fault(
        "metadata-has-the-names-of-files",
        "Metadata that is asked for by itself in delta format calls columns as files do.",
        ("DS-DWP-02",),
        on_schema(METADATA, _as_files_call_them),
    ),
    Fault(
        "metadata-has-columns-upside-down",
        "Metadata that is asked for by itself has the last column first.",
        ("DS-MDT-07",),
        on_schema(METADATA, list[dict[str, Any]].reverse),
    ),
    Fault(
        "metadata-comes-first",
        "In metadata, the protocol line comes second.",
        ("DS-MET-01",),
        on_lines(METADATA, lambda lines: lines[::-1]),
    ),
    Fault(
        "metadata-without-protocol",
        "Metadata has no protocol line.",
        ("DS-MET-01", "DS-DF-14"),
        on_lines(METADATA, lambda lines: lines[1:]),
    ),
    Fault(
        "metadata-ends-in-so-many-words",
        "Metadata ends with an endStreamAction that nobody asked for.",
        ("DS-MET-01", "DS-DF-14"),
        on_lines(METADATA, _with_end),
    ),
    Fault(
        "metadata-is-of-the-next-version",
        "The header of metadata names the next version.",
        ("DS-MET-02",),
        header(METADATA, lambda v: b"%d" % (v + 1)),
    ),
    Fault("metadata-has-no-version", "Metadata has no header with a version.", ("DS-MET-02",), header(METADATA, lambda _: None)),
    Fault(
        "always-in-delta-format",
        "Everything is answered in delta format.",
        ("DS-MET-03", "DS-CAP-03", "DS-CAP-04"),
        instead("rules", "negotiate", lambda _c, _n: DELTA),
    ),
    Fault(
        "delta-format-is-for-partitioned-tables",
        "Metadata of tables without partitions is in parquet format, whatever is asked for.",
        ("DS-MET-04", "DS-CAP-04"),
        on_call(METADATA, _delta_if_partitioned),
    ),
    Fault(
        "metadata-is-always-current",
        "Metadata as of a version is the current one.",
        ("DS-DF-13",),
        on_call(METADATA, _as_of_now),
    ),
    Fault("tables-have-no-id", "Metadata has no id.", ("DS-MDT-01",), on_wrapped("metaData", leave_out("id"), form=PARQUET)),
    Fault(
        "ids-of-tables-are-numbers", "The id in metadata is a number.", ("DS-MDT-01",), on_wrapped("metaData", write(id=7), form=PARQUET)
    ),
    Fault(
        "ids-of-tables-change",
        "The id in metadata is another one each time.",
        ("DS-MDT-01",),
        anew(_new_ids),
    ),
    Fault(
        "changes-are-of-another-table",
        "The id in the metadata of changes is another one.",
        ("DS-MDT-01",),
        on_wrapped("metaData", write(id="another"), form=PARQUET, of="queryTableChanges"),
    ),
    Fault(
        "metadata-in-another-format-is-of-another-table",
        "The id in metadata in delta format is not that in parquet format.",
        ("DS-MDT-01",),
        on_all(lambda lines: lines[1]["metaData"]["deltaMetadata"].update(id="another"), form=DELTA),
    ),
)
