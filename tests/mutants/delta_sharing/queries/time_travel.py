"""Time travel to somewhere else, and starts and ends that are not where they were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.reference_server import faults
from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.delta_sharing.log import Commit, Log
from lakepact.reference_server.delta_sharing.queries.changes import row_changes
from lakepact.reference_server.delta_sharing.queries.timestamps import BadTimestamp
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.delta_sharing.operators.lines import QUERY, file_of, only, wrapper_of
from mutants.delta_sharing.operators.requests import on_query, without


def _edit_first(reading: Callable[[str], int], edit: Callable[[str], str]) -> Callable[[str], int]:
    return lambda text: reading(edit(text))


def _timestamps(edit: Callable[[str], str]) -> faults.Install:
    """Read all timestamps as something else."""
    return faults.all_of(
        *(
            faults.wrap_rule(name, lambda reading: _edit_first(reading, edit))
            for name in ("not_before", "not_after")
        )
    )


@faults.fault("DS-TTV-07", by=partial(faults.on_lines, QUERY))
def vectors_of_changed_files_are_lost(lines: list[Any]) -> None:
    changed = [
        line["file"]["deltaSingleAction"]
        for line in lines
        if "deltaSingleAction" in line.get("file", {})
    ]
    if any("remove" in single for single in changed):
        for single in changed:
            next(iter(single.values())).pop("deletionVector", None)


@faults.fault("DS-TTV-02", by=partial(faults.wrap_rule, "version_at"))
def times_before_all_lead_to_the_first_version(
    of: Callable[[Log, int], int],
) -> Callable[[Log, int], int]:
    def at(log: Log, milliseconds: int) -> int:
        early = milliseconds < log.timestamp(log.earliest())
        return log.earliest() if early else of(log, milliseconds)

    return at


@faults.fault("DS-TTV-04", by=on_query)
def unknown_versions_are_the_current_one(body: dict[str, Any]) -> dict[str, Any]:
    version = body.get("version")
    return without("version")(body) if isinstance(version, int) and not 0 <= version < 4 else body


@faults.fault("DS-TTV-06", by=partial(faults.on_lines, QUERY))
def travelled_files_are_undated(lines: list[Any]) -> None:
    for line in lines:
        if file_of(line) is not None:
            for member in ("version", "timestamp"):
                wrapper_of(line).pop(member, None)


@faults.fault("DS-TTV-06", by=partial(faults.on_lines, QUERY))
def travelled_files_count_seconds(lines: list[Any]) -> None:
    for line in lines:
        if file_of(line) is not None and "timestamp" in wrapper_of(line):
            wrapper_of(line)["timestamp"] //= 1000


@faults.fault("DS-TTV-08", by=partial(faults.on_lines, QUERY))
def later_metadata_has_the_first_version(lines: list[Any]) -> None:
    first, *later = [line["metaData"] for line in lines if "metaData" in line] or [{}]
    for one in later:
        one["version"] = first.get("version", 0)


@faults.fault("DS-TTV-11", by=partial(faults.replace_rule, "file_changes"))
def compactions_are_changes(commit: Commit) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from (("add", action) for action in commit.adds)
    yield from (("remove", action) for action in commit.removes)


@faults.fault("DS-TSF-01", by=_timestamps)
def no_z_in_timestamps(text: str) -> str:
    if text.endswith("Z"):
        raise BadTimestamp("write the zone as +00:00")
    return text


@faults.fault("DS-TSF-02", by=_timestamps)
def timestamps_are_guessed(text: str) -> str:
    if text.isdigit() or not text[:4].isdigit():
        return "2025-01-01T00:00:00Z"
    return text if "T" in text else text.replace(" ", "T") + "Z"


@faults.fault("DS-TSF-03", by=_timestamps)
def fractions_are_passed_over(text: str) -> str:
    head, dot, tail = text.partition(".")
    return head + tail.lstrip("0123456789") if dot else text


@faults.fault("DS-TSF-03", by=_timestamps)
def long_fractions_are_a_failure(text: str) -> str:
    if len(text.partition(".")[2]) > 4:
        raise refusal(500, "the fraction is too long")
    return text


@faults.fault("DS-MDT-07", by=partial(faults.on_call, QUERY))
def versions_have_the_schema_of_today(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    if not {"version", "timestamp"} & (arguments.get("body") or {}).keys() or not reply.has_body:
        return reply
    now = handler(**arguments | {"body": {}}).as_whole().body.splitlines(keepends=True)
    then = reply.as_whole().body.splitlines(keepends=True)
    return replace(reply, chunks=None, body=b"".join([*then[:1], *now[1:2], *then[2:]]))


@faults.fault("DS-STR-03", by=on_query)
def windows_end_too_early(body: dict[str, Any]) -> dict[str, Any]:
    if "startingVersion" in body and isinstance(body.get("endingVersion"), int):
        return body | {"endingVersion": max(body["endingVersion"] - 1, body["startingVersion"])}
    return body


FAULTS = {
    "times-lead-to-the-version-before DS-QRY-08 DS-QRY-09": faults.wrap_rule(
        "version_at",
        lambda of: lambda log, milliseconds: max(of(log, milliseconds) - 1, log.earliest()),
    ),
    "commits-are-made-in-whole-seconds DS-TTV-02": faults.wrap_rule(
        "version_at",
        lambda of: lambda log, milliseconds: of(log, milliseconds - milliseconds % 1000 + 999),
    ),
    "history-is-always-shared DS-TTV-03": faults.replace_rule("history_is_shared", faults.accept),
    "unknown-versions-are-a-failure DS-TTV-04": faults.on_status(QUERY, {400: 500}),
    "two-moments-are-one DS-TTV-05": faults.replace_rule(
        "points_exclude_each_other", faults.accept
    ),
    "later-metadata-is-left-out DS-TTV-08": faults.on_lines(
        QUERY, lambda lines: lines[:2] + [line for line in lines[2:] if "metaData" not in line]
    ),
    "ranges-may-run-backwards DS-TTV-12 DS-CDF-13": faults.replace_rule(
        "range_is_in_order", faults.accept
    ),
    "starts-after-the-end-are-empty DS-TTV-12": on_query(
        lambda body: (
            body if body.get("startingVersion", 0) < 5 else without("startingVersion")(body)
        )
    ),
    "changed-files-are-change-files DS-TTV-13": faults.replace_rule("file_changes", row_changes),
    "offsets-are-passed-over DS-TSF-03": _timestamps(
        lambda text: text if text.endswith("Z") else text[:-6] + "Z"
    ),
    "windows-start-too-late DS-STR-03": faults.on_lines(
        QUERY, only(lambda line: wrapper_of(line).get("version") not in {2, 4})
    ),
    "everything-is-shared-from-the-start DS-TTV-14": faults.replace_rule(
        "version_is_shared", faults.accept
    ),
}
