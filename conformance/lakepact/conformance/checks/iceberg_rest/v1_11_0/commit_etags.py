"""Checks of the ETags that commits answer with."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, expect, op, set_properties
from lakepact.conformance.checks.iceberg_rest.tables.etags import tag_of
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check

TURNS = 3
NO_TAG = "the target sends no ETag with a commit"


@check("IRC-CET-001", "IRC-CET-002")
def commits_return_the_etag_of_loading(lab: CatalogLab) -> None:
    """A commit returns a new ETag, and loading the table returns the same one until the next
    commit.
    """
    table = lab.make_table(properties={"lakepact.turn": "0"})
    tags = [tag_of(lab.load(table).reply)]

    for turn in lab.each(range(1, TURNS + 1)):
        commit = lab.require(
            lab.try_commit(table, set_properties(**{"lakepact.turn": str(turn % 2)})), 200
        )
        now = lab.load(table).reply
        tag = commit.headers.get("etag")
        if tag is None:
            lab.skip("IRC-CET-001", NO_TAG)
            lab.skip("IRC-CET-002", NO_TAG)
            return
        with lab.judge("IRC-CET-001"):
            expect.equal(
                tag,
                tag_of(now),
                "the ETag of the table as it is loaded after a commit,",
                at=now.header("etag"),
            )
            reply = lab.send(
                op.load_table, headers=[("If-None-Match", tag)], alone=True, **table.at
            )
            expect.status(reply, 304, 200, about="with the ETag of the last commit")
        with lab.judge("IRC-CET-002"):
            expect.true(
                tag not in tags,
                f"another ETag than before commit {turn}",
                tag,
                at=commit.header("etag"),
            )
        tags.append(tag)


@check("IRC-CET-003")
def etags_differ_with_snapshots_refs(lab: CatalogLab) -> None:
    """Loading with snapshots=refs returns another ETag than the full table, if the metadata
    differ.
    """
    table = lab.append(lab.table_with_snapshot())
    whole, refs = (
        lab.require(lab.send(op.load_table, snapshots=which, **table.at), 200)
        for which in ("all", "refs")
    )

    if whole.document.get("metadata") == refs.document.get("metadata"):
        lab.skip("IRC-CET-003", "both answers are the same")
        return
    with lab.judge("IRC-CET-003"):
        expect.true(
            tag_of(whole) != tag_of(refs),
            "another ETag with `snapshots=refs`",
            tag_of(refs),
            at=refs.header("etag"),
        )
