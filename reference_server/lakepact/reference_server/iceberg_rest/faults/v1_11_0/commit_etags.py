"""Faults of the ETags that commits answer with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault, all_of, instead

if TYPE_CHECKING:
    from lakepact.reference_server.store import Record


def of_the_table(record: Record, snapshots: str) -> bytes:  # noqa: ARG001 - in the place of a rule that looks at it
    """One tag for all states of a table."""
    return b'"%s"' % record.document["metadata"]["table-uuid"].encode()


def of_the_commit(record: Record, snapshots: str) -> bytes:  # noqa: ARG001 - in the place of a rule that looks at it
    """A tag that nothing else answers with."""
    return b'"commit-%s' % record.tag.lstrip(b'"')


def of_every_representation(record: Record, snapshots: str) -> bytes:  # noqa: ARG001 - in the place of a rule that looks at it
    """One tag for all representations of a state."""
    return record.tag


FAULTS = (
    Fault(
        "commits-have-tags-of-their-own",
        "The ETag of a commit is not the one that the table is loaded with afterwards.",
        ("IRC-CET-001",),
        instead("rules", "commit-tag", of_the_commit),
    ),
    Fault(
        "one-tag-for-all-commits",
        "Commits and loads answer with the same ETag as long as a table exists.",
        ("IRC-CET-002",),
        all_of(instead("rules", "commit-tag", of_the_table), instead("rules", "tag", of_the_table)),
    ),
    Fault(
        "one-tag-for-all-snapshots-and-for-refs",
        "A table is loaded with one ETag, whether with all snapshots or with those of refs.",
        ("IRC-CET-003",),
        instead("rules", "tag", of_every_representation),
    ),
)
