"""Known deviations of the official server from the protocol and from the expectations of its
clients.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import json_answer, refusal
from lakepact.reference_server.delta_sharing.queries.capabilities import Capabilities
from lakepact.reference_server.faults import (
    UNKNOWN_PATH,
    Install,
    fault,
    on_call,
    on_lines,
    on_reply,
    wrap_rule,
)
from lakepact.reference_server.http.replies import NDJSON, Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from mutants.delta_sharing.operators.lines import file_of
from mutants.delta_sharing.operators.wrapped import CHANGES, DELTA, IN_LINES, QUERY, on_all, wrapped
from mutants.operators import refuse_calls

TEXT = b"text/plain; charset=utf-8"
LISTS = (op.list_shares, op.list_schemas, op.list_tables, op.list_all_tables)
CREDENTIALS = op.generate_temporary_table_credentials
MOST_RESULTS = 500
ANY_FORMAT = b"responseformat=avro"


def _in_text(reply: Reply, status: int, body: bytes) -> Reply:
    return replace(reply, status=status, body=body, chunks=None, media_type=TEXT)


def _failed(reply: Reply) -> Reply:
    """An unexpected error returns a body that looks like an error, with a text media type."""
    return _in_text(reply, 500, b'{"errorCode":"INTERNAL_ERROR","message":""}')


def _any_format(
    original: Callable[[str | None], Capabilities],
) -> Callable[[str | None], Capabilities]:
    """Answer in parquet format whoever names a format that is none."""

    def read(header: str | None) -> Capabilities:
        capabilities = original(header)
        return capabilities if capabilities.formats != () else replace(capabilities, formats=None)

    return read


def _as_it_was_asked(reply: Reply, scope: Scope) -> Reply:
    """Say of every answer that it is in the format that was asked for."""
    asked = next(
        (value for name, value in scope["headers"] if name == b"delta-sharing-capabilities"), b""
    )
    if reply.status != 200 or ANY_FORMAT not in asked:
        return reply
    return replace(
        reply,
        headers=tuple(
            (n, ANY_FORMAT if n == b"delta-sharing-capabilities" else v) for n, v in reply.headers
        ),
    )


def _in_another_engine(*members: str) -> Install:
    """Refuse tables with reader features for requests with some members, as an engine without
    feature support does.
    """

    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments.get("body") or {}
        if not any(body.get(member) for member in members):
            return handler(**arguments)
        try:
            handler(**arguments | {"delta_sharing_capabilities": None, "body": {}})
        except Exception as problem:
            raise refusal(
                400, "Delta protocol version (3,7) is too new for this version"
            ) from problem
        return handler(**arguments)

    return on_call(QUERY, act)


def _all_longer(lines: list[Any]) -> None:
    """Give each file in delta format the id that another hash makes of its own."""
    for file in wrapped(lines, "file"):
        if "deltaSingleAction" in file:
            file["id"] = hashlib.sha256(file["id"].encode()).hexdigest()


@fault("DS-GEN-15", by=partial(on_reply, LISTS[2:]))
def tables_need_an_id(reply: Reply, scope: Scope) -> Reply:
    return (
        _failed(reply)
        if b"/shares/unnumbered/" in scope["raw_path"].lower() and reply.status == 200
        else reply
    )


@fault("DS-VER-04", by=partial(on_call, op.get_table_version))
def time_of_the_last_version_is_refused(handler: Handler, arguments: Arguments) -> Reply:
    current = dict(handler(**arguments | {"starting_timestamp": None}).headers)[
        b"delta-table-version"
    ]
    reply = handler(**arguments)
    if (
        arguments.get("starting_timestamp")
        and dict(reply.headers)[b"delta-table-version"] == current
    ):
        raise refusal(400, f"Cannot load table version {int(current) + 1}")
    return reply


@fault("DS-CAP-10")
def any_format_is_parquet_format(service: Any) -> None:
    wrap_rule("read_capabilities", _any_format)(service)
    on_reply(IN_LINES, _as_it_was_asked)(service)


@fault("DS-CAP-03", "DS-GEN-15", by=partial(on_reply, IN_LINES))
def unreadable_tables_are_a_failure(reply: Reply, scope: Scope) -> Reply:
    unasked = not any(name == b"delta-sharing-capabilities" for name, _ in scope["headers"])
    return (
        _failed(reply)
        if unasked and reply.status == 400 and b"UNSUPPORTED_OPERATION" in reply.body
        else reply
    )


@fault("DS-QRY-01", "DS-GEN-15", by=partial(on_reply, QUERY))
def queries_without_content_type_are_a_failure(reply: Reply, scope: Scope) -> Reply:
    names = dict(scope["headers"])
    return (
        _failed(reply)
        if b"content-type" not in names and names.get(b"content-length", b"0") != b"0"
        else reply
    )


@fault("DS-DFL-07", "DS-DWP-02", by=partial(on_reply, QUERY))
def inline_vectors_are_a_failure(reply: Reply, _: Scope) -> Reply:
    if reply.status != 200 or not reply.has_body:
        return reply
    whole = reply.as_whole()
    return _failed(whole) if b'"storageType":"i"' in whole.body else whole


@fault("DS-DFL-01", by=partial(on_call, QUERY))
def delta_ids_depend_on_the_question(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    body = arguments.get("body") or {}
    plain = not body.get("predicateHints") and "startingVersion" not in body
    if not plain or not reply.has_body:
        return reply
    lines = [json.loads(line) for line in reply.as_whole().body.split(b"\n") if line]
    _all_longer(lines)
    return replace(
        reply,
        chunks=None,
        body="".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode(),
    )


@fault("DS-DFL-06", by=partial(on_all, form=DELTA))
def actions_name_their_url_twice(lines: list[Any]) -> None:
    for line in lines:
        action = file_of(line)
        if action is not None and "path" in action:
            action["pathAsUri"] = action["path"]


@fault("DS-DFL-06", by=partial(on_all, form=DELTA))
def times_of_removal_are_renamed(lines: list[Any]) -> None:
    for line in lines:
        action = file_of(line)
        if action is not None and "deletionTimestamp" in action:
            action["delTimestamp"] = action.pop("deletionTimestamp")


@fault("DS-GEN-13", by=partial(on_call, (op.list_schemas, op.list_tables, op.list_all_tables)))
def names_are_those_of_the_caller(handler: Handler, arguments: Arguments) -> Reply:
    document = handler(**arguments).document
    for item in document.get("items", ()):
        item.update(
            {
                name: arguments[name]
                for name in ("share", "schema")
                if name in arguments and name in item
            }
        )
    return json_answer(document)


@fault("DS-PAG-13", by=partial(on_call, LISTS))
def tokens_hold_for_other_listings(handler: Handler, arguments: Arguments) -> Reply:
    share, token = arguments.get("share", ""), arguments.get("page_token")
    skipped = 0
    if token is not None:
        made_for, _, at = token.rpartition(".")
        if made_for != share.lower().encode().hex() or not at.isdecimal():
            raise refusal(400, "invalid 'nextPageToken'")
        skipped = int(at)
    size = arguments.get("max_results")
    found = handler(**{**arguments, "page_token": None, "max_results": 2**31 - 1}).document["items"]
    items = found[skipped:] if size is None else found[skipped : skipped + size]
    rest = (
        {}
        if skipped + len(items) >= len(found)
        else {"nextPageToken": f"{share.lower().encode().hex()}.{skipped + len(items)}"}
    )
    return json_answer({"items": items, **rest})


@fault("DS-CAP-01", by=partial(wrap_rule, "read_capabilities"))
def spaces_count_in_capabilities(
    original: Callable[[str | None], Capabilities],
) -> Callable[[str | None], Capabilities]:
    return lambda header: original(
        header and ";".join(part for part in header.split(";") if not part.startswith(" "))
    )


@fault("DS-QRY-11", by=partial(on_reply, QUERY))
def limits_have_64_bits(reply: Reply, _: Scope) -> Reply:
    if reply.status != 400 or b"2147483648 is greater" not in reply.body:
        return reply
    lines = b'{"protocol":{"minReaderVersion":1}}\n'
    return replace(reply, status=200, body=lines, media_type=NDJSON)


FAULTS = {
    "sizes-above-500-are-refused DS-PAG-07": refuse_calls(
        LISTS,
        lambda arguments: (arguments.get("max_results") or 0) > MOST_RESULTS,
        refusal(400, f"Acceptable values of 'maxResults' are 0 to {MOST_RESULTS}"),
    ),
    "changes-since-before-all-are-refused DS-CDF-05": refuse_calls(
        CHANGES,
        lambda arguments: str(arguments.get("starting_timestamp") or "").startswith("19"),
        refusal(400, "The provided timestamp is before the earliest version available"),
    ),
    "paths-of-nothing-are-answered-in-text DS-GEN-07": on_reply(
        UNKNOWN_PATH,
        lambda reply, _: _in_text(reply, 404, b"404 Not Found") if reply.status == 404 else reply,
    ),
    "encoded-slashes-are-answered-in-text DS-GEN-07": on_reply(
        op.get_share,
        lambda reply, scope: (
            _in_text(reply, 404, b"404 Not Found") if b"%2f" in scope["raw_path"].lower() else reply
        ),
    ),
    "hints-are-refused-with-reader-features DS-HNT-03": _in_another_engine("predicateHints"),
    "pages-are-refused-with-reader-features DS-DF-20": _in_another_engine("maxFiles"),
    "delta-ids-are-others DS-DFL-01 DS-FIL-03": on_lines((QUERY, CHANGES), _all_longer),
    "any-format-is-a-failure DS-CAP-04": on_reply(
        IN_LINES,
        lambda reply, scope: (
            _failed(reply) if any(ANY_FORMAT in value for _, value in scope["headers"]) else reply
        ),
    ),
    "credentials-are-no-operation DS-GEN-07": on_reply(
        CREDENTIALS, lambda reply, _: _in_text(reply, 404, b"404 Not Found")
    ),
    "credentials-refused-are-a-failure DS-TMP-16 DS-GEN-15": on_reply(
        CREDENTIALS, lambda reply, _: _failed(reply) if reply.status == 400 else reply
    ),
}
