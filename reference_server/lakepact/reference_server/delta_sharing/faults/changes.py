"""Change data feeds that say too much, too little, or something else."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.delta_sharing.changes import file_changes
from lakepact.reference_server.delta_sharing.faults.ways.asking import on_changes
from lakepact.reference_server.delta_sharing.faults.ways.lines import CHANGES, file_of, only, wrapper_of
from lakepact.reference_server.faults import Fault, accept, around, instead, on_call, on_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.reference_server.delta_sharing.log import Commit, Log
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _both(commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
    """Files of changes, and the files that were added and removed too."""
    return chain((("cdc", action) for action in commit.cdcs), file_changes(commit))


def _from_the_first(arguments: dict[str, Any]) -> dict[str, Any]:
    """Take the first version for the start where none is said."""
    said = {arguments.get("starting_version"), arguments.get("starting_timestamp")} - {None}
    return arguments if said else arguments | {"starting_version": 0}


def _one_less(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Take a bound for the version before it, unless the range would be empty."""

    def edit(arguments: dict[str, Any]) -> dict[str, Any]:
        first, value = arguments.get("starting_version") or 0, arguments.get(name)
        return arguments if value is None or int(value) - 1 < int(first) else arguments | {name: int(value) - 1}

    return edit


def _start_excluded(arguments: dict[str, Any]) -> dict[str, Any]:
    """Take a start for the last version that is not in the range."""
    first, last = arguments.get("starting_version"), arguments.get("ending_version")
    if first is None or last is None or int(first) + 1 > int(last):
        return arguments
    return arguments | {"starting_version": int(first) + 1}


