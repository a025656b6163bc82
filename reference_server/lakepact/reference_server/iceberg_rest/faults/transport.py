"""Wrong statuses, bodies where none belong, and text or numbers that do not survive."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import orjson

from lakepact.reference_server.faults import (
    Fault,
    Install,
    all_of,
    around,
    instead,
    on_answer,
    on_call,
    on_reply,
    on_request,
    on_status,
    on_wire,
    unchecked,
)
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.replies import Reply, json_reply
from lakepact.reference_server.routes import segment
from lakepact.reference_server.service import EVERY, UNKNOWN_PATH, WRONG_METHOD

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Handler, Scope, Service
    from lakepact.reference_server.wire import Wire

LEFT_OUT = "loadCredentials"
NO_CONTENT = ("dropTable", "dropNamespace", "renameTable")
POSTS = ("createNamespace", "updateProperties", "createTable", "updateTable", "renameTable", "registerTable")


async def _body_behind(wire: Wire, reply: Reply) -> None:
    if reply.status == 204 or wire.scope["method"] == "HEAD":
        wire.raw(wire.head(reply) + b'{"done":true}')
        await wire.close()
    else:
        await wire.answer(reply)


def _needs_header(name: bytes) -> Callable[[Scope], None]:
    def guard(scope: Scope) -> None:
        if any(given == name for given, _ in scope["headers"]):
            raise Problem(400, "BadRequestException", f"the header {name.decode()} is not known here")

    return guard


def _exact_content_type(scope: Scope) -> None:
    sent = dict(scope["headers"]).get(b"content-type", b"application/json")
    if sent != b"application/json":
        raise Problem(415, "UnsupportedMediaTypeException", "send application/json")


def _no_unknown_parameters(scope: Scope) -> None:
    if b"x_irc" in scope["query_string"]:
        raise Problem(400, "BadRequestException", "unknown query parameter x_irc")


def _only_when_json_is_accepted(scope: Scope) -> None:
    if dict(scope["headers"]).get(b"accept", b"") != b"application/json":
        raise Problem(406, "NotAcceptable", "accept application/json")


def _rounded(document: Any) -> Any:
    """The document with integers as JavaScript would have them."""
    if isinstance(document, dict):
        return {key: _rounded(value) for key, value in document.items()}
    if isinstance(document, list):
        return [_rounded(value) for value in document]
    return int(float(document)) if isinstance(document, int) and not isinstance(document, bool) and abs(document) > 2**53 else document


def _as_text(document: Any) -> Any:
    return orjson.loads(re.sub(rb'"snapshot-id":(\d+)', rb'"snapshot-id":"\1"', orjson.dumps(document)))


def _camel(document: dict[str, Any]) -> None:
    document["metadataLocation"] = document.pop("metadata-location", None)


def _latin(document: Any) -> Any:
    text = orjson.dumps(document).decode().encode("latin-1", "replace").decode("latin-1")
    return orjson.loads(text)


def lenient(answer: Callable[[Any], Any]) -> Callable[[Callable[[bytes], Any]], Callable[[bytes], Any]]:
    """Read bodies by `answer` where reading fails."""

    def wrapper(read: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        def wrapped(raw: bytes) -> Any:
            try:
                return read(raw)
            except ValueError:
                return answer(raw)

        return wrapped

    return wrapper


def _accepts_anything(_handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Answer a body that is not what it should be as if nothing were wrong."""
    body = arguments.get("body")
    return Reply(200, b"{}") if not isinstance(body, dict) else _handler(**arguments)


