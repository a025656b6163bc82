"""Preconditions of commits to views: what the caller believes about the view, refused when it is not so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.documents import refused, shown, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.reference_server.iceberg_rest.documents import Document


def assert_view_uuid(metadata: Document, requirement: Document, where: str) -> None:
    """Check the view's uuid, case-insensitively."""
    expected, found = text(requirement, "uuid", where), metadata["view-uuid"]
    if expected.casefold() != found.casefold():
        why = f"view UUID does not match: expected {shown(expected)}, found {found}; load the view and commit on top of what it is now"
        raise Problem(409, "CommitFailedException", f"Requirement failed: {why}")


#: By the `type` of a requirement.
VIEW_PRECONDITIONS: dict[str, Callable[[Document, Document, str], None]] = {"assert-view-uuid": assert_view_uuid}


def check_view(
    metadata: Document,
    requirements: Sequence[Document],
    *,
    table: Mapping[str, Callable[[Document, Document, str], None]] = VIEW_PRECONDITIONS,
) -> None:
    """Refuse a commit unless all its requirements hold.

    Args:
        metadata: the view as it is.
        requirements: as the contract spells them.
        table: what each kind of requirement demands.

    Raises:
        Problem: 409, a requirement does not hold; 400, one is unknown or says nothing that could hold.
    """
    steps = [_step(requirement, table, position) for position, requirement in enumerate(requirements)]
    for position, (step, requirement) in enumerate(zip(steps, requirements, strict=True)):
        step(metadata, requirement, f"/requirements/{position}")


def _step(requirement: Document, table: Mapping[str, Any], position: int) -> Callable[[Document, Document, str], None]:
    kind: Any = requirement.get("type") if type(requirement) is dict else None
    step: Callable[[Document, Document, str], None] | None = table.get(kind) if isinstance(kind, str) else None
    if step is None:
        raise refused(f"/requirements/{position}/type", f"{shown(kind)} is no requirement of views; requirements are {', '.join(table)}")
    return step
