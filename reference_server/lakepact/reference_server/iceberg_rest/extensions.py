"""What newer versions of the contract have beyond the oldest one that is served, around the handlers of that one.

Nothing of it is there where the older version is served: a version is a table of what is added to handlers and to the configuration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.contract import Contract, OperationId
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.catalog import bad_request
from lakepact.reference_server.iceberg_rest.commits import idempotency
from lakepact.reference_server.iceberg_rest.commits.idempotency import Keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.rules import CatalogRules
    from lakepact.reference_server.service import Handler
    from lakepact.reference_server.storage.store import Store

#: Operations that change nothing of a catalog, so that doing them twice does no more than doing them once.
HARMLESS = frozenset({op.plan_table_scan, op.fetch_scan_tasks, op.cancel_planning})

#: Operations that a version has and this server does not offer.
NOT_OFFERED = frozenset({op.sign_request})


@dataclass(frozen=True)
class VersionExtension:
    """What a version has beyond the oldest one.

    Args:
        configuration: members of the answer to asking for the configuration.
        unknown_warehouse: how a warehouse that there is not is refused, given what to say.
        ignored: by operation, arguments that may be sent and change nothing.
        keyed: operations whose requests may carry an Idempotency-Key.
    """

    configuration: Mapping[str, Any] = field(default_factory=dict[str, Any])
    unknown_warehouse: Callable[[str], Problem] = bad_request
    ignored: Mapping[OperationId, frozenset[str]] = field(default_factory=dict[OperationId, Any])
    keyed: frozenset[OperationId] = frozenset()

    def handlers(
        self,
        handlers: Mapping[OperationId, Handler],
        store: Store,
        *,
        rules: CatalogRules,
        blocking: frozenset[str],
        renewing: Mapping[OperationId, Handler],
    ) -> dict[OperationId, Handler]:
        """Return the handlers of the oldest version with what this one adds to them.

        Args:
            handlers: by operation.
            store: where answers are kept.
            rules: the service's.
            blocking: operations that run in a thread of their own.
            renewing: by operation, what puts new secrets into answers that were kept without them.
        """
        found = {o: partial(_without, self.ignored[o], handler) if self.ignored.get(o) else handler for o, handler in handlers.items()}
        if self.keyed:
            keys = Keys(store, rules)
            found |= {o: keys.once(o, found[o], blocking=o in blocking, renew=renewing.get(o)) for o in self.keyed if o in found}
        return found


def added(contract: Contract) -> VersionExtension:
    """What the version of a contract that is served has beyond the oldest one."""
    if contract.name != "iceberg_rest" or contract.version == contract.versions[0]:
        return VersionExtension()
    older = Contract(contract.name).operations
    keyed = frozenset(o.id for o in contract.operations.values() if any(p.name == idempotency.HEADER for p in o.parameters))
    ignored: dict[OperationId, frozenset[str]] = {
        o.id: frozenset(p.argument for p in o.parameters) - frozenset(p.argument for p in older[o.id].parameters) - {"idempotency_key"}
        for o in contract.operations.values()
        if o.id in older
    }
    harmless = {operation: ignored.get(operation, frozenset()) | {"idempotency_key"} for operation in HARMLESS}
    return VersionExtension(
        configuration={"idempotency-key-lifetime": idempotency.LIFETIME},
        unknown_warehouse=partial(Problem, 404, "NoSuchWarehouseException"),
        ignored={**ignored, **harmless, op.register_table: frozenset(), op.load_credentials: frozenset()},
        keyed=keyed - HARMLESS,
    )


def _without(names: frozenset[str], handler: Handler, **arguments: Any) -> Reply:
    """What a handler answers that does not know some arguments."""
    return handler(**{name: value for name, value in arguments.items() if name not in names})
