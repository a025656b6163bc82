"""What is known of the official server: what it does otherwise than the protocol and its clients expect, habit by habit."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import json_answer, refused
from lakepact.reference_server.faults import UNKNOWN_PATH, Fault, Install, around, on_call, on_lines, on_reply
from lakepact.reference_server.replies import NDJSON

from .ways.lines import file_of
from .ways.wrapped import CHANGES, DELTA, IN_LINES, QUERY, on_all, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.delta_sharing.capabilities import Capabilities
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Scope

TEXT = b"text/plain; charset=utf-8"
LISTS = ("listShares", "listSchemas", "listTables", "listAllTables")
CREDENTIALS = "generateTemporaryTableCredentials"
MOST_RESULTS = 500
ANY_FORMAT = b"responseformat=avro"


def _in_text(reply: Reply, status: int, body: bytes) -> Reply:
    return replace(reply, status=status, body=body, chunks=None, media_type=TEXT)


def _failed(reply: Reply) -> Reply:
    """A failure over what nobody thought of: a body that looks like an error, called text."""
    return _in_text(reply, 500, b'{"errorCode":"INTERNAL_ERROR","message":""}')


def _path_in_text(reply: Reply, _: Scope) -> Reply:
    return _in_text(reply, 404, b"404 Not Found") if reply.status == 404 else reply


def _slash_in_text(reply: Reply, scope: Scope) -> Reply:
    """Take an encoded slash for one that parts names."""
    return _in_text(reply, 404, b"404 Not Found") if b"%2f" in scope["raw_path"].lower() else reply


def _large_sizes_are_refused(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if (arguments.get("max_results") or 0) > MOST_RESULTS:
        raise refused(400, f"Acceptable values of 'maxResults' are 0 to {MOST_RESULTS}")
    return handler(**arguments)


def _last_time_is_refused(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Look for a version after the time, which there is none of if it is that of the last."""
    current = dict(handler(**arguments | {"starting_timestamp": None}).headers)[b"delta-table-version"]
    reply = handler(**arguments)
    if arguments.get("starting_timestamp") and dict(reply.headers)[b"delta-table-version"] == current:
        raise refused(400, f"Cannot load table version {int(current) + 1}")
    return reply


def _any_format(original: Callable[[str | None], Capabilities]) -> Callable[[str | None], Capabilities]:
    """Answer in parquet format whoever names a format that is none."""

    def read(header: str | None) -> Capabilities:
        capabilities = original(header)
        return capabilities if capabilities.formats != () else replace(capabilities, formats=None)

    return read


def _as_it_was_asked(reply: Reply, scope: Scope) -> Reply:
    """Say of every answer that it is in the format that was asked for."""
    asked = next((value for name, value in scope["headers"] if name == b"delta-sharing-capabilities"), b"")
    if reply.status != 200 or ANY_FORMAT not in asked:
        return reply
    return replace(reply, headers=tuple((n, ANY_FORMAT if n == b"delta-sharing-capabilities" else v) for n, v in reply.headers))


def _any_format_is_parquet(service: Any) -> None:
    around("rules", "read-capabilities", _any_format)(service)
    on_reply(IN_LINES, _as_it_was_asked)(service)


def _any_format_fails(reply: Reply, scope: Scope) -> Reply:
    return _failed(reply) if any(ANY_FORMAT in value for _, value in scope["headers"]) else reply


def _unreadable_is_a_failure(reply: Reply, scope: Scope) -> Reply:
    """Fail over a table that parquet format cannot express, when nothing was said about formats."""
    unasked = not any(name == b"delta-sharing-capabilities" for name, _ in scope["headers"])
    return _failed(reply) if unasked and reply.status == 400 and b"UNSUPPORTED_OPERATION" in reply.body else reply


def _untyped_is_a_failure(reply: Reply, scope: Scope) -> Reply:
    """Fail over a body of whose type nothing is said."""
    names = dict(scope["headers"])
    return _failed(reply) if b"content-type" not in names and names.get(b"content-length", b"0") != b"0" else reply


def _inline_vectors_are_a_failure(reply: Reply, _: Scope) -> Reply:
    if reply.status != 200 or not reply.has_body:
        return reply
    whole = reply.joined()
    return _failed(whole) if b'"storageType":"i"' in whole.body else whole


