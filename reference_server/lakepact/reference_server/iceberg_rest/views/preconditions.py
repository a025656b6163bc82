"""Preconditions of commits to views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.commits.preconditions import check
from lakepact.reference_server.iceberg_rest.documents import as_text, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import (
        AssertViewUUID,
        ViewMetadata,
        ViewRequirement,
    )


def assert_view_uuid(metadata: ViewMetadata, requirement: AssertViewUUID, where: str) -> None:
    """Check the view's uuid, case-insensitively."""
    expected, actual = text(requirement, "uuid", where), metadata["view-uuid"]
    if expected.casefold() != actual.casefold():
        why = (
            f"view UUID does not match: expected {as_text(expected)}, found {actual}; load the view"
            " and commit on top of what it is now"
        )
        raise Problem(409, "CommitFailedException", f"Requirement failed: {why}")


#: By the `type` of a requirement.
VIEW_PRECONDITIONS: dict[str, Callable[[ViewMetadata, Any, str], None]] = {
    "assert-view-uuid": assert_view_uuid
}


def check_view(
    metadata: ViewMetadata,
    requirements: Sequence[ViewRequirement],
    *,
    table: Mapping[str, Callable[..., None]] = VIEW_PRECONDITIONS,
) -> None:
    """Refuse a commit to a view unless all its requirements hold (`preconditions.check`)."""
    check(metadata, requirements, table=table, of="views")
