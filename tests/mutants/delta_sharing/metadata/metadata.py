"""Metadata that is not that of the table, or not in the lines or the format that were asked for."""

from __future__ import annotations

import itertools
import json
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, fault, on_call, on_lines, replace_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.delta_sharing.metadata.version import header
from mutants.delta_sharing.operators import wrapped
from mutants.delta_sharing.operators.lines import on_schema


@fault("DS-DWP-02", by=partial(on_schema, wrapped.METADATA))
def metadata_has_the_names_of_files(columns: list[dict[str, Any]]) -> None:
    for column in columns:
        column["name"] = column["metadata"].get("delta.columnMapping.physicalName", column["name"])


@fault("DS-MET-04", "DS-CAP-04", by=partial(on_call, wrapped.METADATA))
def delta_format_is_for_partitioned_tables(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    metadata = json.loads(reply.body.split(b"\n")[1])["metaData"]
    inner = metadata.get("deltaMetadata", metadata)
    if inner["partitionColumns"] or inner.get("configuration", {}).get("delta.columnMapping.mode"):
        return reply
    try:
        return handler(
            **{
                name: value
                for name, value in arguments.items()
                if name != "delta_sharing_capabilities"
            }
        )
    except Problem:
        return reply


@fault("DS-DF-13", by=partial(on_call, wrapped.METADATA))
def metadata_is_always_current(handler: Handler, arguments: Arguments) -> Reply:
    return handler(
        **{name: value for name, value in arguments.items() if name not in {"version", "timestamp"}}
    )


@fault("DS-MDT-01")
def ids_of_tables_change() -> Install:
    numbers = itertools.count()
    return wrapped.on_wrapped(
        "metaData", wrapped.rewrite("id", lambda _: f"id-{next(numbers)}"), form=wrapped.PARQUET
    )


FAULTS = {
    "metadata-lacks-its-partition-columns DS-MDT-08": wrapped.on_wrapped(
        "metaData", wrapped.write(partitionColumns=[]), form=wrapped.PARQUET, of=wrapped.METADATA
    ),
    "delta-metadata-lacks-its-partition-columns DS-DWP-02": wrapped.on_wrapped(
        "metaData",
        lambda one: one["deltaMetadata"].update(partitionColumns=[]),
        form=wrapped.DELTA,
        of=wrapped.METADATA,
    ),
    "metadata-has-columns-upside-down DS-MDT-07": on_schema(
        wrapped.METADATA, list[dict[str, Any]].reverse
    ),
    "metadata-comes-first DS-MET-01": on_lines(wrapped.METADATA, lambda lines: lines[::-1]),
    "metadata-without-protocol DS-MET-01 DS-DF-14": on_lines(
        wrapped.METADATA, lambda lines: lines[1:]
    ),
    "metadata-ends-in-so-many-words DS-MET-01 DS-DF-14": on_lines(
        wrapped.METADATA, lambda lines: lines.append({"endStreamAction": {}})
    ),
    "metadata-is-of-the-next-version DS-MET-02": header(
        wrapped.METADATA, lambda v: b"%d" % (v + 1)
    ),
    "metadata-has-no-version DS-MET-02": header(wrapped.METADATA, lambda _: None),
    "always-in-delta-format DS-MET-03 DS-CAP-03 DS-CAP-04": replace_rule(
        "negotiate", lambda _c, _n: wrapped.DELTA
    ),
    "tables-have-no-id DS-MDT-01": wrapped.on_wrapped(
        "metaData", wrapped.leave_out("id"), form=wrapped.PARQUET
    ),
    "ids-of-tables-are-numbers DS-MDT-01": wrapped.on_wrapped(
        "metaData", wrapped.write(id=7), form=wrapped.PARQUET
    ),
    "changes-are-of-another-table DS-MDT-01": wrapped.on_wrapped(
        "metaData", wrapped.write(id="another"), form=wrapped.PARQUET, of=op.query_table_changes
    ),
    "metadata-in-another-format-is-of-another-table DS-MDT-01": wrapped.on_all(
        lambda lines: lines[1]["metaData"]["deltaMetadata"].update(id="another"), form=wrapped.DELTA
    ),
}
