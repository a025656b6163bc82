"""Time travel to somewhere else, and starts and ends that are not where they were asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.delta_sharing.changes import row_changes
from lakepact.reference_server.delta_sharing.faults.ways.asking import on_query, without
from lakepact.reference_server.delta_sharing.faults.ways.lines import QUERY, file_of, only, wrapper_of
from lakepact.reference_server.delta_sharing.timestamps import BadTimestamp
from lakepact.reference_server.faults import Fault, accept, all_of, around, instead, on_call, on_lines, on_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.reference_server.delta_sharing.log import Commit, Log
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _all_changes(commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every file that a commit added or removed, whether data changed or not."""
    yield from (("add", action) for action in commit.adds)
    yield from (("remove", action) for action in commit.removes)


def _nearest(body: dict[str, Any]) -> dict[str, Any]:
    """Take a version that cannot be had for the current one."""
    version = body.get("version")
    return without("version")(body) if isinstance(version, int) and not 0 <= version < 4 else body


def _read(reading: Callable[[str], int], edit: Callable[[str], str]) -> Callable[[str], int]:
    return lambda text: reading(edit(text))


def _timestamps(edit: Callable[[str], str]) -> Install:
    """Read all timestamps as something else."""
    return all_of(*(around("rules", name, lambda reading: _read(reading, edit)) for name in ("not-before", "not-after")))


def _without_offset(text: str) -> str:
    return text if text.endswith("Z") else text[:-6] + "Z"


def _short_fraction(text: str) -> str:
    if len(text.partition(".")[2]) > 4:
        raise refused(500, "the fraction is too long")
    return text


