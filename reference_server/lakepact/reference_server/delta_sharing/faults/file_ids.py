"""Ids of files that change, or that several files have."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, anew, on_call

from .ways.wrapped import CHANGES, DELTA, PARQUET, Document, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _new_ids(kind: str, form: str) -> Install:
    """Give files another id in every answer."""
    numbers = itertools.count()
    return on_wrapped(kind, lambda document: document.update(id=f"file-{next(numbers)}"), form=form)


def _by_size(document: Document) -> None:
    """Name files by what several of them share."""
    action: dict[str, Any] = next(iter(document.get("deltaSingleAction", {"": document}).values()))
    document["id"] = f"size-{action['size'] // 1_000_000}"


def _of_the_data(document: Document) -> None:
    """Name the file of a deletion vector as the data file that it belongs to."""
    if "deletionVectorFileId" in document:
        document["deletionVectorFileId"] = document["id"]


def _one_id_for_changes(file: Document) -> None:
    if "cdc" in file["deltaSingleAction"]:
        file["id"] = "changes"


def _of_the_version(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Make ids out of the version too, where it is not the current one."""
    reply = handler(**arguments)
    if (arguments.get("body") or {}).keys() != {"version"} or not reply.has_body:
        return reply
    version, now = (dict(one.headers)[b"delta-table-version"] for one in (reply, handler(**arguments | {"body": {}})))
    lines = reply.joined().body
    return reply if version == now else replace(reply, chunks=None, body=lines.replace(b'"id":"', b'"id":"%b-' % version))


FAULTS = (
    Fault(
        "ids-are-of-their-version",
        "Files have other ids in answers of earlier versions.",
        ("DS-FIL-03", "DS-DFL-01"),
        on_call("queryTable", _of_the_version),
    ),
    Fault(
        "wrapped-files-of-changes-share-an-id",
        "In delta format all files of changes have one id.",
        ("DS-DFL-01",),
        on_wrapped("file", _one_id_for_changes, form=DELTA, of="queryTableChanges"),
    ),
    Fault(
        "vectors-have-the-ids-of-data",
        "The file of a deletion vector has the id of the data file.",
        ("DS-DFL-02",),
        on_wrapped("file", _of_the_data, form=DELTA),
    ),
    Fault("files-of-changes-share-an-id", "All files of changes have one id.", ("DS-CDC-01",), on_wrapped("cdf", write(id="changes"))),
    Fault("ids-change", "Ids of files are others each time.", ("DS-FIL-03",), anew(partial(_new_ids, "file", PARQUET))),
    Fault("delta-ids-change", "Ids of files in delta format are others each time.", ("DS-DFL-01",), anew(partial(_new_ids, "file", DELTA))),
    Fault(
        "changes-name-files-anew",
        "Files that were added have other ids among the changes.",
        ("DS-FIL-03",),
        on_wrapped("add", rewrite("id", lambda known: f"change-{known}"), form=PARQUET, of=CHANGES),
    ),
    Fault(
        "delta-changes-name-files-anew",
        "Files that were added have other ids among the changes in delta format.",
        ("DS-DFL-01",),
        on_wrapped("file", rewrite("id", lambda known: f"change-{known}"), form=DELTA, of=CHANGES),
    ),
    Fault("ids-are-shared", "Several files have one id.", ("DS-FIL-03",), on_wrapped("file", _by_size, form=PARQUET)),
    Fault("delta-ids-are-shared", "Several files have one id in delta format.", ("DS-DFL-01",), on_wrapped("file", _by_size, form=DELTA)),
    Fault(
        "removed-files-have-other-ids",
        "Removed files have other ids than added ones.",
        ("DS-REM-02",),
        anew(partial(_new_ids, "remove", PARQUET)),
    ),
)
