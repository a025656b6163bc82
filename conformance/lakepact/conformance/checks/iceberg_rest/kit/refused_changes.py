"""A lab that loads an object after each refused change and compares: a refusal changes nothing.

It compares with the last answer that held the object, unless the check changed anything since. It
ignores concurrent requests and closed connections.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab, Table, set_properties
from lakepact.conformance.checks.iceberg_rest.kit.leftovers import (
    CREATES,
    RENAMES,
    body_of,
    created_paths,
    path_of,
    rename_paths,
)
from lakepact.conformance.checks.iceberg_rest.kit.server_owned import (
    no_evidence,
    same_except_server_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    assert_same_table,
    different_members,
)
from lakepact.conformance.evidence.exchanges import Exchange, Look, Place, Reply
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, NotOffered, Unmet
from lakepact.conformance.evidence.shared_files import READABLE_FILES
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.judging import expect
from lakepact.conformance.judging.sending import READS
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

#: Operations with a body that change nothing.
QUESTIONS = frozenset(
    {
        op.get_token,
        op.plan_table_scan,
        op.fetch_scan_tasks,
        op.cancel_planning,
        op.report_metrics,
        op.sign_request,
    }
)
LOADS = frozenset({op.load_table, op.load_view, op.load_namespace_metadata})
#: Operations that make an object, and change no other.
CREATIONS = CREATES.keys() - {op.register_table} | {op.create_namespace}
#: Operations whose answer holds the object of their path, or the one that they create.
SHOWS = LOADS | {op.create_table, op.create_view, op.update_table, op.replace_view}
#: Paths of tables whose names no server refuses.
PLAIN = re.compile(r".*/namespaces/lp[_x]\w+/tables/lp[_x]\w+")
PROPERTIES = "/properties"
#: Statuses of refusals that do not depend on an existing object of that name.
REFUSES_CREATION = frozenset({400, 403, 404, 406, 422})
#: Statuses of a request that may still be applied: the connection was closed, or a gateway gave up.
UNFINISHED = frozenset({0, 502, 504})
#: Statuses of a load that depend on the caller or the load of the server, not on the object.
UNRELATED = frozenset({401, 403, 419, 429, 502, 503, 504})

_unfaithful: WeakKeyDictionary[Wire, frozenset[str] | None] = WeakKeyDictionary()


class ComparingLab(CatalogLab):
    """The lab of one check; it compares the objects of refused changes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._latest: dict[str, Exchange] = {}  #: by path of an object, the last answer with it
        self._created: set[str] = set()  #: paths of objects that were created, by any way
        self._last_change = 0  #: number of the last request that may have changed anything
        self._is_cut = False  #: whether a request may be applied at any time
        self._is_looking = False  #: whether requests of a comparison are sent

    def send_raw(self, method: str, target: str, **arguments: Any) -> Reply:
        """Send a request; after a refused change its objects are loaded."""
        reply = super().send_raw(method, target, **arguments)
        exchange = reply.exchange
        if self._is_looking:
            return reply
        self._is_cut = self._is_cut or exchange.status in UNFINISHED
        if exchange.operation in QUESTIONS:
            return reply
        if self._together or self._is_cut:
            self._last_change = max(self._last_change, exchange.number)
        elif exchange.status < LOWEST_ERROR:
            self._note(exchange)
        elif method not in READS and exchange.operation is not None:
            self._is_looking = True
            try:
                for load, path in dict.fromkeys(self._objects(exchange)):
                    with no_evidence(self):
                        self._look(load, path, exchange)
            finally:
                self._is_looking = False
        return reply

    def clean_up(self) -> list[Callable[[], object]]:
        """Note the missing files of the tables that are left; then drop what the check created."""
        if self.feature(READABLE_FILES) and not self._is_cut:
            for exchange in self._latest.values():
                if exchange.number >= self._last_change:
                    self._look_for_files(exchange)
        return super().clean_up()

    def _look_for_files(self, exchange: Exchange) -> None:
        """Note the missing files of an answer: its metadata file, and manifest lists and manifests
        of the check.
        """
        metadata = exchange.json.get("metadata") if isinstance(exchange.json, dict) else None
        if not isinstance(metadata, dict) or "table-uuid" not in metadata:
            return
        lists = (entry.get("manifest-list") for entry in metadata.get("snapshots") or ())
        try:
            metadata_file = self.target.shared_files.at(exchange.json.get("metadata-location"))
            list_files = [
                file for file in map(self.target.shared_files.at, lists) if file in self.files
            ]
            files = (
                metadata_file,
                *list_files,
                *(entry for file in list_files for entry in self.files[file]),
            )
            missing = tuple(
                file.name for file in files if file not in self.removed and not file.exists()
            )
        except (NotOffered, AttributeError):
            return
        original = self.wire.exchanges[exchange.number]
        self.wire.exchanges[exchange.number] = replace(original, missing_files=missing)

    def _note(self, exchange: Exchange) -> None:
        """Note the objects that an accepted request creates, changes or returns."""
        path = path_of(self, exchange)
        created = list(created_paths(self, exchange, path))
        self._created.update(created)
        if exchange.operation == op.commit_transaction:
            self._created.update(each for _, each in self._objects(exchange))
        if exchange.method not in READS and exchange.operation not in CREATIONS:
            self._last_change = exchange.number
        if exchange.operation in SHOWS and exchange.status == 200 and "?" not in exchange.url:
            for object_path in created if exchange.operation in CREATIONS else [path]:
                self._latest[object_path] = exchange

    def _objects(self, exchange: Exchange) -> Iterator[tuple[OperationId, str]]:
        """Yield the objects that a request names: the operation that loads one, and its path."""
        operation, path = exchange.operation, path_of(self, exchange)
        if operation in {op.update_table, op.drop_table}:
            yield op.load_table, path
        elif operation in {op.replace_view, op.drop_view}:
            yield op.load_view, path
        elif operation in {op.drop_namespace, op.update_properties}:
            yield op.load_namespace_metadata, path.removesuffix(PROPERTIES)
        elif operation in RENAMES:
            load = op.load_table if operation == op.rename_table else op.load_view
            for end in ("source", "destination"):
                yield from ((load, path) for path in rename_paths(self, exchange, end))
        elif operation == op.commit_transaction:
            changes = body_of(exchange).get("table-changes")
            for change in changes if isinstance(changes, list) else ():
                at = change.get("identifier") if isinstance(change, dict) else None
                if isinstance(at, dict) and isinstance(at.get("namespace"), list):
                    levels = [str(level) for level in at["namespace"]]
                    table = str(at.get("name"))
                    yield op.load_table, self.path(op.load_table, namespace=levels, table=table)
        else:
            of = {op.create_namespace: op.load_namespace_metadata, op.create_view: op.load_view}
            load = of.get(exchange.operation or op.create_table, op.load_table)
            yield from ((load, each) for each in created_paths(self, exchange, path))

    def _look(self, load: OperationId, path: str, refusal: Exchange) -> None:
        """Load an object after a refused change of it, and compare."""
        before = self._latest.get(path)
        if before is None and not self._is_fresh(path, refusal):
            return
        if not self.offers(load) or (before is not None and before.number < self._last_change):
            return
        answer = super().send_raw("GET", path, operation=load)
        if answer.status in UNRELATED or self._was_busy(before, refusal):
            return
        if answer.status >= 500 and not self._is_healthy():
            return
        unmet = None
        try:
            if before is not None:
                self._compare(before, answer)
            elif not self._is_other_object(answer):
                _expect_nothing(answer, path)
        except Unmet as difference:
            unmet = difference
        exchange = replace(answer.exchange, look=Look(refusal, unmet))
        self.wire.exchanges[exchange.number] = exchange
        if answer.status == 200:
            self._latest[path] = exchange
        elif unmet:  # a later refusal is not what removed it
            self._latest.pop(path, None)

    def _is_fresh(self, path: str, refusal: Exchange) -> bool:
        """Return whether a refused request would have created a new object with a name of this
        lab.
        """
        is_creation = refusal.operation in CREATIONS or (
            refusal.operation == op.update_table and path in created_paths(self, refusal, path)
        )
        return (
            is_creation
            and refusal.status in REFUSES_CREATION
            and path not in self._created
            and any(name in path for name in refusal.objects)
        )

    def _is_other_object(self, answer: Reply) -> bool:
        """Return whether an answer holds another object, whose name the target treats as equal."""
        metadata = answer.exchange.json
        metadata = metadata.get("metadata") if isinstance(metadata, dict) else None
        if not isinstance(metadata, dict):  # a namespace
            return answer.status == 200
        uuid = str(metadata.get("table-uuid") or metadata.get("view-uuid")).encode()
        return any(uuid in exchange.body for exchange in self._latest.values())

    def _was_busy(self, before: Exchange | None, refusal: Exchange) -> bool:
        """Return whether the target refused an attempt as busy: one of the attempts may have been
        applied.
        """
        since = range(before.number if before else refusal.number - 1, refusal.number)
        exchanges = (self.wire.exchanges.get(number) for number in since)
        return any(
            exchange is not None and exchange.check == self.check and exchange.status in UNRELATED
            for exchange in exchanges
        )

    def _is_healthy(self) -> bool:
        listing = self.path(op.list_namespaces)
        return super().send_raw("GET", listing, operation=op.list_namespaces).status == 200

    def _compare(self, before: Exchange, answer: Reply) -> None:
        """Expect an object to load as in the last answer that held it.

        Raises:
            Unmet: it differs.
        """
        is_read_back = before.operation in LOADS
        if is_read_back or answer.status >= 500:
            expect.status(answer, 200)
        elif answer.status != 200:  # perhaps the accepted creation had no effect
            return
        is_namespace = answer.exchange.operation == op.load_namespace_metadata
        if is_namespace:
            was, is_now = (
                Reply(one).document.get("properties") for one in (before, answer.exchange)
            )
            if is_read_back and not same_except_server_properties(self, was, is_now):
                expect.equal(was, is_now, "`properties` to be", at=answer.place("properties"))
            return
        tables = (Table((), "", Reply(before)), Table((), "", answer))
        try:
            assert_same_table(self, *tables)
        except Unmet:
            if is_read_back:
                raise
            members = _unfaithful_members(self)
            if answer.exchange.operation == op.load_table and members is not None:
                assert_same_table(self, *tables, volatile=members)


def _expect_nothing(answer: Reply, path: str) -> None:
    """Expect a missing object: 404 at the path of a plain table, another status than 200 elsewhere.

    Raises:
        Unmet: it exists.
    """
    expect.true(
        answer.status == 404 if PLAIN.fullmatch(path) else answer.status != 200,
        "a refused request to create nothing",
        answer.summary,
        at=Place(answer.exchange, "/status"),
    )


def _unfaithful_members(lab: CatalogLab) -> frozenset[str] | None:
    """Return the members of a table that differ between creations or commits and loads.

    None if the target refuses such requests.
    """
    if lab.wire not in _unfaithful:
        members = None
        with no_evidence(lab):
            created = lab.make_table()
            reload = lab.load(created)
            commit = lab.commit(created, set_properties(lakepact="moves"))
            members = different_members(created, reload) | different_members(
                commit, lab.load(created)
            )
        _unfaithful[lab.wire] = members
    return _unfaithful[lab.wire]
