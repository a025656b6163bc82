"""Ways in which commits go wrong; the faults of commits and of their requirements are made from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Install, around, instead, on_call
from lakepact.reference_server.problems import Problem
from lakepact.reference_server.validation import Invalid

from .catalog import bad_request
from .documents import Document

if TYPE_CHECKING:
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

COMMIT = "updateTable"

Pick = Callable[[Document], bool]
Assertion = Callable[[Document | None, Document, str], None]


def conflict(why: str) -> Problem:
    """A commit whose requirements do not hold."""
    return Problem(409, "CommitFailedException", why)


def understood_as(rewrite: Callable[[Document], Document]) -> Install:
    """Commits are taken as if `rewrite(body)` had been sent; that is held against the schema in place of what was sent."""

    def install(service: Service) -> None:
        handler, schema = service.handlers[COMMIT], service.contract.operations[COMMIT].body or ""

        def commit(*, body: Document, **arguments: Any) -> Reply:
            rewritten = rewrite(body)
            _check(service, schema, rewritten)
            return handler(body=rewritten, **arguments)

        service.unchecked.add(COMMIT)
        service.handlers[COMMIT] = commit

    return install


def on_commit(act: Callable[[Handler, dict[str, Any]], Reply]) -> Install:
    """Commits are answered by `act(handler, arguments)`, those too of which a part follows no schema."""

    def install(service: Service) -> None:
        schema = service.contract.operations[COMMIT].body or ""

        def checked(handler: Handler, arguments: dict[str, Any]) -> Reply:
            body = arguments["body"]
            if not all(isinstance(body.get(member), list) for member in ("requirements", "updates")):
                _check(service, schema, body)
            return act(handler, arguments)

        service.unchecked.add(COMMIT)
        on_call(COMMIT, checked)(service)

    return install


def _check(service: Service, schema: str, body: Document) -> None:
    try:
        service.validators.check(schema, body)
    except Invalid as invalid:
        raise bad_request(str(invalid)) from None


def forgetting(member: str, pick: Pick) -> Install:
    """What `pick` picks of the requirements or updates is taken as if it had not been sent."""
    return reordered(member, lambda entries: [entry for entry in entries if not pick(entry)])


def reordered(member: str, arrange: Callable[[list[Document]], list[Document]]) -> Install:
    """The requirements or updates are taken as if `arrange(entries)` had been sent."""

    def rewrite(body: Document) -> Document:
        entries = body.get(member)
        return {**body, member: arrange(entries)} if isinstance(entries, list) else body

    return understood_as(rewrite)


def refused_when(pick: Pick, problem: Problem) -> Install:
    """Commits whose body `pick` picks are refused."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if pick(arguments["body"]):
            raise problem
        return handler(**arguments)

    return on_commit(act)


def refusals_become(status: int, become: Callable[[str], Problem]) -> Install:
    """What a commit is refused for with one status is refused as `become(message)`."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        try:
            return handler(**arguments)
        except Problem as problem:
            raise become(problem.message) if problem.status == status else problem from None

    return on_call(COMMIT, act)


def checked_by(kind: str, act: Callable[[Assertion, Document | None, Document, str], None]) -> Install:
    """A kind of requirement is checked by `act(assertion, metadata, requirement, where)`."""
    return around("preconditions", kind, lambda assertion: partial(act, assertion))


def always_holds(kind: str) -> Install:
    """A kind of requirement holds whatever it says."""
    return instead("preconditions", kind, _hold)


def never_holds(kind: str) -> Install:
    """A kind of requirement fails whatever it says, unless it is malformed."""
    return checked_by(kind, _fail)


def _hold(_metadata: Document | None, _requirement: Document, _where: str) -> None:
    return


def _fail(assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
    assertion(metadata, requirement, where)
    raise conflict("this requirement never holds here")


def of_kind(*kinds: str) -> Pick:
    """Picks updates or requirements by their kind."""
    return lambda entry: entry.get("action", entry.get("type")) in kinds


def creates(body: Document) -> bool:
    """Whether a commit is for a table that does not exist yet."""
    return any(requirement.get("type") == "assert-create" for requirement in body["requirements"])