def _schema_of_today(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Answer a query of a version with the metadata of the current one."""
    reply = handler(**arguments)
    if not {"version", "timestamp"} & (arguments.get("body") or {}).keys() or not reply.has_body:
        return reply
    now = handler(**arguments | {"body": {}}).joined().body.splitlines(keepends=True)
    then = reply.joined().body.splitlines(keepends=True)
    return replace(reply, chunks=None, body=b"".join([*then[:1], *now[1:2], *then[2:]]))


def _without_fraction(text: str) -> str:
    head, dot, tail = text.partition(".")
    return head + tail.lstrip("0123456789") if dot else text


def _lenient(text: str) -> str:
    """Read as a time what is none."""
    if text.isdigit() or not text[:4].isdigit():
        return "2025-01-01T00:00:00Z"
    return text if "T" in text else text.replace(" ", "T") + "Z"


def _strict(text: str) -> str:
    """Refuse the letter Z."""
    if text.endswith("Z"):
        raise BadTimestamp("write the zone as +00:00")
    return text


def _one_later(of: Callable[[Log, int], int]) -> Callable[[Log, int], int]:
    """The version before the one that is meant, where there is one."""
    return lambda log, milliseconds: max(of(log, milliseconds) - 1, log.earliest())


def _within_the_second(of: Callable[[Log, int], int]) -> Callable[[Log, int], int]:
    """The last version made in the same second, as if times of commits were whole seconds."""
    return lambda log, milliseconds: of(log, milliseconds - milliseconds % 1000 + 999)


def _as_old_as_the_first(lines: list[Any]) -> None:
    """Say of later metadata that it is of the version of the first."""
    first, *later = [line["metaData"] for line in lines if "metaData" in line] or [{}]
    for one in later:
        one["version"] = first.get("version", 0)


def _first_if_early(of: Callable[[Log, int], int]) -> Callable[[Log, int], int]:
    """The first version for times before all."""

    def at(log: Log, milliseconds: int) -> int:
        early = milliseconds < log.timestamp(log.earliest())
        return log.earliest() if early else of(log, milliseconds)

    return at


def _undated(lines: list[Any]) -> None:
    for line in lines:
        if file_of(line) is not None:
            for member in ("version", "timestamp"):
                wrapper_of(line).pop(member, None)


def _dated_wrongly(lines: list[Any]) -> None:
    for line in lines:
        if file_of(line) is not None and "timestamp" in wrapper_of(line):
            wrapper_of(line)["timestamp"] //= 1000


def _first_metadata_only(lines: list[Any]) -> list[Any]:
    return lines[:2] + [line for line in lines[2:] if "metaData" not in line]


def _shortened(body: dict[str, Any]) -> dict[str, Any]:
    """Take the end of a window for the first version that is not in it."""
    if "startingVersion" in body and isinstance(body.get("endingVersion"), int):
        return body | {"endingVersion": max(body["endingVersion"] - 1, body["startingVersion"])}
    return body


def _current_if_late(body: dict[str, Any]) -> dict[str, Any]:
    """Take a start after the current version for none."""
    return body if body.get("startingVersion", 0) < 5 else without("startingVersion")(body)


def _without_vectors(lines: list[Any]) -> None:
    """Leave deletion vectors out of files that changed."""
    changed = [line["file"]["deltaSingleAction"] for line in lines if "deltaSingleAction" in line.get("file", {})]
    if any("remove" in single for single in changed):
        for single in changed:
            next(iter(single.values())).pop("deletionVector", None)


FAULTS = (
    Fault(
        "vectors-of-changed-files-are-lost",
        "Files that changed have no deletion vector.",
        ("DS-TTV-07",),
        on_lines(QUERY, _without_vectors),
    ),
    Fault(
        "times-lead-to-the-version-before",
        "A query as of a time is one of the version before.",
        ("DS-QRY-08", "DS-QRY-09"),
        around("rules", "version-at", _one_later),
    ),
    Fault(
        "commits-are-made-in-whole-seconds",
        "A query as of a time is one of the last version that was made within the same second.",
        ("DS-TTV-02",),
        around("rules", "version-at", _within_the_second),
    ),
    Fault(
        "times-before-all-lead-to-the-first-version",
        "A query as of a time before the first version is one of that.",
        ("DS-TTV-02",),
        around("rules", "version-at", _first_if_early),
    ),
    Fault(
        "history-is-always-shared",
        "Older versions are answered of tables whose history is not shared.",
        ("DS-TTV-03",),
        instead("rules", "history-is-shared", accept),
    ),
    Fault(
        "unknown-versions-are-the-current-one",
        "A version that is not there is answered with the current one.",
        ("DS-TTV-04",),
        on_query(_nearest),
    ),
    Fault(
        "unknown-versions-are-a-failure", "A version that is not there is answered with 500.", ("DS-TTV-04",), on_status(QUERY, {400: 500})
    ),
    Fault(
        "two-moments-are-one",
        "Of two ways to say which version, one counts.",
        ("DS-TTV-05",),
        instead("rules", "points-exclude-each-other", accept),
    ),
    Fault(
        "travelled-files-are-undated",
        "Files of a time travel have neither version nor timestamp.",
        ("DS-TTV-06",),
        on_lines(QUERY, _undated),
    ),
    Fault(
        "travelled-files-count-seconds",
        "The timestamp of files of a time travel is in seconds.",
        ("DS-TTV-06",),
        on_lines(QUERY, _dated_wrongly),
    ),
    Fault(
        "later-metadata-is-left-out",
        "Changes since a version have the first metadata only.",
        ("DS-TTV-08",),
        on_lines(QUERY, _first_metadata_only),
    ),
    Fault(
        "later-metadata-has-the-first-version",
        "The metaData lines of changes since a version are all of that version.",
        ("DS-TTV-08",),
        on_lines(QUERY, _as_old_as_the_first),
    ),
    Fault(
        "compactions-are-changes",
        "Files that compactions added and removed are listed as changes.",
        ("DS-TTV-11",),
        instead("rules", "file-changes", _all_changes),
    ),
    Fault(
        "ranges-may-run-backwards",
        "A range that ends before its start is empty.",
        ("DS-TTV-12", "DS-CDF-13"),
        instead("rules", "range-is-in-order", accept),
    ),
    Fault(
        "starts-after-the-end-are-empty",
        "A start after the current version is answered with 200.",
        ("DS-TTV-12",),
        on_query(_current_if_late),
    ),
    Fault(
        "changed-files-are-change-files",
        "Changes since a version are files of the change data feed.",
        ("DS-TTV-13",),
        instead("rules", "file-changes", row_changes),
    ),
    Fault("no-z-in-timestamps", "Timestamps that end with Z are refused.", ("DS-TSF-01",), _timestamps(_strict)),
    Fault("timestamps-are-guessed", "What is no timestamp is read as one.", ("DS-TSF-02",), _timestamps(_lenient)),
    Fault("offsets-are-passed-over", "The offset of a timestamp does not count.", ("DS-TSF-03",), _timestamps(_without_offset)),
    Fault("fractions-are-passed-over", "The fraction of a timestamp does not count.", ("DS-TSF-03",), _timestamps(_without_fraction)),
    Fault(
        "long-fractions-are-a-failure",
        "A timestamp whose fraction has more than three digits is a failure.",
        ("DS-TSF-03",),
        _timestamps(_short_fraction),
    ),
    Fault(
        "versions-have-the-schema-of-today",
        "A query of an earlier version is answered with the schema that the table has now.",
        ("DS-MDT-07",),
        on_call(QUERY, _schema_of_today),
    ),
    Fault("windows-end-too-early", "The last version of a window is not in it.", ("DS-STR-03",), on_query(_shortened)),
    Fault(
        "windows-start-too-late",
        "The first version of a window is not in it.",
        ("DS-STR-03",),
        on_lines(QUERY, only(lambda line: wrapper_of(line).get("version") not in {2, 4})),
    ),
)
