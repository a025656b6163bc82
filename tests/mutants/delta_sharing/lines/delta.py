"""Lines in delta format that are not as they should be."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Install, fault
from mutants.delta_sharing.operators.wrapped import (
    CHANGES,
    DELTA,
    Document,
    leave_out,
    on_actions,
    on_all,
    on_wrapped,
    rewrite,
    write,
)


def _metadata(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("metaData", edit, form=DELTA)


def _files(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("file", edit, form=DELTA)


def _vectors(edit: Callable[[Document, Document], object]) -> Install:
    """Edit in place the lines of files whose deletion vector is in a file: the line, and the action
    that it wraps.
    """

    def change(file: Document) -> None:
        for action in file["deltaSingleAction"].values():
            if action.get("deletionVector", {}).get("storageType") == "p":
                edit(file, action)

    return _files(change)


def _changing(kind: str, *, changed: bool) -> Callable[[Document], None]:
    """Say of one kind of action among changes whether it changes data."""

    def edit(file: Document) -> None:
        action = file["deltaSingleAction"].get(kind)
        if action is not None:
            action["dataChange"] = changed

    return edit


@fault("DS-DFL-06", by=_files)
def files_wrap_two_actions(file: Document) -> None:
    ((_, action),) = file["deltaSingleAction"].items()
    file["deltaSingleAction"] = {"add": action, "remove": action}


FAULTS = {
    "removals-change-no-data DS-DFL-06": on_wrapped(
        "file", _changing("remove", changed=False), form=DELTA, of=(op.query_table, CHANGES)
    ),
    "files-of-changes-change-data DS-DFL-06": on_wrapped(
        "file", _changing("cdc", changed=True), form=DELTA, of=CHANGES
    ),
    "delta-protocol-and-metadata-on-one-line DS-DWP-01": on_all(
        lambda lines: [{**lines[0], **lines[1]}, *lines[2:]], form=DELTA
    ),
    "delta-actions-are-not-wrapped DS-DWP-01": on_all(
        lambda lines: [
            line["file"]["deltaSingleAction"] if "file" in line else line for line in lines
        ],
        form=DELTA,
    ),
    "delta-protocol-without-reader-version DS-DPR-01": on_wrapped(
        "protocol", lambda p: p["deltaProtocol"].pop("minReaderVersion"), form=DELTA
    ),
    "reader-features-are-a-text DS-DPR-01": on_wrapped(
        "protocol", lambda p: rewrite("readerFeatures", ",".join)(p["deltaProtocol"]), form=DELTA
    ),
    "delta-metadata-is-not-wrapped DS-DMD-01": on_all(
        lambda lines: lines[1].update(metaData=lines[1]["metaData"]["deltaMetadata"]), form=DELTA
    ),
    "delta-metadata-without-schema DS-DMD-01": _metadata(
        lambda m: m["deltaMetadata"].pop("schemaString")
    ),
    "delta-metadata-without-id DS-DMD-01": _metadata(lambda m: m["deltaMetadata"].pop("id")),
    "files-wrap-nothing DS-DFL-06": _files(write(deltaSingleAction={})),
    "paths-of-the-log DS-DFL-06": on_actions(
        rewrite("path", lambda url: url.partition("?")[0].rpartition("/")[2])
    ),
    "wrapped-actions-without-size DS-DFL-06 DS-DF-16": on_actions(leave_out("size")),
    "urls-are-signed-in-their-own-way DS-DF-01": on_actions(
        rewrite("path", lambda url: url.replace("X-Amz-Signature", "sig"))
    ),
    "vectors-keep-their-storage DS-DF-16": _vectors(
        lambda _, a: a["deletionVector"].update(storageType="u")
    ),
    "vectors-have-no-id DS-DF-16": _vectors(lambda f, _: f.pop("deletionVectorFileId")),
    "delta-changes-without-version DS-DF-17": on_wrapped(
        "file", leave_out("version"), form=DELTA, of=CHANGES
    ),
    "delta-changes-without-time DS-DF-17": on_wrapped(
        "file", leave_out("timestamp"), form=DELTA, of=CHANGES
    ),
    "metadata-of-delta-changes-without-version DS-DF-17": on_wrapped(
        "metaData", leave_out("version"), form=DELTA, of=CHANGES
    ),
}
