"""Further principals and client credentials, from the parameters of the target."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.evidence.outcome import NotOffered, Wrong
from lakepact.conformance.evidence.target import Target

#: Parameters of principals, set by `--parameter NAME-env=VARIABLE`; the second principal reads
#: everything and changes nothing, but in the namespace that the parameter `WRITES` names; the third
#: may do nothing at all.
SECOND = "reader-token"
THIRD = "denied-token"
EXPIRED = "expired-token"
SUBJECT = "subject-token"
CLIENT = "client"
WRITES = "reader-writable-namespace"

#: The mistakes of requests by unauthorized callers.
NO_CREDENTIALS, UNKNOWN_CREDENTIALS, EXPIRED_CREDENTIALS, NO_RIGHTS = (
    Wrong.ACCESS(at, phrase)
    for at, phrase in {
        "no credentials": "without credentials",
        "unknown credentials": "with unknown credentials",
        "expired credentials": "with expired credentials",
        "rights": "by a caller without the right",
    }.items()
)

Headers = list[tuple[str, str]]


def find_secret(target: Target, name: str) -> str:
    """Return a secret of a principal; empty if no parameter names it."""
    variable = target.parameters.get(f"{name}-env")
    if variable:
        return os.environ.get(variable, "")
    file = target.parameters.get("principals")
    return _file(Path(file)).get(name, "") if file else ""


def require_secret(lab: CatalogLab, name: str) -> str:
    """Return a secret of a principal.

    Raises:
        NotOffered: it is not known.
    """
    secret = find_secret(lab.target, name)
    if not secret:
        raise NotOffered(
            f"no {name} is known: name the variable that holds it with --parameter {name}-env=NAME"
        )
    return secret


def bearing(token: str) -> Headers:
    """Return the Authorization header of a token."""
    return [("Authorization", f"Bearer {token}")]


def own_token(lab: CatalogLab) -> str:
    """Return the bearer token that is sent with every request.

    Raises:
        NotOffered: something else is sent, or nothing.
    """
    if token := lab.wire.caller.bearer:
        return token
    raise NotOffered("no bearer token is sent with every request")


@cache
def _file(path: Path) -> dict[str, str]:
    document: dict[str, str] = orjson.loads(path.read_bytes())
    return document
