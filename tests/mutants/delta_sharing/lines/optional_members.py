"""Optional members with wrong values."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, wrap_rule
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.delta_sharing.operators.lines import on_statistics
from mutants.delta_sharing.operators.requests import on_query, without
from mutants.delta_sharing.operators.wrapped import (
    DELTA,
    PARQUET,
    QUERY,
    Document,
    on_all,
    on_wrapped,
    rewrite,
    write,
)


def _in_seconds(milliseconds: int) -> int:
    return milliseconds // 1000


def _one_more(number: int) -> int:
    return number + 1


def _items(change: Callable[[Document], object], *operations: OperationId) -> Install:
    """Change every item of listings."""

    def edit(document: Document) -> None:
        for item in document["items"]:
            change(item)

    return on_answer(operations, edit)


def _counted(lines: list[Any]) -> None:
    """Say as the number of files how many stand in the answer."""
    lines[1]["metaData"]["numFiles"] = sum("file" in line for line in lines)


def _lines(reply: Reply) -> list[Any]:
    return [orjson.loads(line) for line in reply.body.splitlines()]


@fault(
    "DS-MDT-11", "DS-MDT-12", "DS-DMD-03", "DS-DMD-04", by=partial(on_call, op.get_table_metadata)
)
def metadata_of_versions_counts_what_is_there_now(handler: Handler, arguments: Arguments) -> Reply:
    current = handler(**arguments | {"version": None, "timestamp": None}).as_whole()
    reply = handler(**arguments).as_whole()
    if arguments.get("version") is None and arguments.get("timestamp") is None:
        return reply
    now, then = (_lines(r) for r in (current, reply))
    then[1]["metaData"].update(
        {
            name: now[1]["metaData"][name]
            for name in ("size", "numFiles")
            if name in then[1]["metaData"]
        }
    )
    return replace(reply, body=b"".join(orjson.dumps(line) + b"\n" for line in then))


@fault("DS-DFL-02")
def ids_of_vectors_change() -> Install:
    numbers = itertools.count()
    return on_wrapped(
        "file", rewrite("deletionVectorFileId", lambda _: f"vector-{next(numbers)}"), form=DELTA
    )


FAULTS = {
    "stats-are-objects DS-FIL-06": on_wrapped("file", rewrite("stats", json.loads), form=PARQUET),
    "records-are-miscounted DS-STA-01": on_statistics(rewrite("numRecords", _one_more)),
    "display-names-are-too-long DS-SHR-03": _items(write(displayName="x" * 256), op.list_shares),
    "auxiliary-locations-are-a-text DS-LTB-06": _items(
        write(auxiliaryLocations="s3://elsewhere/table"), op.list_tables, op.list_all_tables
    ),
    "versions-do-not-count DS-TTV-01": on_query(without("version")),
    "times-do-not-count DS-TTV-02": on_query(without("timestamp")),
    "removals-are-not-listed DS-TTV-07": wrap_rule(
        "file_changes",
        lambda changes: lambda commit: (c for c in changes(commit) if c[0] != "remove"),
    ),
    **{
        f"{form}-metadata-counts-what-is-answered {requirement}": on_all(
            _counted, form=form, of=QUERY
        )
        for requirement, form in (("DS-MDT-12", PARQUET), ("DS-DMD-04", DELTA))
    },
    **{
        f"{form}-metadata-with-{member.lower()}-of-another-type {requirement}": on_wrapped(
            "metaData", write(**{member: value}), form=form
        )
        for requirement, form, member, value in (
            ("DS-MDT-02", PARQUET, "name", 7),
            ("DS-MDT-02", PARQUET, "description", {"en": "a table"}),
            ("DS-MDT-04", PARQUET, "auxiliaryLocations", "s3://elsewhere/table"),
            ("DS-MDT-05", PARQUET, "accessModes", ["URL"]),
            ("DS-MDT-09", PARQUET, "configuration", {"enableChangeDataFeed": True}),
            ("DS-DMD-06", DELTA, "auxiliaryLocations", "s3://elsewhere/table"),
            ("DS-DMD-07", DELTA, "accessModes", ["URL"]),
            ("DS-MDT-12", PARQUET, "numFiles", "2"),
            ("DS-DMD-04", DELTA, "numFiles", "2"),
            ("DS-MDT-11", PARQUET, "size", 1),
            ("DS-DMD-03", DELTA, "size", 1),
        )
    },
    **{
        f"{form}-metadata-with-wrong-version {requirement}": on_wrapped(
            "metaData", rewrite("version", _one_more), form=form
        )
        for requirement, form in (("DS-MDT-10", PARQUET), ("DS-DMD-02", DELTA))
    },
    **{
        f"{form}-file-with-wrong-{member.lower()} {requirement}": on_wrapped(
            "file", rewrite(member, change), form=form
        )
        for requirement, form, member, change in (
            ("DS-FIL-07", PARQUET, "version", _one_more),
            ("DS-FIL-08", PARQUET, "timestamp", _in_seconds),
            ("DS-FIL-09", PARQUET, "expirationTimestamp", _in_seconds),
            ("DS-DFL-03", DELTA, "version", _one_more),
            ("DS-DFL-04", DELTA, "timestamp", _in_seconds),
            ("DS-DFL-05", DELTA, "expirationTimestamp", _in_seconds),
        )
    },
    **{
        f"ends-with-wrong-{member.lower()} {requirement}": on_wrapped(
            "endStreamAction", rewrite(member, change), of=QUERY
        )
        for requirement, member, change in (
            ("DS-EST-01", "refreshToken", lambda token: {"token": token}),
            ("DS-EST-02", "nextPageToken", lambda token: [token]),
            ("DS-EST-03", "minUrlExpirationTimestamp", lambda n: n + 60_000),
        )
    },
}
