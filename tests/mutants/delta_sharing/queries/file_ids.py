"""Ids of files that change, or that several files have."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, fault, on_call, per_server
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.delta_sharing.operators.wrapped import (
    CHANGES,
    DELTA,
    PARQUET,
    Document,
    on_wrapped,
    rewrite,
    write,
)


@per_server
def _new_ids(kind: str, form: str) -> Install:
    """Give files another id in every answer."""
    numbers = itertools.count()
    return on_wrapped(kind, lambda document: document.update(id=f"file-{next(numbers)}"), form=form)


def _by_size(document: Document) -> None:
    """Name files by what several of them share."""
    action: dict[str, Any] = next(iter(document.get("deltaSingleAction", {"": document}).values()))
    document["id"] = f"size-{action['size'] // 1_000_000}"


@fault("DS-FIL-03", "DS-DFL-01", by=partial(on_call, op.query_table))
def ids_are_of_their_version(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if (arguments.get("body") or {}).keys() != {"version"} or not reply.has_body:
        return reply
    version, now = (
        dict(one.headers)[b"delta-table-version"]
        for one in (reply, handler(**arguments | {"body": {}}))
    )
    lines = reply.as_whole().body
    return (
        reply
        if version == now
        else replace(reply, chunks=None, body=lines.replace(b'"id":"', b'"id":"%b-' % version))
    )


@fault("DS-DFL-01", by=partial(on_wrapped, "file", form=DELTA, of=op.query_table_changes))
def wrapped_files_of_changes_share_an_id(file: Document) -> None:
    if "cdc" in file["deltaSingleAction"]:
        file["id"] = "changes"


@fault("DS-DFL-02", by=partial(on_wrapped, "file", form=DELTA))
def vectors_have_the_ids_of_data(document: Document) -> None:
    if "deletionVectorFileId" in document:
        document["deletionVectorFileId"] = document["id"]


FAULTS = {
    "files-of-changes-share-an-id DS-CDC-01": on_wrapped("cdf", write(id="changes")),
    "ids-change DS-FIL-03": _new_ids("file", PARQUET),
    "delta-ids-change DS-DFL-01": _new_ids("file", DELTA),
    "changes-name-files-again DS-FIL-03": on_wrapped(
        "add", rewrite("id", lambda known: f"change-{known}"), form=PARQUET, of=CHANGES
    ),
    "delta-changes-name-files-again DS-DFL-01": on_wrapped(
        "file", rewrite("id", lambda known: f"change-{known}"), form=DELTA, of=CHANGES
    ),
    "ids-are-shared DS-FIL-03": on_wrapped("file", _by_size, form=PARQUET),
    "delta-ids-are-shared DS-DFL-01": on_wrapped("file", _by_size, form=DELTA),
    "removed-files-have-other-ids DS-REM-02": _new_ids("remove", PARQUET),
}
