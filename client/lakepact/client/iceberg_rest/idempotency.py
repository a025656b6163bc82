"""Keys by which a server tells a change that is sent again from one that is to be made once more.

Contract 1.11.0 brought them: a server that names `idempotency-key-lifetime` in its configuration
carries out what comes with one key once, and answers it again as it did. One that does not name it
knows no keys (IRC-IDEM-019), and is sent none.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from lakepact.client.iceberg_rest.refusals import REFUSALS
from lakepact.client.idempotency_keys import new_key
from lakepact.reach.wire import IDEMPOTENCY_KEY

if TYPE_CHECKING:
    from lakepact.generated.contract import Call
    from lakepact.generated.iceberg_rest.models import CatalogConfig

T = TypeVar("T")

LIFETIME = "idempotency-key-lifetime"
#: POST operations without an idempotency key.
UNKEYED = REFUSALS.reads | {"reportMetrics"}


def remembers_keys(config: CatalogConfig, *, seconds: float) -> bool:
    """Return whether a server remembers keys for at least so many seconds, those in which a call
    may be tried again.
    """
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 - see `lakepact.generated.calls.Answers`

    lifetime = config.idempotency_key_lifetime
    try:  # reads ISO 8601
        return (
            isinstance(lifetime, str)
            and TypeAdapter(timedelta).validate_python(lifetime).total_seconds() >= seconds
        )
    except ValidationError:
        return False


def with_key(call: Call[T]) -> Call[T]:
    """Return the call with a key of its own, which all tries of it share (IRC-IDEM-018); as it is
    if it changes nothing.
    """
    if call.method not in {"POST", "DELETE"} or call.operation in UNKEYED:
        return call
    return replace(call, headers=(*call.headers, (IDEMPOTENCY_KEY, new_key())))
