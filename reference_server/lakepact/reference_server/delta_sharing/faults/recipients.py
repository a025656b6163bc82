"""Servers that let in whom they should not, or keep out whom they should not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import json_answer, refused
from lakepact.reference_server.faults import Fault, Install, accept, all_of, around, instead, on_answer, on_call, on_status
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.service import EVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler

#: Operations that not everybody may have answered.
OF_TABLES = ("getTableVersion", "getTableMetadata")


def _anybody(original: Callable[..., Any]) -> Callable[..., Any]:
    """The recipient of a token, and the first of all for a token that nobody has."""

    def recipient(known: Mapping[bytes, Any], digest: bytes) -> Any:
        try:
            return original(known, digest)
        except Problem:
            return next(iter(known.values()))

    return recipient


def _anything(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """What a request carries as its token, and nothing where it carries none."""

    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        try:
            return original(headers)
        except Problem:
            return b""

    return token


def _of_any_scheme(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """The token of a request, whatever the scheme before it."""

    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        return original([(n, b"Bearer " + v.rpartition(b" ")[2] if n == b"authorization" else v) for n, v in headers])

    return token


def _in_small_letters(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """The token of a request, compared without regard to case: those of the pack are in small letters."""

    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        return original(headers).lower()

    return token


def _of_one_spelling(original: Callable[..., bytes]) -> Callable[..., bytes]:
    """The token of a request whose scheme is spelled as in the protocol."""

    def token(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        sent = list(headers)
        return original([(n, v) for n, v in sent if n != b"authorization" or v.startswith(b"Bearer ")])

    return token


def _every_token() -> Install:
    return all_of(around("rules", "recipient", _anybody), instead("rules", "token-holds", accept))


def _only_for_the_first(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if arguments["caller"].recipient.name != "all":
        raise refused(404, "there is no such table for you")
    return handler(**arguments)


def _shows_every_share(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """List what only the first recipient was granted, which cannot be read then."""
    reply = handler(**arguments)
    document = reply.document
    document["items"] = [*document.get("items", []), {"name": "of_somebody_else", "id": "0"}]
    return json_answer(document)


def _without_the_last(document: dict[str, Any]) -> None:
    document["items"] = document["items"][:-1] if "nextPageToken" not in document else document["items"]


FAULTS = (
    Fault(
        "anybody-is-served",
        "Requests without a token, or with one that nobody has, are served.",
        ("DS-GEN-02", "DS-GEN-09"),
        all_of(_every_token(), around("rules", "bearer-token", _anything)),
    ),
    Fault(
        "schemes-are-not-looked-at",
        "What follows another scheme than Bearer is taken for a token, and no token is wrong.",
        ("DS-GEN-02",),
        all_of(_every_token(), around("rules", "bearer-token", _of_any_scheme)),
    ),
    Fault("unknown-tokens-are-served", "A token that nobody has is as good as any other.", ("DS-GEN-09",), _every_token()),
    Fault(
        "other-schemes-will-do",
        "A right token is taken behind any scheme, and without one.",
        ("DS-GEN-02",),
        around("rules", "bearer-token", _of_any_scheme),
    ),
    Fault(
        "tokens-have-no-case",
        "A token is right in small letters and in capitals.",
        ("DS-GEN-09",),
        around("rules", "bearer-token", _in_small_letters),
    ),
    Fault(
        "scheme-has-one-spelling",
        "The scheme Bearer is not known in other letters.",
        ("DS-GEN-02",),
        around("rules", "bearer-token", _of_one_spelling),
    ),
    Fault("tokens-never-end", "A token whose time is over is served.", ("DS-GEN-09",), instead("rules", "token-holds", accept)),
    Fault("wrong-tokens-are-forbidden", "A missing or wrong token is answered with 403.", ("DS-GEN-09",), on_status(EVERY, {401: 403})),
    Fault(
        "everything-is-granted",
        "Every recipient may read every share.",
        ("DS-GEN-10", "DS-LSH-01"),
        instead("rules", "may-read", lambda *_: True),
    ),
    Fault(
        "shares-of-others-are-listed",
        "The list of shares has one that was not granted.",
        ("DS-LSH-01",),
        on_call("listShares", _shows_every_share),
    ),
    Fault(
        "last-share-is-not-listed", "The last share is left out of the list.", ("DS-LSH-01",), on_answer("listShares", _without_the_last)
    ),
    Fault(
        "tables-are-for-the-first-recipient",
        "A recipient is shown tables that are not found for it.",
        ("DS-GEN-01",),
        on_call(OF_TABLES, _only_for_the_first),
    ),
)
