"""Tables with data files and delete files, and plans of their scans."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from lakepact.conformance.checks.iceberg_rest.kit.commits.updates import add_snapshot
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    DATA,
    EQUALITY_DELETES,
    POSITION_DELETES,
    File,
    Manifest,
    at,
    list_bytes,
    manifest_bytes,
)
from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    CatalogLab,
    Table,
    set_ref,
    with_hyphens,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import metadata_file
from lakepact.conformance.evidence.differences import kind_of
from lakepact.conformance.evidence.exchanges import Document, Place, Placed, Reply
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.judging import expect
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

PLAN = op.plan_table_scan
FETCH = op.fetch_planning_result
CANCEL = op.cancel_planning
TASKS = op.fetch_scan_tasks
MOST_TASKS = 1000  #: plan tasks of one plan; a plan with more has no end
UNSUPPORTED = frozenset({406, 501})  #: statuses of what a server does not support
POLLS, PAUSE = (
    100,
    0.05,
)  #: how often, and after how many seconds, a plan is asked for that is not made yet


@dataclass(frozen=True)
class Snapshot:
    """A snapshot that a check has written."""

    id: int
    sequence: int
    manifests: tuple[Manifest, ...]

    @property
    def data(self) -> set[str]:
        """The paths of its data files."""
        return {
            f.path for m in self.manifests for f in m.files if f.content == DATA and f.state != 2
        }


@dataclass
class TableWithFiles:
    """A table to which a check commits files."""

    lab: CatalogLab
    table: Table
    snapshots: list[Snapshot] = field(default_factory=list)

    def path(self, name: str) -> str:
        """Return the location of a data file of that name."""
        return f"{self.table.location}/data/{name}.parquet"

    def file(self, name: str, *partition: Any, **members: Any) -> File:
        """Return a data file."""
        return File(self.path(name), partition=partition, **members)

    def spec(self) -> Document:
        """Return the partition spec of the table.

        Raises:
            Unmet: it has none.
        """
        specs: list[Document] = self.table.member("partition-specs")
        matches = [
            spec for spec in specs if spec.get("spec-id") == self.table.member("default-spec-id")
        ]
        expect.true(
            bool(matches),
            "the default partition spec among partition-specs",
            specs,
            at=self.table.place("partition-specs"),
        )
        return matches[0]

    def append(self, *files: File, **members: Any) -> Snapshot:
        """Commit a snapshot that adds files, each kind in a manifest of its own.

        Raises:
            NotOffered: the harness does not share the files of the target.
            Blocked: the files cannot be written, or the commit is refused.
        """
        spec = self.spec()
        groups = [tuple(f for f in files if (f.content == DATA) is data) for data in (True, False)]
        return self.commit([Manifest(group, spec=spec) for group in groups if group], **members)

    def commit(
        self,
        manifests: Sequence[Manifest],
        *,
        keep: bool = True,
        operation: str = "append",
        ref: str = "main",
    ) -> Snapshot:
        """Commit a snapshot of new manifests; those of its parent are kept if `keep` is set."""
        metadata = self.table.metadata
        shape = self.lab.snapshot(self.table, writes_list=False, summary={"operation": operation})
        version, sequence = metadata.get("format-version", 2), shape.get("sequence-number", 0)
        schema_list: list[Document] = metadata.get("schemas") or [metadata["schema"]]
        schemas = {schema.get("schema-id", 0): schema for schema in schema_list}
        schema = schemas[metadata.get("current-schema-id", 0)]
        new: list[Manifest] = []
        for manifest in manifests:
            if manifest.length:  # an earlier snapshot has written it
                new.append(manifest)
                continue
            new_manifest = at(
                manifest, self.table.location, sequence=sequence, snapshot=shape["snapshot-id"]
            )
            content = manifest_bytes(new_manifest, schema, format_version=version)
            write_table_file(self.lab, self.table, new_manifest.path, content)
            new.append(replace(new_manifest, length=len(content)))
        former = self.snapshots[-1].manifests if keep and self.snapshots else ()
        all_manifests = (*new, *former)
        parent = shape.get("parent-snapshot-id")
        body = list_bytes(
            all_manifests,
            schema=schema,
            snapshot=shape["snapshot-id"],
            parent=parent,
            sequence=sequence,
            format_version=version,
        )
        names = [manifest.path for manifest in all_manifests]
        write_table_file(self.lab, self.table, shape["manifest-list"], body, names=names)
        if version >= 3:
            shape["added-rows"] = sum(f.rows for m in new for f in m.files if f.content == DATA)
        self.table = self.lab.commit(
            self.table, add_snapshot(shape), set_ref(ref, shape["snapshot-id"])
        )
        self.snapshots.append(Snapshot(shape["snapshot-id"], sequence, all_manifests))
        return self.snapshots[-1]


def write_table_file(
    lab: CatalogLab, table: Table, location: str, content: bytes, *, names: Sequence[str] = ()
) -> None:
    """Write a file into the folder of a table.

    Raises:
        NotOffered: the harness does not share the files of the target.
        Blocked: it cannot write there.
    """
    metadata_file(lab, lab.load(table))
    lab.write_file(location, content, names=names)


def needs(lab: CatalogLab, *operations: OperationId) -> None:
    """Go on only where the target declares these operations.

    Raises:
        NotOffered: it does not.
    """
    for operation in operations:
        if not lab.offers(operation):
            raise NotOffered(f"the target does not declare {operation}")


def table_with_files(lab: CatalogLab, **members: Any) -> TableWithFiles:
    """Return a new table whose scans can be planned."""
    needs(lab, PLAN)
    return TableWithFiles(lab, lab.make_table(**members))


def in_background(lab: CatalogLab) -> dict[str, str]:
    """Return the properties of a table whose scans the target plans in the background
    (`--parameter async-planning-properties`).
    """
    return _properties(lab, "async-planning-properties")


def on_pages(lab: CatalogLab) -> dict[str, str]:
    """Return the properties of a table whose plans the target divides into plan tasks
    (`--parameter paged-planning-properties`).
    """
    return _properties(lab, "paged-planning-properties")


def _properties(lab: CatalogLab, parameter: str) -> dict[str, str]:
    pairs = (
        pair.partition("=") for pair in lab.target.parameters.get(parameter, "").split(",") if pair
    )
    return {name: value for name, _, value in pairs}


def plan(lab: CatalogLab, table: Table, **request: Any) -> Reply:
    """Return the answer to planning a scan; members of the request are named with underscores for
    hyphens.
    """
    return lab.send(PLAN, body=with_hyphens(request), **table.at)


def needs_scans_between(lab: CatalogLab, table: TableWithFiles) -> None:
    """Go on only where the target plans scans between two snapshots.

    Raises:
        NotOffered: it answers that it does not support them.
    """
    first, last = table.snapshots[0].id, table.snapshots[-1].id
    reply = plan(lab, table.table, start_snapshot_id=first, end_snapshot_id=last)
    if reply.status in UNSUPPORTED:
        raise NotOffered(f"the target plans no incremental scans: {reply.summary}")


def expect_plan(reply: Reply) -> None:
    """Expect the answer to planning a scan: 200, and a JSON object with the state of the plan.

    Raises:
        Unmet: it is another one.
    """
    expect.status(reply, 200)
    expect.one_of(
        ("completed", "submitted", "failed"),
        reply.at("status"),
        "the member `status`",
        at=reply.place("status"),
    )


def require_plans(lab: CatalogLab, table: Table) -> None:
    """Plan a scan without any conditions.

    Raises:
        Blocked: there is no plan in the answer.
        Unmet: the answer does not say the state of the plan.
    """
    lab.require(plan(lab, table), 200).at("status")


class ScanTask(NamedTuple):
    """A file scan task, its data file, and the delete files that it refers to."""

    task: Placed
    file: Placed
    deletes: list[Placed]


@dataclass(frozen=True)
class Plan:
    """A completed plan, with the tasks of all its plan tasks."""

    id: str | None
    answers: tuple[Reply, ...]  #: those that hold tasks

    @property
    def tasks(self) -> list[ScanTask]:
        """The file scan tasks.

        Raises:
            Unmet: a task refers to what there is not.
        """
        tasks = []
        for answer in self.answers:
            deletes = answer.document.get("delete-files") or []
            for number, task in enumerate(answer.document.get("file-scan-tasks") or []):
                at = answer.place("file-scan-tasks", number)
                references = task.get("delete-file-references") or []
                valid = all(isinstance(n, int) and 0 <= n < len(deletes) for n in references)
                expect.true(
                    valid,
                    "references to delete files",
                    references,
                    at=at.within("delete-file-references"),
                )
                file = Placed(
                    answer.at("file-scan-tasks", number, "data-file"), at.within("data-file")
                )
                tasks.append(
                    ScanTask(
                        Placed(task, at),
                        file,
                        [Placed(deletes[n], answer.place("delete-files", n)) for n in references],
                    )
                )
        return tasks

    @property
    def at(self) -> Place | None:
        """The place of the tasks; `None` if several answers have some."""
        return self.answers[0].place("file-scan-tasks") if len(self.answers) == 1 else None

    def reads(self, files: Iterable[str], what: str) -> None:
        """Expect the plan to have exactly these files, each once."""
        expect.equal(sorted(files), self.paths, what, at=self.at)

    def reads_all(self, files: Iterable[str], what: str) -> None:
        """Expect the plan to have exactly these files, however often."""
        expect.same_items(files, {*self.paths}, what, at=self.at)

    @property
    def paths(self) -> list[str]:
        """The paths of the data files, in order."""
        return sorted(file["file-path"] for _, file, _ in self.tasks)

    def expect_deletes(
        self, table: TableWithFiles, expected: Mapping[str, set[str]], about: str = ""
    ) -> None:
        """Expect each data file, by its name, to have the delete files of those names.

        Raises:
            Unmet: one has others.
        """
        by_path = {
            file["file-path"]: (task.place("delete-file-references"), deletes)
            for task, file, deletes in self.tasks
        }
        for name, names in expected.items():
            expected_paths = sorted(table.path(name) for name in names)
            at, deletes = by_path.get(table.path(name), (self.at, None))
            paths = None if deletes is None else sorted(delete["file-path"] for delete in deletes)
            if expected_paths != paths:
                what = f"delete files {expect.excerpt(expected_paths)} of {name}{about}"
                raise expect.unmet(
                    what, expect.excerpt(paths), at=at, kind=kind_of(expected_paths, paths)
                )


def complete_plan(lab: CatalogLab, table: Table, **request: Any) -> Plan:
    """Plan a scan, wait until it is completed, and return the plan with all tasks.

    Raises:
        Unmet: it is not completed.
    """
    return wait_for_plan(lab, table, plan(lab, table, **request))


def wait_for_plan(lab: CatalogLab, table: Table, reply: Reply) -> Plan:
    """Return the completed form of a plan, polling if needed.

    Raises:
        Unmet: it is not completed.
    """
    expect.status(reply, 200)
    identifier: str | None = reply.document.get("plan-id")
    polls = 0
    while reply.at("status") == "submitted" and polls < POLLS:
        polls += 1
        time.sleep(PAUSE)
        reply = lab.send(FETCH, plan_id=identifier, **table.at)
        expect.status(reply, 200)
    expect.member("completed", reply.place("status"))
    answers, todo = [reply], list(reply.document.get("plan-tasks") or [])
    while todo:
        answer = lab.send(TASKS, body={"plan-task": todo.pop(0)}, **table.at)
        expect.status(answer, 200)
        answers.append(answer)
        todo += answer.document.get("plan-tasks") or []
        if len(answers) > MOST_TASKS:
            lab.wire.count_endless()
            raise expect.unmet(
                "an end of plan tasks", f"{MOST_TASKS} of them", at=answer.place("plan-tasks")
            )
    return Plan(identifier, tuple(answers))


def position_deletes(
    table: TableWithFiles, name: str, *partition: Any, target: str | None = None, **members: Any
) -> File:
    """Return a position delete file; `target` is the one data file that it is about."""
    bounds = {} if target is None else {2_147_483_546: target.encode()}
    path = table.path(name)
    return File(
        path,
        partition,
        content=POSITION_DELETES,
        rows=1,
        target=target,
        lower=bounds,
        upper=bounds,
        **members,
    )


def equality_deletes(table: TableWithFiles, name: str, *partition: Any, **members: Any) -> File:
    """Return a delete file that compares the first column."""
    return File(
        table.path(name),
        partition=partition,
        content=EQUALITY_DELETES,
        rows=1,
        equality_ids=(1,),
        **members,
    )


def unreadable(lab: CatalogLab) -> Table:
    """Return a table with a snapshot whose manifest list is missing."""
    table = lab.make_table()
    return lab.append(table, manifest_list=f"{table.location}/metadata/missing.avro")


def scans(lab: CatalogLab) -> None:
    """Send scans that return plans of every state, paged tasks, files with statistics, and residual
    filters.
    """
    fields = [{"source-id": 2, "field-id": 1000, "name": "name", "transform": "identity"}]
    table = table_with_files(lab, partition_spec={"spec-id": 0, "fields": fields})
    plan(lab, unreadable(lab))
    bound = {1: (5).to_bytes(8, "little")}
    table.append(
        *(
            table.file(name, name, lower=bound, upper=bound, values={1: 10}, nulls={1: 0})
            for name in ("a", "b")
        )
    )
    table.append(
        position_deletes(table, "positions", "a"),
        equality_deletes(table, "values", "b"),
        operation="delete",
    )
    tests: list[Document] = [
        {"type": "gt", "term": "id", "value": 3},
        {"type": "in", "term": "id", "values": [5, 6]},
        {"type": "is-null", "term": "at"},
        {
            "type": "eq",
            "term": {"type": "transform", "transform": "bucket[4]", "term": "id"},
            "value": 1,
        },
    ]
    for test in (*tests, {"type": "or", "left": tests[0], "right": tests[2]}):
        plan(lab, table.table, filter=test, stats_fields=["id"])
    for properties in (in_background(lab), on_pages(lab)):
        other = table_with_files(lab, properties=properties)
        other.append(*(other.file(name) for name in ("a", "b", "c")))
        wait_for_plan(lab, other.table, plan(lab, other.table))
