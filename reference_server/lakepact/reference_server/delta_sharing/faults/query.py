"""Queries that are not understood, or answered with other lines than they should be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import refused
from lakepact.reference_server.faults import Fault, Install, on_call, on_lines, on_reply, on_request, unchecked

from .ways.asking import on_query
from .ways.wrapped import CHANGES, DELTA, IN_LINES, PARQUET, QUERY, on_all, on_wrapped

if TYPE_CHECKING:
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

MEMBERS = frozenset({"predicateHints", "jsonPredicateHints", "limitHint", "version", "timestamp", "startingVersion", "endingVersion"})


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")


def _content_type_is_needed(scope: Scope) -> None:
    if not _header(scope, b"content-type"):
        raise refused(415, "a query needs a Content-Type")


def _content_type_has_no_charset(scope: Scope) -> None:
    if b";" in _header(scope, b"content-type"):
        raise refused(415, "the Content-Type of a query is application/json")


def _known_members_alone(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if unknown := set(arguments.get("body") or {}) - MEMBERS:
        raise refused(400, f"unknown members: {', '.join(sorted(unknown))}")
    return handler(**arguments)


def _no_parameters(scope: Scope) -> None:
    if scope["query_string"]:
        raise refused(400, "a query has no parameters")


def _known_parameters_alone(scope: Scope) -> None:
    if any(name in scope["query_string"].lower() for name in (b"unknown", b"readchangefeed")):
        raise refused(400, "there is no such parameter")


def _unknown_is_a_hint(body: dict[str, Any]) -> dict[str, Any]:
    """Take what is not known for a limit."""
    return {**body, "limitHint": 0} if set(body) - MEMBERS else body


def _some_types_alone(body: dict[str, Any]) -> dict[str, Any]:
    """Pass over members of another type."""
    kinds: dict[str, type] = {"limitHint": int, "version": int, "startingVersion": int, "timestamp": str, "predicateHints": list}
    return {name: value for name, value in body.items() if isinstance(value, kinds.get(name, object))}


def _read_as_far_as_it_goes(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take a body that is no object for an empty one."""
    body = arguments.get("body")
    return handler(**arguments | {"body": _some_types_alone(body) if isinstance(body, dict) else {}})


def _loose(service: Any) -> None:
    unchecked(QUERY)(service)
    on_call(QUERY, _read_as_far_as_it_goes)(service)


def _adds_for_files(lines: list[Any]) -> list[Any]:
    """Call the files of a snapshot added ones."""
    return [{"add": line["file"]} if "file" in line else line for line in lines]


def _files_for_changes(lines: list[Any]) -> list[Any]:
    """Call changed files just files."""
    return [{"file": line.get("add") or line["remove"]} if line.keys() & {"add", "remove"} else line for line in lines]


def _removed_in_snapshots(file: dict[str, Any]) -> None:
    """Wrap removes in place of adds."""
    file["deltaSingleAction"] = {"remove" if kind == "add" else kind: action for kind, action in file["deltaSingleAction"].items()}


def _without_the_last(lines: list[Any]) -> list[Any]:
    return lines[:-1] if "file" in lines[-1] else lines


def _ended_by_an_empty_line(reply: Reply, _: Scope) -> Reply:
    return replace(reply, chunks=None, body=reply.joined().body + b"\n") if reply.status == 200 else reply


def _case_matters(scope: Scope) -> None:
    if b"includeHistoricalMetadata=T" in scope["query_string"]:
        raise refused(400, "includeHistoricalMetadata is true or false")


