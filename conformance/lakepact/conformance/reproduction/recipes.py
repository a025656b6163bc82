"""Recipes that repeat the findings of a report: the requests to send again, and the schema that the
last answer must match.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lakepact.conformance.evidence.exchanges import Exchange, Place
from lakepact.conformance.evidence.links import sources
from lakepact.conformance.evidence.outcome import Claim, Failure, Verdict
from lakepact.conformance.evidence.redaction import REDACTED
from lakepact.conformance.evidence.replaying import fits
from lakepact.conformance.running.runner import Run

if TYPE_CHECKING:
    from lakepact.generated.report import ExchangeLine, ReplayPart

ATTEMPTS = 5  #: failing cases of a verdict; the first repeatable one becomes the recipe
LARGEST = 64 * 1024  #: bytes of a body that a report holds for a script
LONGEST = 60  #: requests of a script
BODILESS = frozenset({204, 304})


def recipe(run: Run, verdict: Verdict, line: Callable[[int], ExchangeLine]) -> ReplayPart:
    """Return how to repeat a failing verdict: `exchanges`, `at`, `schema` and `expected`, or `why`
    its requests do not suffice.

    Args:
        run: the run that it belongs to.
        verdict: the verdict.
        line: returns the line of an exchange in the report, by its number.
    """
    why = "no request shows it"
    for failure in verdict.failures[:ATTEMPTS]:
        steps = _of(run, failure, line)
        if not isinstance(steps, str):
            return {**steps, "every_answer": verdict.check in run.plan.suite.invariants}
        why = steps
    return {"why": why}


def _of(run: Run, failure: Failure, line: Callable[[int], ExchangeLine]) -> ReplayPart | str:
    """Return how to repeat one failing case, or why its requests do not suffice."""
    if not failure.exchanges:
        return "no request shows it"
    wire, last = run.wire, failure.exchanges[-1]
    check = wire.exchanges[last].check
    if check in wire.file_users:
        return "the check reads or writes files of the server"
    own = [
        exchange
        for number, exchange in sorted(wire.exchanges.items())
        # Checks share answers, so that a case may have exchanges of another check.
        if number <= last and (exchange.check == check or number in failure.exchanges)
    ]
    claim = (
        Claim({"enum": list(failure.expected_status)}, "/status")
        if failure.expected_status
        else failure.claim
    )
    schema = _schema(claim, wire.exchanges[last]) if claim else None
    if claim is None or schema is None:
        return "the check compares more than one value"
    lines = [line(e.number) for e in own]
    steps = sources(lines, failure.exchanges, schema)
    obstacle = _obstacle(run, [wire.exchanges[n] for n in steps], lines)
    return obstacle or {
        "exchanges": steps,
        "at": claim.at,
        "schema": schema,
        "expected": wire.redact(failure.expected),
    }


def _schema(claim: Claim, exchange: Exchange) -> str | None:
    """Return the schema of a claim as JSON; `None` if the answer does not break it, or a client
    library hides what breaks it.
    """
    is_hidden = claim.at == "/length" and (exchange.method == "HEAD" or exchange.status in BODILESS)
    try:
        text = json.dumps(claim.schema, ensure_ascii=False, separators=(",", ":"), default=list)
    except (TypeError, ValueError):
        return None
    return None if is_hidden or fits(Place(exchange, claim.at).value, json.loads(text)) else text


def _obstacle(run: Run, exchanges: Sequence[Exchange], lines: Sequence[ExchangeLine]) -> str:
    """Return why requests cannot be sent again from a report; empty if they can."""
    requests = {line["number"]: line["request"] for line in lines}
    if len(exchanges) > LONGEST:
        return f"it takes {len(exchanges)} requests"
    for exchange in exchanges:
        request = requests[exchange.number]
        if exchange.number in run.wire.concurrent or not exchange.status:
            return "its requests were sent at the same time, or were cut off"
        if len(exchange.request_body) > LARGEST:
            return f"a request has more than {LARGEST} bytes"
        if REDACTED in request["url"] + request["body"]:
            return "a request holds a secret, which reports leave out"
        for (name, value_in_report), (_, value) in zip(
            request["headers"], exchange.request_headers, strict=True
        ):
            if value_in_report == REDACTED and not run.wire.caller.sends(name, value):
                return "a request holds another secret than the target's, which reports leave out"
    return ""
