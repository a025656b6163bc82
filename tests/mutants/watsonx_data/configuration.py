"""A configuration that is not where it should be, or says what is not so."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from lakepact.generated.contract import Contract
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, fault, on_answer, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler


def _refuse(
    status: int, kind: str, when: Callable[[dict[str, Any]], bool] = lambda _: True
) -> Callable[[Handler, dict[str, Any]], Reply]:
    """Refuse some calls."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if when(arguments):
            raise Problem(status, kind, "asked for by a fault")
        return handler(**arguments)

    return act


def _endpoints() -> list[str]:
    """All of the contract."""
    return [
        f"{operation.method} {operation.path}"
        for operation in Contract("watsonx_data").operations.values()
    ]


def _warehouse(value: Any) -> Install:
    """The override `warehouse` is something else."""
    return on_answer(op.get_config, lambda document: document["overrides"].update(warehouse=value))


@fault("IRC-CFG-018")
def another_prefix_each_time() -> Install:
    counted = itertools.count()

    def changed(document: Any) -> None:
        if next(counted) % 2:
            document["overrides"]["prefix"] = "another"

    return on_answer(op.get_config, changed)


FAULTS = {
    "served-elsewhere WXD-CFG-001 WXD-CFG-002": on_call(op.get_config, _refuse(404, "NotFound")),
    "warehouses-are-locations WXD-CFG-002": on_call(
        op.get_config,
        _refuse(
            400, "BadRequestException", lambda given: "://" not in given.get("warehouse", "://")
        ),
    ),
    "warehouse-by-name WXD-CFG-003": _warehouse("iceberg_data"),
    "no-views-said WXD-CFG-006": on_call(
        (op.list_views, op.create_view, op.load_view), _refuse(406, "UnsupportedOperationException")
    ),
    "views-promised-in-vain IRC-CFG-011": all_of(
        on_answer(op.get_config, lambda document: document.update(endpoints=_endpoints())),
        on_call(
            (op.list_views, op.create_view, op.load_view),
            _refuse(406, "UnsupportedOperationException"),
        ),
    ),
    "no-properties-of-namespaces WXD-CFG-007": on_call(
        op.update_properties, _refuse(406, "UnsupportedOperationException")
    ),
    "no-transactions-said WXD-CFG-006": on_call(
        op.commit_transaction, _refuse(406, "UnsupportedOperationException")
    ),
}
