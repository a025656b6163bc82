"""Snapshots that a client expires, and those that branches and tags need."""

from __future__ import annotations

from lakepact.conformance.clients.iceberg_rest.api import (
    MAIN,
    TABLE,
    CatalogClientLab,
    check,
    expect,
    rows_of,
    set_reference,
    table_with_rows,
)
from lakepact.conformance.clients.iceberg_rest.commits.references import BRANCH, TAG

KEEPS_NONE = {"history.expire.min-snapshots-to-keep": "0"}
ALL = 4  #: appends; main is rolled back by one, and the branch is at the last
#: The number of appends whose rows each reference has.
ROWS = {TAG: 1, MAIN: ALL - 1, BRANCH: ALL}


@check("IRC-CLI-080")
def expired_snapshots(lab: CatalogClientLab) -> None:
    """A client that expires all old snapshots keeps those of branches and tags, with their files,
    also where the table keeps no others.
    """
    with lab.judge_each("IRC-CLI-080", without="the client refuses to expire them") as case:
        for properties in ({}, KEEPS_NONE):
            table = table_with_rows(lab, ALL)
            heads = {name: table.ids[number - 1] for name, number in ROWS.items()}
            metadata = lab.commit(
                table.namespace,
                TABLE,
                {"action": "set-properties", "updates": properties},
                *(
                    set_reference(name, "tag" if name == TAG else "branch", heads[name])
                    for name in (BRANCH, TAG, MAIN)
                ),
            )
            performance = lab.performs(
                "expire-snapshots", **table.where, **{"older-than": metadata["last-updated-ms"] + 1}
            )
            if not performance.is_done:
                continue
            how = (
                "after"
                f" expire-snapshots{f', where {expect.excerpt(properties)}' if properties else ''}:"
            )
            with case():
                left = lab.metadata(**table.where)
                refs = left.get("refs") or {}
                expect.equal(
                    heads,
                    {name: refs.get(name, {}).get("snapshot-id") for name in heads},
                    f"snapshots of branches and tags {how}",
                )
                ids = {snapshot["snapshot-id"] for snapshot in left["snapshots"]}
                expect.equal([], sorted({*heads.values()} - ids), f"missing snapshots {how}")
            for name, number in ROWS.items():
                with case():
                    rows = lab.rows_left(**table.where, ref=name)
                    if rows is None and (
                        read := lab.tries("read-rows-at-ref", **table.where, ref=name)
                    ):
                        rows = read.result
                    lab.show(performance)
                    if rows is not None:
                        expect.same_items(rows_of(number), rows, f"rows of {name} {how}")
