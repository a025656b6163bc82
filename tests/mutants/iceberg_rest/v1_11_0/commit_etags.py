"""Faults of the ETags that commits answer with."""

from __future__ import annotations

from lakepact.reference_server.faults import all_of, replace_rule
from lakepact.reference_server.storage.store import Record


def of_the_table(record: Record, snapshots: str) -> bytes:
    """One tag for all states of a table."""
    return b'"%s"' % record.document["metadata"]["table-uuid"].encode()


FAULTS = {
    "commits-have-tags-of-their-own IRC-CET-001": replace_rule(
        "commit_tag", lambda record, snapshots: b'"commit-%s' % record.tag.lstrip(b'"')
    ),
    "one-tag-for-all-commits IRC-CET-002": all_of(
        replace_rule("commit_tag", of_the_table), replace_rule("tag", of_the_table)
    ),
    "one-tag-for-all-snapshots-and-for-refs IRC-CET-003": replace_rule(
        "tag", lambda record, snapshots: record.tag
    ),
}