def _clipped(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take an end after the current version for that version."""
    last = arguments.get("ending_version")
    return handler(**arguments | {"ending_version": None if last is not None and int(last) > 7 else last})


def _named_by_their_end(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Say in the header which version changes end with."""
    reply, last = handler(**arguments), arguments.get("ending_version")
    said = b"%d" % int(last) if last is not None else dict(reply.headers)[b"delta-table-version"]
    return replace(reply, headers=tuple((name, said if name == b"delta-table-version" else value) for name, value in reply.headers))


def _later(of: Callable[[Log, int], int]) -> Callable[[Log, int], int]:
    """The version after the one that a time leads to, where there is one."""
    return lambda log, milliseconds: min(of(log, milliseconds) + 1, log.latest())


def _upside_down(lines: list[Any]) -> list[Any]:
    return [*lines[2:], *lines[:2]] if file_of(lines[-1]) is not None else lines


def _snapshot_lines(lines: list[Any]) -> list[Any]:
    """Say of each file that it is one of a snapshot."""
    return [line if file_of(line) is None else {"file": wrapper_of(line)} for line in lines]


def _first_metadata_only(lines: list[Any]) -> list[Any]:
    return lines[:2] + [line for line in lines[2:] if "metaData" not in line]


def _metadata_again(lines: list[Any]) -> list[Any]:
    return [*lines, lines[1]]


def _later_metadata(edit: Callable[[dict[str, Any], dict[str, Any]], object]) -> Callable[[list[Any]], None]:
    """Edit each later metaData line by `edit(later, first)`."""

    def change(lines: list[Any]) -> None:
        first, *later = [line["metaData"] for line in lines if "metaData" in line]
        for one in later:
            edit(one, first)

    return change


def _inner(metadata: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = metadata.get("deltaMetadata") or metadata
    return found


def _with_first_schema(later: dict[str, Any], first: dict[str, Any]) -> None:
    _inner(later)["schemaString"] = _inner(first)["schemaString"]


def _schema_as_object(later: dict[str, Any], _: dict[str, Any]) -> None:
    _inner(later)["schemaString"] = json.loads(_inner(later)["schemaString"])


def _other_kind(lines: list[Any]) -> list[Any]:
    """Say of files that were removed that they were added."""
    renamed = []
    for line in lines:
        single = line.get("file", {}).get("deltaSingleAction", {})
        if "remove" in single:
            single["add"] = single.pop("remove")
        renamed.append({"add": line["remove"]} if "remove" in line else line)
    return renamed


def _removed_whole(lines: list[Any]) -> None:
    """In delta format, forget of files that were removed which of their rows were gone before."""
    for line in lines:
        line.get("file", {}).get("deltaSingleAction", {}).get("remove", {}).pop("deletionVector", None)


def _unwrapped(lines: list[Any]) -> None:
    """In delta format, put what is wrapped beside what wraps it."""
    for line in lines:
        if "deltaSingleAction" in line.get("file", {}):
            line["file"].update(line["file"].pop("deltaSingleAction"))


def _as_old_as_files(lines: list[Any]) -> None:
    """In delta format, take the time at which a file was written, or taken away, for that of the commit."""
    for line in lines:
        file = file_of(line)
        if file is not None:
            written = file.get("modificationTime", file.get("deletionTimestamp"))
            wrapper_of(line)["timestamp"] = written or wrapper_of(line)["timestamp"]


def _timed(edit: Callable[[int], int]) -> Callable[[list[Any]], None]:
    def change(lines: list[Any]) -> None:
        for line in lines:
            if file_of(line) is not None:
                wrapper_of(line)["timestamp"] = edit(wrapper_of(line)["timestamp"])

    return change


def _known_times_alone(version_at: Callable[..., int]) -> Callable[..., int]:
    """Refuse times after the last commit."""

    def known(log: Log, milliseconds: int) -> int:
        if milliseconds > log.timestamp(log.latest()):
            raise refused(400, "the time is after the last commit")
        return version_at(log, milliseconds)

    return known


FAULTS = (
    Fault(
        "times-after-the-last-commit-are-refused",
        "A time after the last commit is no bound.",
        ("DS-CDF-06",),
        around("rules", "version-at", _known_times_alone),
    ),
    Fault("changes-need-no-start", "Changes without a start begin with the first version.", ("DS-CDF-01",), on_changes(_from_the_first)),
    Fault(
        "bounds-may-be-said-twice",
        "Of two ways to say a bound, one counts.",
        ("DS-CDF-02",),
        instead("rules", "points-exclude-each-other", accept),
    ),
    Fault(
        "times-are-no-bounds",
        "Bounds have to be versions.",
        ("DS-CDF-02", "DS-CDF-05", "DS-CDF-06"),
        on_changes(lambda arguments: {n: v for n, v in arguments.items() if "timestamp" not in n}),
    ),
    Fault(
        "current-version-has-no-changes",
        "Changes without an end leave out the current version.",
        ("DS-CDF-03", "DS-CDF-10"),
        on_lines(CHANGES, only(lambda line: wrapper_of(line)["version"] != 8)),
    ),
    Fault(
        "ends-are-excluded",
        "The last version of a range is not in it.",
        ("DS-CDF-04", "DS-CDF-10"),
        on_changes(_one_less("ending_version")),
    ),
    Fault("starts-are-excluded", "The first version of a range is not in it.", ("DS-CDF-04", "DS-CDF-10"), on_changes(_start_excluded)),
    Fault(
        "changes-start-after-the-time",
        "Changes from a time on start one version too late.",
        ("DS-CDF-05", "DS-CDF-08"),
        around("rules", "version-from", _later),
    ),
    Fault(
        "ends-do-not-count-from-a-time-on",
        "Changes from a time on go on to the current version, whatever end is said.",
        ("DS-CDF-05",),
        on_changes(lambda arguments: arguments | {"ending_version": None} if arguments.get("starting_timestamp") else arguments),
    ),
    Fault(
        "changes-end-after-the-time",
        "Changes up to a time end one version too late.",
        ("DS-CDF-06",),
        around("rules", "version-at", _later),
    ),
    Fault("changes-lack-later-metadata", "Changes never have later metadata.", ("DS-CDF-07",), on_lines(CHANGES, _first_metadata_only)),
    Fault(
        "later-metadata-has-the-first-schema",
        "Later metadata of changes has the schema of the first version.",
        ("DS-CDF-07",),
        on_lines(CHANGES, _later_metadata(_with_first_schema)),
    ),
    Fault(
        "later-metadata-is-of-the-first-version",
        "Later metadata of changes says that it is of the first version.",
        ("DS-CDF-07",),
        on_lines(CHANGES, _later_metadata(lambda later, first: later.update(version=first["version"]))),
    ),
    Fault(
        "later-schemas-are-objects",
        "Later metadata of changes has its schema as an object.",
        ("DS-MDT-07",),
        on_lines(CHANGES, _later_metadata(_schema_as_object)),
    ),
    Fault("changes-repeat-metadata", "Changes always have metadata again.", ("DS-CDF-07",), on_lines(CHANGES, _metadata_again)),
    Fault(
        "changes-name-the-current-version",
        "The header of changes names the current version.",
        ("DS-CDF-08",),
        instead("rules", "answered-version", lambda _, current: current()),
    ),
    Fault(
        "changes-name-their-end",
        "The header of changes names the version that they end with, if it was said.",
        ("DS-CDF-08",),
        on_call(CHANGES, _named_by_their_end),
    ),
    Fault(
        "changes-end-with-their-head",
        "The lines of changes end with protocol and metaData.",
        ("DS-CDF-09",),
        on_lines(CHANGES, _upside_down),
    ),
    Fault(
        "changes-are-files",
        "Changed files are sent as those of a snapshot.",
        ("DS-CDF-09", "DS-CDF-10"),
        on_lines(CHANGES, _snapshot_lines),
    ),
    Fault(
        "changes-are-told-twice",
        "Files that were added and removed are sent beside files of changes.",
        ("DS-CDF-11", "DS-CDF-10"),
        instead("rules", "row-changes", _both),
    ),
    Fault("change-files-are-left-out", "Files of changes are never sent.", ("DS-CDF-10",), instead("rules", "row-changes", file_changes)),
    Fault("removed-files-are-added-ones", "Files that were removed are said to be added.", ("DS-CDF-10",), on_lines(CHANGES, _other_kind)),
    Fault(
        "vectors-of-removed-files-are-lost",
        "Among changes, files that were removed have no deletion vector.",
        ("DS-CDF-10",),
        on_lines(CHANGES, _removed_whole),
    ),
    Fault(
        "unrecorded-changes-are-answered",
        "Changes are answered although they were not recorded.",
        ("DS-CDF-12",),
        instead("rules", "feed-covers", accept),
    ),
    Fault(
        "ends-after-the-current-version",
        "An end after the current version stands for that version.",
        ("DS-CDF-13",),
        on_call(CHANGES, _clipped),
    ),
    Fault("delta-changes-are-not-wrapped", "In delta format changed files are not wrapped.", ("DS-CDF-15",), on_lines(CHANGES, _unwrapped)),
    Fault(
        "changes-count-seconds",
        "The timestamp of a changed file is in seconds.",
        ("DS-CDF-16", "DS-CDF-10"),
        on_lines(CHANGES, _timed(lambda t: t // 1000)),
    ),
    Fault(
        "changes-are-timed-late",
        "The timestamp of a changed file is that of a minute later.",
        ("DS-CDF-16", "DS-CDF-10"),
        on_lines(CHANGES, _timed(lambda t: t + 60_000)),
    ),
    Fault(
        "changes-are-as-old-as-their-files",
        "The timestamp of a changed file in delta format is the time at which the file was written.",
        ("DS-CDF-16",),
        on_lines(CHANGES, _as_old_as_files),
    ),
)
