"""Commits and other changes whose outcome the client cannot know."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    Answer,
    CatalogClientLab,
    Document,
    Forward,
    NotOffered,
    OperationId,
    Performance,
    Request,
    Script,
    Unmet,
    answering,
    at_first,
    check,
    error,
    expect,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.changes import changes
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import expect_no_repeat
from lakepact.conformance.clients.iceberg_rest.kit.scripts import BODIES
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import TableFiles

UNKNOWN = "CommitStateUnknownException"
SLOW = 0.3  #: seconds before a connection is closed
#: How the answer to a successful commit gets lost.
LOST: Mapping[str, Callable[[Answer], Answer]] = {
    "the connection was closed without an answer": lambda _: Answer(0),
    "the connection was closed later without an answer": lambda _: Answer(0, delay=SLOW),
    "the connection was closed within the answer": lambda answer: replace(
        answer, cut=len(answer.body) // 2
    ),
}
GATEWAY_ERRORS = {
    f"{status} with {how}": change(error(status, UNKNOWN))
    for status in (500, 502, 504)
    for how, change in BODIES.items()
}


def losing(lose: Callable[[Answer], Answer]) -> Script:
    """Return a catalog that applies each commit and loses its answer."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        return lose(answer) if request.operation in COMMITS else answer

    return script


def _commits(lab: CatalogClientLab, script: Script, home: list[str], value: str) -> Performance:
    return lab.performs(
        "set-properties", script, namespace=home, table="t", updates={"lakepact.unknown": value}
    )


@check("IRC-CLI-004", "IRC-CLI-019")
def lost_commit_responses(lab: CatalogClientLab) -> None:
    """A client loads the table before it repeats a commit that got no response, or 500, 502 or 504
    with any body.
    """
    home = lab.changeable()
    with lab.judge_each("IRC-CLI-019") as case:
        for how, lose in LOST.items():
            with case():
                expect_no_repeat(_commits(lab, losing(lose), home, how), how)
    with lab.judge_each("IRC-CLI-004") as case:
        for how, answer in GATEWAY_ERRORS.items():
            with case():
                expect_no_repeat(
                    _commits(lab, answering(COMMITS, answer, is_applied=True), home, how), how
                )


def _error_of(performance: Performance) -> str:
    if performance.is_done:
        raise NotOffered("the client finds out that its commit was done")
    return performance.error


@check("IRC-CLI-021", "IRC-CLI-018")
def errors_of_unknown_outcomes(lab: CatalogClientLab) -> None:
    """A client reports a commit without a response or with 500 by another error than one with 409,
    and 500 with any body alike.
    """
    home = lab.changeable()
    conflict = _commits(lab, answering(COMMITS, error(409, "CommitFailedException")), home, "409")
    server_error = _commits(
        lab, answering(COMMITS, error(500, UNKNOWN), is_applied=True), home, "500"
    )
    conflict_error, unknown = _error_of(conflict), _error_of(server_error)
    with lab.judge_each("IRC-CLI-021") as case:
        with case():
            _differs(unknown, conflict_error, "500")
        for how, lose in LOST.items():
            performance = _commits(lab, losing(lose), home, how)
            if not performance.is_done and not performance.is_late:
                with case():
                    _differs(performance.error, conflict_error, how)
    with lab.judge_each("IRC-CLI-018") as case:
        for how, answer in GATEWAY_ERRORS.items():
            performance = _commits(lab, answering(COMMITS, answer, is_applied=True), home, how)
            if how.startswith("500") and not performance.is_done and not performance.is_late:
                with case():
                    expect.equal(
                        unknown,
                        performance.error,
                        f"error of a commit that was answered with {how}:",
                    )


def _differs(unknown: str, conflict: str, how: str) -> None:
    if unknown == conflict:
        raise Unmet(
            f"another error for a commit with an unknown outcome ({how}) than for one that"
            " returned 409",
            unknown,
        )


