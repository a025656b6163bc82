"""Wrong ways with transactions that should be refused as wholes."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, all_of, on_call, unchecked, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.iceberg_rest.updates import UPDATES
from mutants.iceberg_rest.operators.commits import conflict
from mutants.iceberg_rest.operators.operations import TRANSACT
from mutants.iceberg_rest.operators.refusals import called, refusals_become, with_status
from mutants.iceberg_rest.operators.requests import taken_as, while_handling
from mutants.iceberg_rest.operators.transactions import changes_taken_as, despite, in_parts, leaving_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler
    from lakepact.reference_server.storage.store import Key, Record, Transaction
    from mutants.iceberg_rest.operators.transactions import Changes, CommitOne


# -- half of it -------------------------------------------------------------------------------------------------------


def _in_order(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        commit_one(change)


def _requirements_first(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        commit_one({**change, "updates": []})
    _in_order(changes, commit_one)


def _first_alone(changes: Changes) -> Changes:
    return [change if not place else {**change, "requirements": []} for place, change in enumerate(changes)]


def _less(*kinds: str) -> Install:
    """Requirements of these kinds are not checked."""

    def arrange(changes: Changes) -> Changes:
        return [{**change, "requirements": [one for one in change["requirements"] if one["type"] not in kinds]} for change in changes]

    return changes_taken_as(arrange)


def _over_views(find: Callable[..., Record | None]) -> Callable[..., Record | None]:
    def committed_table(transaction: Transaction, key: Key, requirements: list[Document]) -> Record | None:
        record = transaction.get(key)
        is_new = record is not None and record.kind == "view" and any(one["type"] == "assert-create" for one in requirements)
        return None if is_new else find(transaction, key, requirements)

    return committed_table


def _those_with_updates(changes: Changes) -> Changes:
    return [change if change["updates"] else {**change, "requirements": []} for change in changes]


HALVES = (
    Fault(
        "transactions-are-commits-in-a-row",
        "The changes of a transaction are commits, one after the other, up to the first that is refused.",
        ("IRC-TXN-002", "IRC-TXN-003", "IRC-TXN-004"),
        in_parts(_in_order),
    ),
    Fault(
        "transactions-check-first-and-commit-in-a-row",
        "Requirements are all checked before anything is changed, and updates applied table by table.",
        ("IRC-TXN-003",),
        in_parts(_requirements_first),
    ),
    Fault(
        "refused-transactions-stay",
        "A transaction that conflicts is refused, and what could be changed is changed.",
        ("IRC-TXN-002",),
        despite(409),
    ),
    Fault(
        "impossible-transactions-stay",
        "A transaction with an update that cannot be applied is refused, and the rest is changed.",
        ("IRC-TXN-003",),
        despite(400),
    ),
    Fault(
        "transactions-on-no-table-stay",
        "A transaction with a table that does not exist is refused, and the rest is changed.",
        ("IRC-TXN-004",),
        despite(404),
    ),
    Fault("transactions-leave-conflicts-out", "Tables with a conflict are left out.", ("IRC-TXN-002",), leaving_out(409)),
    Fault(
        "transactions-leave-impossible-out",
        "Tables with an update that cannot be applied are left out.",
        ("IRC-TXN-003",),
        leaving_out(400),
    ),
    Fault("transactions-leave-missing-out", "Tables that do not exist are left out.", ("IRC-TXN-004", "IRC-TXN-016"), leaving_out(404)),
    Fault(
        "transactions-check-their-first-table",
        "Only requirements of a transaction's first table are checked.",
        ("IRC-TXN-002",),
        changes_taken_as(_first_alone),
    ),
    Fault(
        "transactions-rely-on-no-specs-and-orders",
        "Requirements of a transaction about specs, sort orders and partition ids are not checked.",
        ("IRC-TXN-002",),
        _less("assert-default-spec-id", "assert-default-sort-order-id", "assert-last-assigned-partition-id"),
    ),
    Fault(
        "transactions-create-over-views",
        "A transaction that creates a table puts it in the place of a view.",
        ("IRC-TXN-016",),
        while_handling(TRANSACT, "committed_table", _over_views),
    ),
    Fault(
        "transactions-check-what-they-change",
        "Requirements of a transaction about unchanged tables are not checked.",
        ("IRC-TXN-002", "IRC-TXN-010"),
        changes_taken_as(_those_with_updates),
    ),
)


# -- what is answered -------------------------------------------------------------------------------------------------


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

    return wrap_rule("committed_tables", wrapper)


ANSWERS = (
    Fault(
        "conflicts-of-transactions-are-bad-requests",
        "A requirement that fails in a transaction returns 400.",
        ("IRC-TXN-002",),
        refusals_become(TRANSACT, 409, with_status(400, "BadRequestException")),
    ),
    Fault(
        "conflicts-of-transactions-are-412",
        "A requirement that fails in a transaction returns 412.",
        ("IRC-TXN-002",),
        refusals_become(TRANSACT, 409, with_status(412)),
    ),
    Fault(
        "impossible-transactions-conflict",
        "An update that cannot be applied in a transaction returns 409.",
        ("IRC-TXN-003",),
        refusals_become(TRANSACT, 400, with_status(409, "CommitFailedException")),
    ),
    Fault(
        "impossible-transactions-fail",
        "An update that cannot be applied in a transaction is an error of the server.",
        ("IRC-TXN-003",),
        refusals_become(TRANSACT, 400, with_status(500, "InternalServerError")),
    ),
    Fault(
        "missing-tables-of-transactions-conflict",
        "A table that does not exist is a requirement that fails.",
        ("IRC-TXN-004",),
        wrap_rule("committed_tables", _tables_last),
    ),
    Fault(
        "missing-tables-of-transactions-are-bad-requests",
        "A transaction with a table that does not exist returns 400.",
        ("IRC-TXN-004", "IRC-TXN-016"),
        refusals_become(TRANSACT, 404, with_status(400, "BadRequestException")),
    ),
    Fault(
        "missing-tables-of-transactions-miss-their-namespace",
        "A transaction with a table that does not exist says that its namespace does not.",
        ("IRC-ERR-008",),
        refusals_become(TRANSACT, 404, called("NoSuchNamespaceException")),
    ),
    Fault("views-in-transactions-conflict", "A change to a view returns 409.", ("IRC-TXN-016",), _for_views(with_status(409))),
    Fault("views-in-transactions-fail", "A change to a view is an error of the server.", ("IRC-TXN-016",), _for_views(with_status(500))),
)


# -- what cannot be read ----------------------------------------------------------------------------------------------


def _named_only(body: Document) -> Document:
    changes = body.get("table-changes")
    if not isinstance(changes, list):
        return body
    return {**body, "table-changes": [change for change in changes if not isinstance(change, dict) or change.get("identifier") is not None]}


def _nameless(become: Callable[[Problem], Problem]) -> Install:
    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        body = arguments["body"]
        changes = body.get("table-changes")
        if isinstance(changes, list) and any(isinstance(change, dict) and change.get("identifier") is None for change in changes):
            raise become(bad_request("a change has no identifier"))
        return handler(**arguments)

    return all_of(taken_as(TRANSACT, lambda body: body), on_call(TRANSACT, act))


def _none_for_missing(body: Document) -> Document:
    return {"table-changes": [], **{name: value for name, value in body.items() if value is not None}}


def _one_for_many(body: Document) -> Document:
    changes = body.get("table-changes")
    return {**body, "table-changes": [changes] if isinstance(changes, dict) and changes else changes}


def _anything(handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**arguments) if isinstance(arguments["body"].get("table-changes"), list) else NO_CONTENT


def _known_only(body: Document) -> Document:
    if not isinstance(body.get("table-changes"), list):
        return body
    known = copy.deepcopy(body)
    for change in known["table-changes"]:
        for member, tag, kinds in (("updates", "action", UPDATES), ("requirements", "type", PRECONDITIONS)):
            if isinstance(change.get(member), list):
                change[member] = [one for one in change[member] if not isinstance(one, dict) or tag not in one or one[tag] in kinds]
    return known


def _unknown(body: Document) -> bool:
    return _known_only(body) != body


def _up_to_the_unknown(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        if _unknown({"table-changes": [change]}):
            raise bad_request("what is this?")
        commit_one(change)


def _where_unknown(status: int) -> Install:
    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if _unknown(arguments["body"]):
            raise Problem(status, "UnsupportedOperationException", "what is this?")
        return handler(**arguments)

    return all_of(taken_as(TRANSACT, lambda body: body), on_call(TRANSACT, act))


UNREADABLE = (
    Fault("nameless-changes-are-left-out", "A change that names no table is left out.", ("IRC-TXN-005",), taken_as(TRANSACT, _named_only)),
    Fault("nameless-changes-find-nothing", "A change that names no table returns 404.", ("IRC-TXN-005",), _nameless(with_status(404))),
    Fault(
        "nameless-changes-fail", "A change that names no table is an error of the server.", ("IRC-TXN-005",), _nameless(with_status(500))
    ),
    Fault(
        "no-changes-are-none", "A transaction without `table-changes` has none.", ("IRC-TXN-006",), taken_as(TRANSACT, _none_for_missing)
    ),
    Fault(
        "one-change-is-an-array",
        "A change that stands for the array is taken for one.",
        ("IRC-TXN-006",),
        taken_as(TRANSACT, _one_for_many),
    ),
    Fault(
        "changes-may-be-anything",
        "A transaction whose `table-changes` is not an array returns 204.",
        ("IRC-TXN-006",),
        all_of(unchecked(TRANSACT), on_call(TRANSACT, _anything)),
    ),
    Fault(
        "transactions-leave-unknown-out",
        "Updates and requirements that are unknown are left out.",
        ("IRC-TXN-008",),
        taken_as(TRANSACT, _known_only),
    ),
    Fault(
        "transactions-stop-at-the-unknown",
        "Changes are made up to the one with something unknown.",
        ("IRC-TXN-008",),
        all_of(unchecked(TRANSACT), in_parts(_up_to_the_unknown)),
    ),
    Fault(
        "unknown-in-transactions-is-501",
        "An unknown update or requirement in a transaction returns 501.",
        ("IRC-TXN-008",),
        _where_unknown(501),
    ),
    Fault(
        "unknown-in-transactions-is-422",
        "An unknown update or requirement in a transaction returns 422.",
        ("IRC-TXN-008",),
        _where_unknown(422),
    ),
)


FAULTS: tuple[Fault, ...] = (*HALVES, *ANSWERS, *UNREADABLE)
