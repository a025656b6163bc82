"""Requests that return 4xx or 5xx, also with Retry-After, and commits whose outcome is unknown."""

from __future__ import annotations

import datetime as dt
import email.utils
from collections.abc import Sequence

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    Answer,
    CatalogClientLab,
    Document,
    Exchange,
    NotOffered,
    OperationId,
    Performance,
    Unmet,
    answering,
    check,
    error,
    expect,
    key_of,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.changes import changes

WAIT = 1.0  #: seconds that a server asks for
DATED = 2.0  #: seconds until the date that a server names, which has no fractions
TOLERANCE = 0.1
LISTING_REFUSED = (
    (403, "ForbiddenException"),
    (404, "NoSuchNamespaceException"),
    (500, "InternalServerError"),
)
#: of a namespace whose parent does not exist, which the contract does not list
NOT_FOUND = "NoSuchNamespaceException"


@check("IRC-CLI-003")
def refused_requests_are_reported(lab: CatalogClientLab) -> None:
    """A client reports an error for a listing that returns 403, 404 or 500."""
    home = lab.listable()
    with lab.judge("IRC-CLI-003"):
        for status, kind in LISTING_REFUSED:
            performance = lab.performs(
                "list-tables", answering(op.list_tables, error(status, kind)), namespace=home
            )
            performance.expect_refusal(f"listTables was answered with {status}")


@check("IRC-CLI-054", "IRC-CLI-068")
def kinds_of_errors(lab: CatalogClientLab) -> None:
    """A client reports 404 and 409 by other errors than each other, 403, 500 and 503, whatever it
    loads or changes.
    """
    load: tuple[OperationId, str, Document] = (
        op.load_table,
        "load-table",
        {"namespace": lab.namespace("t"), "table": "t"},
    )
    kinds: dict[str, dict[int, str]] = {}
    shows: dict[str, Performance] = {}
    for operation, task, arguments in (
        load,
        *(change[:3] for change in changes(lab) if change.operation != op.report_metrics),
    ):
        for status in (
            404,
            409,
            403,
            500,
            *([503] if operation == op.load_table else []),
        ):  # clients wait longer after 503
            description = lab.contract.operations[operation].answer(status)
            if description is None and status != 404:
                continue
            refusal = error(status, *(description.errors[:1] if description else [NOT_FOUND]))
            performance = lab.tries(task, answering(operation, refusal), **arguments)
            if performance is None or not performance.of(operation) or not performance.error:
                break  # some clients take 404 of a drop for success
            kinds.setdefault(task, {})[status], shows[task] = performance.error, performance
    if not kinds:
        raise NotOffered("the client implements none of the tasks")
    if all(len({*by_status.values()}) == 1 for by_status in kinds.values()):
        raise NotOffered("the client has one type of error for all refusals")
    for requirement, distinct in lab.each((("IRC-CLI-054", 404), ("IRC-CLI-068", 409))):
        with lab.judge_each(requirement, without="the client reports no such errors") as case:
            for task, by_status in kinds.items():
                alike = [
                    status
                    for status, kind in by_status.items()
                    if distinct in by_status and status != distinct and kind == by_status[distinct]
                ]
                lab.show(shows[task])
                with case():
                    expect.equal(
                        [], alike, f"statuses that {task} reports by the same error as {distinct}:"
                    )


@check("IRC-CLI-022")
def commits_to_busy_servers(lab: CatalogClientLab) -> None:
    """A client does not resend a commit that returned 503 without `Retry-After`, except with an
    idempotency key.
    """
    home = lab.changeable()
    script = answering(COMMITS, error(503, "SlowDownException"), None)
    performance = lab.performs(
        "set-properties", script, namespace=home, table="t", updates={"lakepact.busy": "1"}
    )
    commits = performance.require(*COMMITS)
    with lab.judge("IRC-CLI-022"):
        if len(commits) > 1 and not all(key_of(exchange) for exchange in commits):
            raise Unmet(
                "one attempt at a commit that returned 503 without Retry-After",
                f"{len(commits)} attempts",
            )


def _date() -> str:
    return email.utils.format_datetime(
        dt.datetime.now(dt.UTC) + dt.timedelta(seconds=DATED + 1), usegmt=True
    )


@check("IRC-CLI-023")
def retry_after_is_respected(lab: CatalogClientLab) -> None:
    """A client that repeats a listing after 503 or 429 waits for the seconds, or until the date, of
    `Retry-After`.
    """
    home = lab.listable()
    answers: list[tuple[str, float, Answer]] = [
        ("503 with Retry-After: 1", WAIT, error(503, "SlowDownException", retry_after="1")),
        ("429 with Retry-After: 1", WAIT, error(429, "TooManyRequestsException", retry_after="1")),
        (
            "503 with a date in Retry-After",
            DATED,
            error(503, "SlowDownException", retry_after=_date()),
        ),
    ]
    has_retries = False
    with lab.judge_each("IRC-CLI-023") as case:
        for how, seconds, answer in answers:
            if how.endswith("in Retry-After"):
                answer = error(503, "SlowDownException", retry_after=_date())  # noqa: PLW2901 - the date is of now
            performance = lab.performs(
                "list-tables", answering(op.list_tables, answer, None), namespace=home
            )
            attempts = _attempts(performance)
            if len(attempts) > 1:
                has_retries = True
                with case():
                    _expect_pause(attempts, seconds, how)
    if not has_retries:
        raise NotOffered("the client does not repeat requests that return 503 or 429")


def _attempts(performance: Performance) -> list[Exchange]:
    """Return the first request for tables and its repetitions; some clients list other namespaces
    too.
    """
    listings = performance.of(op.list_tables)
    return [exchange for exchange in listings if exchange.url == listings[0].url]


def _expect_pause(attempts: Sequence[Exchange], seconds: float, how: str) -> None:
    first, second = (exchange.sent_at for exchange in attempts[:2])
    if second - first < seconds - TOLERANCE:
        raise Unmet(
            f"{seconds:.0f} s or more between a request that returned {how} and the next attempt",
            f"{second - first:.2f} s",
        )
