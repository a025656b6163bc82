"""Versions of tables that are not the ones that were asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import json_answer, refused
from lakepact.reference_server.faults import Fault, Install, around, instead, on_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.delta_sharing.log import Log
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Scope

VERSION, HEAD = "getTableVersion", "headTableVersion"
HEADER = b"delta-table-version"


def header(operations: str | tuple[str, ...], change: Callable[[int], bytes | None]) -> Install:
    """Send another version in the header of answers, or none."""

    def changed(reply: Reply, _: Scope) -> Reply:
        headers = []
        for name, value in reply.headers:
            said = change(int(value)) if name == HEADER else value
            if said is not None:
                headers.append((name, said))
        return replace(reply, headers=tuple(headers))

    return on_reply(operations, changed)


def _in_the_body(reply: Reply, _: Scope) -> Reply:
    if reply.status != 200:
        return reply
    (version,) = (int(value) for name, value in reply.headers if name == HEADER)
    return replace(json_answer({"version": version}), headers=tuple(h for h in reply.headers if h[0] != b"content-length"))


def _one_less(version: int) -> bytes:
    return b"%d" % max(version - 1, 0)


def _strictly_after(log: Log, milliseconds: int) -> int:
    return log.at_or_after(milliseconds + 1)


def _the_one_before(log: Log, milliseconds: int) -> int:
    return log.at_or_before(milliseconds)


def _not_before_the_first(original: Callable[..., int]) -> Callable[..., int]:
    """Refuse times at which the table was not there yet."""

    def version_from(log: Log, milliseconds: int) -> int:
        if milliseconds < log.timestamp(log.earliest()):
            raise refused(400, "the time is before the first version")
        return original(log, milliseconds)

    return version_from


def _the_current_one(original: Callable[..., int]) -> Callable[..., int]:
    """Answer the newest version where all are older than the time."""

    def version_from(log: Log, milliseconds: int) -> int:
        return log.latest() if milliseconds > log.timestamp(log.latest()) else original(log, milliseconds)

    return version_from


def _seconds_alone(original: Callable[..., Any]) -> Callable[..., Any]:
    """Leave out what is less than a second."""
    return lambda text: original(text) // 1000 * 1000


def _since_1970(original: Callable[..., int]) -> Callable[..., int]:
    """Take negative times for mistakes."""

    def not_before(text: str) -> int:
        if (milliseconds := original(text)) < 0:
            raise refused(400, "the time is before 1970")
        return milliseconds

    return not_before


FAULTS = (
    Fault(
        "version-stands-in-the-body",
        "The version of a table is sent in a body too.",
        ("DS-VER-01",),
        on_reply(VERSION, _in_the_body),
    ),
    Fault("version-is-not-said", "The version of a table is not in the header.", ("DS-VER-01",), header(VERSION, lambda _: None)),
    Fault("version-is-no-number", "The version of a table is a word.", ("DS-VER-01",), header(VERSION, lambda v: b"v%d" % v)),
    Fault("version-is-stale", "The version of a table is the one before.", ("DS-VER-03",), header(VERSION, _one_less)),
    Fault(
        "metadata-is-of-another-version",
        "Metadata says that it is of the version before.",
        ("DS-VER-03",),
        header("getTableMetadata", _one_less),
    ),
    Fault("head-says-another-version", "HEAD says the version before the one that GET says.", ("DS-VER-02",), header(HEAD, _one_less)),
    Fault(
        "times-lead-behind-themselves",
        "The version for a time that is exactly that of a commit is the next one.",
        ("DS-VER-04",),
        instead("rules", "version-from", _strictly_after),
    ),
    Fault(
        "times-lead-before-themselves",
        "The version for a time is the one that was current then.",
        ("DS-VER-04", "DS-VER-05"),
        instead("rules", "version-from", _the_one_before),
    ),
    Fault(
        "times-have-no-milliseconds", "Fractions of a second are left out.", ("DS-VER-04",), around("rules", "not-before", _seconds_alone)
    ),
    Fault(
        "times-before-all-are-refused",
        "A time before the first version is refused.",
        ("DS-VER-05",),
        around("rules", "version-from", _not_before_the_first),
    ),
    Fault(
        "times-before-1970-are-refused",
        "A time that is negative in milliseconds is refused.",
        ("DS-VER-05",),
        around("rules", "not-before", _since_1970),
    ),
    Fault(
        "times-after-all-are-now",
        "A time after the last version leads to the current one.",
        ("DS-VER-06",),
        around("rules", "version-from", _the_current_one),
    ),
)
