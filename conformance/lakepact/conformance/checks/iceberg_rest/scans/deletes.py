"""Checks of delete files: which of them apply to which data file."""

from __future__ import annotations

from dataclasses import replace

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, check, expect, scans, upd
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    DELETED,
    EXISTING,
    POSITION_DELETES,
    File,
    Manifest,
)

BY_NAME = {
    "spec-id": 0,
    "fields": [{"source-id": 2, "field-id": 1000, "name": "name", "transform": "identity"}],
}


@check("IRC-SCAN-SCH-003")
def delete_files_apply_by_sequence_and_partition(lab: CatalogLab) -> None:
    """A task refers to the delete files of its partition that are not older, and to position
    deletes of its file.
    """
    table = scans.table_with_files(lab, partition_spec=BY_NAME)
    table.append(
        table.file("a1", "a"),
        table.file("a2", "a"),
        table.file("b1", "b"),
        table.file("b2", "b"),
        table.file("n1", None),
    )
    table.append(
        scans.position_deletes(table, "positions-of-a", "a"),
        scans.position_deletes(table, "positions-of-b1", "b", target=table.path("b1")),
        operation="delete",
    )
    table.append(
        table.file("a3", "a"),
        table.file("b3", "b"),
        scans.equality_deletes(table, "values-of-b", "b"),
        operation="overwrite",
    )
    expected = {
        "a1": {"positions-of-a"},
        "a2": {"positions-of-a"},
        "a3": set[str](),
        "b1": {"positions-of-b1", "values-of-b"},
        "b2": {"values-of-b"},
        "b3": set[str](),
        "n1": set[str](),
    }

    with lab.judge("IRC-SCAN-SCH-003"):
        scans.complete_plan(lab, table.table).expect_deletes(table, expected)


@check("IRC-SCAN-SCH-003")
def delete_files_apply_within_a_snapshot(lab: CatalogLab) -> None:
    """Position deletes apply to files of the same snapshot; unpartitioned equality deletes apply to
    older files only.
    """
    table = scans.table_with_files(lab)
    table.append(table.file("old"))
    table.append(
        table.file("new"),
        scans.position_deletes(table, "positions", target=table.path("new")),
        scans.equality_deletes(table, "values"),
        operation="overwrite",
    )

    with lab.judge("IRC-SCAN-SCH-003"):
        scans.complete_plan(lab, table.table).expect_deletes(
            table, {"old": {"values"}, "new": {"positions"}}
        )


@check("IRC-SCAN-SCH-003")
def deletion_vectors_are_matched_to_their_file(lab: CatalogLab) -> None:
    """A task refers to the deletion vector of its data file, among several in one Puffin file."""
    scans.needs(lab, scans.PLAN)
    table = scans.TableWithFiles(lab, upd.table_of_version(lab, 3))
    table.append(table.file("one"), table.file("two"), table.file("three"))
    vectors = f"{table.table.location}/data/vectors.puffin"
    vector = File(vectors, content=POSITION_DELETES, format="PUFFIN", rows=1, size=200)
    table.append(
        replace(vector, target=table.path("one"), offset=4, length=40),
        replace(vector, target=table.path("two"), offset=44, length=40),
        operation="delete",
    )
    expected = {"one": [(vectors, 4)], "two": [(vectors, 44)], "three": []}

    with lab.judge_each("IRC-SCAN-SCH-003") as case:
        plan = scans.complete_plan(lab, table.table)
        by_path = {
            file["file-path"]: (
                task.place(),
                [(delete["file-path"], delete.get("content-offset")) for delete in deletes],
            )
            for task, file, deletes in plan.tasks
        }
        for name, vectors_of_file in expected.items():
            with case():
                at, actual = by_path.get(table.path(name), (plan.at, None))
                expect.true(
                    vectors_of_file == actual,
                    f"deletion vectors {expect.excerpt(vectors_of_file)} of {name}",
                    actual,
                    at=at,
                )


@check("IRC-SCAN-SCH-003")
def deletion_vectors_replace_position_deletes(lab: CatalogLab) -> None:
    """A task with a deletion vector does not refer to older position delete files of its data
    file.
    """
    table = scans.table_with_files(lab)
    table.append(table.file("one"), table.file("two"))
    table.append(
        scans.position_deletes(table, "positions-of-one", target=table.path("one")),
        scans.position_deletes(table, "positions-of-two", target=table.path("two")),
        operation="delete",
    )
    table.table = lab.commit(table.table, upd.upgrade_format_version(3))
    vector = File(
        table.path("vector"),
        content=POSITION_DELETES,
        format="PUFFIN",
        rows=1,
        size=200,
        offset=4,
        length=40,
    )
    table.append(replace(vector, target=table.path("one")), operation="delete")

    with lab.judge("IRC-SCAN-SCH-003"):
        scans.complete_plan(lab, table.table).expect_deletes(
            table, {"one": {"vector"}, "two": {"positions-of-two"}}
        )


