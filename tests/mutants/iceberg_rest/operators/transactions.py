"""Transactions that are made in parts, or taken for others."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.reference_server.faults import Install, on_call
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from mutants.iceberg_rest.operators.operations import COMMIT, TRANSACT
from mutants.iceberg_rest.operators.requests import asked_for

Changes = list[Document]
CommitOne = Callable[[Document], None]


def committer(service: Service) -> CommitOne:
    """Makes one change of a transaction as a commit of its own."""
    commit = service.handlers[COMMIT]

    def commit_one(change: Document) -> None:
        identifier = change["identifier"]
        commit(
            namespace=SEPARATOR.join(identifier["namespace"]), table=identifier["name"], body=change
        )

    return commit_one


def in_parts(act: Callable[[Changes, CommitOne], None]) -> Install:
    """Transactions return 204 after `act(changes, commit_one)`, or as it refuses them."""

    def install(service: Service) -> None:
        commit_one = committer(service)

        def answer(_: Handler, arguments: Arguments) -> Reply:
            act(arguments["body"]["table-changes"], commit_one)
            return NO_CONTENT

        on_call(TRANSACT, answer)(service)

    return install


def changes_taken_as(arrange: Callable[[Changes], Changes]) -> Install:
    """Transactions are taken as if `arrange(changes)` had been sent."""
    return asked_for(
        TRANSACT, lambda body: {**body, "table-changes": arrange(body["table-changes"])}
    )


def leaving_out(*statuses: int) -> Install:
    """Changes that would be refused with one of these statuses are left out, and all others
    made.
    """

    def act(changes: Changes, commit_one: CommitOne) -> None:
        for change in changes:
            try:
                commit_one(change)
            except Problem as problem:
                if problem.status not in statuses:
                    raise

    return in_parts(act)


def despite(*statuses: int) -> Install:
    """Transactions that are refused with one of these statuses are made as far as they can be all
    the same.
    """

    def install(service: Service) -> None:
        commit_one = committer(service)

        def answer(handler: Handler, arguments: Arguments) -> Reply:
            try:
                return handler(**arguments)
            except Problem as problem:
                if problem.status in statuses:
                    _those_that_can_be(arguments["body"]["table-changes"], commit_one)
                raise

        on_call(TRANSACT, answer)(service)

    return install


def _those_that_can_be(changes: Changes, commit_one: CommitOne) -> None:
    for change in changes:
        try:
            commit_one(change)
        except Problem:
            continue


def refused_when(wrong: Callable[[Changes], bool], problem: Problem) -> Install:
    """Transactions whose changes `wrong` picks are refused."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if wrong(arguments["body"]["table-changes"]):
            raise problem
        return handler(**arguments)

    return on_call(TRANSACT, act)


def names(change: Document) -> tuple[str, ...]:
    """The table of a change: the levels of its namespace, and its name."""
    return (*change["identifier"]["namespace"], change["identifier"]["name"])


def creates(change: Document) -> bool:
    """Whether a change creates its table."""
    return any(requirement.get("type") == "assert-create" for requirement in change["requirements"])
