"""Change data feeds that say too much, too little, or something else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.delta_sharing.log import Log
from lakepact.reference_server.delta_sharing.queries.changes import file_changes
from lakepact.reference_server.faults import (
    accept,
    fault,
    on_call,
    on_lines,
    replace_rule,
    wrap_rule,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.delta_sharing.operators.lines import CHANGES, file_of, only, wrapper_of
from mutants.delta_sharing.operators.requests import on_changes


def _one_less(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Take a bound for the version before it, unless the range would be empty."""

    def edit(arguments: Arguments) -> dict[str, Any]:
        first, value = arguments.get("starting_version") or 0, arguments.get(name)
        return (
            arguments
            if value is None or int(value) - 1 < int(first)
            else arguments | {name: int(value) - 1}
        )

    return edit


def _later(of: Callable[[Log, int], int]) -> Callable[[Log, int], int]:
    """The version after the one that a time leads to, where there is one."""
    return lambda log, milliseconds: min(of(log, milliseconds) + 1, log.latest())


def _later_metadata(
    edit: Callable[[dict[str, Any], dict[str, Any]], object],
) -> Callable[[list[Any]], None]:
    """Edit each later metaData line by `edit(later, first)`."""

    def change(lines: list[Any]) -> None:
        first, *later = [line["metaData"] for line in lines if "metaData" in line]
        for one in later:
            edit(one, first)

    return change


