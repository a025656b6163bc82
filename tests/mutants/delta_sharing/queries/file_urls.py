"""URLs of files that cannot be read as they should be."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.delta_sharing.file_endpoint import FILES
from lakepact.reference_server.delta_sharing.ranges import NotSatisfiable, part_of_range
from lakepact.reference_server.faults import (
    accept,
    all_of,
    fault,
    on_reply,
    on_request,
    replace_rule,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Scope
from mutants.delta_sharing.operators.wrapped import (
    PARQUET,
    Document,
    on_actions,
    on_wrapped,
    rewrite,
    write,
)
from mutants.operators import refuse_requests

SNAPSHOT = "file"


def _gone(url: str) -> str:
    """Lead to a file that is not there."""
    return url.replace("/files/", "/lost/")


def _must_stay_escaped(url: str) -> str:
    """Escape a character that needs no escape."""
    return url.replace("/files/", "/file%73/")


@fault("DS-FIL-01", "DS-DFL-06", by=partial(on_reply, FILES), breaks_at="/*/file")
def urls_lead_to_a_page(reply: Reply, _: Scope) -> Reply:
    return (
        replace(reply, body=b"<html>It works!</html>", chunks=None, headers=())
        if reply.status == 200 and reply.has_body
        else reply
    )


@fault("DS-FIL-05", "DS-DF-11", by=partial(on_wrapped, SNAPSHOT, form=PARQUET))
def sizes_are_one_too_large(document: Document) -> None:
    document["size"] += 1


@fault("DS-DF-10", "DS-DF-11", by=partial(replace_rule, "part"))
def ranges_are_shifted(wanted: bytes | None, size: int) -> tuple[int, int] | None:
    part = part_of_range(wanted, size)
    return None if part is None else (part[0] + 1, part[1])


@fault("DS-DF-10", by=partial(replace_rule, "part"))
def ranges_beyond_the_end_are_refused(wanted: bytes | None, size: int) -> tuple[int, int] | None:
    last = (wanted or b"").rpartition(b"-")[2].strip()
    if last.isdigit() and int(last) >= size:
        raise NotSatisfiable
    return part_of_range(wanted, size)


@fault("DS-DF-10", by=partial(on_reply, FILES), breaks_at="/*/file/url")
def head_of_files_has_another_length(reply: Reply, scope: Scope) -> Reply:
    if scope["method"] != "HEAD" or reply.status != 200:
        return reply
    return replace(
        reply, headers=tuple((n, b"7" if n == b"content-length" else v) for n, v in reply.headers)
    )


@fault(
    "DS-DF-06",
    by=lambda act: all_of(
        on_wrapped(SNAPSHOT, rewrite("url", _must_stay_escaped), form=PARQUET),
        on_actions(rewrite("path", _must_stay_escaped)),
        on_request(FILES, act),
    ),
)
def escapes_of_urls_count(scope: Scope) -> None:
    if b"/file%73/" not in scope["raw_path"]:
        raise refusal(403, "the signature is not that of this URL")


FAULTS = {
    "urls-need-the-token DS-FIL-01 DS-DFL-06": refuse_requests(
        FILES,
        lambda scope: not any(name == b"authorization" for name, _ in scope["headers"]),
        refusal(401, "a bearer token is needed"),
    ),
    "head-of-files-is-refused DS-DF-10": refuse_requests(
        FILES, lambda scope: scope["method"] == "HEAD", refusal(404, "there is no such file")
    ),
    "urls-have-expired-long-ago DS-FIL-09 DS-DFL-05": on_wrapped(
        "file", write(expirationTimestamp=1_000_000_000_000)
    ),
    "wrapped-sizes-are-one-too-large DS-DFL-06": on_actions(rewrite("size", lambda n: n + 1)),
    "sizes-are-rounded DS-FIL-05 DS-DF-11": on_wrapped(
        SNAPSHOT, rewrite("size", lambda n: n // 1024 * 1024 + 1024), form=PARQUET
    ),
    "sizes-of-changed-files-are-rounded DS-FIL-05": on_wrapped(
        ("add", "remove", "cdf"), rewrite("size", lambda n: n // 1024 * 1024 + 1024), form=PARQUET
    ),
    "removed-files-are-gone DS-REM-01": on_wrapped("remove", rewrite("url", _gone), form=PARQUET),
    "wrapped-files-are-gone DS-DFL-06": on_actions(rewrite("path", _gone)),
    "ranges-are-passed-over DS-DF-10 DS-DF-11": replace_rule("part", accept),
    "ranges-without-end-are-passed-over DS-DF-10": replace_rule(
        "part",
        lambda wanted, size: (
            None
            if wanted is not None and wanted.rstrip().endswith(b"-")
            else part_of_range(wanted, size)
        ),
    ),
}
