"""Commits that are taken for others, or refused as wholes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lakepact.reference_server.faults import Install, all_of, on_call, skip_validation
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.operations import COMMIT
from mutants.iceberg_rest.operators.requests import check, taken_as

Pick = Callable[[Document], bool]


def conflict(why: str) -> Problem:
    """A commit whose requirements do not hold."""
    return Problem(409, "CommitFailedException", why)


def on_commit(act: Callable[[Handler, dict[str, Any]], Reply]) -> Install:
    """Commits are answered by `act(handler, arguments)`, also those with parts that match no
    schema.
    """

    def install(service: Service) -> None:
        def checked(handler: Handler, arguments: Arguments) -> Reply:
            body = arguments["body"]
            if not all(
                isinstance(body.get(member), list) for member in ("requirements", "updates")
            ):
                check(service, COMMIT, body)
            return act(handler, arguments)

        all_of(skip_validation(COMMIT), on_call(COMMIT, checked))(service)

    return install


def forgetting(member: str, pick: Pick) -> Install:
    """Requirements or updates that `pick` selects are ignored."""
    return reordered(member, lambda entries: [entry for entry in entries if not pick(entry)])


def reordered(member: str, arrange: Callable[[list[Document]], list[Document]]) -> Install:
    """The requirements or updates are taken as if `arrange(entries)` had been sent."""

    def rewrite(body: Document) -> Document:
        entries = body.get(member)
        return {**body, member: arrange(entries)} if isinstance(entries, list) else body

    return taken_as(COMMIT, rewrite)


def refused_when(pick: Pick, problem: Problem) -> Install:
    """Commits whose body `pick` picks are refused."""

    def act(handler: Handler, arguments: Arguments) -> Reply:
        if pick(arguments["body"]):
            raise problem
        return handler(**arguments)

    return on_commit(act)


def of_kind(*kinds: str) -> Pick:
    """Picks updates or requirements by their kind."""
    return lambda entry: entry.get("action", entry.get("type")) in kinds


def creates(body: Document) -> bool:
    """Whether a commit is for a table that does not exist yet."""
    return any(requirement.get("type") == "assert-create" for requirement in body["requirements"])
