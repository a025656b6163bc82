"""Wrong ways with transactions that should be refused as wholes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_call,
    skip_validation,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, bad_request
from lakepact.reference_server.iceberg_rest.updates import UPDATES
from lakepact.reference_server.storage.store import Key, Record, Transaction
from mutants.iceberg_rest.operators.commits import conflict
from mutants.iceberg_rest.operators.operations import COMMIT, TRANSACT
from mutants.iceberg_rest.operators.refusals import called, refusals_become, with_status
from mutants.iceberg_rest.operators.requests import taken_as, while_handling
from mutants.iceberg_rest.operators.transactions import (
    Changes,
    CommitOne,
    changes_taken_as,
    despite,
    in_parts,
    leaving_out,
    names,
)


def _in_order(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        commit_one(change)


def _requirements_first(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        commit_one({**change, "updates": []})
    _in_order(changes, commit_one)


def _first_alone(changes: Changes) -> Changes:
    return [
        change if not place else {**change, "requirements": []}
        for place, change in enumerate(changes)
    ]


def _less(*kinds: str) -> Install:
    """Requirements of these kinds are not checked."""

    def arrange(changes: Changes) -> Changes:
        return [
            {
                **change,
                "requirements": [one for one in change["requirements"] if one["type"] not in kinds],
            }
            for change in changes
        ]

    return changes_taken_as(arrange)


def _over_views(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(
        transaction: Transaction, key: Key, requirements: list[Document]
    ) -> Record | None:
        record = transaction.get(key)
        is_new = (
            record is not None
            and record.kind == "view"
            and any(one["type"] == "assert-create" for one in requirements)
        )
        return None if is_new else find(transaction, key, requirements)

    return committed_table


def _those_with_updates(changes: Changes) -> Changes:
    return [change if change["updates"] else {**change, "requirements": []} for change in changes]


HALVES = {
    "transactions-are-commits-in-a-row IRC-TXN-002 IRC-TXN-003 IRC-TXN-004": in_parts(_in_order),
    "transactions-check-first-and-commit-in-a-row IRC-TXN-003": in_parts(_requirements_first),
    "refused-transactions-stay IRC-TXN-002": despite(409),
    "impossible-transactions-stay IRC-TXN-003": despite(400),
    "transactions-on-no-table-stay IRC-TXN-004": despite(404),
    "transactions-leave-conflicts-out IRC-TXN-002": leaving_out(409),
    "transactions-leave-impossible-out IRC-TXN-003": leaving_out(400),
    "transactions-leave-missing-out IRC-TXN-004 IRC-TXN-016": leaving_out(404),
    "transactions-check-their-first-table IRC-TXN-002": changes_taken_as(_first_alone),
    "transactions-rely-on-no-specs-and-orders IRC-TXN-002": _less(
        "assert-default-spec-id",
        "assert-default-sort-order-id",
        "assert-last-assigned-partition-id",
    ),
    "transactions-create-over-views IRC-TXN-016": while_handling(
        TRANSACT, "table_to_commit", _over_views
    ),
    "transactions-check-what-they-change IRC-TXN-002 IRC-TXN-010": changes_taken_as(
        _those_with_updates
    ),
}


@fault("IRC-COM-014")
def transactions_keep_locks_after_refusals() -> Install:
    """The first commit to each table of a refused transaction conflicts with it."""
    locks: set[tuple[str, ...]] = set()

    def transact(handler: Handler, arguments: Arguments) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            changes = arguments["body"].get("table-changes") if problem.status == 409 else ()
            locks.update(names(change) for change in changes or ())
            raise

    def commit(handler: Handler, arguments: Arguments) -> Reply:
        table = (*arguments["namespace"].split(SEPARATOR), arguments["table"])
        if table in locks:
            locks.remove(table)
            raise conflict("another transaction holds the table")
        return handler(**arguments)

    return all_of(on_call(TRANSACT, transact), on_call(COMMIT, commit))


def _tables_last(find: Callable[..., Any]) -> Callable[..., Any]:
    def committed_tables(commits: Any, transaction: Transaction, changes: Sequence[Any]) -> Any:
        try:
            return find(commits, transaction, changes)
        except Problem as problem:
            if problem.status == 404 and any(change.requirements for change in changes):
                raise conflict("a table is not what is required") from None
            raise

    return committed_tables


def _for_views(become: Callable[[Problem], Problem]) -> Install:
    def wrapper(find: Callable[..., Any]) -> Callable[..., Any]:
        def committed_tables(commits: Any, transaction: Transaction, changes: Sequence[Any]) -> Any:
            try:
                return find(commits, transaction, changes)
            except Problem as problem:
                records = [transaction.get(change.key) for change in changes]
                if any(record is not None and record.kind == "view" for record in records):
                    raise become(problem) from None
                raise

        return committed_tables

    return wrap_rule("tables_to_commit", wrapper)


ANSWERS = {
    "conflicts-of-transactions-are-bad-requests IRC-TXN-002": refusals_become(
        TRANSACT, 409, with_status(400, "BadRequestException")
    ),
    "conflicts-of-transactions-are-412 IRC-TXN-002": refusals_become(
        TRANSACT, 409, with_status(412)
    ),
    "impossible-transactions-conflict IRC-TXN-003": refusals_become(
        TRANSACT, 400, with_status(409, "CommitFailedException")
    ),
    "impossible-transactions-fail IRC-TXN-003": refusals_become(
        TRANSACT, 400, with_status(500, "InternalServerError")
    ),
    "missing-tables-of-transactions-conflict IRC-TXN-004": wrap_rule(
        "tables_to_commit", _tables_last
    ),
    "missing-tables-of-transactions-are-bad-requests IRC-TXN-004 IRC-TXN-016": refusals_become(
        TRANSACT, 404, with_status(400, "BadRequestException")
    ),
    "missing-tables-of-transactions-miss-their-namespace IRC-ERR-008": refusals_become(
        TRANSACT, 404, called("NoSuchNamespaceException")
    ),
    "views-in-transactions-conflict IRC-TXN-016": _for_views(with_status(409)),
    "views-in-transactions-fail IRC-TXN-016": _for_views(with_status(500)),
}


def _named_only(body: Document) -> Document:
    changes = body.get("table-changes")
    if not isinstance(changes, list):
        return body
    return {
        **body,
        "table-changes": [
            change
            for change in changes
            if not isinstance(change, dict) or change.get("identifier") is not None
        ],
    }


def _nameless(become: Callable[[Problem], Problem]) -> Install:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        body = arguments["body"]
        changes = body.get("table-changes")
        if isinstance(changes, list) and any(
            isinstance(change, dict) and change.get("identifier") is None for change in changes
        ):
            raise become(bad_request("a change has no identifier"))
        return handler(**arguments)

    return all_of(taken_as(TRANSACT, lambda body: body), on_call(TRANSACT, act))


def _none_for_missing(body: Document) -> Document:
    return {
        "table-changes": [],
        **{name: value for name, value in body.items() if value is not None},
    }


def _one_for_many(body: Document) -> Document:
    changes = body.get("table-changes")
    return {
        **body,
        "table-changes": [changes] if isinstance(changes, dict) and changes else changes,
    }


def _anything(handler: Handler, arguments: Arguments) -> Reply:
    return (
        handler(**arguments)
        if isinstance(arguments["body"].get("table-changes"), list)
        else NO_CONTENT
    )


def _known_only(body: Document) -> Document:
    if not isinstance(body.get("table-changes"), list):
        return body
    known = copy.deepcopy(body)
    for change in known["table-changes"]:
        for member, tag, kinds in (
            ("updates", "action", UPDATES),
            ("requirements", "type", PRECONDITIONS),
        ):
            if isinstance(change.get(member), list):
                change[member] = [
                    one
                    for one in change[member]
                    if not isinstance(one, dict) or tag not in one or one[tag] in kinds
                ]
    return known


def _unknown(body: Document) -> bool:
    return _known_only(body) != body


def _up_to_the_unknown(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        if _unknown({"table-changes": [change]}):
            raise bad_request("what is this?")
        commit_one(change)


def _where_unknown(status: int) -> Install:
    def act(handler: Handler, arguments: Arguments) -> Reply:
        if _unknown(arguments["body"]):
            raise Problem(status, "UnsupportedOperationException", "what is this?")
        return handler(**arguments)

    return all_of(taken_as(TRANSACT, lambda body: body), on_call(TRANSACT, act))


UNREADABLE = {
    "nameless-changes-are-left-out IRC-TXN-005": taken_as(TRANSACT, _named_only),
    "nameless-changes-find-nothing IRC-TXN-005": _nameless(with_status(404)),
    "nameless-changes-fail IRC-TXN-005": _nameless(with_status(500)),
    "no-changes-are-none IRC-TXN-006": taken_as(TRANSACT, _none_for_missing),
    "one-change-is-an-array IRC-TXN-006": taken_as(TRANSACT, _one_for_many),
    "changes-may-be-anything IRC-TXN-006": all_of(
        skip_validation(TRANSACT), on_call(TRANSACT, _anything)
    ),
    "transactions-leave-unknown-out IRC-TXN-008": taken_as(TRANSACT, _known_only),
    "transactions-stop-at-the-unknown IRC-TXN-008": all_of(
        skip_validation(TRANSACT), in_parts(_up_to_the_unknown)
    ),
    "unknown-in-transactions-is-501 IRC-TXN-008": _where_unknown(501),
    "unknown-in-transactions-is-422 IRC-TXN-008": _where_unknown(422),
}


FAULTS = {**HALVES, **ANSWERS, **UNREADABLE}
