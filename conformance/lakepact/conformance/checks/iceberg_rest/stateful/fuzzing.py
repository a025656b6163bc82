"""A namespace for each fuzzed sequence, and the objects that the sequence created in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    OperationId,
    Reply,
    Unmet,
    op,
)
from lakepact.conformance.checks.iceberg_rest.stateful.fuzzing_commits import (
    Key,
    Known,
    commit,
    creating,
    new_order,
    new_spec,
)
from lakepact.conformance.checks.iceberg_rest.stateful.fuzzing_views import creating_view, replacing
from lakepact.conformance.checks.iceberg_rest.suite import suite
from lakepact.conformance.fuzz import Fuzz
from lakepact.conformance.fuzz.answers import EMPTY, MALFORMED, MISSING, NO_OBJECT, WRONG_TYPE
from lakepact.conformance.fuzz.steps import Learned, Step, fill

#: The operations to send; those that the state of tables depends on are listed more than once.
OPERATIONS = (
    op.list_namespaces,
    op.create_namespace,
    op.create_namespace,
    op.load_namespace_metadata,
    op.drop_namespace,
    op.update_properties,
    op.update_properties,
    op.list_tables,
    op.create_table,
    op.create_table,
    op.create_table,
    op.load_table,
    op.update_table,
    op.update_table,
    op.update_table,
    op.update_table,
    op.update_table,
    op.update_table,
    op.drop_table,
    op.rename_table,
    op.rename_table,
    op.register_table,
    op.register_table,
    op.namespace_exists,
    op.table_exists,
    op.list_views,
    op.create_view,
    op.create_view,
    op.load_view,
    op.replace_view,
    op.replace_view,
    op.replace_view,
    op.drop_view,
    op.view_exists,
    op.rename_view,
    op.commit_transaction,
    op.commit_transaction,
    op.get_config,
)

ROOT = Learned(("root",), "root")
FIRST_TABLE: Key = ((ROOT,), "t0")
FIRST_VIEW: Key = ((ROOT,), "v0")

#: Names that nothing has, in forms that paths find hard.
ODD_NAMES = ("missing", " ", "\x00", "a%2Fb", "a/b", "é\U0001f9ca", "x" * 300, "\x1f")


class CatalogWorld:
    """One sequence's namespace, with the namespaces, tables and views below it."""

    def __init__(self, lab: CatalogLab) -> None:
        self._lab = lab
        self._root = lab.name()
        self._answers: dict[
            Key, Document
        ] = {}  #: the last answer about each table or view, also of those that are gone
        self._serial = 0
        self.namespaces: list[tuple[Any, ...]] = [(ROOT,)]
        self.tables: list[Key] = []
        self.staged: list[Key] = []
        self.dropped: list[Key] = []
        self.views: list[Key] = []
        self.dropped_views: list[Key] = []

    @property
    def plain(self) -> Document:
        """The namespace, the table and the view that come first."""
        return {
            "namespace": (ROOT,),
            "parent": (ROOT,),
            "table": FIRST_TABLE[1],
            "view": FIRST_VIEW[1],
        }

    # -- what is sent ------------------------------------------------------------------------------

    def opening(self, random: Random) -> Sequence[Step]:
        """Return the namespace, with a table and a view in it."""
        at = {"namespace": (ROOT,)}
        return (
            Step(op.create_namespace, {}, {"namespace": [ROOT]}),
            Step(
                op.create_table,
                at,
                {**self._new_table(random), "name": "t0", "stage-create": False},
            ),
            Step(op.create_view, at, creating_view(Known(FIRST_VIEW, {}, random), FIRST_VIEW[1])),
        )

    def arguments(self, operation: OperationId, random: Random) -> Document:
        """Return a namespace, and a table or view, that exist, mostly; now and then one that is of
        the other kind.
        """
        path = {
            p.argument
            for p in self._lab.contract.operations[operation].parameters
            if p.where == "path"
        } - {"prefix"}
        if path & {"table", "view"}:
            odd: Key = (random.choice(self.namespaces), random.choice(ODD_NAMES))
            if "view" in path:
                namespace, view = random.choice(
                    [*self.views * 4, *self.dropped_views, *self.tables[:1], odd]
                )
                return {"namespace": namespace, "view": view}
            namespace, table = random.choice(
                [*self.tables * 4, *self.staged, *self.dropped, *self.views[:1], odd]
            )
            return {"namespace": namespace, "table": table}
        if "namespace" in path or operation == op.list_namespaces:
            usable = self.namespaces[1:] if operation == op.drop_namespace else self.namespaces
            namespace = random.choice([*usable * 6, (ROOT, random.choice(ODD_NAMES))])
            return {"parent" if operation == op.list_namespaces else "namespace": namespace}
        return {}

    def confine(self, operation: OperationId, body: Any) -> Any:
        """Namespaces in a body are moved below the root."""
        if not isinstance(body, dict):
            return body
        result = dict(body)
        if operation == op.create_namespace and "namespace" in body:
            result["namespace"] = _below(body["namespace"])
        if operation in {op.rename_table, op.rename_view}:
            for side in ("source", "destination"):
                if isinstance(body.get(side), dict) and "namespace" in body[side]:
                    result[side] = {**body[side], "namespace": _below(body[side]["namespace"])}
        if operation == op.commit_transaction and isinstance(body.get("table-changes"), list):
            result["table-changes"] = [_change_below(change) for change in body["table-changes"]]
        return result

    def example(self, operation: OperationId, arguments: Document, random: Random) -> Any:
        """Return a body that should be accepted."""
        self._serial += 1
        examples: dict[str, Callable[[], Any]] = {
            op.create_namespace: lambda: {
                "namespace": [*random.choice(self.namespaces), f"n{self._serial}"],
                "properties": {"a": "1"},
            },
            op.update_properties: lambda: {"removals": ["b"], "updates": {"a": str(self._serial)}},
            op.create_table: lambda: self._new_table(random),
            op.update_table: lambda: self._commit(
                (arguments["namespace"], arguments["table"]), random
            ),
            op.commit_transaction: lambda: self._transaction(random),
            op.rename_table: lambda: self._renaming([*self.tables, FIRST_TABLE], random),
            op.create_view: lambda: creating_view(
                Known(FIRST_VIEW, self._metadata(FIRST_VIEW), random), f"v{self._serial}"
            ),
            op.replace_view: lambda: self._replacement(
                (arguments["namespace"], arguments["view"]), random
            ),
            op.rename_view: lambda: self._renaming([*self.views, FIRST_VIEW], random),
            op.register_table: lambda: self._registration(random),
        }
        return examples[operation]() if operation in examples else None

    def _new_table(self, random: Random) -> Document:
        version = random.choice(["1", "2", "2", "3"])
        table = Known(FIRST_TABLE, {}, random)
        request = self._lab.table_request(
            f"t{self._serial}", properties={"a": "1", "format-version": version}
        )
        more = {
            "partition-spec": new_spec(table),
            "write-order": new_order(table),
            "stage-create": True,
        }
        return request | {member: value for member, value in more.items() if random.random() < 0.3}

    def _metadata(self, key: Key) -> Document:
        metadata = self._answers.get(key, {}).get("metadata")
        return metadata if isinstance(metadata, dict) else {}

    def _commit(self, key: Key, random: Random) -> Document:
        table = Known(key, self._metadata(key), random)
        if key in self.tables:
            return commit(table)
        if key in self.staged:
            return creating(table, location=table.location())
        return creating(table, location=Known(FIRST_TABLE, {}, random).location(f"-{self._serial}"))

    def _transaction(self, random: Random) -> Document:
        """Changes of up to three tables, mostly ones that exist."""
        candidates = list(
            dict.fromkeys([*self.tables, *self.staged[-1:], *self.dropped[-1:], FIRST_TABLE])
        )
        keys = random.sample(candidates, min(len(candidates), random.randint(1, 3)))
        return {
            "table-changes": [
                {"identifier": {"namespace": list(k[0]), "name": k[1]}, **self._commit(k, random)}
                for k in keys
            ]
        }

    def _replacement(self, key: Key, random: Random) -> Document:
        return replacing(Known(key, self._metadata(key), random))

    def _renaming(self, keys: Sequence[Key], random: Random) -> Document:
        namespace, name = random.choice(keys)
        target = random.choice([*self.namespaces, namespace])
        return {
            "source": {"namespace": list(namespace), "name": name},
            "destination": {"namespace": list(target), "name": f"{name[:1]}{self._serial}"},
        }

    def _registration(self, random: Random) -> Document:
        key = random.choice([*self.dropped * 2, *self.tables, FIRST_TABLE])
        location = Learned((key, "metadata-location"), "file:///missing.metadata.json")
        name = key[1] if random.random() < 0.3 else f"t{self._serial}"
        overwriting = {"overwrite": True} if random.random() < 0.3 else {}
        return {"name": name, "metadata-location": location, **overwriting}

    # -- what came of it ---------------------------------------------------------------------------

    def verdicts(self, step: Step, reply: Reply) -> Iterable[tuple[str, Unmet | None]]:  # noqa: ARG002 - nothing is remembered
        """Return nothing: requests that should be refused do not determine the state."""
        return ()

    def value_of(self, placeholder: Learned) -> Any:
        """Return the name of the root, or what an answer said about a table or view."""
        if placeholder == ROOT:
            return self._root
        key, *path = placeholder.what
        value: Any = self._answers.get(key)
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def learn(self, step: Step, reply: Reply) -> None:
        """Remember tables, views and namespaces that were made, and forget those that are gone."""
        if not 200 <= reply.status < 300:
            return
        answer = reply.exchange.json if isinstance(reply.exchange.json, dict) else {}
        body = step.body if isinstance(step.body, dict) else {}
        namespace = step.arguments.get("namespace", ())
        if step.operation == op.create_namespace:
            self._add_namespace(body.get("namespace"))
        elif step.operation in {op.create_table, op.register_table} and isinstance(
            body.get("name"), str
        ):
            self._add_table(
                (namespace, body["name"]), answer, is_stage=body.get("stage-create") is True
            )
        elif step.operation in {op.update_table, op.load_table}:
            self._add_table((namespace, step.arguments["table"]), answer)
        elif step.operation == op.drop_table:
            self._remove_table((namespace, step.arguments["table"]))
        elif step.operation == op.drop_namespace:
            self.namespaces = [n for n in self.namespaces if n != namespace]
        elif step.operation == op.rename_table:
            self._move_table(key_of(body.get("source")), key_of(body.get("destination")))
        elif step.operation == op.commit_transaction:
            self._learn_transaction(body.get("table-changes"))
        elif "View" in step.operation:
            self._learn_view(step, answer)

    def _learn_transaction(self, changes: Any) -> None:
        for change in changes if isinstance(changes, list) else ():
            key = key_of(change.get("identifier")) if isinstance(change, dict) else None
            if key is not None:
                self._add_table(key, {})

    def _learn_view(self, step: Step, answer: Document) -> None:
        body = step.body if isinstance(step.body, dict) else {}
        namespace = step.arguments.get("namespace", ())
        if step.operation == op.create_view and isinstance(body.get("name"), str):
            self._add_view((namespace, body["name"]), answer)
        elif step.operation in {op.replace_view, op.load_view}:
            self._add_view((namespace, step.arguments["view"]), answer)
        elif step.operation == op.drop_view and (namespace, step.arguments["view"]) in self.views:
            self.views.remove((namespace, step.arguments["view"]))
            self.dropped_views.append((namespace, step.arguments["view"]))
        elif step.operation == op.rename_view:
            source, target = key_of(body.get("source")), key_of(body.get("destination"))
            if source is not None and target is not None and source in self.views:
                self.views.remove(source)
                self._add_view(target, self._answers.get(source, {}))

    def _add_namespace(self, levels: Any) -> None:
        namespace = _levels(levels)
        if namespace is None:
            return
        concrete = fill(namespace, self.value_of)
        self._lab.add_cleanup(lambda: self._lab.send(op.drop_namespace, namespace=concrete))
        if namespace not in self.namespaces:
            self.namespaces.append(namespace)

    def _add_table(self, key: Key, answer: Document, *, is_stage: bool = False) -> None:
        self._answers[key] = {**self._answers.get(key, {}), **answer}
        if is_stage:
            self.staged.append(key)
        elif key not in self.tables:
            self.tables.append(key)
            self._lab.drop_afterwards(fill(key[0], self.value_of), key[1])

    def _add_view(self, key: Key, answer: Document) -> None:
        self._answers[key] = {**self._answers.get(key, {}), **answer}
        if key not in self.views:
            self.views.append(key)
            concrete = fill(key[0], self.value_of)
            self._lab.add_cleanup(
                lambda: self._lab.send(op.drop_view, namespace=concrete, view=key[1])
            )

    def _remove_table(self, key: Key) -> None:
        if key in self.tables:
            self.tables.remove(key)
            self.dropped.append(key)

    def _move_table(self, source: Key | None, target: Key | None) -> None:
        if source is not None and target is not None and source in self.tables:
            self.tables.remove(source)
            self._add_table(target, self._answers.get(source, {}))


