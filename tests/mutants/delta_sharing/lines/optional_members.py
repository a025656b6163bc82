"""Optional members with wrong values."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.faults import Fault, Install, fault, on_answer, on_call, wrap_rule
from mutants.delta_sharing.operators.lines import on_statistics
from mutants.delta_sharing.operators.requests import on_query, without
from mutants.delta_sharing.operators.wrapped import DELTA, PARQUET, QUERY, Document, on_all, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler


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


def _said_as(requirement: str, form: str, kind: str, member: str, value: Any) -> Fault:
    """A member of another type than it has."""
    return Fault(
        f"{form}-{kind.lower()}-with-{member.lower()}-of-another-type",
        f"In {form} format, {member} in lines {kind} is {json.dumps(value)}.",
        (requirement,),
        on_wrapped(kind, write(**{member: value}), form=form),
    )


def _said_off(requirement: str, form: str, kind: str, member: str, change: Callable[[int], int]) -> Fault:
    """A number that is not the one that is meant."""
    return Fault(
        f"{form}-{kind.lower()}-with-wrong-{member.lower()}",
        f"In {form} format, {member} in lines {kind} is not what it is of.",
        (requirement,),
        on_wrapped(kind, rewrite(member, change), form=form),
    )


def _counted(lines: list[Any]) -> None:
    """Say as the number of files how many stand in the answer."""
    lines[1]["metaData"]["numFiles"] = sum("file" in line for line in lines)


def _lines(reply: Reply) -> list[Any]:
    return [orjson.loads(line) for line in reply.body.splitlines()]


@fault("DS-MDT-11", "DS-MDT-12", "DS-DMD-03", "DS-DMD-04", by=partial(on_call, op.get_table_metadata))
def metadata_of_versions_counts_what_is_there_now(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Metadata of a version says the size and the number of files that the table has now."""
    reply = handler(**arguments).joined()
    if arguments.get("version") is None and arguments.get("timestamp") is None:
        return reply
    now, then = (_lines(r) for r in (handler(**arguments | {"version": None, "timestamp": None}).joined(), reply))
    then[1]["metaData"].update({name: now[1]["metaData"][name] for name in ("size", "numFiles") if name in then[1]["metaData"]})
    return replace(reply, body=b"".join(orjson.dumps(line) + b"\n" for line in then))


@fault("DS-FIL-06")
def stats_are_objects() -> Install:
    """The stats of a file are an object."""
    return on_wrapped("file", rewrite("stats", json.loads), form=PARQUET)


@fault("DS-STA-01")
def records_are_miscounted() -> Install:
    """Statistics count one record more than there is."""
    return on_statistics(rewrite("numRecords", _one_more))


@fault("DS-DFL-02")
def ids_of_vectors_change() -> Install:
    """Ids of deletion vectors are others each time."""
    numbers = itertools.count()
    return on_wrapped("file", rewrite("deletionVectorFileId", lambda _: f"vector-{next(numbers)}"), form=DELTA)


@fault("DS-SHR-03")
def display_names_are_too_long() -> Install:
    """Shares have long display names."""
    return _items(write(displayName="x" * 256), op.list_shares)


@fault("DS-LTB-06")
def auxiliary_locations_are_a_text() -> Install:
    """The auxiliary locations of tables are one text."""
    return _items(write(auxiliaryLocations="s3://elsewhere/table"), op.list_tables, op.list_all_tables)


@fault("DS-TTV-01")
def versions_do_not_count() -> Install:
    """Queries as of a version are of the current one."""
    return on_query(without("version"))


@fault("DS-TTV-02")
def times_do_not_count() -> Install:
    """Queries as of a time are of the current version."""
    return on_query(without("timestamp"))


@fault("DS-TTV-07")
def removals_are_not_listed() -> Install:
    """Changes since a version have no removed files."""
    return wrap_rule("file_changes", lambda changes: lambda commit: (c for c in changes(commit) if c[0] != "remove"))


FAULTS: tuple[Fault, ...] = (
    *(
        Fault(
            f"{form}-metadata-counts-what-is-answered",
            f"In {form} format, numFiles is the number of files that hints leave.",
            (requirement,),
            on_all(_counted, form=form, of=QUERY),
        )
        for requirement, form in (("DS-MDT-12", PARQUET), ("DS-DMD-04", DELTA))
    ),
    *(
        _said_as(requirement, form, "metaData", member, value)
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
    ),
    *(
        _said_off(requirement, form, "metaData", "version", _one_more)
        for requirement, form in (("DS-MDT-10", PARQUET), ("DS-DMD-02", DELTA))
    ),
    *(
        _said_off(requirement, form, "file", member, change)
        for requirement, form, member, change in (
            ("DS-FIL-07", PARQUET, "version", _one_more),
            ("DS-FIL-08", PARQUET, "timestamp", _in_seconds),
            ("DS-FIL-09", PARQUET, "expirationTimestamp", _in_seconds),
            ("DS-DFL-03", DELTA, "version", _one_more),
            ("DS-DFL-04", DELTA, "timestamp", _in_seconds),
            ("DS-DFL-05", DELTA, "expirationTimestamp", _in_seconds),
        )
    ),
    *(
        Fault(
            f"ends-with-wrong-{member.lower()}",
            f"The {member} at the end of answers is wrong.",
            (requirement,),
            on_wrapped("endStreamAction", rewrite(member, change), of=QUERY),
        )
        for requirement, member, change in (
            ("DS-EST-01", "refreshToken", lambda token: {"token": token}),
            ("DS-EST-02", "nextPageToken", lambda token: [token]),
            ("DS-EST-03", "minUrlExpirationTimestamp", lambda n: n + 60_000),
        )
    ),
)
