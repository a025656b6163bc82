"""Set-up steps of checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.checks.iceberg_rest.kit.lab import set_ref

if TYPE_CHECKING:
    from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab


def history_is_kept(lab: CatalogLab) -> None:
    """Check that a table keeps two snapshots, a branch and a tag.

    Raises:
        StepFailed: it does not.
        Blocked: a commit is refused.
    """
    first = lab.append(lab.make_table())
    at = first.member("current-snapshot-id")
    lab.append(first)
    lab.commit(first, set_ref("branch", at), set_ref("tag", at, kind="tag"))
    if lab.unsound:
        raise lab.unsound[0]