def _inner(metadata: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = metadata.get("deltaMetadata") or metadata
    return found


def _timed(edit: Callable[[int], int]) -> Callable[[list[Any]], None]:
    def change(lines: list[Any]) -> None:
        for line in lines:
            if file_of(line) is not None:
                wrapper_of(line)["timestamp"] = edit(wrapper_of(line)["timestamp"])

    return change


@fault("DS-CDF-06", by=partial(wrap_rule, "version_at"))
def times_after_the_last_commit_are_refused(version_at: Callable[..., int]) -> Callable[..., int]:
    def known(log: Log, milliseconds: int) -> int:
        if milliseconds > log.timestamp(log.latest()):
            raise refusal(400, "the time is after the last commit")
        return version_at(log, milliseconds)

    return known


@fault("DS-CDF-01", by=on_changes)
def changes_need_no_start(arguments: Arguments) -> dict[str, Any]:
    said = {arguments.get("starting_version"), arguments.get("starting_timestamp")} - {None}
    return arguments if said else arguments | {"starting_version": 0}


@fault("DS-CDF-04", "DS-CDF-10", by=on_changes)
def starts_are_excluded(arguments: Arguments) -> dict[str, Any]:
    first, last = arguments.get("starting_version"), arguments.get("ending_version")
    if first is None or last is None or int(first) + 1 > int(last):
        return arguments
    return arguments | {"starting_version": int(first) + 1}


@fault("DS-CDF-08", by=partial(on_call, CHANGES))
def changes_name_their_end(handler: Handler, arguments: Arguments) -> Reply:
    reply, last = handler(**arguments), arguments.get("ending_version")
    said = b"%d" % int(last) if last is not None else dict(reply.headers)[b"delta-table-version"]
    return replace(
        reply,
        headers=tuple(
            (name, said if name == b"delta-table-version" else value)
            for name, value in reply.headers
        ),
    )


@fault("DS-CDF-10", by=partial(on_lines, CHANGES))
def removed_files_are_added_ones(lines: list[Any]) -> list[Any]:
    renamed = []
    for line in lines:
        single = line.get("file", {}).get("deltaSingleAction", {})
        if "remove" in single:
            single["add"] = single.pop("remove")
        renamed.append({"add": line["remove"]} if "remove" in line else line)
    return renamed


@fault("DS-CDF-10", by=partial(on_lines, CHANGES))
def vectors_of_removed_files_are_lost(lines: list[Any]) -> None:
    for line in lines:
        line.get("file", {}).get("deltaSingleAction", {}).get("remove", {}).pop(
            "deletionVector", None
        )


@fault("DS-CDF-13", by=partial(on_call, CHANGES))
def ends_after_the_current_version(handler: Handler, arguments: Arguments) -> Reply:
    last = arguments.get("ending_version")
    return handler(
        **arguments | {"ending_version": None if last is not None and int(last) > 7 else last}
    )


@fault("DS-DFL-06", by=partial(on_lines, CHANGES))
def delta_changes_are_not_wrapped(lines: list[Any]) -> None:
    for line in lines:
        if "deltaSingleAction" in line.get("file", {}):
            line["file"].update(line["file"].pop("deltaSingleAction"))


@fault("DS-CDF-15", by=partial(on_lines, CHANGES))
def delta_changes_lose_a_file(lines: list[Any]) -> None:
    wrapped = [line for line in lines if "deltaSingleAction" in line.get("file", {})]
    if wrapped:
        lines.remove(wrapped[-1])


@fault("DS-CDF-16", by=partial(on_lines, CHANGES))
def changes_are_as_old_as_their_files(lines: list[Any]) -> None:
    for line in lines:
        file = file_of(line)
        if file is not None:
            written = file.get("modificationTime", file.get("deletionTimestamp"))
            wrapper_of(line)["timestamp"] = written or wrapper_of(line)["timestamp"]


FAULTS = {
    "bounds-may-be-said-twice DS-CDF-02": replace_rule("points_exclude_each_other", accept),
    "times-are-no-bounds DS-CDF-02 DS-CDF-05 DS-CDF-06": on_changes(
        lambda arguments: {n: v for n, v in arguments.items() if "timestamp" not in n}
    ),
    "current-version-has-no-changes DS-CDF-03 DS-CDF-10": on_lines(
        CHANGES, only(lambda line: wrapper_of(line)["version"] != 8)
    ),
    "ends-are-excluded DS-CDF-04 DS-CDF-10": on_changes(_one_less("ending_version")),
    "changes-start-after-the-time DS-CDF-05 DS-CDF-08": wrap_rule("version_from", _later),
    "ends-do-not-count-from-a-time-on DS-CDF-05": on_changes(
        lambda arguments: (
            arguments | {"ending_version": None}
            if arguments.get("starting_timestamp")
            else arguments
        )
    ),
    "changes-end-after-the-time DS-CDF-06": wrap_rule("version_at", _later),
    "changes-lack-later-metadata DS-CDF-07": on_lines(
        CHANGES, lambda lines: lines[:2] + [line for line in lines[2:] if "metaData" not in line]
    ),
    "later-metadata-has-the-first-schema DS-CDF-07": on_lines(
        CHANGES,
        _later_metadata(
            lambda later, first: _inner(later).update(schemaString=_inner(first)["schemaString"])
        ),
    ),
    "later-metadata-is-of-the-first-version DS-CDF-07": on_lines(
        CHANGES, _later_metadata(lambda later, first: later.update(version=first["version"]))
    ),
    "later-schemas-are-objects DS-MDT-07": on_lines(
        CHANGES,
        _later_metadata(
            lambda later, _: _inner(later).update(
                schemaString=json.loads(_inner(later)["schemaString"])
            )
        ),
    ),
    "changes-repeat-metadata DS-CDF-07": on_lines(CHANGES, lambda lines: [*lines, lines[1]]),
    "changes-name-the-current-version DS-CDF-08": replace_rule(
        "version_of_answer", lambda _, current: current()
    ),
    "changes-end-with-their-head DS-CDF-09": on_lines(
        CHANGES, lambda lines: [*lines[2:], *lines[:2]] if file_of(lines[-1]) is not None else lines
    ),
    "changes-are-files DS-CDF-09 DS-CDF-10": on_lines(
        CHANGES,
        lambda lines: [
            line if file_of(line) is None else {"file": wrapper_of(line)} for line in lines
        ],
    ),
    "changes-are-told-twice DS-CDF-11 DS-CDF-10": replace_rule(
        "row_changes",
        lambda commit: chain((("cdc", action) for action in commit.cdcs), file_changes(commit)),
    ),
    "change-files-are-left-out DS-CDF-10": replace_rule("row_changes", file_changes),
    "unrecorded-changes-are-answered DS-CDF-12": replace_rule("feed_covers", accept),
    "changes-count-seconds DS-CDF-16 DS-CDF-10": on_lines(CHANGES, _timed(lambda t: t // 1000)),
    "changes-are-timed-late DS-CDF-16 DS-CDF-10": on_lines(CHANGES, _timed(lambda t: t + 60_000)),
}
