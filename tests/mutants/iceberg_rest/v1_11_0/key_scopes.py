"""Servers that take a key for several requests, or that take keys and do not say so."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_answer, on_call
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler

KEY = "idempotency_key"
LIFETIME = "idempotency-key-lifetime"
DROPS = (op.drop_table, op.drop_namespace, op.drop_view, op.rename_table, op.commit_transaction)


def _scoped(operation: OperationId) -> Install:
    """Take a key with this operation for another than with others."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        key = arguments.get(KEY)
        return handler(
            **{**arguments, KEY: str(uuid.uuid5(uuid.NAMESPACE_OID, f"{operation} {key}"))}
            if key
            else arguments
        )

    return on_call(operation, act)


@fault("IRC-IDEM-021", by=partial(on_answer, op.get_config))
def lifetime_of_keys_is_an_override(config: dict[str, Any]) -> None:
    config["overrides"][LIFETIME] = config.pop(LIFETIME)


@fault("IRC-IDEM-022", by=partial(on_answer, op.get_config))
def lifetime_of_keys_is_a_secret(config: dict[str, Any]) -> None:
    del config[LIFETIME]


FAULTS = {
    "keys-are-kept-by-operation IRC-IDEM-013": all_of(*map(_scoped, DROPS)),
}
