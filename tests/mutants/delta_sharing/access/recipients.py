"""Servers that let in whom they should not, or keep out whom they should not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server import faults
from lakepact.reference_server.delta_sharing.answers import json_answer, refusal
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import EVERY, Arguments, Handler
from mutants.operators import refuse_calls

#: Operations that require rights.
OF_TABLES = (op.get_table_version, op.get_table_metadata)


def _any_token(original: Callable[..., Any]) -> Callable[..., Any]:
    """Unknown tokens authenticate as the first recipient."""

    def recipient(known: Mapping[bytes, Any], digest: bytes) -> Any:
        try:
            return original(known, digest)
        except Problem:
            return next(iter(known.values()))

    return recipient


def _of_any_scheme(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """The token of a request, whatever the scheme before it."""

    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        return original(
            [
                (n, b"Bearer " + v.rpartition(b" ")[2] if n == b"authorization" else v)
                for n, v in headers
            ]
        )

    return token


def _every_token() -> faults.Install:
    return faults.all_of(
        faults.wrap_rule("recipient", _any_token), faults.replace_rule("token_holds", faults.accept)
    )


@faults.fault(
    "DS-GEN-02",
    "DS-GEN-09",
    by=lambda act: faults.all_of(_every_token(), faults.wrap_rule("bearer_token", act)),
)
def any_token_is_served(original: Callable[..., bytes]) -> Callable[..., bytes]:
    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        try:
            return original(headers)
        except Problem:
            return b""

    return token


@faults.fault("DS-GEN-09", by=partial(faults.wrap_rule, "bearer_token"))
def tokens_have_no_case(original: Callable[..., bytes]) -> Callable[..., bytes]:
    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        return original(headers).lower()

    return token


@faults.fault("DS-GEN-02", by=partial(faults.wrap_rule, "bearer_token"))
def scheme_has_one_spelling(original: Callable[..., bytes]) -> Callable[..., bytes]:
    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        sent = list(headers)
        return original(
            [(n, v) for n, v in sent if n != b"authorization" or v.startswith(b"Bearer ")]
        )

    return token


@faults.fault("DS-LSH-01", by=partial(faults.on_call, op.list_shares))
def shares_of_others_are_listed(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    document = reply.document
    document["items"] = [*document.get("items", []), {"name": "of_somebody_else", "id": "0"}]
    return json_answer(document)


@faults.fault("DS-LSH-01", by=partial(faults.on_answer, op.list_shares))
def last_share_is_not_listed(document: dict[str, Any]) -> None:
    document["items"] = (
        document["items"][:-1] if "nextPageToken" not in document else document["items"]
    )


FAULTS = {
    "tables-are-for-the-first-recipient DS-GEN-01": refuse_calls(
        OF_TABLES,
        lambda arguments: arguments["caller"].recipient.name != "all",
        refusal(404, "there is no such table for you"),
    ),
    "schemes-are-not-looked-at DS-GEN-02": faults.all_of(
        _every_token(), faults.wrap_rule("bearer_token", _of_any_scheme)
    ),
    "unknown-tokens-are-served DS-GEN-09": _every_token(),
    "other-schemes-will-do DS-GEN-02": faults.wrap_rule("bearer_token", _of_any_scheme),
    "tokens-never-expire DS-GEN-09": faults.replace_rule("token_holds", faults.accept),
    "wrong-tokens-are-forbidden DS-GEN-09": faults.on_status(EVERY, {401: 403}),
    "everything-is-granted DS-GEN-10 DS-LSH-01": faults.replace_rule("may_read", lambda *_: True),
}
