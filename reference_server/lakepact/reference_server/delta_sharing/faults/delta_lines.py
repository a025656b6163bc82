"""Lines in delta format that are not as they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault

from .ways.wrapped import CHANGES, DELTA, Document, leave_out, on_actions, on_all, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install


def _metadata(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("metaData", edit, form=DELTA)


def _files(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("file", edit, form=DELTA)


def _joined(lines: list[Any]) -> list[Any]:
    return [{**lines[0], **lines[1]}, *lines[2:]]


def _bare(lines: list[Any]) -> list[Any]:
    """Leave out the wrapper of files, so that a line is an action of the log."""
    return [line["file"]["deltaSingleAction"] if "file" in line else line for line in lines]


def _two_actions(file: Document) -> None:
    """Wrap an action twice, as a rewrite of a file is one remove and one add."""
    ((_, action),) = file["deltaSingleAction"].items()
    file["deltaSingleAction"] = {"add": action, "remove": action}


def _path_alone(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def _unsigned(url: str) -> str:
    return url.replace("X-Amz-Signature", "sig")


def _vectors(edit: Callable[[Document, Document], object]) -> Install:
    """Edit in place the lines of files whose deletion vector is in a file: the line, and the action that it wraps."""

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


FAULTS = (
    Fault(
        "removals-change-no-data",
        "Among files that changed, wrapped removes say that they change no data.",
        ("DS-DFL-06",),
        on_wrapped("file", _changing("remove", changed=False), form=DELTA, of=("queryTable", CHANGES)),
    ),
    Fault(
        "files-of-changes-change-data",
        "Wrapped files of changes say that they change data.",
        ("DS-DFL-06",),
        on_wrapped("file", _changing("cdc", changed=True), form=DELTA, of=CHANGES),
    ),
    Fault(
        "delta-protocol-and-metadata-on-one-line",
        "The first two lines in delta format are one.",
        ("DS-DWP-01",),
        on_all(_joined, form=DELTA),
    ),
    Fault(
        "delta-actions-are-not-wrapped", "Lines of files in delta format are actions of the log.", ("DS-DWP-01",), on_all(_bare, form=DELTA)
    ),
    Fault(
        "delta-protocol-without-reader-version",
        "The wrapped protocol has no minReaderVersion.",
        ("DS-DPR-01",),
        on_wrapped("protocol", lambda p: p["deltaProtocol"].pop("minReaderVersion"), form=DELTA),
    ),
    Fault(
        "reader-features-are-a-text",
        "The reader features of the wrapped protocol are one text.",
        ("DS-DPR-01",),
        on_wrapped("protocol", lambda p: rewrite("readerFeatures", ",".join)(p["deltaProtocol"]), form=DELTA),
    ),
    Fault(
        "delta-metadata-is-not-wrapped",
        "The metaData line in delta format is the action itself.",
        ("DS-DMD-01",),
        on_all(lambda lines: lines[1].update(metaData=lines[1]["metaData"]["deltaMetadata"]), form=DELTA),
    ),
    Fault(
        "delta-metadata-without-schema",
        "The wrapped metadata has no schemaString.",
        ("DS-DMD-01",),
        _metadata(lambda m: m["deltaMetadata"].pop("schemaString")),
    ),
    Fault(
        "delta-metadata-without-id", "The wrapped metadata has no id.", ("DS-DMD-01",), _metadata(lambda m: m["deltaMetadata"].pop("id"))
    ),
    Fault("files-wrap-two-actions", "A file line wraps two actions.", ("DS-DFL-06",), _files(_two_actions)),
    Fault("files-wrap-nothing", "A file line wraps no action.", ("DS-DFL-06",), _files(write(deltaSingleAction={}))),
    Fault("paths-of-the-log", "The path of a wrapped action is no URL.", ("DS-DFL-06",), on_actions(rewrite("path", _path_alone))),
    Fault("wrapped-actions-without-size", "The wrapped actions have no size.", ("DS-DFL-06", "DS-DF-16"), on_actions(leave_out("size"))),
    Fault(
        "urls-are-signed-in-their-own-way",
        "The key of a URL's signature is known to no client.",
        ("DS-DF-01",),
        on_actions(rewrite("path", _unsigned)),
    ),
    Fault(
        "vectors-keep-their-storage",
        "A deletion vector in a file keeps its storageType.",
        ("DS-DF-16",),
        _vectors(lambda _, a: a["deletionVector"].update(storageType="u")),
    ),
    Fault(
        "vectors-have-no-id", "Files of deletion vectors have no id.", ("DS-DF-16",), _vectors(lambda f, _: f.pop("deletionVectorFileId"))
    ),
    Fault(
        "delta-changes-without-version",
        "Changes in delta format have no version.",
        ("DS-DF-17",),
        on_wrapped("file", leave_out("version"), form=DELTA, of=CHANGES),
    ),
    Fault(
        "delta-changes-without-time",
        "Changes in delta format have no timestamp.",
        ("DS-DF-17",),
        on_wrapped("file", leave_out("timestamp"), form=DELTA, of=CHANGES),
    ),
    Fault(
        "metadata-of-delta-changes-without-version",
        "The metadata of changes in delta format has no version.",
        ("DS-DF-17",),
        on_wrapped("metaData", leave_out("version"), form=DELTA, of=CHANGES),
    ),
)
