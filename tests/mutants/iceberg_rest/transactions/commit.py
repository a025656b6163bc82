"""Wrong ways with transactions that should be accepted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    all_of,
    fault,
    on_call,
    on_reply,
    on_status,
    wrap_rule,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope
from lakepact.reference_server.iceberg_rest.commits.transactions import Change
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import bad_request, identifier_key
from mutants.iceberg_rest.operators.commits import conflict
from mutants.iceberg_rest.operators.operations import TRANSACT
from mutants.iceberg_rest.operators.requests import while_handling
from mutants.iceberg_rest.operators.tables import Handlers, exists, for_operation
from mutants.iceberg_rest.operators.transactions import (
    Changes,
    CommitOne,
    changes_taken_as,
    creates,
    in_parts,
    names,
    refused_when,
)

ANSWERED = ("IRC-TXN-001", "IRC-TXN-013", "IRC-TXN-017")
ACCEPTED = (*ANSWERED, "IRC-TXN-014")


def _with_a_body(reply: Reply, _: Scope) -> Reply:
    return replace(reply, status=200, body=b"{}") if reply.status == 204 else reply


ANSWERS = {
    "transactions-answer-200 IRC-TXN-001": on_reply(TRANSACT, _with_a_body),
    f"transactions-answer-202 {' '.join(ACCEPTED)}": on_status(TRANSACT, {204: 202}),
}


def _in_one_namespace(changes: Changes) -> Changes:
    return [
        {
            **change,
            "identifier": {
                **change["identifier"],
                "namespace": changes[0]["identifier"]["namespace"],
            },
        }
        for change in changes
    ]


def _one_of_a_name(changes: Changes) -> Changes:
    return list({change["identifier"]["name"]: change for change in changes}.values())


def _as_one(changes: Changes) -> Changes:
    updates = [update for change in changes for update in change["updates"]]
    return [{**change, "updates": updates} for change in changes]


def _without(*actions: str) -> Install:
    def arrange(changes: Changes) -> Changes:
        return [
            {
                **change,
                "updates": [one for one in change["updates"] if one["action"] not in actions],
            }
            for change in changes
        ]

    return changes_taken_as(arrange)


def _with_a_mark(changes: Changes) -> Changes:
    mark = {"action": "set-properties", "updates": {"transaction": "1"}}
    return [{**change, "updates": [*change["updates"], mark]} for change in changes]


CHANGES = {
    f"transactions-do-nothing {' '.join(ACCEPTED)}": changes_taken_as(lambda _: []),
    "transactions-change-their-first-table IRC-TXN-001 IRC-TXN-013 IRC-TXN-017": changes_taken_as(
        lambda changes: changes[:1]
    ),
    "transactions-change-their-last-table IRC-TXN-001 IRC-TXN-013 IRC-TXN-017": changes_taken_as(
        lambda changes: changes[-1:]
    ),
    "transactions-update-every-table IRC-TXN-001 IRC-TXN-013": changes_taken_as(_as_one),
    "transactions-stay-in-one-namespace IRC-TXN-013": changes_taken_as(_in_one_namespace),
    "transactions-know-tables-by-their-last-names IRC-TXN-013": changes_taken_as(_one_of_a_name),
    "refuses-transactions-of-several-namespaces IRC-TXN-013": refused_when(
        lambda changes: len({names(c)[:-1] for c in changes if "identifier" in c}) > 1,
        bad_request("one namespace, please"),
    ),
    "refuses-transactions-of-eight-tables IRC-TXN-017": refused_when(
        lambda changes: len(changes) >= 8, bad_request("at most seven tables, please")
    ),
    "transactions-change-eight-tables IRC-TXN-017": changes_taken_as(lambda changes: changes[:8]),
    "transactions-move-no-refs IRC-TXN-001 IRC-TXN-014": _without("set-snapshot-ref"),
    "transactions-add-no-specs IRC-TXN-014": _without("add-spec", "set-default-spec"),
    "transactions-move-nothing IRC-TXN-014": _without("set-location"),
    "transactions-remove-nothing IRC-TXN-014": _without("remove-properties"),
    "transactions-take-nothing-away IRC-TXN-014": _without(
        "remove-snapshot-ref", "remove-snapshots", "remove-schemas", "remove-partition-specs"
    ),
    "transactions-lose-statistics IRC-TXN-014": _without(
        "set-statistics", "set-partition-statistics"
    ),
    "transactions-lose-keys IRC-TXN-014": _without("add-encryption-key", "remove-encryption-key"),
    "transactions-are-not-logged IRC-TXN-014": while_handling(
        TRANSACT, "finish_commit", lambda _: lambda metadata, _previous, _place: metadata
    ),
    "transactions-leave-a-mark IRC-TXN-014": changes_taken_as(_with_a_mark),
}


@fault("IRC-TXN-013", by=partial(for_operation, TRANSACT))
def transactions_change_namesakes(handlers: Handlers, arguments: Arguments) -> Reply:
    """Tables are looked up in the namespace of the first one, and then in their own."""
    changes = arguments["body"]["table-changes"]
    if all("identifier" in change for change in changes):
        pairs = zip(_in_one_namespace(changes), changes, strict=True)
        by_name = {
            change["identifier"]["name"]: change
            for pair in pairs
            for change in pair[not exists(handlers, pair[0]["identifier"]) :][:1]
        }
        if len(by_name) == len(changes):
            changes = list(by_name.values())
    return handlers[TRANSACT](**{**arguments, "body": {"table-changes": changes}})


@fault("IRC-TXN-001")
def transactions_skip_tables_after_renames() -> Install:
    """A transaction makes no change of a table that was renamed."""
    new_names: set[tuple[str, ...]] = set()

    def rename(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        target = arguments["body"]["destination"]
        new_names.add((*target["namespace"], target["name"]))
        return reply

    return all_of(
        on_call(op.rename_table, rename),
        changes_taken_as(
            lambda changes: [
                c for c in changes if "identifier" not in c or names(c) not in new_names
            ]
        ),
    )


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


SIZES = {
    "empty-transactions-conflict IRC-TXN-007": refused_when(
        lambda changes: not changes, conflict("nothing to do")
    ),
    "empty-transactions-fail IRC-TXN-007": refused_when(
        lambda changes: not changes, Problem(500, "InternalServerError", "list index out of range")
    ),
    "the-last-change-of-a-table-counts IRC-TXN-011": _each_once(last=True),
    "the-first-change-of-a-table-counts IRC-TXN-011": _each_once(last=False),
    "transactions-go-backwards IRC-TXN-011": in_parts(_backwards),
    "second-changes-of-a-table-are-refused-late IRC-TXN-011": in_parts(_up_to_the_second),
    "second-changes-of-a-table-are-failures IRC-TXN-011": refused_when(
        _many, Problem(500, "InternalServerError", "the table has changed")
    ),
}


def _forgetting_new_tables(
    of: Callable[[Document], tuple[Change, ...]],
) -> Callable[[Document], tuple[Change, ...]]:
    def changes_of(body: Document) -> tuple[Change, ...]:
        new = {
            identifier_key(names(c)[:-1], names(c)[-1])
            for c in body["table-changes"]
            if "identifier" in c and creates(c)
        }
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


CREATIONS = {
    "transactions-forget-new-tables IRC-TXN-012": wrap_rule("changes_of", _forgetting_new_tables),
    "creations-in-transactions-conflict IRC-TXN-012": refused_when(
        lambda changes: any(creates(change) for change in changes),
        conflict("there is no such table"),
    ),
    "creations-in-transactions-are-refused-late IRC-TXN-012": in_parts(_creations_refused_last),
    "creations-in-transactions-come-first IRC-TXN-002": in_parts(_creations_first),
}


FAULTS = {**ANSWERS, **CHANGES, **SIZES, **CREATIONS}
