"""Wrong statuses, bodies where none belong, and text or numbers that do not survive."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server import faults
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.routes import segment
from lakepact.reference_server.http.service import (
    EVERY,
    UNKNOWN_PATH,
    WRONG_METHOD,
    Arguments,
    Handler,
    Scope,
    Service,
)
from lakepact.reference_server.http.wire import Wire
from mutants.operators import refuse_calls, refuse_requests

LEFT_OUT = op.load_credentials
NO_CONTENT = (op.drop_table, op.drop_namespace, op.rename_table)
POSTS = (
    op.create_namespace,
    op.update_properties,
    op.create_table,
    op.update_table,
    op.rename_table,
    op.register_table,
)


async def _body_behind(wire: Wire, reply: Reply) -> None:
    if reply.status == 204 or wire.scope["method"] == "HEAD":
        wire.raw(wire.head(reply) + b'{"done":true}')
        await wire.close()
    else:
        await wire.answer(reply)


def _needs_header(name: bytes) -> Callable[[Scope], None]:
    def guard(scope: Scope) -> None:
        if any(given == name for given, _ in scope["headers"]):
            raise Problem(
                400, "BadRequestException", f"the header {name.decode()} is not known here"
            )

    return guard


def _rounded(document: Any) -> Any:
    """The document with integers as JavaScript would have them."""
    if isinstance(document, dict):
        return {key: _rounded(value) for key, value in document.items()}
    if isinstance(document, list):
        return [_rounded(value) for value in document]
    return (
        int(float(document))
        if isinstance(document, int) and not isinstance(document, bool) and abs(document) > 2**53
        else document
    )


def lenient(
    answer: Callable[[Any], Any],
) -> Callable[[Callable[[bytes], Any]], Callable[[bytes], Any]]:
    """Read bodies by `answer` where reading fails."""

    def wrapper(read: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        def wrapped(raw: bytes) -> Any:
            try:
                return read(raw)
            except ValueError:
                return answer(raw)

        return wrapped

    return wrapper


def _not_found_is_empty(reply: Reply, _: Scope) -> Reply:
    return Reply(200, b"{}") if reply.status >= 400 else reply


def _gone_is_fine(status: int) -> faults.Install:
    return faults.on_status((op.drop_table, op.drop_namespace), {404: status})


@faults.fault("IRC-GEN-038", by=partial(faults.on_request, POSTS))
def other_media_types_are_not_thought_of(scope: Scope) -> None:
    sent = dict(scope["headers"]).get(b"content-type", b"application/json")
    if not sent.startswith(b"application/json"):
        raise Problem(500, "NotSupportedException", "no reader for this media type")


@faults.fault("IRC-GEN-036", by=partial(faults.on_call, op.load_table))
def tables_of_metadata_are_not_found(handler: Handler, arguments: Arguments) -> Reply:
    if arguments["table"] in {"files", "history"}:
        raise Problem(404, "NoSuchTableException", "there is no such table")
    return handler(**arguments)


@faults.fault(
    "IRC-GEN-035",
    by=lambda act: faults.all_of(
        faults.skip_validation(op.create_table), faults.on_call(op.create_table, act)
    ),
)
def names_become_texts(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    name = {"name": str(body["name"])} if "name" in body else {}
    return handler(**{**arguments, "body": {**body, **name}})


@faults.fault("IRC-GEN-004", by=partial(faults.on_request, POSTS))
def content_type_compared_whole(scope: Scope) -> None:
    sent = dict(scope["headers"]).get(b"content-type", b"application/json")
    if sent != b"application/json":
        raise Problem(415, "UnsupportedMediaTypeException", "send application/json")


@faults.fault(
    "IRC-GEN-011",
    by=lambda act: faults.all_of(faults.skip_validation(*POSTS), faults.on_call(POSTS, act)),
)
def any_json_will_do(_handler: Handler, arguments: Arguments) -> Reply:
    body = arguments.get("body")
    return Reply(200, b"{}") if not isinstance(body, dict) else _handler(**arguments)


@faults.fault(
    "IRC-GEN-012",
    "IRC-GEN-013",
    by=lambda act: faults.all_of(
        faults.skip_validation(op.create_namespace), faults.on_call(op.create_namespace, act)
    ),
)
def members_may_be_missing(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    if not isinstance(body.get("namespace"), list):
        return json_reply({"namespace": ["x"], "properties": {}})
    if not isinstance(body.get("properties") or {}, dict):
        body = {**body, "properties": {}}
    return handler(body=body)


@faults.fault(
    "IRC-GEN-020", by=partial(faults.on_answer, (op.load_table, op.load_namespace_metadata))
)
def text_in_latin(document: Any) -> Any:
    text = orjson.dumps(document).decode().encode("latin-1", "replace").decode("latin-1")
    return orjson.loads(text)


@faults.fault("IRC-GEN-022", by=partial(faults.on_call, op.load_namespace_metadata))
def plus_is_a_space(handler: Handler, arguments: Arguments) -> Reply:
    return handler(**{**arguments, "namespace": arguments["namespace"].replace("+", " ")})


@faults.fault("IRC-GEN-026", "IRC-ERR-014")
def not_offered_is_500(service: Service) -> None:
    del service.handlers[LEFT_OUT]
    service.unavailable |= {LEFT_OUT}
    faults.on_status(LEFT_OUT, {406: 500})(service)


@faults.fault("IRC-GEN-027", by=partial(faults.on_call, op.list_namespaces))
def lists_lag_behind(handler: Handler, arguments: Arguments) -> Reply:
    document = handler(**arguments).document
    return json_reply({**document, "namespaces": document["namespaces"][:-1]})


@faults.fault("IRC-GEN-028", by=partial(faults.on_call, op.create_table))
def format_version_1_refused(handler: Handler, arguments: Arguments) -> Reply:
    properties = arguments["body"].get("properties") or {}
    if properties.get("format-version") == "1":
        raise Problem(400, "BadRequestException", "format version 1 is not supported")
    return handler(**arguments)


FAULTS = {
    "unknown-members-refused IRC-GEN-015": refuse_calls(
        op.create_table,
        lambda arguments: "x-irc" in arguments["body"],
        Problem(400, "BadRequestException", "unknown member x-irc"),
    ),
    "unknown-parameters-refused IRC-GEN-016": refuse_requests(
        EVERY,
        lambda scope: b"x_irc" in scope["query_string"],
        Problem(400, "BadRequestException", "unknown query parameter x_irc"),
    ),
    "accept-taken-literally IRC-GEN-032": refuse_requests(
        op.load_table,
        lambda scope: dict(scope["headers"]).get(b"accept", b"") != b"application/json",
        Problem(406, "NotAcceptable", "accept application/json"),
    ),
    "config-below-another-path IRC-GEN-001": faults.on_status(op.get_config, {200: 404}),
    "namespaces-need-a-prefix IRC-GEN-002": faults.on_status(op.list_namespaces, {200: 404}),
    "tables-as-octets IRC-GEN-005": faults.on_reply(
        op.load_table, lambda reply, _: replace(reply, media_type=b"application/octet-stream")
    ),
    "drops-answer-200 IRC-GEN-006": faults.on_status(NO_CONTENT, {204: 200}),
    "heads-answer-200 IRC-GEN-006": faults.on_status(
        (op.table_exists, op.namespace_exists), {204: 200}
    ),
    "drops-accepted IRC-GEN-006": faults.on_status(op.drop_table, {204: 202}),
    "body-behind-204 IRC-GEN-007": faults.on_wire(NO_CONTENT, _body_behind),
    "body-behind-head IRC-GEN-008 IRC-ERR-017": faults.on_wire(
        (op.table_exists, op.namespace_exists), _body_behind
    ),
    "creation-is-201 IRC-GEN-009": faults.on_status(
        (op.create_namespace, op.create_table), {200: 201}
    ),
    "broken-json-is-empty IRC-GEN-010": faults.wrap_rule(
        "read_json", lenient(lambda _: {"namespace": ["x"], "updates": {}, "name": "x"})
    ),
    "broken-json-is-500 IRC-GEN-010 IRC-ERR-014": faults.on_status(POSTS, {400: 500}),
    "empty-body-is-an-object IRC-GEN-014": faults.all_of(
        faults.wrap_rule("read_json", lambda read: lambda raw: read(raw or b"{}")),
        faults.skip_validation(op.update_properties),
    ),
    "unknown-headers-refused IRC-GEN-017": faults.on_request(EVERY, _needs_header(b"x-unknown")),
    "camel-case IRC-GEN-018": faults.on_answer(
        op.load_table,
        lambda document: document.update(metadataLocation=document.pop("metadata-location", None)),
    ),
    "integers-as-doubles IRC-GEN-019": faults.on_answer((op.load_table, op.update_table), _rounded),
    "snapshot-ids-as-text IRC-GEN-019": faults.on_answer(
        op.load_table,
        lambda document: orjson.loads(
            re.sub(rb'"snapshot-id":(\d+)', rb'"snapshot-id":"\1"', orjson.dumps(document))
        ),
    ),
    "paths-decoded-twice IRC-GEN-021": faults.replace_rule(
        "decode_segment", lambda raw: unquote(segment(raw))
    ),
    "lower-case-hex-unknown IRC-GEN-021": faults.replace_rule(
        "decode_segment", lambda raw: raw.decode() if b"%1f" in raw else segment(raw)
    ),
    "names-cut-at-slash IRC-GEN-023": faults.replace_rule(
        "decode_segment", lambda raw: segment(raw).split("/")[0]
    ),
    "nonsense-is-fine IRC-GEN-024": faults.on_reply(UNKNOWN_PATH, _not_found_is_empty),
    "any-method-is-fine IRC-GEN-025": faults.on_reply(WRONG_METHOD, _not_found_is_empty),
    "letter-case-of-paths-does-not-count IRC-GEN-024": faults.on_reply(
        UNKNOWN_PATH,
        lambda reply, scope: (
            _not_found_is_empty(reply, scope) if scope["path"].endswith("/CONFIG") else reply
        ),
    ),
    "traces-are-echoed IRC-GEN-025": faults.on_reply(
        WRONG_METHOD,
        lambda reply, scope: (
            _not_found_is_empty(reply, scope) if scope["method"] == "TRACE" else reply
        ),
    ),
    "second-drop-is-500 IRC-GEN-030 IRC-ERR-014": _gone_is_fine(500),
}
