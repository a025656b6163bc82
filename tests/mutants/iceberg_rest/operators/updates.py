"""Updates of tables that do something else, nothing, or too much."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lakepact.reference_server.faults import (
    Install,
    accept,
    all_of,
    replace_entry,
    skip_validation,
    wrap_entry,
)
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.documents import Document, refusal
from lakepact.reference_server.iceberg_rest.updates import Draft
from mutants.iceberg_rest.operators.operations import COMMIT

Update = Callable[[Draft, Document], None]
When = Callable[[Draft, Document], bool]


def in_place_of(action: str, act: Callable[[Update, Draft, Document], None]) -> Install:
    """`act(update, draft, document)` is called in place of the update."""
    return wrap_entry("updates", action, lambda update: partial(act, update))


def afterwards(action: str, spoil: Callable[[Draft, Document], None]) -> Install:
    """Once the update is applied, `spoil(draft, document)` changes the draft."""

    def act(update: Update, draft: Draft, document: Document) -> None:
        update(draft, document)
        spoil(draft, document)

    return in_place_of(action, act)


def rewritten(action: str, rewrite: Callable[[Draft, Document], Document]) -> Install:
    """The update is applied as if `rewrite(draft, document)` had been sent."""

    def act(update: Update, draft: Draft, document: Document) -> None:
        update(draft, rewrite(draft, document))

    return in_place_of(action, act)


def ignored(action: str) -> Install:
    """The update is accepted and does nothing."""
    return replace_entry("updates", action, accept)


def _always(_draft: Draft, _document: Document) -> bool:
    return True


def accepting_anyway(action: str, *, when: When = _always) -> Install:
    """An update that is refused, by the server or its schema, is accepted and ignored.

    Args:
        action: the kind of update.
        when: selects the updates to accept.
    """

    def act(update: Update, draft: Draft, document: Document) -> None:
        try:
            update(draft, document)
        except Problem:
            if not when(draft, document):
                raise

    return all_of(skip_validation(COMMIT), in_place_of(action, act))


def fatal(action: str) -> Install:
    """A refused update returns 500."""

    def act(update: Update, draft: Draft, document: Document) -> None:
        try:
            update(draft, document)
        except Problem as problem:
            raise Problem(500, "NullPointerException", problem.message) from None

    return in_place_of(action, act)


def refused_when(action: str, when: When) -> Install:
    """The update is refused although it could be applied.

    Args:
        action: the kind of update.
        when: picks the updates that are refused.
    """

    def act(update: Update, draft: Draft, document: Document) -> None:
        if when(draft, document):
            raise refusal(draft.where, f"this {action} is not taken here")
        update(draft, document)

    return in_place_of(action, act)


def lacks(*members: str) -> When:
    """Whether an update lacks one of the members."""
    return lambda _draft, document: any(member not in document for member in members)