def _below(levels: Any) -> Any:
    """Return a namespace as it stands in a body, moved below the root, of whatever JSON type it
    is.
    """
    if isinstance(levels, str):
        return Learned(ROOT.what, "root", levels)
    if not isinstance(levels, list) or not levels or levels[0] == ROOT:
        return levels
    return [ROOT, *levels]


def _change_below(change: Any) -> Any:
    """Return a change of a transaction to a table below the root, of whatever JSON type it is."""
    identifier = change.get("identifier") if isinstance(change, dict) else None
    if not isinstance(identifier, dict) or "namespace" not in identifier:
        return change
    return {**change, "identifier": {**identifier, "namespace": _below(identifier["namespace"])}}


def _levels(levels: Any) -> tuple[Any, ...] | None:
    usable = (
        isinstance(levels, list)
        and bool(levels)
        and all(isinstance(level, (str, Learned)) for level in levels)
    )
    return tuple(levels) if usable else None


def key_of(identifier: Any) -> Key | None:
    """Return the table or view that an identifier in a body names, if it names one."""
    namespace, name = (
        (identifier.get("namespace"), identifier.get("name"))
        if isinstance(identifier, dict)
        else (None, None)
    )
    levels = _levels(namespace)
    return (levels, name) if levels is not None and isinstance(name, str) else None


