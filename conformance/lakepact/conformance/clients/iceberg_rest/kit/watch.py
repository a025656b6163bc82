"""Two invariants of all tasks: a client destroys only objects that its task names, and changes no
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote, urlsplit

from lakepact.conformance.clients import expect
from lakepact.conformance.clients.lab import ClientLab, Performance
from lakepact.conformance.evidence.exchanges import Document, Exchange, Members
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.evidence.shared_files import SharedFile
from lakepact.conformance.programs.listener import Answer
from lakepact.conformance.programs.scripted_server import Forward, Request, Script
from lakepact.generated.iceberg_rest import op

DESTROYS, KEEPS = "IRC-CLI-076", "IRC-CLI-077"
#: The tasks in which a client may send a request that destroys, renames or registers. One that
#: creates may clean up.
TASKS: Mapping[str, frozenset[str]] = {
    op.drop_table: frozenset(
        {"drop-table", "purge-table", "create-table", "create-table-with-layout"}
    ),
    op.drop_view: frozenset({"drop-view", "create-view"}),
    op.drop_namespace: frozenset({"drop-namespace", "create-namespace"}),
    op.rename_table: frozenset({"rename-table"}),
    op.rename_view: frozenset({"rename-view"}),
    op.register_table: frozenset({"register-table"}),
}
#: POST requests that change no table.
HARMLESS = frozenset(
    {op.get_token, op.plan_table_scan, op.fetch_scan_tasks, op.report_metrics, op.sign_request}
)
READS = frozenset({"GET", "HEAD"})
#: Beginnings of the names of tasks that change nothing.
READERS = ("list", "load", "read", "table", "namespace", "plan", "file", "sign", "report")
REMOVES = frozenset({"drop-table", "purge-table", "rename-table"})
EXPIRES = "expire-snapshots"
MAIN = "main"
#: Tasks that change the rows of a table, and so move its main branch.
WRITES = frozenset(
    {
        "append-rows",
        "append-and-read",
        "change-and-read",
        "delete-rows-where",
        "update-rows",
        "upsert-rows",
        "overwrite-rows",
    }
)
#: Members of metadata, and the tasks that change them.
LAYOUT: Mapping[str, frozenset[str]] = {
    "table-uuid": frozenset(),
    "location": frozenset(),
    "format-version": frozenset(),
    "current-schema-id": frozenset({"add-column", "edit-columns"}),
    "default-spec-id": frozenset({"add-partition-field"}),
    "default-sort-order-id": frozenset(),
}


class Watch:
    """The state before the first change of a task, and the changes that the task may make.

    Args:
        lab: of the check.
        task: the name of the task.
        arguments: of the task.
    """

    def __init__(self, lab: ClientLab, task: str, arguments: Members) -> None:
        self._lab = lab
        self._task = task
        self._arguments = arguments
        self._namespace: Sequence[str] = arguments.get("namespace", ())
        names = (arguments.get("table"), arguments.get("to"), *arguments.get("tables", ()))
        self._tables = frozenset(name for name in names if name)
        self._before: dict[str, Document] | None = None
        self._files: dict[str, set[SharedFile]] = {}
        self._changes = lab.own_changes

    def script(self, script: Script) -> Script:
        """Return the script; it also notes the tables and their files at the first request, of a
        reader at its first change.
        """
        is_reader = self._task.startswith(READERS)

        def watching(request: Request, forward: Forward) -> Answer:
            is_change = request.method not in READS and request.operation not in HARMLESS
            if (is_change or not is_reader) and self._before is None and self._namespace:
                self._before = self._state()
                for name, metadata in self._before.items():
                    self._files[name] = self._files_of(metadata)
            return script(request, forward)

        return watching

    def judge(self, performance: Performance) -> None:
        """Judge both invariants."""
        if performance.exchanges:
            with self._lab.judge(DESTROYS):
                for exchange in performance.exchanges:
                    if exchange.operation in TASKS:
                        self._expect_own_target(exchange)
        # Changes by another client or by the lab say nothing about this client.
        if self._before and self._changes == self._lab.own_changes:
            after = self._state()
            with self._lab.judge_each(KEEPS) as case:
                for name, metadata in self._before.items():
                    with case():
                        self._expect_same(name, metadata, after.get(name))

    def _expect_own_target(self, exchange: Exchange) -> None:
        tasks = TASKS[exchange.operation or ""]
        if self._task not in tasks:
            raise Unmet(
                f"no {exchange.operation} in the task {self._task}, which asks for none",
                f"{exchange.method} {_path(exchange)}",
                exchange=exchange.number,
            )
        name = self._arguments.get("view") or self._arguments.get("table")
        last = unquote(_path(exchange).rpartition("/")[2])
        is_plain = name and quote(name, safe="") == name  # clients encode others in their own ways
        if exchange.method == "DELETE" and is_plain and last != name:
            raise Unmet(
                f"{exchange.operation} of {expect.excerpt(name)} alone, which the task {self._task}"
                " names",
                f"DELETE {_path(exchange)}",
                exchange=exchange.number,
            )

    def _expect_same(self, name: str, before: Document, after: Document | None) -> None:
        expect_namespace = name in self._tables
        if expect_namespace and self._task in REMOVES:
            return
        subject = f"of the table {name} after {self._task}:"
        if after is None:
            raise Unmet(f"the table {name} after {self._task}", "404")
        for member, tasks in LAYOUT.items():
            if not (expect_namespace and self._task in tasks):
                expect.equal(before.get(member), after.get(member), f"{member} {subject}")
        exceptions = self._names_of_changes() if expect_namespace else frozenset[str]()
        for member in ("properties", "refs"):
            old, new = before.get(member) or {}, after.get(member) or {}
            actual = {key: new.get(key) for key in old if key not in exceptions}
            expected = {key: value for key, value in old.items() if key not in exceptions}
            expect.equal(expected, actual, f"{member} {subject}")
        for ref, reference in (before.get("refs") or {}).items():
            if ref_after := (after.get("refs") or {}).get(ref):  # it keeps how long it is retained
                ref_after = {**ref_after, "snapshot-id": reference["snapshot-id"]}
                expect.equal(reference, ref_after, f"reference {ref} {subject}")
        if expect_namespace and self._task == EXPIRES:
            return
        old, new = (
            {snapshot["snapshot-id"]: snapshot for snapshot in metadata.get("snapshots") or ()}
            for metadata in (before, after)
        )
        expect.equal(
            old, {number: new.get(number) for number in old}, f"former snapshots {subject}"
        )
        deletions = sorted(file.name for file in self._files[name] - self._files_of(before))
        expect.equal([], deletions, f"deleted files {subject}")

    def _names_of_changes(self) -> frozenset[str]:
        """Return the properties and references that the task changes."""
        updates = {*self._arguments.get("updates", ()), *self._arguments.get("first", ())}
        updates |= {*self._arguments.get("second", ()), *self._arguments.get("removals", ())}
        references = {self._arguments.get(member) for member in ("branch", "tag")}
        if self._task in WRITES:
            references.add(MAIN)
        return frozenset({*updates, *filter(None, references)})

    def _state(self) -> dict[str, Document]:
        """Return the metadata of each table of the namespace; none where the server does not list
        them.
        """
        path = "/v1/namespaces/" + quote("\x1f".join(self._namespace), safe="") + "/tables"
        listing = self._lab.server.ask("GET", path, allowed=404)
        state: dict[str, Document] = {}
        for table in listing.document.get("identifiers", ()):
            reply = self._lab.server.ask(
                "GET", f"{path}/{quote(table['name'], safe='')}", allowed=404
            )
            if reply.status == 200:
                state[table["name"]] = reply.document["metadata"]
        return state

    def _files_of(self, metadata: Document) -> set[SharedFile]:
        try:
            return self._lab.target.shared_files.at(metadata["location"]).files()
        except (NotOffered, Blocked):
            return set()


def _path(exchange: Exchange) -> str:
    return "/" + urlsplit(exchange.url).path.partition("/task-")[2].partition("/")[2]
