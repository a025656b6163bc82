"""A configuration that is not where it should be, or says what is not so."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from lakepact.generated.contract import Contract
from lakepact.reference_server.faults import Fault, Install, all_of, anew, on_answer, on_call
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler


def _refused(status: int, kind: str, when: Callable[[dict[str, Any]], bool] = lambda _: True) -> Callable[[Handler, dict[str, Any]], Reply]:
    """Refuse some calls."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if when(arguments):
            raise Problem(status, kind, "asked for by a fault")
        return handler(**arguments)

    return act


def _other_prefix_each_time() -> Install:
    """Another prefix for every second caller."""
    counted = itertools.count()

    def changed(document: Any) -> None:
        if next(counted) % 2:
            document["overrides"]["prefix"] = "another"

    return on_answer("getConfig", changed)


def _endpoints() -> list[str]:
    """All of the contract."""
    return [f"{operation.method} {operation.path}" for operation in Contract("watsonx_data").operations.values()]


def _warehouse(value: Any) -> Install:
    """The override `warehouse` is something else."""
    return on_answer("getConfig", lambda document: document["overrides"].update(warehouse=value))


FAULTS = (
    Fault(
        "served-elsewhere", "There is no configuration.", ("WXD-CFG-001", "WXD-CFG-002"), on_call("getConfig", _refused(404, "NotFound"))
    ),
    Fault(
        "warehouses-are-locations",
        "The name of the catalog is no warehouse.",
        ("WXD-CFG-002",),
        on_call("getConfig", _refused(400, "BadRequestException", lambda given: "://" not in given.get("warehouse", "://"))),
    ),
    Fault("warehouse-by-name", "The configuration overrides the warehouse with a name.", ("WXD-CFG-003",), _warehouse("iceberg_data")),
    Fault(
        "no-views-said",
        "Views are not supported, and no endpoints say so.",
        ("WXD-CFG-006",),
        on_call(("listViews", "createView", "loadView"), _refused(406, "UnsupportedOperationException")),
    ),
    Fault(
        "views-promised-in-vain",
        "Endpoints of views are declared, and not served.",
        ("IRC-CFG-011",),
        all_of(
            on_answer("getConfig", lambda document: document.update(endpoints=_endpoints())),
            on_call(("listViews", "createView", "loadView"), _refused(406, "UnsupportedOperationException")),
        ),
    ),
    Fault("another-prefix-each-time", "Every second caller is told another prefix.", ("IRC-CFG-018",), anew(_other_prefix_each_time)),
    Fault(
        "no-transactions-said",
        "Transactions are not supported, and no endpoints say so.",
        ("WXD-CFG-006",),
        on_call("commitTransaction", _refused(406, "UnsupportedOperationException")),
    ),
)
