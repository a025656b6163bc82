"""The lab for catalogs: it creates namespaces and tables, commits to them, and makes snapshots."""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self
from urllib.parse import quote

from lakepact.conformance.checks.iceberg_rest.kit.commit_effects import note_effect
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import list_bytes
from lakepact.conformance.evidence.exchanges import Document, Members, Place, Reply
from lakepact.conformance.evidence.outcome import SUCCESS, Blocked, NotOffered, StepFailed, Unmet
from lakepact.conformance.evidence.shared_files import READABLE_FILES, SharedFile
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.lab import Lab
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import documents, op

SEPARATOR = "\x1f"  #: joins the levels of a namespace in a path
SEPARATOR_IN_PATHS = "%1F"

SEPARATOR_OF_TARGET = "separator"  #: key of an offer: the separator that the target declares
CHILDREN = "children"  #: key of an offer: whether a child namespace was created and loaded
#: key of an offer: the operations that the target declares, or implies without `endpoints`
DECLARED = "declared"
UNSERVED = "unserved"  #: key of an offer: declared operations that fail, with the reason

Namespace = tuple[str, ...]

#: Statuses of a server that does not drop tables as requested, rather than of one without such a
#: table or right.
REFUSED = frozenset({400, 405, 406, 422, 501})

#: Statuses of a server that does not accept a name. A 409 would mean that it exists.
REFUSES_NAMES = frozenset({400, 403, 422})

#: A small schema; its field ids are those of a server that assigns ids again.
SCHEMA: Document = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {"id": 2, "name": "name", "type": "string", "required": False, "doc": "any text"},
        {"id": 3, "name": "at", "type": "timestamptz", "required": False},
    ],
}

_moments = itertools.count()


class CatalogObject:
    """A table or view in an answer."""

    def __init__(self, namespace: Namespace, name: str, reply: Reply) -> None:
        self.namespace = namespace
        self.name = name
        self.reply = reply

    def in_reply(self, reply: Reply) -> Self:
        """Return the same object in another answer."""
        return type(self)(self.namespace, self.name, reply)

    def member(self, *path: str | int) -> Any:
        """Return the value at `path` in the metadata.

        Raises:
            Unmet: there is no such member.
        """
        return self.reply.at("metadata", *path)

    def place(self, *path: str | int) -> Place:
        """Return the place of a member of the metadata."""
        return self.reply.place("metadata", *path)

    @property
    def identifier(self) -> Document:
        """The identifier as it stands in bodies."""
        return {"namespace": list(self.namespace), "name": self.name}


class Table(CatalogObject):
    """A table in the answer to a creation, load or commit."""

    @property
    def metadata(self) -> Document:
        """The table's metadata."""
        metadata: Document = self.reply.at("metadata")
        return metadata

    @property
    def metadata_location(self) -> str | None:
        """The location of the metadata file, if the answer has one."""
        location: str | None = self.reply.document.get("metadata-location")
        return location

    @property
    def uuid(self) -> str:
        """The table's UUID."""
        uuid: str = self.reply.at("metadata", "table-uuid")
        return uuid

    @property
    def location(self) -> str:
        """The table's location."""
        location: str = self.reply.at("metadata", "location")
        return location

    @property
    def at(self) -> Document:
        """The arguments that address the table."""
        return {"namespace": self.namespace, "table": self.name}