#: Required members that requests may omit: treated as null (A-20), noted (A-22), a warning (A-41).
FORGIVEN: Mapping[str, tuple[str, ...]] = {
    "snapshot-id": ("type", "ref"),
    "order-id": ("fields",),
    "requirements": ("updates",),
}


def is_tolerated(_: str, member: str, lacking: Any) -> bool:
    """Return whether an interpretation tolerates that the member is missing."""
    return (
        member in FORGIVEN
        and isinstance(lacking, dict)
        and all(beside in lacking for beside in FORGIVEN[member])
    )


def predict_ids(step: Step) -> Any:
    """Return the ids of a new table that the contract fixes, without those that a catalog
    chooses.
    """
    if step.operation != op.create_table:
        return {}
    specs, orders = step.body.get("partition-spec"), step.body.get("write-order")
    metadata = {
        "format-version": int(step.body["properties"]["format-version"]),
        "schemas": [step.body["schema"]],
        "current-schema-id": 0,
        "last-column-id": 3,
        "partition-specs": [{**specs, "spec-id": 0} if specs else {"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "last-partition-id": 1000 if specs else 999,
        "sort-orders": [{**orders, "order-id": 1} if orders else {"order-id": 0, "fields": []}],
        "default-sort-order-id": 1 if orders else 0,
        "last-sequence-number": 0,
        "next-row-id": 0,
    }
    return {"metadata": metadata}


#: Members of answers that sound catalogs choose differently.
CHOSEN = frozenset(
    {
        *(f"TableMetadata.{member}" for member in ("table-uuid", "location", "last-updated-ms")),
        *(f"ViewMetadata.{member}" for member in ("view-uuid", "location")),
        *(
            f"{entry}.timestamp-ms"
            for entry in (
                "Snapshot",
                "SnapshotLog",
                "MetadataLog",
                "ViewVersion",
                "ViewHistoryEntry",
            )
        ),
        *(
            f"{answer}.metadata-location"
            for answer in ("LoadTableResult", "LoadViewResult", "CommitTableResponse")
        ),
        "MetadataLog.metadata-file",
    }
)
INCOMPARABLE = frozenset(
    {
        *("PageToken", "ErrorModel.message", "ErrorModel.stack", "CatalogConfig"),
        *("LoadTableResult.config", "LoadTableResult.storage-credentials", "LoadViewResult.config"),
    }
)

FUZZ = Fuzz(
    world=CatalogWorld,
    operations=OPERATIONS,
    answers="IRC-ERR-014",
    refusals={
        EMPTY: "IRC-GEN-014",
        MALFORMED: "IRC-GEN-010",
        NO_OBJECT: "IRC-GEN-011",
        MISSING: "IRC-GEN-012",
        WRONG_TYPE: "IRC-GEN-013",
    },
    tolerates=is_tolerated,
    sample_answer=predict_ids,
    free_members=CHOSEN,
    incomparable=INCOMPARABLE,
)
suite.fuzz = FUZZ
