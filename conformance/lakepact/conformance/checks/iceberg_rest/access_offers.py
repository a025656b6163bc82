"""Detection of access control: whether the catalog authenticates callers, and whether it issues
tokens.
"""

from __future__ import annotations

import secrets

from lakepact.conformance.checks.iceberg_rest.kit.principals import SECOND, find_secret
from lakepact.conformance.evidence.exchanges import Reply
from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.http.wire import NoAnswer, Wire
from lakepact.generated.iceberg_rest import op

TOKENS = op.get_token
PATH = "/v1/oauth/tokens"
FORM = [("Content-Type", "application/x-www-form-urlencoded")]
UNSUPPORTED = "unsupported_grant_type"
NOWHERE = frozenset({0, 403, 404, 405, 501})  #: statuses where no token endpoint is; 0: no answer


def access_features(wire: Wire, target: Target, offer: Offer) -> dict[str, bool]:
    """Return the access features that answers show."""
    features = {"second-principal": bool(find_secret(target, SECOND))}
    if wire.caller.names_caller:
        features["authentication"] = _is_closed(wire, offer)
    return features | _token_features(wire, offer)


def _is_closed(wire: Wire, offer: Offer) -> bool:
    """Return whether requests without credentials are refused."""
    prefix = offer.segments.get("prefix")
    paths = {
        op.get_config: "/v1/config",
        op.list_namespaces: f"/v1/{prefix}/namespaces" if prefix else "/v1/namespaces",
    }
    replies = [
        wire.send("GET", path, operation=operation, check="discover", anonymous=True)
        for operation, path in paths.items()
    ]
    return any(reply.status in {401, 403} for reply in replies)


def _token_features(wire: Wire, offer: Offer) -> dict[str, bool]:
    """Return whether tokens are issued, and whether they are exchanged: servers report an
    unsupported exchange as an unknown flow.
    """
    unknown = _ask_for_token(wire, "lakepact_unknown")
    issues = TOKENS in offer.operations or (unknown.status in {400, 401} and bool(_error(unknown)))
    if not issues and unknown.status not in NOWHERE:
        # A server that refuses an unknown flow in its own form may still issue tokens, even to an
        # unknown client. The secret is random, because reports redact its text everywhere.
        issues = _is_token(
            _ask_for_token(
                wire, f"client_credentials&client_id=lakepact&client_secret={secrets.token_hex(8)}"
            )
        )
    exchanges = issues and _error(unknown) == UNSUPPORTED
    if exchanges:
        exchanges = (
            _error(
                _ask_for_token(wire, "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange")
            )
            != UNSUPPORTED
        )
    return {"oauth-tokens": issues, "token-exchange": exchanges}


def _ask_for_token(wire: Wire, grant_type: str) -> Reply:
    body = f"grant_type={grant_type}".encode()
    try:
        return wire.send(
            "POST",
            PATH,
            operation=TOKENS,
            check="discover",
            headers=FORM,
            body=body,
            anonymous=True,
        )
    except NoAnswer as silence:  # of an optional endpoint: the other checks still run
        return Reply(silence.keep())


def _is_token(reply: Reply) -> bool:
    """Return whether an answer holds a token."""
    document = reply.exchange.json
    return (
        reply.status == 200
        and isinstance(document, dict)
        and isinstance(document.get("access_token"), str)
    )


def _error(reply: Reply) -> str:
    document = reply.exchange.json
    error = document.get("error") if isinstance(document, dict) else None
    return error if isinstance(error, str) else ""
