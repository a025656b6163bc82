"""Faults of filters with values as operands, and of the settings of signers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, all_of, on_answer, on_call, skip_validation
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.operators import refuse_calls

PLAN = op.plan_table_scan


def filtering(
    selects: Callable[[dict[str, Any]], object], instead: Callable[[dict[str, Any]], Any]
) -> Install:
    """Plan with another filter in the place of those that are selected."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        wanted = body.get("filter")
        if isinstance(wanted, dict) and selects(wanted):
            arguments = {**arguments, "body": {**body, "filter": instead(wanted)}}
        return handler(**arguments)

    return on_call(PLAN, act)


def _by_id(wanted: dict[str, Any]) -> bool:
    return any(
        isinstance(wanted.get(side), dict) and "id" in wanted[side]
        for side in ("child", "left", "right")
    )


FAULTS = {
    "prefixes-match-no-reference IRC-EXPR-001": filtering(
        lambda wanted: wanted.get("type") == "starts-with" and "left" in wanted, lambda _: False
    ),
    "typed-literals-match-nothing IRC-EXPR-002": filtering(
        lambda wanted: isinstance(wanted.get("right"), dict) and "data-type" in wanted["right"],
        lambda _: False,
    ),
    "columns-by-id-match-nothing IRC-EXPR-003": filtering(_by_id, lambda _: False),
    "the-deprecated-operand-counts IRC-EXPR-004": all_of(
        skip_validation(PLAN),
        filtering(
            lambda wanted: "child" in wanted and "term" in wanted,
            lambda wanted: {n: v for n, v in wanted.items() if n != "child"},
        ),
    ),
    "the-form-before-is-not-pruned IRC-EXPR-005": filtering(
        lambda wanted: wanted == {"type": "is-null", "term": "name"}, lambda _: True
    ),
    "signers-without-settings IRC-SIGNER-001": on_answer(
        op.load_table,
        lambda document: {
            name: value for name, value in document.items() if name != "remote-signing-config"
        },
        status=200,
    ),
    "settings-of-signers-are-refused IRC-SIGNER-002": refuse_calls(
        op.sign_request,
        lambda arguments: arguments["body"].get("properties"),
        Problem(400, "BadRequestException", "unknown properties"),
    ),
}
