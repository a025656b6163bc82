"""URLs of files that cannot be read as they should be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.delta_sharing.data_door import FILES
from lakepact.reference_server.delta_sharing.ranges import NotSatisfiable, part_asked_for
from lakepact.reference_server.faults import Fault, accept, all_of, instead, on_reply, on_request

from .ways.wrapped import PARQUET, Document, on_actions, on_wrapped, rewrite, write

if TYPE_CHECKING:
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Scope

SNAPSHOT = "file"


def _token_is_needed(scope: Scope) -> None:
    if not any(name == b"authorization" for name, _ in scope["headers"]):
        raise refused(401, "a bearer token is needed")


def _a_page(reply: Reply, _: Scope) -> Reply:
    """Send a web page in place of the file."""
    return replace(reply, body=b"<html>It works!</html>", chunks=None, headers=()) if reply.status == 200 and reply.has_body else reply


def _head_is_refused(scope: Scope) -> None:
    if scope["method"] == "HEAD":
        raise refused(404, "there is no such file")


def _head_without_length(reply: Reply, scope: Scope) -> Reply:
    if scope["method"] != "HEAD" or reply.status != 200:
        return reply
    return replace(reply, headers=tuple((n, b"7" if n == b"content-length" else v) for n, v in reply.headers))


def _gone(url: str) -> str:
    """Lead to a file that is not there."""
    return url.replace("/files/", "/lost/")


def _must_stay_escaped(url: str) -> str:
    """Escape a character that needs no escape."""
    return url.replace("/files/", "/file%73/")


def _escapes_count(scope: Scope) -> None:
    if b"/file%73/" not in scope["raw_path"]:
        raise refused(403, "the signature is not that of this URL")


def _shifted(wanted: bytes | None, size: int) -> tuple[int, int] | None:
    """Read ranges from the byte that follows."""
    part = part_asked_for(wanted, size)
    return None if part is None else (part[0] + 1, part[1])


def _with_end_alone(wanted: bytes | None, size: int) -> tuple[int, int] | None:
    """Know no range without an end."""
    return None if wanted is not None and wanted.rstrip().endswith(b"-") else part_asked_for(wanted, size)


def _within_alone(wanted: bytes | None, size: int) -> tuple[int, int] | None:
    """Refuse a range that ends behind the file."""
    last = (wanted or b"").rpartition(b"-")[2].strip()
    if last.isdigit() and int(last) >= size:
        raise NotSatisfiable
    return part_asked_for(wanted, size)


def _larger(document: Document) -> None:
    document["size"] += 1


FAULTS = (
    Fault(
        "urls-have-expired-long-ago",
        "The URLs of files are said to have expired in 2001.",
        ("DS-FIL-09", "DS-DFL-05"),
        on_wrapped("file", write(expirationTimestamp=1_000_000_000_000)),
    ),
    Fault(
        "urls-need-the-token",
        "URLs of files are read with the token alone.",
        ("DS-FIL-01", "DS-DFL-06"),
        on_request(FILES, _token_is_needed),
    ),
    Fault("urls-lead-to-a-page", "URLs of files lead to a web page.", ("DS-FIL-01", "DS-DFL-06"), on_reply(FILES, _a_page)),
    Fault(
        "wrapped-sizes-are-one-too-large",
        "The size of a file in delta format is one byte too large.",
        ("DS-DFL-06",),
        on_actions(rewrite("size", lambda n: n + 1)),
    ),
    Fault(
        "sizes-are-rounded",
        "The size of a file is rounded up.",
        ("DS-FIL-05", "DS-DF-11"),
        on_wrapped(SNAPSHOT, rewrite("size", lambda n: n // 1024 * 1024 + 1024), form=PARQUET),
    ),
    Fault(
        "sizes-of-changed-files-are-rounded",
        "The size of a file that changed is rounded up.",
        ("DS-FIL-05",),
        on_wrapped(("add", "remove", "cdf"), rewrite("size", lambda n: n // 1024 * 1024 + 1024), form=PARQUET),
    ),
    Fault(
        "sizes-are-one-too-large",
        "The size of a file is one byte too large.",
        ("DS-FIL-05", "DS-DF-11"),
        on_wrapped(SNAPSHOT, _larger, form=PARQUET),
    ),
    Fault(
        "removed-files-are-gone",
        "Removed files cannot be read any more.",
        ("DS-REM-01",),
        on_wrapped("remove", rewrite("url", _gone), form=PARQUET),
    ),
    Fault("wrapped-files-are-gone", "Files in delta format cannot be read.", ("DS-DFL-06",), on_actions(rewrite("path", _gone))),
    Fault(
        "ranges-are-passed-over",
        "A range of a file is answered with all of it.",
        ("DS-DF-10", "DS-DF-11"),
        instead("rules", "part", accept),
    ),
    Fault(
        "ranges-are-shifted", "A range of a file begins one byte too late.", ("DS-DF-10", "DS-DF-11"), instead("rules", "part", _shifted)
    ),
    Fault(
        "ranges-without-end-are-passed-over",
        "A range without an end is answered with all of the file.",
        ("DS-DF-10",),
        instead("rules", "part", _with_end_alone),
    ),
    Fault(
        "ranges-beyond-the-end-are-refused",
        "A range that ends behind the file is answered with 416.",
        ("DS-DF-10",),
        instead("rules", "part", _within_alone),
    ),
    Fault("head-of-files-is-refused", "HEAD of a file is answered with 404.", ("DS-DF-10",), on_request(FILES, _head_is_refused)),
    Fault("head-of-files-has-another-length", "HEAD of a file says another length.", ("DS-DF-10",), on_reply(FILES, _head_without_length)),
    Fault(
        "escapes-of-urls-count",
        "A URL does not work any more when its path is escaped in another way.",
        ("DS-DF-06",),
        all_of(
            on_wrapped(SNAPSHOT, rewrite("url", _must_stay_escaped), form=PARQUET),
            on_actions(rewrite("path", _must_stay_escaped)),
            on_request(FILES, _escapes_count),
        ),
    ),
)
