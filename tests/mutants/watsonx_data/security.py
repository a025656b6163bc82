"""Callers who are let in wrongly, or turned away."""

from __future__ import annotations

import base64
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, fault, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.watsonx_data.credentials import unpack

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.http.service import Scope

    Enter = Callable[[Scope], None]


def _scheme(scope: Scope) -> tuple[str, str]:
    """The scheme that a caller uses, and what stands behind it."""
    shown = next(
        (value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"),
        "",
    )
    scheme, _, rest = shown.partition(" ")
    return scheme, rest.strip()


def _unless(passes: Callable[[Scope], bool]) -> Install:
    """Let some callers in unseen."""

    def wrap(enter: Enter) -> Enter:
        def entered(scope: Scope) -> None:
            if not passes(scope):
                enter(scope)

        return entered

    return wrap_rule("enter", wrap)


def _turning_away(wrong: Callable[[Scope], bool]) -> Install:
    """Turn away some callers who may enter."""

    def wrap(enter: Enter) -> Enter:
        def entered(scope: Scope) -> None:
            if wrong(scope):
                raise Problem(401, "NotAuthorizedException", "asked for by a fault")
            enter(scope)

        return entered

    return wrap_rule("enter", wrap)


def _is_config(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.endswith("/v1/config")


def _well_formed_key(scope: Scope) -> bool:
    scheme, rest = _scheme(scope)
    if scheme != "ZenApiKey":
        return False
    try:
        unpack(rest)
    except Problem:
        return False
    return True


def _views(scope: Any) -> bool:
    return "/views" in scope["path"]


@fault("WXD-SEC-003", by=partial(wrap_rule, "enter"))
def broken_keys_break(enter: Enter) -> Enter:
    def entered(scope: Scope) -> None:
        try:
            enter(scope)
        except Problem as problem:
            if "base64" in str(problem):
                raise Problem(500, "InternalServerError", "asked for by a fault") from None
            raise

    return entered


@fault("IRC-SEC-002", by=partial(wrap_rule, "enter"))
def signatures_of_tokens_do_not_count(enter: Enter) -> Enter:
    beginnings: set[str] = set()

    def entered(scope: Scope) -> None:
        beginning = _scheme(scope)[1][:16]
        try:
            enter(scope)
        except Problem:
            if beginning not in beginnings:
                raise
        else:
            beginnings.add(beginning)

    return entered


@fault("WXD-SEC-002", by=partial(wrap_rule, "enter"))
def keys_may_go_on(enter: Enter) -> Enter:
    def entered(scope: Scope) -> None:
        try:
            enter(scope)
        except Problem:
            if not _well_formed_key(scope):
                raise
            text = base64.b64decode(_scheme(scope)[1])[:-1]
            shown = b"ZenApiKey " + base64.b64encode(text)
            others = [header for header in scope["headers"] if header[0] != b"authorization"]
            enter({**scope, "headers": [*others, (b"authorization", shown)]})

    return entered


@fault("WXD-SEC-003", by=_unless)
def broken_keys_open(scope: Scope) -> bool:
    scheme, _ = _scheme(scope)
    return scheme == "ZenApiKey" and not _well_formed_key(scope)


FAULTS = {
    "configuration-for-anyone IRC-SEC-009": _unless(
        lambda scope: _is_config(scope) and not _scheme(scope)[0]
    ),
    "tables-for-anyone IRC-SEC-001": _unless(
        lambda scope: "/tables/" in scope["path"] and not _scheme(scope)[0]
    ),
    "any-token IRC-SEC-002": _unless(lambda scope: _scheme(scope)[0].casefold() == "bearer"),
    "views-need-an-api-key IRC-SEC-006": _turning_away(
        lambda scope: _views(scope) and _scheme(scope)[0].casefold() == "bearer"
    ),
    "bearer-by-the-letter IRC-SEC-007": _turning_away(
        lambda scope: _scheme(scope)[0].casefold() == "bearer" and _scheme(scope)[0] != "Bearer"
    ),
    "api-keys-for-tables-only WXD-SEC-001": _turning_away(
        lambda scope: _views(scope) and _scheme(scope)[0] == "ZenApiKey"
    ),
    "any-password WXD-SEC-005": _unless(lambda scope: _scheme(scope)[0] == "Basic"),
    "any-api-key WXD-SEC-002": _unless(_well_formed_key),
}