@check("IRC-SCAN-SCH-003")
def delete_files_apply_by_data_sequence(lab: CatalogLab) -> None:
    """Data files keep their sequence number in a newer manifest, and removed delete files apply to
    nothing.
    """
    table = scans.table_with_files(lab)
    first = table.append(table.file("old"))
    second = table.append(
        scans.equality_deletes(table, "values"),
        scans.position_deletes(table, "removed"),
        operation="delete",
    )
    existing = replace(
        first.manifests[0].files[0], state=EXISTING, sequence=first.sequence, snapshot=first.id
    )
    values, removed = (
        replace(f, sequence=second.sequence, snapshot=second.id)
        for m in second.manifests
        if m.content
        for f in m.files
    )
    left = Manifest(
        (replace(values, state=EXISTING), replace(removed, state=DELETED)), spec=table.spec()
    )
    table.commit(
        [Manifest((existing, table.file("new")), spec=table.spec()), left],
        keep=False,
        operation="replace",
    )

    with lab.judge("IRC-SCAN-SCH-003"):
        scans.complete_plan(lab, table.table).expect_deletes(
            table, {"old": {"values"}, "new": set()}
        )


@check("IRC-SCAN-SCH-003")
def delete_files_apply_within_their_spec(lab: CatalogLab) -> None:
    """Delete files apply only to their partition spec; unpartitioned equality deletes apply to
    all.
    """
    table = scans.table_with_files(lab)
    plain = table.spec()
    for number, (transform, name) in enumerate(
        (("identity", "by_name"), ("truncate[1]", "by_letter")), start=1
    ):
        field = upd.field_of(table.table, "name", transform, name)
        update = upd.add_spec(field, spec_id=number)
        table.table = lab.commit(table.table, update, upd.set_default_spec(upd.LAST_ADDED))
        table.append(table.file(name, "a"))
    deletes = (
        scans.equality_deletes(table, "values-of-letter", "a"),
        scans.position_deletes(table, "positions-of-letter", "a"),
    )
    everywhere = Manifest((scans.equality_deletes(table, "values-of-all"),), spec=plain)
    table.commit([Manifest(deletes, spec=table.spec()), everywhere], operation="delete")
    expected = {
        "by_name": {"values-of-all"},
        "by_letter": {"values-of-all", "values-of-letter", "positions-of-letter"},
    }

    with lab.judge("IRC-SCAN-SCH-003"):
        scans.complete_plan(lab, table.table).expect_deletes(table, expected)


@check("IRC-SCAN-SCH-006", "IRC-SCAN-SCH-009")
def data_files_match_their_manifest(lab: CatalogLab) -> None:
    """A task has the path and numbers of its data file as in the manifest, and equality deletes
    name their columns.
    """
    table = scans.table_with_files(lab)
    data = table.file("a%20b c=d+e", rows=17, size=12_345)
    table.append(data)
    table.append(
        replace(scans.equality_deletes(table, "values"), equality_ids=(2, 3)), operation="delete"
    )
    (task, file, deletes), *_ = scans.complete_plan(lab, table.table).tasks

    with lab.judge_each("IRC-SCAN-SCH-009") as case:
        for member, value in {
            "file-path": data.path,
            "record-count": 17,
            "file-size-in-bytes": 12_345,
        }.items():
            with case():
                expect.member_of(file, member, value)
    with lab.judge("IRC-SCAN-SCH-006"):
        expect.equal(
            1, len(deletes), "number of delete files:", at=task.place("delete-file-references")
        )
        ids = deletes[0].get("equality-ids") or []
        expect.equal(
            [2, 3],
            sorted(ids),
            "equality-ids of its delete file:",
            at=deletes[0].place("equality-ids"),
        )


@check("IRC-SCAN-SCH-008", "IRC-SCAN-SCH-009")
def delete_files_match_their_manifest(lab: CatalogLab) -> None:
    """A plan has the numbers, spec id and partition of its delete files as in the manifest."""
    table = scans.table_with_files(lab)
    update = upd.add_spec(
        upd.partition_field(upd.column(table.table, "name"), "identity", "by_name", field_id=1000)
    )
    table.table = lab.commit(table.table, update, upd.set_default_spec(upd.LAST_ADDED))
    table.append(table.file("data", "a"))
    deletes = replace(
        scans.position_deletes(table, "positions", "a", target=table.path("data")), rows=3, size=777
    )
    table.append(deletes, operation="delete")
    numbers = {
        "file-path": deletes.path,
        "record-count": 3,
        "file-size-in-bytes": 777,
        "spec-id": table.spec().get("spec-id"),
    }
    plan = scans.complete_plan(lab, table.table)
    delete_files = [file for _, _, files in plan.tasks for file in files]

    with lab.judge("IRC-SCAN-SCH-009") as case:
        expect.equal(1, len(delete_files), "number of delete files:", at=plan.at)
        for member, value in numbers.items():
            with case():
                expect.member_of(delete_files[0], member, value)
    with lab.judge("IRC-SCAN-SCH-008"):
        expect.equal(1, len(delete_files), "number of delete files:", at=plan.at)
        expect.member_of(delete_files[0], "partition", ["a"])
