"""Extensions of newer contract versions, added around the handlers of the oldest one.

The oldest version is served without them: a version is a table of additions to handlers and
configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler
from lakepact.reference_server.iceberg_rest.commits import idempotency
from lakepact.reference_server.iceberg_rest.commits.idempotency import Keys
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.storage.store import Store

#: Operations that change nothing of a catalog, so that doing them twice does no more than doing
#: them once.
HARMLESS = frozenset({op.plan_table_scan, op.fetch_scan_tasks, op.cancel_planning})

#: Operations of a version that are offered only where a warehouse has what they are about.
SOMETIMES_OFFERED = frozenset({op.sign_request})


@dataclass(frozen=True)
class VersionExtension:
    """The extensions of one version.

    Args:
        configuration: additional members of the configuration.
        unknown_warehouse: returns the refusal of an unknown warehouse, given a message.
        with_keys: operations whose requests may carry an Idempotency-Key.
    """

    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    unknown_warehouse: Callable[[str], Problem] = bad_request
    with_keys: frozenset[OperationId] = frozenset()

    def handlers(
        self,
        handlers: Mapping[OperationId, Handler],
        store: Store,
        *,
        rules: idempotency.Rules,
        blocking: frozenset[str],
        renewing: Mapping[OperationId, Handler],
    ) -> dict[OperationId, Handler]:
        """Return the handlers of the oldest version with what this one adds to them.

        Args:
            handlers: by operation.
            store: where answers are kept.
            rules: the decisions about Idempotency-Keys.
            blocking: operations that run in a thread of their own.
            renewing: by operation, what completes answers that were not kept whole.
        """
        if not self.with_keys:
            return dict(handlers)
        keys = Keys(store, rules)
        once = {
            o: keys.once(o, handlers[o], blocking=o in blocking, renew=renewing.get(o))
            for o in self.with_keys & handlers.keys()
        }
        harmless = {o: partial(_without_key, handlers[o]) for o in HARMLESS & handlers.keys()}
        return {**handlers, **once, **harmless}


def version_extension(contract: Contract) -> VersionExtension:
    """Return the extensions of the served version."""
    if contract.name != "iceberg_rest" or contract.version == contract.versions[0]:
        return VersionExtension()
    with_keys = frozenset(
        o.id
        for o in contract.operations.values()
        if any(p.name == idempotency.HEADER for p in o.parameters)
    )
    return VersionExtension(
        configuration={"idempotency-key-lifetime": idempotency.LIFETIME},
        unknown_warehouse=partial(Problem, 404, "NoSuchWarehouseException"),
        with_keys=with_keys - HARMLESS,
    )


def _without_key(
    handler: Handler,
    *,
    idempotency_key: object = None,  # noqa: ARG001 - doing it twice does no harm
    **arguments: Any,
) -> Reply:
    """Return the reply of a handler to a request without its key."""
    return handler(**arguments)
