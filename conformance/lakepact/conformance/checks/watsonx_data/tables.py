"""Tables: renames between namespaces, and loads with all snapshots."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import Document, expect, op
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import check


@check("WXD-TBL-003")
def tables_are_renamed_across_namespaces(lab: WatsonxLab) -> None:
    """Renaming a table into another namespace returns 204 and moves it with its UUID, or returns
    406 and leaves it.
    """
    for name in lab.each((None, lab.name())):
        table = lab.table_with_snapshot()
        target, new_name = lab.make_namespace(), name or table.name
        body = {
            "source": table.identifier,
            "destination": {"namespace": list(target), "name": new_name},
        }
        reply = lab.send(op.rename_table, body=body)
        lab.drop_afterwards(target, new_name)
        with lab.judge("WXD-TBL-003"):
            expect.status(reply, 204, 406)
            new_address: Document = {"namespace": target, "table": new_name}
            old_address: Document = dict(table.at)
            present, absent = (
                (new_address, old_address) if reply.status == 204 else (old_address, new_address)
            )
            current = lab.send(op.load_table, **present)
            expect.status(current, 200)
            expect.member(table.uuid, current.place("metadata", "table-uuid"), "table UUID")
            expect.not_found(lab.send(op.load_table, **absent), "table")


@check("WXD-TBL-004")
def loaded_tables_have_all_snapshots(lab: WatsonxLab) -> None:
    """Loading a table returns all its snapshots, whether or not a ref names them."""
    table = lab.make_table()
    snapshot_ids: list[int] = []
    for _ in range(3):
        table = lab.append(table)
        snapshot_ids.append(table.member("current-snapshot-id"))
    beside = lab.snapshot(table)
    lab.commit(table, {"action": "add-snapshot", "snapshot": beside})
    snapshot_ids.append(beside["snapshot-id"])

    with lab.judge("WXD-TBL-004"):
        reply = lab.send(op.load_table, **table.at)
        expect.status(reply, 200)
        actual = [snapshot["snapshot-id"] for snapshot in reply.at("metadata", "snapshots")]
        expect.same_items(
            snapshot_ids,
            actual,
            "snapshots",
            at=reply.place("metadata", "snapshots"),
        )
