"""Callers who are let in wrongly, or turned away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, around
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.watsonx_data.credentials import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.service import Scope

    Enter = Callable[[Scope], None]


def _scheme(scope: Scope) -> tuple[str, str]:
    """The scheme that a caller uses, and what stands behind it."""
    shown = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"), "")
    scheme, _, rest = shown.partition(" ")
    return scheme, rest.strip()


def _unless(passes: Callable[[Scope], bool]) -> Install:
    """Let some callers in unseen."""

    def wrap(enter: Enter) -> Enter:
        def entered(scope: Scope) -> None:
            if not passes(scope):
                enter(scope)

        return entered

    return around("rules", "enter", wrap)


def _turning_away(wrong: Callable[[Scope], bool]) -> Install:
    """Turn away some callers who may enter."""

    def wrap(enter: Enter) -> Enter:
        def entered(scope: Scope) -> None:
            if wrong(scope):
                raise Problem(401, "NotAuthorizedException", "asked for by a fault")
            enter(scope)

        return entered

    return around("rules", "enter", wrap)


def _is_config(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.endswith("/v1/config")


def _well_formed_key(scope: Scope) -> bool:
    scheme, rest = _scheme(scope)
    if scheme != "ZenApiKey":
        return False
    try:
        unpacked(rest)
    except Problem:
        return False
    return True


def _broken_keys_break(enter: Enter) -> Enter:
    def entered(scope: Scope) -> None:
        try:
            enter(scope)
        except Problem as problem:
            if "ZenApiKey is" in str(problem):
                raise Problem(500, "InternalServerError", "asked for by a fault") from None
            raise

    return entered


def _broken_keys_are_empty(scope: Scope) -> bool:
    scheme, _ = _scheme(scope)
    return scheme == "ZenApiKey" and not _well_formed_key(scope)


def _views(scope: Any) -> bool:
    return "/views" in scope["path"]


FAULTS = (
    Fault(
        "configuration-for-anyone",
        "The configuration is told to those who show nothing.",
        ("IRC-SEC-009",),
        _unless(lambda scope: _is_config(scope) and not _scheme(scope)[0]),
    ),
    Fault(
        "tables-for-anyone",
        "Only the configuration and listings ask for credentials.",
        ("IRC-SEC-001",),
        _unless(lambda scope: "/tables/" in scope["path"] and not _scheme(scope)[0]),
    ),
    Fault(
        "any-token",
        "Any bearer token opens the catalog.",
        ("IRC-SEC-002",),
        _unless(lambda scope: _scheme(scope)[0].casefold() == "bearer"),
    ),
    Fault(
        "views-need-an-api-key",
        "Bearer tokens do not open views.",
        ("IRC-SEC-006",),
        _turning_away(lambda scope: _views(scope) and _scheme(scope)[0].casefold() == "bearer"),
    ),
    Fault(
        "bearer-by-the-letter",
        "The word before a token counts in one case only.",
        ("IRC-SEC-007",),
        _turning_away(lambda scope: _scheme(scope)[0].casefold() == "bearer" and _scheme(scope)[0] != "Bearer"),
    ),
    Fault(
        "no-api-keys",
        "API keys open nothing.",
        ("WXD-SEC-001",),
        _turning_away(lambda scope: _scheme(scope)[0] == "ZenApiKey"),
    ),
    Fault(
        "api-keys-for-tables-only",
        "API keys do not open views.",
        ("WXD-SEC-001",),
        _turning_away(lambda scope: _views(scope) and _scheme(scope)[0] == "ZenApiKey"),
    ),
    Fault("any-api-key", "Whatever is formed like an API key opens the catalog.", ("WXD-SEC-002",), _unless(_well_formed_key)),
    Fault(
        "broken-keys-break",
        "An API key that is not base64 is a server error.",
        ("WXD-SEC-003",),
        around("rules", "enter", _broken_keys_break),
    ),
    Fault("broken-keys-open", "An API key that is not base64 is passed over.", ("WXD-SEC-003",), _unless(_broken_keys_are_empty)),
)
