"""Branches and tags that a client makes, moves and drops, and commits to branches."""

from __future__ import annotations

from lakepact.conformance.clients.iceberg_rest.api import (
    MAIN,
    TABLE,
    CatalogClientLab,
    Document,
    NotOffered,
    Performance,
    check,
    expect,
    set_reference,
    table_with_rows,
)
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import LARGE

References = dict[str, tuple[str, int]]

BRANCH, TAG = "audit", "release-1"
ROWS = [{"id": 3, "data": "third"}]


def references_of(lab: CatalogClientLab, namespace: list[str]) -> References:
    """Return the type and snapshot of each reference of the table."""
    refs = lab.metadata(namespace, TABLE).get("refs") or {}
    return {name: (reference["type"], reference["snapshot-id"]) for name, reference in refs.items()}


@check("IRC-CLI-041")
def commits_to_branches(lab: CatalogClientLab) -> None:
    """A client that appends to a branch commits a snapshot whose parent is the branch's latest, and
    moves neither main nor tags.
    """
    table = table_with_rows(lab)
    first, second = table.ids
    lab.commit(
        table.namespace,
        TABLE,
        set_reference(BRANCH, "branch", first),
        set_reference(TAG, "tag", first),
    )
    ids = {snapshot["snapshot-id"] for snapshot in lab.metadata(**table.where)["snapshots"]}
    with lab.judge_each("IRC-CLI-041") as case:
        for attempt in ("first", "second"):
            before = references_of(lab, table.namespace)
            lab.require_success(
                lab.performs("append-rows-to-branch", **table.where, branch=BRANCH, rows=ROWS)
            )
            with case():
                after = references_of(lab, table.namespace)
                parents = {
                    s["snapshot-id"]: s.get("parent-snapshot-id")
                    for s in lab.metadata(**table.where)["snapshots"]
                }
                ancestor = parents.get(after.get(BRANCH, ("", -1))[1])
                while ancestor not in {None, *ids}:  # a client may make several snapshots
                    ancestor = parents.get(ancestor or 0)
                ids |= parents.keys()
                how = f"after the {attempt} append to the branch {BRANCH}:"
                expect.equal(
                    {MAIN: ("branch", second), TAG: ("tag", first)},
                    _without(after, BRANCH),
                    f"other references {how}",
                )
                expect.equal(
                    before[BRANCH][1],
                    ancestor,
                    f"the former snapshot from which its snapshot descends {how}",
                )


def _without(references: References, name: str) -> References:
    return {other: reference for other, reference in references.items() if other != name}


def with_snapshots(lab: CatalogClientLab, *parents: tuple[int, int | None]) -> list[str]:
    """Return the namespace of a table with empty snapshots of these ids and parents; main is at the
    last.
    """
    namespace = lab.namespace(TABLE)
    metadata = lab.metadata(namespace, TABLE)
    updates: list[Document] = []
    for number, (identifier, parent) in enumerate(parents, 1):
        snapshot = {
            "snapshot-id": identifier,
            "sequence-number": number,
            "timestamp-ms": metadata["last-updated-ms"] + number,
            "manifest-list": f"{metadata['location']}/metadata/snap-{identifier}.avro",
            "summary": {"operation": "append"},
            "schema-id": metadata["current-schema-id"],
        }
        ancestor = {} if parent is None else {"parent-snapshot-id": parent}
        updates.append({"action": "add-snapshot", "snapshot": {**snapshot, **ancestor}})
    lab.commit(namespace, TABLE, *updates, set_reference(MAIN, "branch", parents[-1][0]))
    return namespace


def _expect_references(
    lab: CatalogClientLab, namespace: list[str], performance: Performance, expected: References
) -> None:
    """Expect that the server has these references after a task, which the client performed."""
    lab.require_success(performance)
    expect.equal(expected, references_of(lab, namespace), f"references after {performance.task}:")