@check("IRC-CLI-018")
def errors_without_a_proper_body(lab: CatalogClientLab) -> None:
    """A client reports 404 and 403 with a missing or malformed body as errors, and not as an
    unreadable 200.
    """
    home = lab.namespace("t")
    lab.does("load-table", namespace=home, table="t")
    arguments: Document = {"namespace": home, "table": "t"}

    def load(answer: Answer) -> Performance:
        return lab.performs("load-table", answering(op.load_table, answer), **arguments)

    unreadable = load(BODIES["an HTML body"](Answer(200))).error
    with lab.judge_each("IRC-CLI-018") as case:
        for status, kind in ((404, "NoSuchTableException"), (403, "ForbiddenException")):
            proper = load(error(status, kind)).error  # some clients have one type for both
            for how, change in BODIES.items():
                with case():
                    performance = load(change(error(status, kind)))
                    performance.expect_refusal(f"loadTable was answered with {status} and {how}")
                    if performance.error == unreadable != proper:
                        raise Unmet(
                            f"the error of a refusal for {status} with {how}, not that of 200 with"
                            " an HTML body",
                            performance.text,
                        )


@check("IRC-CLI-020")
def files_of_unknown_commits(lab: CatalogClientLab) -> None:
    """A client deletes no file of a commit whose response is lost, or is 500, 502 or 504."""
    rows = [{"id": 1, "data": "a"}]
    scripts = {how: losing(lose) for how, lose in LOST.items()}
    scripts |= {
        f"{how}, and later ones not": at_first(script, COMMITS) for how, script in scripts.items()
    }
    scripts |= {
        str(status): answering(COMMITS, error(status, UNKNOWN), is_applied=True)
        for status in (500, 502, 504)
    }
    scripts |= {
        how: answering(COMMITS, answer, is_applied=True)
        for how, answer in GATEWAY_ERRORS.items()
        if how.startswith("502")
    }
    plain = lab.namespace("t")
    lab.does("append-rows", namespace=plain, table="t", rows=rows)
    with lab.judge_each("IRC-CLI-020") as case:
        for number, (how, script) in enumerate(scripts.items()):
            home = lab.namespace(f"t{number}")
            files = TableFiles(lab.files_of(home, f"t{number}"))
            performance = lab.performs(
                "append-rows",
                files.watch(script, COMMITS),
                namespace=home,
                table=f"t{number}",
                rows=rows,
            )
            performance.require(*COMMITS)
            with case():
                files.expect_files(
                    f"of a commit that was done, where its outcome is unknown ({how})"
                )


@check("IRC-CLI-003", "IRC-CLI-004", "IRC-CLI-019", "IRC-CLI-021")
def outcomes_of_transactions(lab: CatalogClientLab) -> None:
    """A client reports a transaction with 409 as an error, one with unknown outcome by another
    error, and does not repeat that one.
    """
    home = lab.namespace("t", "u")
    arguments: Document = {"namespace": home, "tables": ["t", "u"]}
    lab.does("commit-transaction", **arguments, updates={"lakepact.first": "1"})

    def commits(script: Script, how: str) -> Performance:
        return lab.performs(
            "commit-transaction", script, **arguments, updates={"lakepact.how": how}
        )

    _expect_distinct_outcomes(lab, commits, op.commit_transaction)


@check("IRC-CLI-003", "IRC-CLI-004", "IRC-CLI-019", "IRC-CLI-021")
def outcomes_of_replaced_views(lab: CatalogClientLab) -> None:
    """A client reports a view replacement with 409 as an error, one with unknown outcome by
    another, and does not repeat that one.
    """
    where: Document = {"namespace": lab.namespace(), "view": "v"}
    lab.view(where["namespace"], where["view"])
    lab.does("replace-view", **where, sql="SELECT 2 AS id")
    numbers = itertools.count(3)

    def replaces(script: Script, _: str) -> Performance:
        return lab.performs("replace-view", script, **where, sql=f"SELECT {next(numbers)} AS id")

    _expect_distinct_outcomes(lab, replaces, op.replace_view)


