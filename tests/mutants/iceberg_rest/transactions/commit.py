"""Wrong ways with transactions that should be accepted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, Install, on_reply, on_status, wrap_rule
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.identifiers import bad_request, identifier_key
from mutants.iceberg_rest.operators.commits import conflict
from mutants.iceberg_rest.operators.operations import TRANSACT
from mutants.iceberg_rest.operators.requests import while_handling
from mutants.iceberg_rest.operators.transactions import changes_taken_as, creates, in_parts, names, refused_when

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.iceberg_rest.commits.transactions import Change
    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Scope
    from mutants.iceberg_rest.operators.transactions import Changes, CommitOne

ANSWERED = ("IRC-TXN-001", "IRC-TXN-013", "IRC-TXN-017")
ACCEPTED = (*ANSWERED, "IRC-TXN-014")


# -- what is answered -------------------------------------------------------------------------------------------------


def _with_a_body(reply: Reply, _: Scope) -> Reply:
    return replace(reply, status=200, body=b"{}") if reply.status == 204 else reply


ANSWERS = (
    Fault("transactions-answer-200", "A transaction returns 200 and an empty object.", ("IRC-TXN-001",), on_reply(TRANSACT, _with_a_body)),
    Fault(
        "transactions-answer-202", "A transaction is answered as if it were to be made later.", ACCEPTED, on_status(TRANSACT, {204: 202})
    ),
)


# -- which changes are made -------------------------------------------------------------------------------------------


def _in_one_namespace(changes: Changes) -> Changes:
    return [{**change, "identifier": {**change["identifier"], "namespace": changes[0]["identifier"]["namespace"]}} for change in changes]


def _one_of_a_name(changes: Changes) -> Changes:
    return list({change["identifier"]["name"]: change for change in changes}.values())


def _as_one(changes: Changes) -> Changes:
    updates = [update for change in changes for update in change["updates"]]
    return [{**change, "updates": updates} for change in changes]


def _without(*actions: str) -> Install:
    def arrange(changes: Changes) -> Changes:
        return [{**change, "updates": [one for one in change["updates"] if one["action"] not in actions]} for change in changes]

    return changes_taken_as(arrange)


def _with_a_mark(changes: Changes) -> Changes:
    mark = {"action": "set-properties", "updates": {"transaction": "1"}}
    return [{**change, "updates": [*change["updates"], mark]} for change in changes]


CHANGES = (
    Fault("transactions-do-nothing", "A transaction is accepted and not made.", ACCEPTED, changes_taken_as(lambda _: [])),
    Fault(
        "transactions-change-their-first-table",
        "Only the first change of a transaction is made.",
        ("IRC-TXN-001", "IRC-TXN-013", "IRC-TXN-017"),
        changes_taken_as(lambda changes: changes[:1]),
    ),
    Fault(
        "transactions-change-their-last-table",
        "Only the last change of a transaction is made.",
        ("IRC-TXN-001", "IRC-TXN-013", "IRC-TXN-017"),
        changes_taken_as(lambda changes: changes[-1:]),
    ),
    Fault(
        "transactions-update-every-table",
        "The updates of all changes are made to each of the tables.",
        ("IRC-TXN-001", "IRC-TXN-013"),
        changes_taken_as(_as_one),
    ),
    Fault(
        "transactions-stay-in-one-namespace",
        "All tables are looked for in the namespace of the first.",
        ("IRC-TXN-013",),
        changes_taken_as(_in_one_namespace),
    ),
    Fault(
        "transactions-know-tables-by-their-last-names",
        "Of changes to tables that have one name in several namespaces, only the last is made.",
        ("IRC-TXN-013",),
        changes_taken_as(_one_of_a_name),
    ),
    Fault(
        "refuses-transactions-of-several-namespaces",
        "A transaction on tables of several namespaces is refused.",
        ("IRC-TXN-013",),
        refused_when(lambda changes: len({names(c)[:-1] for c in changes if "identifier" in c}) > 1, bad_request("one namespace, please")),
    ),
    Fault(
        "refuses-transactions-of-eight-tables",
        "A transaction on eight tables or more is refused.",
        ("IRC-TXN-017",),
        refused_when(lambda changes: len(changes) >= 8, bad_request("at most seven tables, please")),
    ),
    Fault(
        "transactions-change-eight-tables",
        "Changes behind the eighth are lost.",
        ("IRC-TXN-017",),
        changes_taken_as(lambda changes: changes[:8]),
    ),
    Fault(
        "transactions-move-no-refs",
        "Branches and tags are not set in transactions.",
        ("IRC-TXN-001", "IRC-TXN-014"),
        _without("set-snapshot-ref"),
    ),
    Fault(
        "transactions-add-no-specs", "Partition specs are lost in transactions.", ("IRC-TXN-014",), _without("add-spec", "set-default-spec")
    ),
    Fault("transactions-move-nothing", "Tables are not moved in transactions.", ("IRC-TXN-014",), _without("set-location")),
    Fault("transactions-remove-nothing", "Properties are not removed in transactions.", ("IRC-TXN-014",), _without("remove-properties")),
    Fault(
        "transactions-take-nothing-away",
        "Refs, snapshots, schemas and specs are not removed in transactions.",
        ("IRC-TXN-014",),
        _without("remove-snapshot-ref", "remove-snapshots", "remove-schemas", "remove-partition-specs"),
    ),
    Fault(
        "transactions-lose-statistics",
        "Statistics are lost in transactions.",
        ("IRC-TXN-014",),
        _without("set-statistics", "set-partition-statistics"),
    ),
    Fault(
        "transactions-lose-keys",
        "Encryption keys are neither added nor removed in transactions.",
        ("IRC-TXN-014",),
        _without("add-encryption-key", "remove-encryption-key"),
    ),
    Fault(
        "transactions-are-not-logged",
        "Transactions do not log where the metadata stood before.",
        ("IRC-TXN-014",),
        while_handling(TRANSACT, "commit_finished", lambda _: lambda metadata, _previous, _place: metadata),
    ),
    Fault("transactions-leave-a-mark", "A transaction sets a property of its own.", ("IRC-TXN-014",), changes_taken_as(_with_a_mark)),
)


# -- nothing, and twice the same --------------------------------------------------------------------------------------


def _many(changes: Changes) -> bool:
    tables = [names(change) for change in changes if "identifier" in change]
    return len(set(tables)) < len(tables)


def _each_once(*, last: bool) -> Install:
    def arrange(changes: Changes) -> Changes:
        kept: dict[tuple[str, ...], Document] = {}
        for change in changes if last else reversed(changes):
            kept[names(change)] = change
        return list(kept.values())

    return changes_taken_as(arrange)


def _backwards(changes: Changes, commit_one: CommitOne) -> None:
    for change in reversed(changes):
        commit_one(change)


def _up_to_the_second(changes: Changes, commit_one: CommitOne) -> None:
    done: set[tuple[str, ...]] = set()
    for change in changes:
        if names(change) in done:
            raise bad_request("this table has been changed already")
        done.add(names(change))
        commit_one(change)


SIZES = (
    Fault(
        "empty-transactions-conflict",
        "A transaction without changes returns 409.",
        ("IRC-TXN-007",),
        refused_when(lambda changes: not changes, conflict("nothing to do")),
    ),
    Fault(
        "empty-transactions-fail",
        "A transaction without changes is an error of the server.",
        ("IRC-TXN-007",),
        refused_when(lambda changes: not changes, Problem(500, "InternalServerError", "list index out of range")),
    ),
    Fault("the-last-change-of-a-table-counts", "Of two changes to one table the last is made.", ("IRC-TXN-011",), _each_once(last=True)),
    Fault("the-first-change-of-a-table-counts", "Of two changes to one table the first is made.", ("IRC-TXN-011",), _each_once(last=False)),
    Fault(
        "transactions-go-backwards",
        "The changes of a transaction are made from the last to the first.",
        ("IRC-TXN-011",),
        in_parts(_backwards),
    ),
    Fault(
        "second-changes-of-a-table-are-refused-late",
        "A second change to one table is refused when those before it are made.",
        ("IRC-TXN-011",),
        in_parts(_up_to_the_second),
    ),
    Fault(
        "second-changes-of-a-table-are-failures",
        "Two changes to one table return 500.",
        ("IRC-TXN-011",),
        refused_when(_many, Problem(500, "InternalServerError", "the table has changed")),
    ),
)


# -- creations --------------------------------------------------------------------------------------------------------


def _forgetting_new_tables(of: Callable[[Document], tuple[Change, ...]]) -> Callable[[Document], tuple[Change, ...]]:
    def changes_of(body: Document) -> tuple[Change, ...]:
        new = {identifier_key(names(c)[:-1], names(c)[-1]) for c in body["table-changes"] if "identifier" in c and creates(c)}
        return tuple(change for change in of(body) if change.key not in new)

    return changes_of


def _creations_first(changes: Changes, commit_one: CommitOne) -> None:
    for change in sorted(changes, key=lambda change: not creates(change)):
        commit_one(change)


def _creations_refused_last(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        if not creates(change):
            commit_one(change)
    if any(creates(change) for change in changes):
        raise bad_request("a transaction cannot create tables")


CREATIONS = (
    Fault(
        "transactions-forget-new-tables",
        "A table that a transaction should create is left out.",
        ("IRC-TXN-012",),
        wrap_rule("changes_of", _forgetting_new_tables),
    ),
    Fault(
        "creations-in-transactions-conflict",
        "A transaction that creates a table returns 409.",
        ("IRC-TXN-012",),
        refused_when(lambda changes: any(creates(change) for change in changes), conflict("there is no such table")),
    ),
    Fault(
        "creations-in-transactions-are-refused-late",
        "A transaction that creates a table is refused when all its other changes are made.",
        ("IRC-TXN-012",),
        in_parts(_creations_refused_last),
    ),
    Fault(
        "creations-in-transactions-come-first",
        "A table is created before what else the transaction requires is looked at.",
        ("IRC-TXN-002",),
        in_parts(_creations_first),
    ),
)


FAULTS: tuple[Fault, ...] = (*ANSWERS, *CHANGES, *SIZES, *CREATIONS)
