"""Checks of an overloaded server: it returns 429 or 503 with an error body."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from functools import partial

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Exchange,
    Reply,
    check,
    expect,
    invariant,
    op,
)
from lakepact.conformance.http.wire import BUSY

BURST = "burst"  #: the setting of a target: requests that are sent at the same moment
USUAL_BURST = 48
LARGEST_BURST = 1000
SECONDS = re.compile(r"[0-9]{1,9}")


@invariant("IRC-GEN-033", traffic=("protocol.overload.bursts_return_200_429_or_503",))
def retry_after_is_seconds_or_a_date(exchange: Exchange) -> bool:
    """Retry-After in a 429 or 503 is a number of seconds or an HTTP date."""
    value = exchange.headers.get("retry-after") if exchange.status in BUSY else None
    if value is None:
        return False
    at = Reply(exchange).header("retry-after")
    expect.true(
        bool(SECONDS.fullmatch(value)) or _is_date(value),
        "Retry-After as seconds or an HTTP date",
        f"Retry-After: {value}",
        at=at,
    )
    return True


def _is_date(text: str) -> bool:
    """Return whether a text is a date as RFC 9110 has it."""
    try:
        return parsedate_to_datetime(text).tzinfo is not None
    except ValueError:
        return False


@check("IRC-ERR-019", alone=True)
def bursts_return_200_429_or_503(lab: CatalogLab) -> None:
    """Each of many concurrent loads of one table returns 200, or 429 or 503 with an error body."""
    parameter = lab.target.parameters.get(BURST, "")
    many = min(int(parameter), LARGEST_BURST) if parameter.isdecimal() else USUAL_BURST
    if not many:
        lab.skip("IRC-ERR-019", "the user of the harness wants no burst")
        return
    table = lab.make_table()
    replies = lab.concurrently([partial(lab.send, op.load_table, retry=False, **table.at)] * many)
    refusals = [reply for reply in replies if reply.status != 200]

    with lab.judge_each(
        "IRC-ERR-019", remark=f"{len(refusals)} of {many} concurrent loads were refused"
    ) as case:
        for reply in replies:
            with case():
                expect.status(reply, 200, *BUSY, about=f"among {many} concurrent loads")
                if reply.status in BUSY:
                    _expect_error(reply)


def _expect_error(reply: Reply) -> None:
    """The body of a refusal is the error model, with its status.

    Raises:
        Unmet: it is not.
    """
    expect.member(reply.status, reply.place("error", "code"), "error code")
    for member in ("message", "type"):
        expect.true(
            isinstance(reply.at("error", member), str),
            f"`error.{member}` as a string",
            reply.summary,
            at=reply.place("error", member),
        )
