"""Residuals that keep rows that do not match, or lose those that do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, fault
from mutants.iceberg_rest.operators.scans import changed, set_to, tasks_told

if TYPE_CHECKING:
    from collections.abc import Callable


def _fault(name: str, sentence: str, change: Callable[[Any], Any]) -> Fault:
    return Fault(name, sentence, ("IRC-SCAN-SCH-017",), tasks_told(changed("residual-filter", change)))


def _kind(expression: Any) -> Any:
    return expression.get("type") if isinstance(expression, dict) else None


@fault("IRC-SCAN-SCH-017")
def nothing_remains_to_be_tested() -> Install:
    """Residuals hold for all rows."""
    return tasks_told(set_to("residual-filter", {"type": "true"}))


FAULTS: tuple[Fault, ...] = (
    _fault("residuals-lose-a-side", "Of both, one remains.", lambda one: one["left"] if _kind(one) == "and" else one),
    _fault(
        "residuals-lose-values",
        "Of several values, the first remains.",
        lambda one: one | {"values": one["values"][:1]} if _kind(one) == "in" else one,
    ),
    _fault("residuals-lose-equals", "Of or equal, equal is lost.", lambda one: one | {"type": "lt"} if _kind(one) == "lt-eq" else one),
    _fault("nothing-remains-to-be-found", "Residuals hold for no row.", lambda _: {"type": "false"}),
)
