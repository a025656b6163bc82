"""Lines in delta format that are not as they should be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install


def _metadata(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("metaData", edit, form=DELTA)


def _files(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("file", edit, form=DELTA)


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


@fault("DS-DFL-06")
def removals_change_no_data() -> Install:
    """Among files that changed, wrapped removes say that they change no data."""
    return on_wrapped("file", _changing("remove", changed=False), form=DELTA, of=(op.query_table, CHANGES))


@fault("DS-DFL-06")
def files_of_changes_change_data() -> Install:
    """Wrapped files of changes say that they change data."""
    return on_wrapped("file", _changing("cdc", changed=True), form=DELTA, of=CHANGES)


@fault("DS-DWP-01", by=partial(on_all, form=DELTA))
def delta_protocol_and_metadata_on_one_line(lines: list[Any]) -> list[Any]:
    """The first two lines in delta format are one."""
    return [{**lines[0], **lines[1]}, *lines[2:]]


@fault("DS-DWP-01", by=partial(on_all, form=DELTA))
def delta_actions_are_not_wrapped(lines: list[Any]) -> list[Any]:
    """Lines of files in delta format are actions of the log."""
    return [line["file"]["deltaSingleAction"] if "file" in line else line for line in lines]


@fault("DS-DPR-01")
def delta_protocol_without_reader_version() -> Install:
    """The wrapped protocol has no minReaderVersion."""
    return on_wrapped("protocol", lambda p: p["deltaProtocol"].pop("minReaderVersion"), form=DELTA)


@fault("DS-DPR-01")
def reader_features_are_a_text() -> Install:
    """The reader features of the wrapped protocol are one text."""
    return on_wrapped("protocol", lambda p: rewrite("readerFeatures", ",".join)(p["deltaProtocol"]), form=DELTA)


@fault("DS-DMD-01")
def delta_metadata_is_not_wrapped() -> Install:
    """The metaData line in delta format is the action itself."""
    return on_all(lambda lines: lines[1].update(metaData=lines[1]["metaData"]["deltaMetadata"]), form=DELTA)


@fault("DS-DMD-01")
def delta_metadata_without_schema() -> Install:
    """The wrapped metadata has no schemaString."""
    return _metadata(lambda m: m["deltaMetadata"].pop("schemaString"))


@fault("DS-DMD-01")
def delta_metadata_without_id() -> Install:
    """The wrapped metadata has no id."""
    return _metadata(lambda m: m["deltaMetadata"].pop("id"))


@fault("DS-DFL-06", by=partial(_files))
def files_wrap_two_actions(file: Document) -> None:
    """A file line wraps two actions."""
    ((_, action),) = file["deltaSingleAction"].items()
    file["deltaSingleAction"] = {"add": action, "remove": action}


@fault("DS-DFL-06")
def files_wrap_nothing() -> Install:
    """A file line wraps no action."""
    return _files(write(deltaSingleAction={}))


@fault("DS-DFL-06", by=lambda act: on_actions(rewrite("path", act)))
def paths_of_the_log(url: str) -> str:
    """The path of a wrapped action is no URL."""
    return url.partition("?")[0].rpartition("/")[2]


@fault("DS-DFL-06", "DS-DF-16")
def wrapped_actions_without_size() -> Install:
    """The wrapped actions have no size."""
    return on_actions(leave_out("size"))


@fault("DS-DF-01", by=lambda act: on_actions(rewrite("path", act)))
def urls_are_signed_in_their_own_way(url: str) -> str:
    """The key of a URL's signature is known to no client."""
    return url.replace("X-Amz-Signature", "sig")


@fault("DS-DF-16")
def vectors_keep_their_storage() -> Install:
    """A deletion vector in a file keeps its storageType."""
    return _vectors(lambda _, a: a["deletionVector"].update(storageType="u"))


@fault("DS-DF-16")
def vectors_have_no_id() -> Install:
    """Files of deletion vectors have no id."""
    return _vectors(lambda f, _: f.pop("deletionVectorFileId"))


@fault("DS-DF-17")
def delta_changes_without_version() -> Install:
    """Changes in delta format have no version."""
    return on_wrapped("file", leave_out("version"), form=DELTA, of=CHANGES)


@fault("DS-DF-17")
def delta_changes_without_time() -> Install:
    """Changes in delta format have no timestamp."""
    return on_wrapped("file", leave_out("timestamp"), form=DELTA, of=CHANGES)


@fault("DS-DF-17")
def metadata_of_delta_changes_without_version() -> Install:
    """The metadata of changes in delta format has no version."""
    return on_wrapped("metaData", leave_out("version"), form=DELTA, of=CHANGES)