def _in_another_engine(*members: str) -> Install:
    """Refuse tables with reader features to who sends one of some members, which is answered by an engine that knows none."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments.get("body") or {}
        if not any(body.get(member) for member in members):
            return handler(**arguments)
        try:
            handler(**arguments | {"delta_sharing_capabilities": None, "body": {}})
        except Exception as problem:
            raise refused(400, "Delta protocol version (3,7) is too new for this version") from problem
        return handler(**arguments)

    return on_call(QUERY, act)


def _all_longer(lines: list[Any]) -> None:
    """Give each file in delta format the id that another hash makes of its own."""
    for file in wrapped(lines, "file"):
        if "deltaSingleAction" in file:
            file["id"] = hashlib.sha256(file["id"].encode()).hexdigest()


def _longer_without_hints(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Make ids by one hash for plain queries and by another for all others."""
    reply = handler(**arguments)
    body = arguments.get("body") or {}
    plain = not body.get("predicateHints") and "startingVersion" not in body
    if not plain or not reply.has_body:
        return reply
    lines = [json.loads(line) for line in reply.joined().body.split(b"\n") if line]
    _all_longer(lines)
    return replace(reply, chunks=None, body="".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode())


def _with_url_again(lines: list[Any]) -> None:
    for line in lines:
        action = file_of(line)
        if action is not None and "path" in action:
            action["pathAsUri"] = action["path"]


def _times_of_removal_renamed(lines: list[Any]) -> None:
    for line in lines:
        action = file_of(line)
        if action is not None and "deletionTimestamp" in action:
            action["delTimestamp"] = action.pop("deletionTimestamp")