def _expect_distinct_outcomes(
    lab: CatalogClientLab, commits: Callable[[Script, str], Performance], operation: OperationId
) -> None:
    """Expect an error for 409, another error for each unknown outcome, and no second attempt before
    the table or view is loaded.

    Raises:
        NotOffered: the client does not commit by this operation.
    """
    conflict = commits(answering(COMMITS, error(409, "CommitFailedException")), "409")
    if not conflict.of(operation):
        raise NotOffered(f"the client does not commit by {operation}")
    with lab.judge("IRC-CLI-003"):
        conflict.expect_refusal(f"{operation} was answered with 409")
    losses = {how: commits(losing(lose), how) for how, lose in LOST.items()}
    gateway_errors = {
        str(status): commits(
            answering(COMMITS, error(status, UNKNOWN), is_applied=True), str(status)
        )
        for status in (500, 502, 504)
    }
    for requirement, outcomes in lab.each(
        (("IRC-CLI-019", losses), ("IRC-CLI-004", gateway_errors))
    ):
        with lab.judge_each(requirement) as case:
            for how, performance in outcomes.items():
                with case():
                    lab.show(performance)
                    expect_no_repeat(performance, how)
    unknown = {
        how: performance
        for how, performance in (losses | gateway_errors).items()
        if not performance.is_done and not performance.is_late
    }
    with lab.judge_each(
        "IRC-CLI-021", without="the client finds out that its commits were done"
    ) as case:
        for how, performance in unknown.items():
            with case():
                lab.show(performance)
                _differs(performance.error, conflict.error, how)


#: Requests that are not idempotent; commits have requirements of their own.
CREATIONS = frozenset(
    {
        op.create_namespace,
        op.create_table,
        op.register_table,
        op.rename_table,
        op.create_view,
        op.rename_view,
    }
)
NO_ANSWER = Answer(0)
GATEWAYS = {str(status): error(status) for status in (500, 502, 504)}


def _expect_error_or_answer(performance: Performance, operation: OperationId) -> None:
    """Expect an error, or a later request that got an answer."""
    first = performance.of(operation)[0].number
    if performance.is_done and not any(
        exchange.status for exchange in performance.exchanges if exchange.number > first
    ):
        raise Unmet(
            f"an error, or another request after {operation}, which got no answer",
            performance.outcome,
        )


@check("IRC-CLI-056", "IRC-CLI-057")
def changes_without_an_answer(lab: CatalogClientLab) -> None:
    """A client does not report a change without an answer as done, and repeats no creation or
    rename before it has read something.
    """
    no_answer = _performances(lab, NO_ANSWER)
    if not no_answer:
        raise NotOffered("the client changes nothing")
    with lab.judge_each("IRC-CLI-057") as case:
        for operation, performance in no_answer:
            with case():
                lab.show(performance)
                _expect_error_or_answer(performance, operation)
    outcomes = {"the connection was closed without an answer": no_answer}
    outcomes |= {how: _performances(lab, answer, *CREATIONS) for how, answer in GATEWAYS.items()}
    with lab.judge_each("IRC-CLI-056", without="the client creates and renames nothing") as case:
        for how, performances in outcomes.items():
            for operation, performance in performances:
                if operation in CREATIONS:
                    with case():
                        lab.show(performance)
                        expect_no_repeat(performance, how, operation)


def _performances(
    lab: CatalogClientLab, answer: Answer, *only: OperationId
) -> list[tuple[OperationId, Performance]]:
    """Return the client's changes that get this answer, of some operations or all."""
    result = []
    for operation, task, arguments, _ in changes(lab):
        if operation == op.report_metrics or (only and operation not in only):
            continue
        performance = lab.tries(task, answering(operation, answer, is_applied=True), **arguments)
        if performance is not None and performance.of(operation):
            result.append((operation, performance))
    return result