class CatalogLab(Lab):
    """The lab of one check of a catalog."""

    only_purges = False  #: whether the target drops tables with `purgeRequested` only
    separator = SEPARATOR  #: joins the levels of a namespace in a path

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        #: The files that the check wrote for tables, each with those that it names.
        self.files: dict[SharedFile, list[SharedFile]] = {}
        self.removed: set[SharedFile] = set()  #: files of tables that the check removed

    def segment(self, parameter: str, value: Any) -> str:
        """Join the levels of namespaces."""
        if parameter in {"namespace", "parent"} and not isinstance(value, str):
            return self.separator.join(value)
        return super().segment(parameter, value)

    def offers(self, operation: OperationId) -> bool:
        """Return whether the target declares the operation, and detection did not contradict."""
        return super().offers(operation) and operation not in self.offer.results.get(UNSERVED, ())

    def send(self, operation: OperationId, *, declared: bool = True, **arguments: Any) -> Reply:
        """Send a request for an operation of the contract.

        Raises:
            NotOffered: the target does not declare the operation.
            Blocked: no answer came, or the target declares the operation and does not serve it.
        """
        if declared and operation in (reasons := self.offer.results.get(UNSERVED, {})):
            raise Blocked(reasons[operation])
        return super().send(operation, declared=declared, **arguments)

    def blocking(self, unmet: Unmet) -> StepFailed | None:
        """Return an earlier commit without effect that may explain an unmet expectation; it
        explains the statuses of commits only.
        """
        cause = super().blocking(unmet)
        if cause is None or not unmet.expected_status:
            return cause
        exchange = self.wire.exchanges.get(unmet.exchange) if unmet.exchange is not None else None
        return (
            cause
            if exchange is None or exchange.operation in {op.update_table, op.commit_transaction}
            else None
        )

    def trail(self, shows: int | None = None) -> tuple[int, ...]:
        """Return the exchanges that lead to one; plans of scans do not affect each other."""
        numbers = super().trail(shows)
        operations = {n: self.wire.exchanges[n].operation for n in numbers}
        if not numbers or operations[numbers[-1]] != op.plan_table_scan:
            return numbers
        return tuple(n for n in numbers if n == numbers[-1] or operations[n] != op.plan_table_scan)

    def add_cleanup(self, action: Callable[[], object]) -> None:
        """Run `action` when the check is over, and again with the target's own separator if it
        returns 400 or 404.
        """

        def drop() -> object:
            result, separator = action(), self.offer.results.get(SEPARATOR_OF_TARGET)
            if not isinstance(result, Reply) or result.status not in {400, 404} or not separator:
                return result
            target = result.exchange.url.removeprefix(self.wire.url)
            if result.exchange.method != "DELETE" or SEPARATOR_IN_PATHS not in target:
                return result
            return self.send_raw(
                "DELETE",
                target.replace(SEPARATOR_IN_PATHS, quote(separator, safe="")),
                operation=result.exchange.operation,
            )

        super().add_cleanup(drop)

    # -- namespaces --------------------------------------------------------------------------------

    def make_namespace(
        self,
        parent: Namespace = (),
        *,
        level: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> Namespace:
        """Return a new namespace, below `parent` when one is given.

        Raises:
            Blocked: it cannot be created.
        """
        namespace = (*parent, level or self.name())
        body = {"namespace": list(namespace), "properties": self.supported_properties(properties)}
        reply = self.require(self.send(op.create_namespace, body=body), *SUCCESS)
        self.add_cleanup(lambda: self.send(op.drop_namespace, namespace=namespace))
        # Another check judges a wrong answer.
        if _member(reply, "namespace") != list(namespace):
            self.find_namespace(namespace)
        return namespace

    def find_namespace(self, namespace: Namespace) -> None:
        """Load a namespace that was created.

        Raises:
            Blocked: it does not load, or its levels differ; another check judges the form of
                `namespace`.
        """
        reply = self.send(op.load_namespace_metadata, namespace=namespace)
        levels = _member(reply, "namespace")
        if (
            reply.status != 200
            or not levels
            or (isinstance(levels, list) and levels != list(namespace))
        ):
            raise Blocked(
                f"the namespace {list(namespace)} was created, but loading it returned"
                f" {reply.summary} (IRC-NS-CREATE-001)"
            )

    def namespace_with_name(self, level: str) -> Namespace | None:
        """Return a new namespace with this name; none if the target refuses such names.

        Raises:
            StepFailed: it is refused for another reason.
        """
        namespace = (level,)
        created = self.send(op.create_namespace, body={"namespace": [level], "properties": {}})
        if created.status in REFUSES_NAMES:
            return None
        with self.step("IRC-NS-CREATE-001"):
            expect.status(created, *SUCCESS, about=f"for the new name {expect.excerpt(level)}")
        self.add_cleanup(lambda: self.send(op.drop_namespace, namespace=namespace))
        return namespace

    def supported_properties(self, properties: Mapping[str, str] | None) -> dict[str, str]:
        """Return the properties of a new namespace that the target stores: all or none."""
        return dict(properties or {}) if self.feature("namespace-properties") else {}

    def child_of(
        self, parent: Namespace, *, properties: Mapping[str, str] | None = None
    ) -> Namespace | None:
        """Return a new namespace below `parent`; none if its creation or load does not return 200.

        For checks that also use child namespaces: other checks judge nesting itself.
        """
        if not self.feature("nesting"):
            return None
        namespace = (*parent, self.name())
        body = {"namespace": list(namespace), "properties": self.supported_properties(properties)}
        if self.send(op.create_namespace, body=body).status != 200:
            return None
        self.add_cleanup(lambda: self.send(op.drop_namespace, namespace=namespace))
        return (
            namespace
            if self.send(op.load_namespace_metadata, namespace=namespace).status == 200
            else None
        )

    # -- tables ------------------------------------------------------------------------------------

    def table_request(self, name: str, **members: Any) -> Document:
        """Return a body that creates a table; `members` are named with underscores for hyphens,
        `None` leaves one out.

        Like all clients, it sends `stage-create` false; another check leaves that out.
        """
        request = {
            "name": name,
            "schema": SCHEMA,
            "stage-create": False,
            **with_hyphens(members),
        }
        return without_nulls(request)

    def try_create_table(
        self,
        namespace: Namespace,
        name: str,
        *,
        headers: Sequence[tuple[str, str]] = (),
        **members: Any,
    ) -> Reply:
        """Return the answer to creating a table; `members` are those of `table_request`."""
        body = self.table_request(name, **members)
        return self.send(op.create_table, namespace=namespace, headers=headers, body=body)

    def make_table(
        self, namespace: Namespace | None = None, *, name: str | None = None, **members: Any
    ) -> Table:
        """Return a new table, in a new namespace unless one is given.

        Raises:
            Blocked: it cannot be created.
        """
        home = namespace or self.make_namespace()
        table_name = name or self.name()
        reply = self.require(self.try_create_table(home, table_name, **members), *SUCCESS)
        self.drop_afterwards(home, table_name)
        return self.with_metadata(Table(home, table_name, reply))

    def with_metadata(self, table: Table) -> Table:
        """Return a table, loaded if its answer lacks the metadata: another check judges that
        answer.
        """
        return table if isinstance(_member(table.reply, "metadata"), dict) else self.load(table)

    def drop_afterwards(self, namespace: Namespace, name: str) -> None:
        """Drop a table when the check is over."""
        self.add_cleanup(lambda: self.try_drop_table(namespace=namespace, table=name))

    def try_drop_table(self, **at: Any) -> Reply:
        """Return the answer to dropping a table, with `purgeRequested` if the target refuses
        otherwise.

        For checks that need a table dropped: other checks judge the drop itself.
        """
        reply = self.send(op.drop_table, **at)
        if reply.status not in REFUSED:
            return reply
        purge = self.send(op.drop_table, purge_requested=True, **at)
        self.only_purges = self.only_purges or purge.status in (200, 202, 204)
        return purge if self.only_purges else reply

    def ways_to_drop(self) -> tuple[bool | None, ...]:
        """Return the values of `purgeRequested` by which the target drops tables; `None` leaves the
        parameter out.

        Raises:
            Blocked: it drops none.
        """
        self.drop_table(**self.make_table().at)
        return (True,) if self.only_purges else (None, True)

    def drop_table(self, **at: Any) -> Reply:
        """Return the answer to dropping a table.

        Raises:
            Blocked: it cannot be dropped.
        """
        return self.require(self.try_drop_table(**at))

    def load(self, table: Table) -> Table:
        """Return the table as it is now.

        Raises:
            Blocked: it cannot be loaded.
        """
        reply = self.require(self.send(op.load_table, **table.at), *SUCCESS)
        if not isinstance(_member(reply, "metadata"), dict):
            raise Blocked(
                f"loading a table returned no `metadata` (IRC-TBL-LOAD-001): {reply.summary}"
            )
        return table.in_reply(reply)

    def try_commit(
        self,
        table: Table,
        *updates: Members,
        requirements: Sequence[Members] = (),
    ) -> Reply:
        """Return the answer to a commit, unconditional unless requirements are given."""
        return self.send(
            op.update_table,
            body={"requirements": list(requirements), "updates": list(updates)},
            **table.at,
        )

    def commit(
        self,
        table: Table,
        *updates: Members,
        requirements: Sequence[Members] = (),
    ) -> Table:
        """Return the table after a commit.

        Raises:
            Blocked: the commit is refused.
        """
        reply = self.require(self.try_commit(table, *updates, requirements=requirements), *SUCCESS)
        after = self.with_metadata(table.in_reply(reply))
        note_effect(self, table.reply, updates, after.reply)
        return after

    def commit_and_load(self, table: Table, *updates: Members) -> Table:
        """Return the table as it is loaded after a commit that the target has to accept.

        Raises:
            Unmet: the commit is refused.
        """
        expect.status(self.try_commit(table, *updates), *SUCCESS)
        return self.load(table)

    # -- views -------------------------------------------------------------------------------------

    def make_view(self, namespace: Namespace, *, name: str | None = None) -> str:
        """Return the name of a new view.

        Raises:
            NotOffered: the target has no views.
            Blocked: it cannot be created.
        """
        view_name = name or self.name()
        representation = {"type": "sql", "sql": "SELECT 1 AS id", "dialect": "spark"}
        version = {
            "version-id": 1,
            "timestamp-ms": int(time.time() * 1000),
            "schema-id": 0,
            "summary": {"engine-name": "lakepact"},
            "representations": [representation],
            "default-namespace": list(namespace),
        }
        body = {"name": view_name, "schema": SCHEMA, "view-version": version, "properties": {}}
        self.require(self.send(op.create_view, namespace=namespace, body=body), *SUCCESS)
        self.add_cleanup(lambda: self.send(op.drop_view, namespace=namespace, view=view_name))
        return view_name

    # -- snapshots ---------------------------------------------------------------------------------

    def snapshot(self, table: Table, *, writes_list: bool = True, **members: Any) -> Document:
        """Return a snapshot that fits the table.

        Args:
            table: the table that it is for.
            writes_list: whether an empty manifest list is written where files are shared.
            members: replace or add members, named with underscores for hyphens; `None` leaves one
                out.
        """
        metadata = table.metadata
        identifier = random.getrandbits(62) | 1
        snapshot: Document = {
            "snapshot-id": identifier,
            # By the clock of the server, which may differ from this one.
            "timestamp-ms": metadata.get("last-updated-ms", int(time.time() * 1000))
            + next(_moments) % 1000,
            "manifest-list": f"{table.location}/metadata/snap-{identifier}.avro",
            "summary": {"operation": "append"},
            "schema-id": metadata.get("current-schema-id", 0),
        }
        current = metadata.get("current-snapshot-id")
        if current not in (None, -1):
            snapshot["parent-snapshot-id"] = current
        version = metadata.get("format-version")
        if version != 1:
            snapshot["sequence-number"] = metadata.get("last-sequence-number", 0) + 1
        if version == 3:
            snapshot |= {"first-row-id": metadata.get("next-row-id", 0), "added-rows": 10}
        if writes_list:
            self._write_empty_list(snapshot, version)
        return without_nulls(snapshot | with_hyphens(members))

    def _write_empty_list(self, snapshot: Members, version: int | None) -> None:
        """Write the manifest list of a snapshot if files are shared: some targets read it."""
        if not self.feature(READABLE_FILES):
            return
        about: Document = {
            "snapshot": snapshot["snapshot-id"],
            "parent": snapshot.get("parent-snapshot-id"),
            "sequence": snapshot.get("sequence-number", 0),
        }
        with contextlib.suppress(NotOffered, Blocked):
            content = list_bytes((), schema={"fields": []}, format_version=version or 1, **about)
            self.write_file(snapshot["manifest-list"], content)

    def write_file(self, location: str, content: bytes, *, names: Sequence[str] = ()) -> None:
        """Write a file that a table will name, and remove it after the check.

        Args:
            location: where the file is.
            content: its bytes.
            names: the locations of the files that it names.

        Raises:
            NotOffered: no folder with that location is shared.
            Blocked: it cannot be written.
        """
        file = self.target.shared_files.at(location)
        file.write(content)
        self.add_cleanup(file.remove)
        self.files[file] = [self.target.shared_files.at(name) for name in names]

    def remove_file(self, location: str) -> None:
        """Remove a file that a table names."""
        file = self.target.shared_files.at(location)
        file.remove()
        self.removed.add(file)

    def append(self, table: Table, *, ref: str = "main", **members: Any) -> Table:
        """Add a snapshot, move a branch to it, and return the table.

        Raises:
            Blocked: the commit is refused.
        """
        snapshot = self.snapshot(table, **members)
        return self.commit(
            table,
            {"action": "add-snapshot", "snapshot": snapshot},
            set_ref(ref, snapshot["snapshot-id"]),
        )

    def table_with_snapshot(self) -> Table:
        """Return a new table with one snapshot.

        Raises:
            Blocked: it cannot be made.
        """
        return self.append(self.make_table())


def _member(reply: Reply, name: str) -> Any:
    """Return a member of an answer; None if it has none, or is no JSON object."""
    document = reply.exchange.json
    return document.get(name) if isinstance(document, dict) else None


def with_hyphens(members: Members) -> Document:
    """Return members by their names in JSON, which have hyphens for underscores."""
    return {name.replace("_", "-"): value for name, value in members.items()}


def without_nulls(members: Members) -> Document:
    """Return the members whose value is not `None`."""
    return {name: value for name, value in members.items() if value is not None}


def set_ref(ref: str, snapshot_id: int, *, kind: str = "branch", **members: Any) -> Document:
    """Return an update that points a branch or tag at a snapshot."""
    return {
        "action": "set-snapshot-ref",
        "ref-name": ref,
        "type": kind,
        "snapshot-id": snapshot_id,
        **with_hyphens(members),
    }


def set_properties(**properties: str) -> documents.SetPropertiesUpdate:
    """Return an update that sets table properties."""
    return {"action": "set-properties", "updates": properties}