def _earlier_than_all_is_refused(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if str(arguments.get("starting_timestamp") or "").startswith("19"):
        raise refused(400, "The provided timestamp is before the earliest version available")
    return handler(**arguments)


def _no_such_endpoint(reply: Reply, _: Scope) -> Reply:
    return _in_text(reply, 404, b"404 Not Found")


def _no_service_in_reach(reply: Reply, _: Scope) -> Reply:
    return _failed(reply) if reply.status == 400 else reply


def _as_the_caller_spells(handler: Handler, arguments: dict[str, Any]) -> Reply:
    document = handler(**arguments).document
    for item in document.get("items", ()):
        item.update({name: arguments[name] for name in ("share", "schema") if name in arguments and name in item})
    return json_answer(document)


def _numbers_for_tokens(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Know of a token only the share and how many items came before it."""
    share, token = arguments.get("share", ""), arguments.get("page_token")
    skipped = 0
    if token is not None:
        made_for, _, at = token.rpartition(".")
        if made_for != share.lower().encode().hex() or not at.isdecimal():
            raise refused(400, "invalid 'nextPageToken'")
        skipped = int(at)
    size = arguments.get("max_results")
    found = handler(**{**arguments, "page_token": None, "max_results": 2**31 - 1}).document["items"]
    items = found[skipped:] if size is None else found[skipped : skipped + size]
    rest = {} if skipped + len(items) >= len(found) else {"nextPageToken": f"{share.lower().encode().hex()}.{skipped + len(items)}"}
    return json_answer({"items": items, **rest})


def _id_is_needed(reply: Reply, scope: Scope) -> Reply:
    """Fail over a table that the server's file gives no id."""
    return _failed(reply) if b"/shares/unnumbered/" in scope["raw_path"].lower() and reply.status == 200 else reply


def _spaces_count(original: Callable[[str | None], Capabilities]) -> Callable[[str | None], Capabilities]:
    """Know no capability behind a space."""
    return lambda header: original(header and ";".join(part for part in header.split(";") if not part.startswith(" ")))


def _wide_limit(reply: Reply, _: Scope) -> Reply:
    """Answer a limit beyond 32 bits with an empty table, which nobody looks at."""
    if reply.status != 400 or b"2147483648 is greater" not in reply.body:
        return reply
    lines = b'{"protocol":{"minReaderVersion":1}}\n'
    return replace(reply, status=200, body=lines, media_type=NDJSON)


FAULTS = (
    Fault("tables-need-an-id", "A table without an id cannot be listed.", ("DS-GEN-15",), on_reply(LISTS[2:], _id_is_needed)),
    Fault(
        "paths-of-nothing-are-answered-in-text",
        "A path of no operation is answered in text.",
        ("DS-GEN-07",),
        on_reply(UNKNOWN_PATH, _path_in_text),
    ),
    Fault(
        "encoded-slashes-are-answered-in-text",
        "A name with a slash is answered in text.",
        ("DS-GEN-07",),
        on_reply("getShare", _slash_in_text),
    ),
    Fault("sizes-above-500-are-refused", "Sizes above 500 are refused.", ("DS-PAG-07",), on_call(LISTS, _large_sizes_are_refused)),
    Fault(
        "time-of-the-last-version-is-refused",
        "The time of the last version is refused.",
        ("DS-VER-04",),
        on_call("getTableVersion", _last_time_is_refused),
    ),
    Fault(
        "any-format-is-parquet-format",
        "A format that is none is answered in parquet format, and named.",
        ("DS-CAP-10",),
        _any_format_is_parquet,
    ),
    Fault(
        "unreadable-tables-are-a-failure",
        "Who names no format and needs another one meets a failure.",
        ("DS-CAP-03", "DS-GEN-15"),
        on_reply(IN_LINES, _unreadable_is_a_failure),
    ),
    Fault(
        "queries-without-content-type-are-a-failure",
        "A query without Content-Type is answered with 500.",
        ("DS-QRY-01", "DS-GEN-15"),
        on_reply(QUERY, _untyped_is_a_failure),
    ),
    Fault(
        "inline-vectors-are-a-failure",
        "Deletion vectors within the log are answered with 500.",
        ("DS-DFL-07", "DS-DWP-02"),
        on_reply(QUERY, _inline_vectors_are_a_failure),
    ),
    Fault(
        "hints-are-refused-with-reader-features",
        "Hints on a table with reader features are refused.",
        ("DS-HNT-03",),
        _in_another_engine("predicateHints"),
    ),
    Fault(
        "pages-are-refused-with-reader-features",
        "Pages of a table with reader features are refused.",
        ("DS-DF-20",),
        _in_another_engine("maxFiles"),
    ),
    Fault(
        "delta-ids-are-others",
        "In delta format a file has another id than in parquet format.",
        ("DS-DFL-01",),
        on_lines((QUERY, CHANGES), _all_longer),
    ),
    Fault("any-format-is-a-failure", "A format that is none is answered with 500.", ("DS-CAP-04",), on_reply(IN_LINES, _any_format_fails)),
    Fault(
        "delta-ids-depend-on-the-question",
        "In delta format ids of plain queries are others than those with hints.",
        ("DS-DFL-01",),
        on_call(QUERY, _longer_without_hints),
    ),
    Fault(
        "actions-name-their-url-twice",
        "Wrapped actions have the URL as pathAsUri too.",
        ("DS-DFL-06",),
        on_all(_with_url_again, form=DELTA),
    ),
    Fault(
        "times-of-removal-are-renamed",
        "Wrapped removes have delTimestamp for deletionTimestamp.",
        ("DS-DFL-06",),
        on_all(_times_of_removal_renamed, form=DELTA),
    ),
    Fault(
        "changes-since-before-all-are-refused",
        "Changes from a time before the first version on are refused.",
        ("DS-CDF-05",),
        on_call(CHANGES, _earlier_than_all_is_refused),
    ),
    Fault(
        "credentials-are-no-operation",
        "There is no such operation as credentials, which is said in text.",
        ("DS-GEN-07",),
        on_reply(CREDENTIALS, _no_such_endpoint),
    ),
    Fault(
        "credentials-refused-are-a-failure",
        "Who cannot have credentials meets a failure.",
        ("DS-TMP-16", "DS-GEN-15"),
        on_reply(CREDENTIALS, _no_service_in_reach),
    ),
    Fault(
        "names-are-those-of-the-caller",
        "Listings spell names as the caller does.",
        ("DS-GEN-13",),
        on_call(("listSchemas", "listTables", "listAllTables"), _as_the_caller_spells),
    ),
    Fault(
        "tokens-hold-for-other-listings", "A token of schemas leads on among tables.", ("DS-PAG-13",), on_call(LISTS, _numbers_for_tokens)
    ),
    Fault(
        "spaces-count-in-capabilities",
        "A capability behind a space is not known.",
        ("DS-CAP-01",),
        around("rules", "read-capabilities", _spaces_count),
    ),
    Fault("limits-have-64-bits", "A limitHint beyond 32 bits is taken.", ("DS-QRY-11",), on_reply(QUERY, _wide_limit)),
)
