"""Wrong statuses, bodies where none belong, and text or numbers that do not survive."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import orjson

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_answer,
    on_call,
    on_reply,
    on_request,
    on_status,
    on_wire,
    replace_rule,
    unchecked,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.routes import segment
from lakepact.reference_server.service import EVERY, UNKNOWN_PATH, WRONG_METHOD

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.wire import Wire
    from lakepact.reference_server.service import Handler, Scope, Service

LEFT_OUT = op.load_credentials
NO_CONTENT = (op.drop_table, op.drop_namespace, op.rename_table)
POSTS = (op.create_namespace, op.update_properties, op.create_table, op.update_table, op.rename_table, op.register_table)


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


def _rounded(document: Any) -> Any:
    """The document with integers as JavaScript would have them."""
    if isinstance(document, dict):
        return {key: _rounded(value) for key, value in document.items()}
    if isinstance(document, list):
        return [_rounded(value) for value in document]
    return int(float(document)) if isinstance(document, int) and not isinstance(document, bool) and abs(document) > 2**53 else document


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


def _not_found_is_empty(reply: Reply, _: Scope) -> Reply:
    return Reply(200, b"{}") if reply.status >= 400 else reply


def _gone_is_fine(status: int) -> Install:
    return on_status((op.drop_table, op.drop_namespace), {404: status})


@fault("IRC-GEN-001")
def config_below_another_path() -> Install:
    """The configuration is not found where it should be."""
    return on_status(op.get_config, {200: 404})


@fault("IRC-GEN-002")
def namespaces_need_a_prefix() -> Install:
    """Namespaces are not found without a prefix."""
    return on_status(op.list_namespaces, {200: 404})


@fault("IRC-GEN-004", by=partial(on_request, POSTS))
def content_type_compared_whole(scope: Scope) -> None:
    """A charset in the content type is refused."""
    sent = dict(scope["headers"]).get(b"content-type", b"application/json")
    if sent != b"application/json":
        raise Problem(415, "UnsupportedMediaTypeException", "send application/json")


@fault("IRC-GEN-005")
def tables_as_octets() -> Install:
    """Tables are served as application/octet-stream."""
    return on_reply(op.load_table, lambda reply, _: replace(reply, media_type=b"application/octet-stream"))


@fault("IRC-GEN-006")
def drops_answer_200() -> Install:
    """Drops and renames return 200."""
    return on_status(NO_CONTENT, {204: 200})


@fault("IRC-GEN-006")
def heads_answer_200() -> Install:
    """HEAD returns 200."""
    return on_status((op.table_exists, op.namespace_exists), {204: 200})


@fault("IRC-GEN-006")
def drops_accepted() -> Install:
    """Drops return 202."""
    return on_status(op.drop_table, {204: 202})


@fault("IRC-GEN-007")
def body_behind_204() -> Install:
    """Bytes follow an answer with status 204."""
    return on_wire(NO_CONTENT, _body_behind)


@fault("IRC-GEN-008", "IRC-ERR-017")
def body_behind_head() -> Install:
    """Bytes follow the headers of an answer to HEAD."""
    return on_wire((op.table_exists, op.namespace_exists), _body_behind)


@fault("IRC-GEN-009")
def creation_is_201() -> Install:
    """Creations return 201."""
    return on_status((op.create_namespace, op.create_table), {200: 201})


@fault("IRC-GEN-010")
def broken_json_is_empty() -> Install:
    """A body that is not JSON is treated as an empty object."""
    return wrap_rule("read_json", lenient(lambda _: {"namespace": ["x"], "updates": {}, "name": "x"}))


@fault("IRC-GEN-010", "IRC-ERR-014")
def broken_json_is_500() -> Install:
    """A body that is not JSON is answered with a server error."""
    return on_status(POSTS, {400: 500})


@fault("IRC-GEN-011", by=lambda act: all_of(unchecked(*POSTS), on_call(POSTS, act)))
def any_json_will_do(_handler: Handler, arguments: dict[str, Any]) -> Reply:
    """A body that is JSON but no object is accepted."""
    body = arguments.get("body")
    return Reply(200, b"{}") if not isinstance(body, dict) else _handler(**arguments)


@fault("IRC-GEN-012", "IRC-GEN-013", by=lambda act: all_of(unchecked(op.create_namespace), on_call(op.create_namespace, act)))
def members_may_be_missing(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """A namespace may be made of any object."""
    body = arguments["body"]
    if not isinstance(body.get("namespace"), list):
        return json_reply({"namespace": ["x"], "properties": {}})
    if not isinstance(body.get("properties") or {}, dict):
        body = {**body, "properties": {}}
    return handler(body=body)


@fault("IRC-GEN-014")
def empty_body_is_an_object() -> Install:
    """An empty body is treated as an empty object."""
    return all_of(wrap_rule("read_json", lambda read: lambda raw: read(raw or b"{}")), unchecked(op.update_properties))


@fault("IRC-GEN-015", by=partial(on_call, op.create_table))
def unknown_members_refused(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """A member that the contract does not know is refused."""
    if "x-irc" in arguments["body"]:
        raise Problem(400, "BadRequestException", "unknown member x-irc")
    return handler(**arguments)


@fault("IRC-GEN-016", by=partial(on_request, EVERY))
def unknown_parameters_refused(scope: Scope) -> None:
    """An unknown query parameter returns 400."""
    if b"x_irc" in scope["query_string"]:
        raise Problem(400, "BadRequestException", "unknown query parameter x_irc")


@fault("IRC-GEN-017")
def unknown_headers_refused() -> Install:
    """An unknown header returns 400."""
    return on_request(EVERY, _needs_header(b"x-unknown"))


@fault("IRC-GEN-018", by=partial(on_answer, op.load_table))
def camel_case(document: dict[str, Any]) -> None:
    """metadata-location is spelled metadataLocation."""
    document["metadataLocation"] = document.pop("metadata-location", None)


@fault("IRC-GEN-019")
def integers_as_doubles() -> Install:
    """Integers beyond 2^53 are rounded."""
    return on_answer((op.load_table, op.update_table), _rounded)


@fault("IRC-GEN-019", by=partial(on_answer, op.load_table))
def snapshot_ids_as_text(document: Any) -> Any:
    """Snapshot ids are strings."""
    return orjson.loads(re.sub(rb'"snapshot-id":(\d+)', rb'"snapshot-id":"\1"', orjson.dumps(document)))


@fault("IRC-GEN-020", by=partial(on_answer, (op.load_table, op.load_namespace_metadata)))
def text_in_latin(document: Any) -> Any:
    """Text is squeezed into Latin-1."""
    text = orjson.dumps(document).decode().encode("latin-1", "replace").decode("latin-1")
    return orjson.loads(text)


@fault("IRC-GEN-021", by=partial(replace_rule, "decode_segment"))
def paths_decoded_twice(raw: bytes) -> str:
    """Paths are decoded twice."""
    return unquote(segment(raw))


@fault("IRC-GEN-021", by=partial(replace_rule, "decode_segment"))
def lower_case_hex_unknown(raw: bytes) -> str:
    """%1f is not the same as %1F."""
    return raw.decode() if b"%1f" in raw else segment(raw)


@fault("IRC-GEN-022", by=partial(on_call, op.load_namespace_metadata))
def plus_is_a_space(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """A plus in a path is read as a space."""
    return handler(**{**arguments, "namespace": arguments["namespace"].replace("+", " ")})


@fault("IRC-GEN-023", by=partial(replace_rule, "decode_segment"))
def names_cut_at_slash(raw: bytes) -> str:
    """Characters after an encoded slash are dropped."""
    return segment(raw).split("/")[0]


@fault("IRC-GEN-024")
def nonsense_is_fine() -> Install:
    """Paths that are in no contract return 200."""
    return on_reply(UNKNOWN_PATH, _not_found_is_empty)


@fault("IRC-GEN-025")
def any_method_is_fine() -> Install:
    """Methods that a path does not have return 200."""
    return on_reply(WRONG_METHOD, _not_found_is_empty)


@fault("IRC-GEN-024")
def letter_case_of_paths_does_not_count() -> Install:
    """The configuration is answered at its path in capitals too."""
    return on_reply(UNKNOWN_PATH, lambda reply, scope: _not_found_is_empty(reply, scope) if scope["path"].endswith("/CONFIG") else reply)


@fault("IRC-GEN-025")
def traces_are_echoed() -> Install:
    """TRACE returns 200."""
    return on_reply(WRONG_METHOD, lambda reply, scope: _not_found_is_empty(reply, scope) if scope["method"] == "TRACE" else reply)


@fault("IRC-GEN-026", "IRC-ERR-014")
def not_offered_is_500(service: Service) -> None:
    """Credentials are not offered, and to ask for them fails."""
    del service.handlers[LEFT_OUT]
    service.not_offered |= {LEFT_OUT}
    on_status(LEFT_OUT, {406: 500})(service)


@fault("IRC-GEN-027", by=partial(on_call, op.list_namespaces))
def lists_lag_behind(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """The newest namespace is missing from the list."""
    document = handler(**arguments).document
    return json_reply({**document, "namespaces": document["namespaces"][:-1]})


@fault("IRC-GEN-028", by=partial(on_call, op.create_table))
def format_version_1_refused(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Tables of format version 1 are refused."""
    properties = arguments["body"].get("properties") or {}
    if properties.get("format-version") == "1":
        raise Problem(400, "BadRequestException", "format version 1 is not supported")
    return handler(**arguments)


@fault("IRC-GEN-030", "IRC-ERR-014")
def second_drop_is_500() -> Install:
    """Dropping what is gone fails."""
    return _gone_is_fine(500)


@fault("IRC-GEN-032", by=partial(on_request, op.load_table))
def accept_taken_literally(scope: Scope) -> None:
    """Only requests that accept application/json are answered."""
    if dict(scope["headers"]).get(b"accept", b"") != b"application/json":
        raise Problem(406, "NotAcceptable", "accept application/json")