def _token_is_asked_for_in_vain(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if (arguments.get("body") or {}).get("includeRefreshToken"):
        raise refused(400, "this server has no refresh tokens")
    return handler(**arguments)


def _empty_hints_leave_nothing(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "limitHint": 0} if body.get("predicateHints") == [] else body


def _no_pages(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if "maxFiles" in (arguments.get("body") or {}):
        raise refused(400, "this server has no pages")
    return handler(**arguments)


def _no_hash(reply: Reply, _: Scope) -> Reply:
    return replace(reply, headers=tuple(h for h in reply.headers if h[0] != b"fileidhash"))


def _hash_in_capitals(reply: Reply, _: Scope) -> Reply:
    return replace(reply, headers=tuple((n, v.upper() if n == b"fileidhash" else v) for n, v in reply.headers))


def _since(change: Any) -> Install:
    """Change the lines of answers about changed files."""
    return on_lines(QUERY, lambda lines: change(lines) if any(line.keys() & {"add", "remove"} for line in lines) else None)


FAULTS = (
    Fault(
        "queries-need-a-content-type",
        "A query without Content-Type is refused.",
        ("DS-QRY-01",),
        on_request(QUERY, _content_type_is_needed),
    ),
    Fault(
        "queries-have-no-charset",
        "A query whose Content-Type has a charset is refused.",
        ("DS-QRY-01",),
        on_request(QUERY, _content_type_has_no_charset),
    ),
    Fault("last-file-is-not-answered", "The last file of a snapshot is missing.", ("DS-QRY-02",), on_lines(QUERY, _without_the_last)),
    Fault(
        "unknown-members-are-refused",
        "A query with a member that is not known is refused.",
        ("DS-QRY-10", "DS-DF-12", "DS-DF-20"),
        on_call(QUERY, _known_members_alone),
    ),
    Fault(
        "queries-have-no-parameters", "A query with parameters in its URL is refused.", ("DS-QRY-10",), on_request(QUERY, _no_parameters)
    ),
    Fault(
        "unknown-parameters-are-refused",
        "Changes are refused if a parameter is not known.",
        ("DS-QRY-10", "DS-DF-12"),
        on_request(CHANGES, _known_parameters_alone),
    ),
    Fault("unknown-members-limit", "A member that is not known counts as a limit.", ("DS-QRY-10",), on_query(_unknown_is_a_hint)),
    Fault("types-of-members-do-not-count", "Members of another type are passed over.", ("DS-QRY-11",), _loose),
    Fault(
        "queries-begin-with-metadata",
        "The answer to a query begins with its metadata.",
        ("DS-QRY-04",),
        on_lines(QUERY, lambda lines: [lines[1], lines[0], *lines[2:]]),
    ),
    Fault("queries-end-with-protocol", "The protocol comes last.", ("DS-QRY-04",), on_lines(QUERY, lambda lines: [*lines[1:], lines[0]])),
    Fault(
        "files-of-snapshots-are-added",
        "Files of a snapshot are called added ones.",
        ("DS-QRY-06",),
        on_all(_adds_for_files, form=PARQUET, of=QUERY),
    ),
    Fault(
        "files-of-snapshots-are-removed",
        "Files of a snapshot wrap removes.",
        ("DS-QRY-06",),
        on_wrapped("file", _removed_in_snapshots, form=DELTA, of=QUERY),
    ),
    Fault("changed-files-are-files", "Changed files are called files.", ("DS-QRY-07",), _since(_files_for_changes)),
    Fault(
        "answers-end-with-an-empty-line",
        "An empty line ends each answer in lines.",
        ("DS-DF-09",),
        on_reply(IN_LINES, _ended_by_an_empty_line),
    ),
    Fault("truth-is-in-small-letters", "includeHistoricalMetadata=True is refused.", ("DS-DF-15",), on_request(CHANGES, _case_matters)),
    Fault(
        "refresh-tokens-are-refused",
        "Who wishes for a refresh token is refused.",
        ("DS-DF-12",),
        on_call(QUERY, _token_is_asked_for_in_vain),
    ),
    Fault("hints-of-spark-leave-nothing", "An empty array of hints leaves no file.", ("DS-DF-12",), on_query(_empty_hints_leave_nothing)),
    Fault("pages-are-refused", "A query with maxFiles is refused.", ("DS-DF-20",), on_call(QUERY, _no_pages)),
    Fault("hash-of-ids-is-not-repeated", "The header fileidhash is not repeated.", ("DS-DF-20",), on_reply(QUERY, _no_hash)),
    Fault(
        "hash-of-ids-is-repeated-in-capitals",
        "The header fileidhash is repeated in capitals.",
        ("DS-DF-20",),
        on_reply(QUERY, _hash_in_capitals),
    ),
)
