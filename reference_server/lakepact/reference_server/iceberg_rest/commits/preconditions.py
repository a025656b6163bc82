"""Preconditions of commits: each kind of requirement is a function that refuses the commit if the
table is different.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.documents import (
    INT32,
    INT64,
    as_text,
    integer,
    kind_in,
    refusal,
    text,
)
from lakepact.reference_server.iceberg_rest.tables.metadata import MAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.generated.iceberg_rest import documents

CREATE = "assert-create"


def _failure(why: str) -> Problem:
    # The first words are those of Iceberg's own library: programs that look for them, as its
    # compatibility kit does, find them here too.
    return Problem(
        409,
        "CommitFailedException",
        f"Requirement failed: {why}; load the table and commit on top of what it is now",
    )


def _expect(what: str, *, expected: Any, actual: Any) -> None:
    if expected != actual:
        raise _failure(f"{what}: expected {_json(expected)}, found {_json(actual)}")


def _json(value: Any) -> str:
    return "none" if value is None else str(value)


def assert_create(
    metadata: documents.TableMetadata | None, requirement: documents.AssertCreate, where: str
) -> None:
    """Check that the table does not exist."""
    del requirement, where
    if metadata is not None:
        raise _failure(
            "table already exists: expected none, found the table with uuid"
            f" {metadata['table-uuid']}"
        )


def assert_table_uuid(
    metadata: documents.TableMetadata | None, requirement: documents.AssertTableUUID, where: str
) -> None:
    """Check the table's uuid, case-insensitively."""
    expected = text(requirement, "uuid", where)
    actual: str | None = metadata["table-uuid"] if metadata else None
    if actual is None or expected.casefold() != actual.casefold():
        _expect("UUID does not match", expected=as_text(expected), actual=actual)


def assert_ref_snapshot_id(
    metadata: documents.TableMetadata | None, requirement: documents.AssertRefSnapshotId, where: str
) -> None:
    """Check that the branch or tag is at this snapshot or, for null, does not exist."""
    name = text(requirement, "ref", where)
    if "snapshot-id" not in requirement:
        raise refusal(
            f"{where}/snapshot-id", "is missing; send null if the branch or tag must not exist"
        )
    expected = requirement["snapshot-id"]
    if expected is not None:
        expected = integer(requirement, "snapshot-id", where, within=INT64)
    _expect(
        f"branch or tag {as_text(name)} changed",
        expected=expected,
        actual=_snapshot_of(metadata or {}, name),
    )


def _snapshot_of(metadata: documents.TableMetadata, name: str) -> int | None:
    refs = metadata.get("refs") or {}
    if name in refs:
        return refs[name]["snapshot-id"]
    # Documents of old writers have a current snapshot without a branch that says so.
    current = metadata.get("current-snapshot-id") if name == MAIN else None
    return None if current == -1 else current


def _assert_id(
    member: str, what: str, *, of: str | None = None
) -> Callable[[documents.TableMetadata | None, Any, str], None]:
    def assertion(
        metadata: documents.TableMetadata | None,
        requirement: documents.TableRequirement,
        where: str,
    ) -> None:
        expected = integer(requirement, member, where, within=INT32)
        _expect(what, expected=expected, actual=(metadata or {}).get(of or member))

    return assertion


#: By the `type` of a requirement.
PRECONDITIONS: dict[str, Callable[[documents.TableMetadata | None, Any, str], None]] = {
    CREATE: assert_create,
    "assert-table-uuid": assert_table_uuid,
    "assert-ref-snapshot-id": assert_ref_snapshot_id,
    "assert-last-assigned-field-id": _assert_id(
        "last-assigned-field-id", "last assigned field id changed", of="last-column-id"
    ),
    "assert-current-schema-id": _assert_id("current-schema-id", "current schema changed"),
    "assert-last-assigned-partition-id": _assert_id(
        "last-assigned-partition-id", "last assigned partition id changed", of="last-partition-id"
    ),
    "assert-default-spec-id": _assert_id("default-spec-id", "default partition spec changed"),
    "assert-default-sort-order-id": _assert_id(
        "default-sort-order-id", "default sort order changed"
    ),
}


def check(
    metadata: documents.TableMetadata | documents.ViewMetadata | None,
    requirements: Sequence[documents.TableRequirement | documents.ViewRequirement],
    *,
    table: Mapping[str, Callable[..., None]] = PRECONDITIONS,
    of: str = "tables",
) -> None:
    """Refuse a commit unless all its requirements hold.

    Args:
        metadata: the table or view as it is, or None when there is none.
        requirements: as the contract spells them.
        table: what each kind of requirement demands.
        of: `tables` or `views`.

    Raises:
        Problem: 409, a requirement does not hold; 400, one is unknown or says nothing that could
            hold.
    """
    kinds = [
        kind_in(table, requirement, "type", f"/requirements/{position}", noun="requirement", of=of)
        for position, requirement in enumerate(requirements)
    ]
    if CREATE in kinds and set(kinds) != {CREATE}:
        raise refusal(
            "/requirements",
            f"{CREATE} requires that the table does not exist, so it cannot be combined with other"
            " requirements; send it alone",
        )
    for position, (kind, requirement) in enumerate(zip(kinds, requirements, strict=True)):
        table[kind](metadata, requirement, f"/requirements/{position}")