def _trusting_create(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Make something of a namespace body whatever it holds."""
    body = arguments["body"]
    if not isinstance(body.get("namespace"), list):
        return json_reply({"namespace": ["x"], "properties": {}})
    if not isinstance(body.get("properties") or {}, dict):
        body = {**body, "properties": {}}
    return handler(body=body)


def _hides_the_last(handler: Handler, arguments: dict[str, Any]) -> Reply:
    document = handler(**arguments).document
    return json_reply({**document, "namespaces": document["namespaces"][:-1]})


def _twice_decoded(raw: bytes) -> str:
    return unquote(segment(raw))


def _upper_case_only(raw: bytes) -> str:
    return raw.decode() if b"%1f" in raw else segment(raw)


def _form_decoded(handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**{**arguments, "namespace": arguments["namespace"].replace("+", " ")})


def _cut_at_slash(raw: bytes) -> str:
    return segment(raw).split("/")[0]


def _not_found_is_empty(reply: Reply, _: Scope) -> Reply:
    return Reply(200, b"{}") if reply.status >= 400 else reply


def _gone_is_fine(status: int) -> Install:
    return on_status(("dropTable", "dropNamespace"), {404: status})


def _not_offered_fails(service: Service) -> None:
    """Offer an operation no more, and fail when it is asked for."""
    del service.handlers[LEFT_OUT]
    service.not_offered |= {LEFT_OUT}
    on_status(LEFT_OUT, {406: 500})(service)


def _v2_only(handler: Handler, arguments: dict[str, Any]) -> Reply:
    properties = arguments["body"].get("properties") or {}
    if properties.get("format-version") == "1":
        raise Problem(400, "BadRequestException", "format version 1 is not supported")
    return handler(**arguments)


def _no_extra_members(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if "x-irc" in arguments["body"]:
        raise Problem(400, "BadRequestException", "unknown member x-irc")
    return handler(**arguments)


FAULTS = (
    Fault(
        "config-below-another-path",
        "The configuration is not found where it should be.",
        ("IRC-GEN-001",),
        on_status("getConfig", {200: 404}),
    ),
    Fault(
        "namespaces-need-a-prefix", "Namespaces are not found without a prefix.", ("IRC-GEN-002",), on_status("listNamespaces", {200: 404})
    ),
    Fault(
        "content-type-compared-whole", "A charset in the content type is refused.", ("IRC-GEN-004",), on_request(POSTS, _exact_content_type)
    ),
    Fault(
        "tables-as-octets",
        "Tables are served as application/octet-stream.",
        ("IRC-GEN-005",),
        on_reply("loadTable", lambda reply, _: replace(reply, media_type=b"application/octet-stream")),
    ),
    Fault("drops-answer-200", "Drops and renames are answered with 200.", ("IRC-GEN-006",), on_status(NO_CONTENT, {204: 200})),
    Fault("heads-answer-200", "HEAD is answered with 200.", ("IRC-GEN-006",), on_status(("tableExists", "namespaceExists"), {204: 200})),
    Fault("drops-accepted", "Drops are answered with 202.", ("IRC-GEN-006",), on_status("dropTable", {204: 202})),
    Fault("body-behind-204", "Bytes follow an answer with status 204.", ("IRC-GEN-007",), on_wire(NO_CONTENT, _body_behind)),
    Fault(
        "body-behind-head",
        "Bytes follow the headers of an answer to HEAD.",
        ("IRC-GEN-008", "IRC-ERR-017"),
        on_wire(("tableExists", "namespaceExists"), _body_behind),
    ),
    Fault(
        "creation-is-201",
        "What is created is answered with 201.",
        ("IRC-GEN-009",),
        on_status(("createNamespace", "createTable"), {200: 201}),
    ),
    Fault(
        "broken-json-is-empty",
        "A body that is not JSON is taken for an empty object.",
        ("IRC-GEN-010",),
        around("rules", "read-json", lenient(lambda _: {"namespace": ["x"], "updates": {}, "name": "x"})),
    ),
    Fault(
        "broken-json-is-500",
        "A body that is not JSON is answered with a server error.",
        ("IRC-GEN-010", "IRC-ERR-014"),
        on_status(POSTS, {400: 500}),
    ),
    Fault(
        "any-json-will-do",
        "A body that is JSON but no object is accepted.",
        ("IRC-GEN-011",),
        all_of(unchecked(*POSTS), on_call(POSTS, _accepts_anything)),
    ),
    Fault(
        "members-may-be-missing",
        "A namespace may be made of any object.",
        ("IRC-GEN-012", "IRC-GEN-013"),
        all_of(unchecked("createNamespace"), on_call("createNamespace", _trusting_create)),
    ),
    Fault(
        "empty-body-is-an-object",
        "No body is taken for an empty object.",
        ("IRC-GEN-014",),
        all_of(around("rules", "read-json", lambda read: lambda raw: read(raw or b"{}")), unchecked("updateProperties")),
    ),
    Fault(
        "unknown-members-refused",
        "A member that the contract does not know is refused.",
        ("IRC-GEN-015",),
        on_call("createTable", _no_extra_members),
    ),
    Fault(
        "unknown-parameters-refused",
        "A query parameter that nobody knows is refused.",
        ("IRC-GEN-016",),
        on_request(EVERY, _no_unknown_parameters),
    ),
    Fault(
        "unknown-headers-refused",
        "A header that nobody knows is refused.",
        ("IRC-GEN-017",),
        on_request(EVERY, _needs_header(b"x-unknown")),
    ),
    Fault("camel-case", "metadata-location is spelled metadataLocation.", ("IRC-GEN-018",), on_answer("loadTable", _camel)),
    Fault("integers-as-doubles", "Integers beyond 2^53 are rounded.", ("IRC-GEN-019",), on_answer(("loadTable", "updateTable"), _rounded)),
    Fault("snapshot-ids-as-text", "Snapshot ids are strings.", ("IRC-GEN-019",), on_answer("loadTable", _as_text)),
    Fault("text-in-latin", "Text is squeezed into Latin-1.", ("IRC-GEN-020",), on_answer(("loadTable", "loadNamespaceMetadata"), _latin)),
    Fault("paths-decoded-twice", "Paths are decoded twice.", ("IRC-GEN-021",), instead("rules", "decode-segment", _twice_decoded)),
    Fault("lower-case-hex-unknown", "%1f is not the same as %1F.", ("IRC-GEN-021",), instead("rules", "decode-segment", _upper_case_only)),
    Fault("plus-is-a-space", "A plus in a path is read as a space.", ("IRC-GEN-022",), on_call("loadNamespaceMetadata", _form_decoded)),
    Fault(
        "names-cut-at-slash",
        "What follows an encoded slash is forgotten.",
        ("IRC-GEN-023",),
        instead("rules", "decode-segment", _cut_at_slash),
    ),
    Fault(
        "nonsense-is-fine",
        "Paths that are in no contract are answered with 200.",
        ("IRC-GEN-024",),
        on_reply(UNKNOWN_PATH, _not_found_is_empty),
    ),
    Fault(
        "any-method-is-fine",
        "Methods that a path does not have are answered with 200.",
        ("IRC-GEN-025",),
        on_reply(WRONG_METHOD, _not_found_is_empty),
    ),
    Fault(
        "letter-case-of-paths-does-not-count",
        "The configuration is answered at its path in capitals too.",
        ("IRC-GEN-024",),
        on_reply(UNKNOWN_PATH, lambda reply, scope: _not_found_is_empty(reply, scope) if scope["path"].endswith("/CONFIG") else reply),
    ),
    Fault(
        "traces-are-echoed",
        "TRACE is answered with 200.",
        ("IRC-GEN-025",),
        on_reply(WRONG_METHOD, lambda reply, scope: _not_found_is_empty(reply, scope) if scope["method"] == "TRACE" else reply),
    ),
    Fault(
        "not-offered-is-500", "Credentials are not offered, and to ask for them fails.", ("IRC-GEN-026", "IRC-ERR-014"), _not_offered_fails
    ),
    Fault(
        "lists-lag-behind", "The newest namespace is missing from the list.", ("IRC-GEN-027",), on_call("listNamespaces", _hides_the_last)
    ),
    Fault("format-version-1-refused", "Tables of format version 1 are refused.", ("IRC-GEN-028",), on_call("createTable", _v2_only)),
    Fault("second-drop-is-500", "Dropping what is gone fails.", ("IRC-GEN-030", "IRC-ERR-014"), _gone_is_fine(500)),
    Fault(
        "accept-taken-literally",
        "Only requests that accept application/json are answered.",
        ("IRC-GEN-032",),
        on_request("loadTable", _only_when_json_is_accepted),
    ),
)
