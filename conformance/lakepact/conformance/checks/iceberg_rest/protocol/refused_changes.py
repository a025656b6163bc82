"""Invariants over loads that follow a refused change: `ComparingLab` sends them."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import Exchange, Unmet, invariant, op
from lakepact.conformance.checks.iceberg_rest.protocol.errors import is_outcome_unknown
from lakepact.conformance.judging.definitions import answers_of

COMMITS = frozenset({op.update_table, op.replace_view, op.commit_transaction})
#: Operations after which an object may be gone.
REMOVES = frozenset(
    {op.drop_table, op.drop_view, op.drop_namespace, op.rename_table, op.rename_view}
)

_loads = answers_of(op.load_table, op.load_view, op.load_namespace_metadata)


def _expect_no_effect(exchange: Exchange) -> None:
    """Expect that the refused change had no effect.

    Raises:
        Unmet: it had one.
    """
    look = exchange.look
    if look is not None and look.unmet is not None:
        refusal, unmet = look.refused, look.unmet
        raise Unmet(
            f"{unmet.expected}, as before {refusal.operation} returned {refusal.status}",
            unmet.actual,
            exchange=exchange.number,
            expected_status=unmet.expected_status,
            claim=unmet.claim,
            difference=unmet.difference,
        )


@invariant("IRC-ERR-022", concerns=_loads)
def requests_refused_with_4xx_change_nothing(exchange: Exchange) -> bool:
    """After a change is refused with a 4xx status its objects load as before, and nothing is
    created.
    """
    if exchange.look is None or exchange.look.refused.status >= 500:
        return False
    _expect_no_effect(exchange)
    return exchange.status == 200  # that nothing was created is no evidence of a sound server


@invariant("IRC-ERR-023", concerns=_loads)
def requests_answered_with_5xx_leave_objects_loadable(exchange: Exchange) -> bool:
    """After a change returned a 5xx status its objects can be loaded, unless it may have removed
    them.
    """
    if exchange.look is None or exchange.look.refused.status < 500:
        return False
    is_missing = 200 < exchange.status < 500
    if exchange.status != 200 and not (is_missing and exchange.look.refused.operation in REMOVES):
        _expect_no_effect(exchange)
    return True


@invariant("IRC-ERR-024", concerns=_loads)
def requests_answered_with_5xx_change_nothing(exchange: Exchange) -> bool:
    """After a 5xx status, except of a commit whose outcome is said to be unknown, objects load as
    before.
    """
    look = exchange.look
    if look is None or look.refused.status < 500:
        return False
    if look.refused.operation in COMMITS and is_outcome_unknown(look.refused):
        return False
    if exchange.status < 500:
        _expect_no_effect(exchange)
    return True