FIRST, SECOND = 11, 12  #: ids of snapshots that every type of number holds
AT_FIRST: References = {BRANCH: ("branch", FIRST), TAG: ("tag", FIRST)}
#: Tasks with their arguments, the references beside main before and after them.
CHANGES: tuple[tuple[str, Document, References, References], ...] = (
    ("create-branch", {"branch": BRANCH, "snapshot-id": FIRST}, {}, {BRANCH: ("branch", FIRST)}),
    ("create-tag", {"tag": TAG, "snapshot-id": FIRST}, {}, {TAG: ("tag", FIRST)}),
    (
        "fast-forward-branch",
        {"branch": BRANCH, "to": MAIN},
        AT_FIRST,
        {BRANCH: ("branch", SECOND), TAG: ("tag", FIRST)},
    ),
    ("drop-branch", {"branch": BRANCH}, AT_FIRST, {TAG: ("tag", FIRST)}),
    ("drop-tag", {"tag": TAG}, AT_FIRST, {BRANCH: ("branch", FIRST)}),
)


@check("IRC-CLI-042", "IRC-CLI-030")
def changes_of_references(lab: CatalogClientLab) -> None:
    """A client that creates, moves or drops a branch or tag changes only that ref, also for a
    64-bit snapshot id.
    """
    namespace = with_snapshots(lab, (FIRST, None), (SECOND, FIRST))
    is_offered = False
    with lab.judge_each("IRC-CLI-042") as case:
        for task, more, before, after in CHANGES:
            _prepare(lab, namespace, before)
            performance = lab.tries(task, namespace=namespace, table=TABLE, **more)
            if performance is not None:
                is_offered = True
                with case():
                    _expect_references(
                        lab, namespace, performance, {MAIN: ("branch", SECOND)} | after
                    )
    large = with_snapshots(lab, (LARGE, None))
    arguments: Document = {
        "namespace": large,
        "table": TABLE,
        "tag": TAG,
        "snapshot-id": LARGE,
    }
    tag = lab.tries("create-tag", **arguments)
    if tag is not None:
        with lab.judge("IRC-CLI-030"):
            tag.meets(tag.is_done, f"create-tag to succeed for the snapshot {LARGE}")
            _expect_references(lab, large, tag, {MAIN: ("branch", LARGE), TAG: ("tag", LARGE)})
    if not is_offered:
        raise NotOffered("the client changes no references")


def _prepare(lab: CatalogClientLab, namespace: list[str], references: References) -> None:
    """Make these the references of a table, in addition to main."""
    surplus = [
        {"action": "remove-snapshot-ref", "ref-name": name}
        for name in references_of(lab, namespace)
        if name != MAIN
    ]
    lab.commit(
        namespace,
        TABLE,
        *surplus,
        *(set_reference(name, *reference) for name, reference in references.items()),
    )


@check("IRC-CLI-043")
def diverged_branches(lab: CatalogClientLab) -> None:
    """A client reports an error for a fast-forward of a branch to main if main does not descend
    from it, and changes no ref.
    """
    linear = with_snapshots(lab, (FIRST, None), (SECOND, FIRST))
    lab.commit(linear, TABLE, set_reference(BRANCH, "branch", FIRST))
    lab.does("fast-forward-branch", namespace=linear, table=TABLE, branch=BRANCH, to=MAIN)
    namespace = with_snapshots(lab, (FIRST, None), (SECOND, FIRST), (SECOND + 1, FIRST))
    lab.commit(namespace, TABLE, set_reference(BRANCH, "branch", SECOND))
    before = references_of(lab, namespace)
    performance = lab.performs(
        "fast-forward-branch", namespace=namespace, table=TABLE, branch=BRANCH, to=MAIN
    )
    with lab.judge("IRC-CLI-043"):
        expect.equal(
            before,
            references_of(lab, namespace),
            f"references, since main does not descend from {BRANCH}:",
        )
        performance.expect_refusal(f"main does not descend from the latest snapshot of {BRANCH}")
