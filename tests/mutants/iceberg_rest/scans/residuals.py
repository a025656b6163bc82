"""Residuals that keep rows that do not match, or lose those that do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.reference_server.faults import Install, fault, wrap_rule
from mutants.iceberg_rest.operators.scans import changed, set_to, tasks_told


def _residual(change: Callable[[Any], Any]) -> Install:
    return tasks_told(changed("residual-filter", change))


def _kind(expression: Any) -> Any:
    return expression.get("type") if isinstance(expression, dict) else None


@fault("IRC-SCAN-SCH-017", by=partial(wrap_rule, "rows_remain"))
def files_of_former_specs_have_no_residual(remains: Callable[..., Any]) -> Callable[..., Any]:
    def residual_of(pruning: Any, entry: Any) -> Any:
        from lakepact.reference_server.iceberg_rest.scan_planning.expressions import ALWAYS, NEVER  # noqa: PLC0415 - loaded late

        residual = remains(pruning, entry)
        is_former = entry.spec_id != max(vars(pruning)["_specs"])
        return ALWAYS if is_former and residual != NEVER else residual

    return residual_of


FAULTS = {
    "nothing-remains-to-be-tested IRC-SCAN-SCH-017": tasks_told(
        set_to("residual-filter", {"type": "true"})
    ),
    "residuals-lose-a-side IRC-SCAN-SCH-017": _residual(
        lambda one: one["left"] if _kind(one) == "and" else one
    ),
    "residuals-lose-values IRC-SCAN-SCH-017": _residual(
        lambda one: one | {"values": one["values"][:1]} if _kind(one) == "in" else one
    ),
    "residuals-lose-equals IRC-SCAN-SCH-017": _residual(
        lambda one: one | {"type": "lt"} if _kind(one) == "lt-eq" else one
    ),
    "nothing-remains-to-be-found IRC-SCAN-SCH-017": _residual(lambda _: {"type": "false"}),
}
