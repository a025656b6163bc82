"""Faults of the ETags that commits answer with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Install, all_of, fault, replace_rule

if TYPE_CHECKING:
    from lakepact.reference_server.storage.store import Record


def of_the_table(record: Record, snapshots: str) -> bytes:
    """One tag for all states of a table."""
    return b'"%s"' % record.document["metadata"]["table-uuid"].encode()


@fault("IRC-CET-001", by=partial(replace_rule, "commit_tag"))
def commits_have_tags_of_their_own(record: Record, snapshots: str) -> bytes:
    """The ETag of a commit is not the one that the table is loaded with afterwards."""
    return b'"commit-%s' % record.tag.lstrip(b'"')


@fault("IRC-CET-002")
def one_tag_for_all_commits() -> Install:
    """Commits and loads answer with the same ETag as long as a table exists."""
    return all_of(replace_rule("commit_tag", of_the_table), replace_rule("tag", of_the_table))


@fault("IRC-CET-003", by=partial(replace_rule, "tag"))
def one_tag_for_all_snapshots_and_for_refs(record: Record, snapshots: str) -> bytes:
    """A table is loaded with one ETag, whether with all snapshots or with those of refs."""
    return record.tag
