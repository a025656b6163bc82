"""A model of a catalog: the content that it must have after the changes that it accepted.

The model follows the target. A change that is refused is no contradiction, for a catalog may have
reasons; what contradicts is an accepted change that had to be refused, and a look that does not
find what was accepted before, or finds what is no longer there. After a contradiction, and after an
answer that leaves open what happened, nothing more is said of the history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Members,
    Mutation,
    Namespace,
    OperationId,
    Reply,
    Table,
    Unmet,
    Wrong,
    expect,
    op,
    req,
    states,
)
from lakepact.conformance.checks.iceberg_rest.stateful.model_commits import (
    expect_commit,
    expect_same,
    expect_same_refs,
    first_unmet,
)

Place: TypeAlias = tuple[Namespace, str]
Said: TypeAlias = tuple[str, Unmet | None]

VIEW = (
    "view-uuid",
    "current-version-id",
    "versions",
    "schemas",
    "location",
)  #: members of a view that stay as they are


@dataclass
class Held:
    """A table or view that must exist.

    Args:
        answer: the last answer about it; None for a table that a transaction created, until it is
            loaded.
        by: the requirement that implies its state.
        due: updates of a transaction that no load has shown yet.
        own: properties that the sequence has set or removed.
    """

    answer: Table | None
    by: str
    due: list[Members] = field(default_factory=list)
    own: set[str] = field(default_factory=set)


@dataclass
class Properties:
    """The properties of a namespace, as far as the history has made them: None stands for one that
    is removed.
    """

    values: dict[str, str | None]
    by: str


@dataclass(frozen=True)
class Request:
    """The arguments and the body of a request."""

    arguments: Members
    body: Members

    @property
    def namespace(self) -> Namespace:
        """The namespace in the path."""
        namespace: Namespace = self.arguments["namespace"]
        return namespace

    def place(self, kind: str) -> Place:
        """Return the namespace and the name of the table or view in the path."""
        return self.namespace, self.arguments[kind]


class CatalogModel:
    """The expected content of the namespace of one random sequence.

    Args:
        lab: the lab of the sequence.
    """

    def __init__(self, lab: CatalogLab) -> None:
        self._lab = lab
        self.namespaces: dict[Namespace, Properties] = {}
        self.tables: dict[Place, Held] = {}
        self.views: dict[Place, Held] = {}
        self._stages: set[Place] = set()
        self._left: dict[
            Place, str
        ] = {}  # where tables and views were, and the requirement by which they are not
        self._by_etag: dict[tuple[Place, str], Table] = {}  # what was loaded with an ETag
        self._is_astray = False
        self._results: list[Said] = []
        self._judges: Mapping[str, Callable[[Request, Reply], None]] = {
            op.create_namespace: self._create_namespace,
            op.drop_namespace: self._drop_namespace,
            op.update_properties: self._update_properties,
            op.load_namespace_metadata: self._load_namespace,
            op.namespace_exists: self._namespace_exists,
            op.list_namespaces: self._list_namespaces,
            op.create_table: self._create_table,
            op.drop_table: self._drop_table,
            op.rename_table: self._rename_table,
            op.load_table: self._load_table,
            op.table_exists: self._table_exists,
            op.list_tables: self._list_tables,
            op.update_table: self._commit,
            op.commit_transaction: self._transaction,
            op.create_view: self._create_view,
            op.replace_view: self._replace_view,
            op.drop_view: self._drop_view,
            op.rename_view: self._rename_view,
            op.load_view: self._load_view,
            op.view_exists: self._view_exists,
            op.list_views: self._list_views,
        }

    def judged(
        self, operation: OperationId, arguments: Members, body: Any, reply: Reply
    ) -> Sequence[Said]:
        """Return requirements that an answer keeps or, with what is unmet, breaks.

        Args:
            operation: its id.
            arguments: of the request.
            body: of the request, everything learned in its place.
            reply: the answer.
        """
        self._results = []
        judge = self._judges.get(operation)
        if self._is_astray or judge is None:
            return ()
        if reply.status >= 500:
            self._is_astray = True
            return ()
        try:
            judge(Request(arguments, body if isinstance(body, dict) else {}), reply)
        except (
            Unmet,
            AttributeError,
            KeyError,
            TypeError,
        ):  # whether an answer has the form it should have is for invariants
            self._is_astray = True
        return self._results

    def _succeeds(self, reply: Reply, *reasons: tuple[str, bool, Mutation]) -> bool:
        """Return whether a change was made and could be; one that had to be refused contradicts.

        Args:
            reply: the answer to it.
            reasons: requirements that forbid it, whether they do here, and the mistake.
        """
        is_success = 200 <= reply.status < 300
        for requirement, forbids, mutation in reasons:
            if forbids:
                self._says(
                    requirement,
                    f"a refusal ({mutation.at}: {mutation.kind})",
                    reply,
                    holds=not is_success,
                    mutation=mutation,
                )
                return False
        return is_success

    def _says(
        self,
        requirement: str,
        expected: str,
        reply: Reply,
        *,
        holds: bool,
        mutation: Mutation | None = None,
    ) -> bool:
        unmet = Unmet(
            expected,
            reply.summary,
            exchange=reply.exchange.number,
            refusal=mutation is not None,
            mutation=mutation,
        )
        self._results.append((requirement, None if holds else unmet))
        self._is_astray |= not holds
        return holds

    def _sees(self, requirement: str, look: Callable[[], None]) -> bool:
        try:
            look()
        except Unmet as unmet:
            self._results.append((unmet.requirement or requirement, unmet))
            self._is_astray = True
            return False
        self._results.append((requirement, None))
        return True

    # -- namespaces --------------------------------------------------------------------------------

    def _create_namespace(self, request: Request, reply: Reply) -> None:
        namespace = tuple(request.body["namespace"])
        properties = self.namespaces.get(namespace)
        if self._succeeds(
            reply,
            ("IRC-NS-CREATE-005", properties is not None, Wrong.PRESENT("namespace")),
        ):
            self.namespaces[namespace] = Properties(
                dict(request.body.get("properties") or {}), "IRC-NS-GET-002"
            )
        elif properties is not None:
            properties.by = "IRC-NS-CREATE-006"

    def _drop_namespace(self, request: Request, reply: Reply) -> None:
        namespace = request.namespace
        if self._succeeds(
            reply,
            (
                "IRC-NS-DROP-002",
                namespace not in self.namespaces,
                Wrong.ABSENT("namespace"),
            ),
            (
                "IRC-NS-DROP-003",
                any(at == namespace for at, _ in self.tables),
                Wrong.PRESENT("table"),
            ),
            (
                "IRC-NS-DROP-004",
                any(at == namespace for at, _ in self.views),
                Wrong.PRESENT("view"),
            ),
            (
                "IRC-NS-DROP-005",
                any(other[:-1] == namespace for other in self.namespaces),
                Wrong.PRESENT("child namespace"),
            ),
        ):
            del self.namespaces[namespace]

    def _update_properties(self, request: Request, reply: Reply) -> None:
        properties = self.namespaces.get(request.namespace)
        if (
            self._succeeds(
                reply, ("IRC-NS-PROP-010", properties is None, Wrong.ABSENT("namespace"))
            )
            and properties is not None
        ):
            properties.values |= {
                **dict.fromkeys(request.body.get("removals") or ()),
                **(request.body.get("updates") or {}),
            }
            properties.by = "IRC-NS-PROP-002"
            for (namespace, _), table in self.tables.items():
                if namespace[: len(request.namespace)] == request.namespace:
                    table.by = "IRC-NS-PROP-020"

    def _load_namespace(self, request: Request, reply: Reply) -> None:
        expected = self.namespaces.get(request.namespace)
        if reply.status in {200, 404}:
            requirement, status = (
                ("IRC-NS-GET-005", 404) if expected is None else ("IRC-NS-GET-001", 200)
            )
            self._says(
                requirement,
                f"status {status} as earlier successful requests imply",
                reply,
                holds=reply.status == status,
            )
        actual = reply.document.get("properties") if reply.status == 200 else None
        if expected is not None and isinstance(actual, dict):
            self._sees(expected.by, lambda: _expect_properties(expected.values, actual, reply))

    def _namespace_exists(self, request: Request, reply: Reply) -> None:
        self._exists(
            request.namespace in self.namespaces,
            reply,
            "IRC-NS-HEAD-001",
            "IRC-NS-HEAD-002",
        )

    def _exists(self, is_there: bool, reply: Reply, present: str, missing: str) -> None:  # noqa: FBT001 - what is asked
        if reply.status in {200, 204, 404}:
            requirement, status = (present, "204") if is_there else (missing, "404")
            self._says(
                requirement,
                f"status {status} as earlier successful requests imply",
                reply,
                holds=(reply.status != 404) == is_there,
            )

    def _list_namespaces(self, request: Request, reply: Reply) -> None:
        parent = request.arguments.get("parent")
        if reply.status == 200 and parent in self.namespaces:
            children = {other for other in self.namespaces if other[:-1] == parent}
            actual = {tuple(levels) for levels in reply.at("namespaces")}
            is_theirs = all(levels[:-1] == parent for levels in actual)
            self._lists(
                "IRC-NS-LIST-010" if is_theirs else "IRC-NS-LIST-002", children, actual, reply
            )

    def _lists(self, requirement: str, expected: set[Any], actual: set[Any], reply: Reply) -> None:
        """A listing equals the known items, or is a part of them if more pages follow."""
        is_cut = bool(reply.document.get("next-page-token"))
        extra, missing = actual - expected, set() if is_cut else expected - actual
        what = f"a list of exactly {expect.excerpt(sorted(map(list, expected)))}"
        self._says(requirement, what, reply, holds=not extra and not missing)

    # -- tables ------------------------------------------------------------------------------------

    def _create_table(self, request: Request, reply: Reply) -> None:
        place = request.namespace, request.body["name"]
        if request.body.get("stage-create") is True:
            if reply.status == 200 and place not in self.tables:
                self._stages.add(place)
            return
        if self._succeeds(
            reply,
            ("IRC-TBL-CREATE-014", place in self.tables, Wrong.PRESENT("table")),
            ("IRC-TBL-CREATE-015", place in self.views, Wrong.PRESENT("view")),
        ):
            self._hold(
                place,
                Held(
                    Table(*place, reply),
                    "IRC-TBL-CREATE-001",
                    own=set(request.body.get("properties") or {}) - {"format-version"},
                ),
            )
        elif place in self.tables:
            self.tables[place].by = "IRC-TBL-CREATE-014"

    def _hold(self, place: Place, record: Held) -> None:
        if record.answer is not None:
            _ = record.answer.uuid  # an answer without a UUID does not describe the table
        self.tables[place] = record
        self._left.pop(place, None)
        self._stages.discard(place)

    def _drop_table(self, request: Request, reply: Reply) -> None:
        self._drop(
            self.tables,
            request.place("table"),
            reply,
            "IRC-TBL-DROP-002",
            "IRC-TBL-DROP-001",
        )

    def _drop(
        self, objects: dict[Place, Held], place: Place, reply: Reply, missing: str, requirement: str
    ) -> None:
        if self._succeeds(
            reply, (missing, place not in objects, Wrong.ABSENT(self._noun(objects)))
        ):
            del objects[place]
            self._left[place] = requirement

    def _noun(self, objects: Mapping[Place, Held]) -> str:
        return "table" if objects is self.tables else "view"

    def _rename_table(self, request: Request, reply: Reply) -> None:
        requirements = {
            "missing": "IRC-TBL-REN-002",
            "table": "IRC-TBL-REN-004",
            "view": "IRC-TBL-REN-005",
            "moved": "IRC-TBL-REN-001",
        }
        self._rename(self.tables, request.body, reply, requirements)

    def _rename(
        self,
        objects: dict[Place, Held],
        body: Members,
        reply: Reply,
        requirements: Mapping[str, str],
    ) -> None:
        source, target = (_place(body[side]) for side in ("source", "destination"))
        if source == target:
            return
        if self._succeeds(
            reply,
            (
                requirements["missing"],
                source not in objects,
                Wrong.ABSENT(self._noun(objects)),
            ),
            (requirements["table"], target in self.tables, Wrong.PRESENT("table")),
            (requirements["view"], target in self.views, Wrong.PRESENT("view")),
        ):
            objects[target] = objects.pop(source)
            objects[target].by = self._left[source] = requirements["moved"]
            self._left.pop(target, None)

    def _load_table(self, request: Request, reply: Reply) -> None:
        place = request.place("table")
        if reply.status == 304:
            self._judge_304(place, request.arguments.get("if_none_match"), reply)
            return
        record = self._find(
            self.tables,
            place,
            reply,
            "IRC-TBL-STAGE-002" if place in self._stages else "IRC-TBL-LOAD-003",
        )
        if record is None:
            return
        table = Table(*place, reply)
        if request.arguments.get("snapshots") == "refs":
            self._judge_refs_load(record, table)
        elif self._agrees(record, table):
            record.own |= _properties_in(record.due)
            record.answer, record.by, record.due = table, "IRC-COM-002", []
            if "etag" in reply.headers:
                self._by_etag[place, reply.headers["etag"]] = table

    def _judge_304(self, place: Place, tag: str | None, reply: Reply) -> None:
        """304 says that a table is there, and as it was when it was loaded with the ETag."""
        record, then = self.tables.get(place), self._by_etag.get((place, tag or ""))
        if record is None:
            self._says(
                "IRC-TBL-ETAG-009",
                "status 404 as earlier successful requests imply",
                reply,
                holds=False,
            )
        elif then is not None and not record.due and (now := record.answer) is not None:
            same = self._same(lambda: expect_same(self._lab, now, then, own=record.own))
            self._says(
                "IRC-TBL-ETAG-003",
                "status 200, for the table is no longer what it was with this ETag",
                reply,
                holds=same,
            )

    def _judge_refs_load(self, record: Held, table: Table) -> None:
        """Expect that a load with `snapshots=refs` has the snapshots of all refs, and that the refs
        are as before.
        """
        before = record.answer
        self._sees("IRC-TBL-LOAD-008", lambda: _expect_snapshots_of_refs(table))
        if before is not None and not record.due:
            self._sees(record.by, lambda: expect_same_refs(before, table))

    @staticmethod
    def _same(look: Callable[[], None]) -> bool:
        try:
            look()
        except Unmet:
            return False
        return True

    def _agrees(self, record: Held, table: Table) -> bool:
        """Return whether a loaded table equals its last answer, except for later updates of a
        transaction.
        """
        before = record.answer
        if before is None:
            return True
        if record.due:
            return self._sees(
                "IRC-TXN-014",
                lambda: expect_commit(self._lab, before, table, updates=record.due, own=record.own),
            )
        return self._sees(record.by, lambda: expect_same(self._lab, before, table, own=record.own))

    def _find(
        self, kind: Mapping[Place, Held], place: Place, reply: Reply, missing: str
    ) -> Held | None:
        """Return the expected table at a place, if loading it returned 200."""
        record = kind.get(place)
        if record is None and reply.status in {200, 404}:
            self._says(
                self._left.get(place, missing),
                "status 404 as earlier successful requests imply",
                reply,
                holds=reply.status == 404,
            )
        elif record is not None and reply.status == 404:
            self._says(
                record.by, "status 200 as earlier successful requests imply", reply, holds=False
            )
        return record if reply.status == 200 else None

    def _table_exists(self, request: Request, reply: Reply) -> None:
        place = request.place("table")
        missing = "IRC-TBL-STAGE-002" if place in self._stages else "IRC-TBL-HEAD-002"
        self._exists(place in self.tables, reply, "IRC-TBL-HEAD-001", missing)

    def _list_tables(self, request: Request, reply: Reply) -> None:
        self._list(self.tables, request.namespace, reply, "IRC-TBL-LIST-007")

    def _list(
        self, places: Iterable[Place], namespace: Namespace, reply: Reply, requirement: str
    ) -> None:
        if reply.status == 200 and namespace in self.namespaces:
            actual = {_place(identifier) for identifier in reply.at("identifiers")}
            if places is self.tables and actual & self._stages - self.tables.keys():
                requirement = "IRC-TBL-LIST-006"
            has_view = places is self.tables and actual & self.views.keys()
            self._lists(
                "IRC-TBL-LIST-003" if has_view else requirement,
                {at for at in places if at[0] == namespace},
                actual,
                reply,
            )

    # -- commits -----------------------------------------------------------------------------------

    def _commit(self, request: Request, reply: Reply) -> None:
        place = request.place("table")
        record = self.tables.get(place)
        if record is None:
            if self._creates(place, request.body, reply, "IRC-COM-015"):
                self._hold(
                    place,
                    Held(
                        Table(*place, reply),
                        "IRC-REQ-001",
                        own=_properties_in(request.body["updates"]),
                    ),
                )
        elif self._holds(record, request.body, reply, "IRC-COM-005"):
            before = record.answer
            after = Table(*place, reply)
            updates = [*record.due, *request.body["updates"]]
            if before is None or self._sees(
                "IRC-COM-010",
                lambda: expect_commit(self._lab, before, after, updates=updates, own=record.own),
            ):
                record.own |= _properties_in(updates)
                record.answer, record.by, record.due = after, "IRC-COM-002", []
        elif not record.due:
            record.by = "IRC-COM-004" if reply.status == 409 else "IRC-COM-011"

    def _creates(self, place: Place, body: Members, reply: Reply, otherwise: str) -> bool:
        """Return whether a commit to what is no table made one, as it may only where it says so and
        nothing has the name.
        """
        says_so = any(
            requirement.get("type") == "assert-create" for requirement in body["requirements"]
        )
        return self._succeeds(
            reply,
            (otherwise, not says_so, Wrong.ABSENT("table")),
            ("IRC-REQ-006", place in self.views, Wrong.PRESENT("view")),
        )

    def _holds(self, record: Held, body: Members, reply: Reply, otherwise: str) -> bool:
        """Return whether a commit to a table was made, as it may only where its requirements
        hold.
        """
        failure = (
            None
            if record.due or record.answer is None
            else first_unmet(body["requirements"], record.answer)
        )
        return self._succeeds(
            reply, (otherwise, failure is not None, req.stale(failure or {"type": ""}))
        )

    def _transaction(self, request: Request, reply: Reply) -> None:
        changes = [
            (_place(change["identifier"]), change) for change in request.body["table-changes"]
        ]
        is_success = 200 <= reply.status < 300
        for place, change in changes:
            record = self.tables.get(place)
            if record is None and self._creates(place, change, reply, "IRC-TXN-004"):
                self._hold(place, Held(None, "IRC-TXN-001", own=_properties_in(change["updates"])))
            elif (
                record is not None
                and self._holds(record, change, reply, "IRC-TXN-002")
                and is_success
            ):
                record.due = [*record.due, *change["updates"]]
            elif record is not None and not record.due:
                record.by = "IRC-TXN-002" if reply.status == 409 else "IRC-TXN-003"

    # -- views -------------------------------------------------------------------------------------

    def _create_view(self, request: Request, reply: Reply) -> None:
        place = request.namespace, request.body["name"]
        if self._succeeds(
            reply,
            ("IRC-VIEW-CREATE-009", place in self.views, Wrong.PRESENT("view")),
            ("IRC-VIEW-CREATE-010", place in self.tables, Wrong.PRESENT("table")),
        ):
            self.views[place] = Held(Table(*place, reply), "IRC-VIEW-LOAD-001")
            self._left.pop(place, None)

    def _replace_view(self, request: Request, reply: Reply) -> None:
        place = request.place("view")
        record = self.views.get(place)
        if self._succeeds(reply, ("IRC-VIEW-REPL-006", record is None, Wrong.ABSENT("view"))):
            self.views[place] = Held(Table(*place, reply), "IRC-VIEW-LOAD-001")
        elif record is not None and reply.status == 409:
            record.by = "IRC-VIEW-REPL-005"

    def _drop_view(self, request: Request, reply: Reply) -> None:
        self._drop(
            self.views,
            request.place("view"),
            reply,
            "IRC-VIEW-LOAD-008",
            "IRC-VIEW-LOAD-007",
        )

    def _rename_view(self, request: Request, reply: Reply) -> None:
        requirements = {
            "missing": "IRC-VIEW-REN-002",
            "table": "IRC-VIEW-REN-004",
            "view": "IRC-VIEW-REN-004",
            "moved": "IRC-VIEW-REN-001",
        }
        self._rename(self.views, request.body, reply, requirements)

    def _load_view(self, request: Request, reply: Reply) -> None:
        place = request.place("view")
        record = self._find(self.views, place, reply, "IRC-VIEW-LOAD-002")
        if record is not None and (before := record.answer) is not None:
            self._sees(record.by, lambda: _expect_same_view(before, Table(*place, reply)))

    def _view_exists(self, request: Request, reply: Reply) -> None:
        self._exists(
            request.place("view") in self.views,
            reply,
            "IRC-VIEW-LOAD-005",
            "IRC-VIEW-LOAD-005",
        )

    def _list_views(self, request: Request, reply: Reply) -> None:
        self._list(self.views, request.namespace, reply, "IRC-VIEW-LIST-001")


def _place(identifier: Members) -> Place:
    return tuple(identifier["namespace"]), identifier["name"]


def _properties_in(updates: Iterable[Members]) -> set[str]:
    return {name for update in updates for name in _names(update)}


def _names(update: Members) -> Iterator[str]:
    yield from {
        "set-properties": update.get("updates"),
        "remove-properties": update.get("removals"),
    }.get(update["action"]) or ()


def _expect_properties(expected: Mapping[str, str | None], actual: Members, reply: Reply) -> None:
    for name, value in expected.items():
        expect.equal(
            value,
            actual.get(name),
            f"the property {name} to be",
            at=reply.place("properties", name),
        )


def _expect_snapshots_of_refs(table: Table) -> None:
    ids = [snapshot.get("snapshot-id") for snapshot in table.metadata.get("snapshots") or ()]
    for ref in (table.metadata.get("refs") or {}).values():
        expect.contains(ref["snapshot-id"], ids, "snapshots", at=table.place("snapshots"))


def _expect_same_view(before: Table, after: Table) -> None:
    was, now = states.state(before), states.state(after)
    for member in VIEW:
        expect.equal(was.get(member), now.get(member), f"`{member}` to be", at=after.place(member))
