"""Queries that are not understood, or answered with other lines than they should be."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.reference_server.delta_sharing.answers import refusal
from lakepact.reference_server.faults import (
    Install,
    fault,
    on_call,
    on_lines,
    on_reply,
    skip_validation,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from mutants.delta_sharing.operators.requests import on_query
from mutants.delta_sharing.operators.wrapped import (
    CHANGES,
    DELTA,
    IN_LINES,
    PARQUET,
    QUERY,
    on_all,
    on_wrapped,
)
from mutants.operators import refuse_calls, refuse_requests

MEMBERS = frozenset(
    {
        "predicateHints",
        "jsonPredicateHints",
        "limitHint",
        "version",
        "timestamp",
        "startingVersion",
        "endingVersion",
    }
)


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")


def _some_types_alone(body: dict[str, Any]) -> dict[str, Any]:
    """Pass over members of another type."""
    kinds: dict[str, type] = {
        "limitHint": int,
        "version": int,
        "startingVersion": int,
        "timestamp": str,
        "predicateHints": list,
    }
    return {
        name: value for name, value in body.items() if isinstance(value, kinds.get(name, object))
    }


def _read_as_far_as_it_goes(handler: Handler, arguments: Arguments) -> Reply:
    """Take a body that is no object for an empty one."""
    body = arguments.get("body")
    return handler(
        **arguments | {"body": _some_types_alone(body) if isinstance(body, dict) else {}}
    )


def _files_for_changes(lines: list[Any]) -> list[Any]:
    """Call changed files just files."""
    return [
        {"file": line.get("add") or line["remove"]} if line.keys() & {"add", "remove"} else line
        for line in lines
    ]


def _since(change: Any) -> Install:
    """Change the lines of answers about changed files."""
    return on_lines(
        QUERY,
        lambda lines: (
            change(lines) if any(line.keys() & {"add", "remove"} for line in lines) else None
        ),
    )


@fault("DS-QRY-10", "DS-DF-12", "DS-DF-20", by=partial(on_call, QUERY))
def unknown_members_are_refused(handler: Handler, arguments: Arguments) -> Reply:
    if unknown := set(arguments.get("body") or {}) - MEMBERS:
        raise refusal(400, f"unknown members: {', '.join(sorted(unknown))}")
    return handler(**arguments)


@fault("DS-QRY-11")
def types_of_members_do_not_count(service: Any) -> None:
    skip_validation(QUERY)(service)
    on_call(QUERY, _read_as_far_as_it_goes)(service)


@fault("DS-QRY-06", by=partial(on_wrapped, "file", form=DELTA, of=QUERY))
def files_of_snapshots_are_removed(file: dict[str, Any]) -> None:
    file["deltaSingleAction"] = {
        "remove" if kind == "add" else kind: action
        for kind, action in file["deltaSingleAction"].items()
    }


FAULTS = {
    "queries-need-a-content-type DS-QRY-01": refuse_requests(
        QUERY,
        lambda scope: not _header(scope, b"content-type"),
        refusal(415, "a query needs a Content-Type"),
    ),
    "queries-have-no-charset DS-QRY-01": refuse_requests(
        QUERY,
        lambda scope: b";" in _header(scope, b"content-type"),
        refusal(415, "the Content-Type of a query is application/json"),
    ),
    "queries-have-no-parameters DS-QRY-10": refuse_requests(
        QUERY, lambda scope: scope["query_string"], refusal(400, "a query has no parameters")
    ),
    "unknown-parameters-are-refused DS-QRY-10 DS-DF-12": refuse_requests(
        CHANGES,
        lambda scope: any(
            name in scope["query_string"].lower() for name in (b"unknown", b"readchangefeed")
        ),
        refusal(400, "there is no such parameter"),
    ),
    "truth-is-in-small-letters DS-DF-15": refuse_requests(
        CHANGES,
        lambda scope: b"includeHistoricalMetadata=T" in scope["query_string"],
        refusal(400, "includeHistoricalMetadata is true or false"),
    ),
    "refresh-tokens-are-refused DS-DF-12": refuse_calls(
        QUERY,
        lambda arguments: (arguments.get("body") or {}).get("includeRefreshToken"),
        refusal(400, "this server has no refresh tokens"),
    ),
    "pages-are-refused DS-DF-20": refuse_calls(
        QUERY,
        lambda arguments: "maxFiles" in (arguments.get("body") or {}),
        refusal(400, "this server has no pages"),
    ),
    "last-file-is-not-answered DS-QRY-02": on_lines(
        QUERY, lambda lines: lines[:-1] if "file" in lines[-1] else lines
    ),
    "unknown-members-limit DS-QRY-10": on_query(
        lambda body: {**body, "limitHint": 0} if set(body) - MEMBERS else body
    ),
    "queries-begin-with-metadata DS-QRY-04": on_lines(
        QUERY, lambda lines: [lines[1], lines[0], *lines[2:]]
    ),
    "queries-end-with-protocol DS-QRY-04": on_lines(QUERY, lambda lines: [*lines[1:], lines[0]]),
    "files-of-snapshots-are-added DS-QRY-06": on_all(
        lambda lines: [{"add": line["file"]} if "file" in line else line for line in lines],
        form=PARQUET,
        of=QUERY,
    ),
    "changed-files-are-files DS-QRY-07": _since(_files_for_changes),
    "answers-end-with-an-empty-line DS-DF-09": on_reply(
        IN_LINES,
        lambda reply, _: (
            replace(reply, chunks=None, body=reply.as_whole().body + b"\n")
            if reply.status == 200
            else reply
        ),
    ),
    "hints-of-spark-leave-nothing DS-DF-12": on_query(
        lambda body: {**body, "limitHint": 0} if body.get("predicateHints") == [] else body
    ),
    "hash-of-ids-is-not-repeated DS-DF-20": on_reply(
        QUERY,
        lambda reply, _: replace(
            reply, headers=tuple(h for h in reply.headers if h[0] != b"fileidhash")
        ),
    ),
    "hash-of-ids-is-repeated-in-capitals DS-DF-20": on_reply(
        QUERY,
        lambda reply, _: replace(
            reply,
            headers=tuple((n, v.upper() if n == b"fileidhash" else v) for n, v in reply.headers),
        ),
    ),
}
