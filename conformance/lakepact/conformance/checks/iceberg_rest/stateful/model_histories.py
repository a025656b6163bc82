"""Random sequences of changes to a catalog, which also use old names again; reads follow each
change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    OperationId,
    Reply,
    Unmet,
    op,
    req,
)
from lakepact.conformance.checks.iceberg_rest.stateful.fuzzing import (
    FIRST_TABLE,
    FIRST_VIEW,
    FUZZ,
    ROOT,
    CatalogWorld,
    key_of,
)
from lakepact.conformance.checks.iceberg_rest.stateful.fuzzing_commits import Key
from lakepact.conformance.checks.iceberg_rest.stateful.model import CatalogModel
from lakepact.conformance.checks.iceberg_rest.suite import suite
from lakepact.conformance.fuzz.steps import Learned, Step, fill

#: Actions that change a catalog; frequent ones are listed more than once.
CHANGES = (
    op.create_namespace,
    op.drop_namespace,
    *(op.update_properties,) * 3,
    *(op.create_table,) * 4,
    op.drop_table,
    *(op.rename_table,) * 3,
    *(op.update_table,) * 7,
    *(op.commit_transaction,) * 3,
    op.create_view,
    *(op.replace_view,) * 2,
    op.drop_view,
    op.rename_view,
)
LOOKS = (
    op.list_tables,
    op.list_views,
    op.list_namespaces,
    op.load_namespace_metadata,
    op.namespace_exists,
    *(op.load_table,) * 2,
    op.table_exists,
    op.load_view,
    op.view_exists,
)
ETAG = "etag"  #: key of the known ETag of a table
NEVER_GIVEN = '"never-given"'  #: an ETag
NO_ID = 2**31 - 1
#: Requirements that no table meets.
UNHELD = (
    req.ASSERT_CREATE,
    req.assert_uuid(req.NOBODY),
    req.assert_ref("main", NO_ID),
    req.assert_ref("audit", NO_ID),
    *({"type": kind, member: NO_ID} for kind, (member, _) in req.NUMBERS.items()),
)


class CatalogHistory(CatalogWorld):
    """One history's namespace, and what has to be in it."""

    def __init__(self, lab: CatalogLab) -> None:
        super().__init__(lab)
        self._model = CatalogModel(lab)
        self._nests = lab.feature("nesting")
        self._dropped_namespaces: list[tuple[Any, ...]] = []
        self._tags: dict[Key, str | None] = {}

    # -- what happens ------------------------------------------------------------------------------

    def history(self, random: Random, operations: Sequence[OperationId]) -> Iterator[Step]:
        """Changes and looks, without an end."""
        yield from (step for step in self.opening(random) if step.operation in operations)
        changes = [
            o
            for o in CHANGES
            if o in operations
            and (self._nests or o not in {op.create_namespace, op.drop_namespace})
        ]
        looks = [o for o in LOOKS if o in operations and (self._nests or o != op.list_namespaces)]
        while changes and looks:
            change = self._change(random.choice(changes), random)
            yield change
            yield from (look for look in self._loads_after(change) if look.operation in operations)
            yield self._look(random.choice(looks), random)

    def _change(self, operation: OperationId, random: Random) -> Step:
        if operation in {op.rename_table, op.rename_view}:
            return Step(operation, {}, self._move(operation, random))
        if operation == op.commit_transaction:
            return Step(
                operation, {}, self._with_failing_requirement(self._transaction(random), random)
            )
        if operation == op.create_namespace:
            return Step(operation, {}, self._new_namespace(random))
        arguments = self._where(operation, random)
        body = self.example(operation, arguments, random)
        if operation in {op.create_table, op.create_view}:
            body = {**body, "name": self._name(arguments["namespace"], random, fresh=body["name"])}
        elif operation == op.update_table:
            (body,) = self._with_failing_requirement({"table-changes": [body]}, random)[
                "table-changes"
            ]
        elif operation == op.update_properties:
            put, removal = random.sample("abc", 2)
            body = {"updates": {put: str(random.randint(0, 99))}, "removals": [removal]}
        return Step(operation, arguments, body)

    def _where(self, operation: OperationId, random: Random) -> Document:
        """Draw the target of a change: mostly an existing object, sometimes a dropped one."""
        if operation in {op.update_table, op.drop_table}:
            namespace, table = _one(self.tables, self.dropped, random, otherwise=FIRST_TABLE)
            return {"namespace": namespace, "table": table}
        if operation in {op.replace_view, op.drop_view}:
            namespace, view = _one(self.views, self.dropped_views, random, otherwise=FIRST_VIEW)
            return {"namespace": namespace, "view": view}
        if operation == op.drop_namespace:
            return {
                "namespace": random.choice(
                    [*self.namespaces[1:], *self._dropped_namespaces[-1:], self._full_namespace()]
                )
            }
        return {"namespace": random.choice(self.namespaces or [(ROOT,)])}

    def _full_namespace(self) -> tuple[Any, ...]:
        """Return a namespace that holds something; one that never was where none does."""
        return next((namespace for namespace, _ in (*self.tables, *self.views)), (ROOT, "never"))

    def _name(self, namespace: tuple[Any, ...], random: Random, *, fresh: str) -> str:
        """Return a new name, or one that something has or had in the namespace."""
        had = [name for at, name in (*self.dropped, *self.dropped_views) if at == namespace]
        has = [name for at, name in (*self.tables, *self.views) if at == namespace]
        return random.choice([*[fresh] * 5, *had[-3:], *random.sample(has, min(len(has), 1))])

    def _move(self, operation: OperationId, random: Random) -> Document:
        """Return a rename, mostly of what exists, now and then to where something is or was."""
        kind = (
            (self.tables, self.dropped, FIRST_TABLE)
            if operation == op.rename_table
            else (self.views, self.dropped_views, FIRST_VIEW)
        )
        body = self._renaming([_one(*kind[:2], random, otherwise=kind[2])], random)
        self._serial += 1
        destination = body["destination"]
        return {
            **body,
            "destination": {
                **destination,
                "name": self._name(
                    tuple(destination["namespace"]), random, fresh=f"m{self._serial}"
                ),
            },
        }

    def _new_namespace(self, random: Random) -> Document:
        self._serial += 1
        fresh = (random.choice(self.namespaces or [(ROOT,)]), f"n{self._serial}")
        levels = random.choice(
            [*[(*fresh[0], fresh[1])] * 4, *self._dropped_namespaces[-2:], *self.namespaces[-1:]]
        )
        return {"namespace": list(levels), "properties": {random.choice("abc"): str(self._serial)}}

    @staticmethod
    def _with_failing_requirement(body: Document, random: Random) -> Document:
        """Return the changes, now and then with a requirement more in one of them that does not
        hold.
        """
        changes = list(body["table-changes"])
        if random.random() < 0.25:
            at = random.randrange(len(changes))
            changes[at] = {
                **changes[at],
                "requirements": [*changes[at]["requirements"], random.choice(UNHELD)],
            }
        return {"table-changes": changes}

    # -- what is looked at -------------------------------------------------------------------------

    @staticmethod
    def _loads_after(change: Step) -> Iterable[Step]:
        arguments, body = change.arguments, change.body if isinstance(change.body, dict) else {}
        kind = "view" if "View" in change.operation else "table"
        keys = [(arguments["namespace"], arguments[kind])] if kind in arguments else []
        if change.operation in {op.create_table, op.create_view}:
            keys.append((arguments["namespace"], body["name"]))
        identifiers = [
            body.get("source"),
            body.get("destination"),
            *(c["identifier"] for c in body.get("table-changes", ())),
        ]
        keys += [key for key in map(key_of, identifiers) if key is not None]
        for namespace, name in keys:
            yield Step(
                op.load_view if kind == "view" else op.load_table,
                {"namespace": namespace, kind: name},
            )
        if not keys and change.operation != op.create_namespace:
            yield Step(op.load_namespace_metadata, dict(arguments))
        elif not keys:
            yield Step(op.load_namespace_metadata, {"namespace": tuple(body["namespace"])})

    def _look(self, operation: OperationId, random: Random) -> Step:
        if operation in {op.load_table, op.table_exists, op.load_view, op.view_exists}:
            if "iew" in operation:
                namespace, name = _one(self.views, self.dropped_views, random, otherwise=FIRST_VIEW)
                return Step(operation, {"namespace": namespace, "view": name})
            key = _one(self.tables, self.dropped, random, otherwise=FIRST_TABLE)
            further = self._further(key, random) if operation == op.load_table else {}
            return Step(operation, {"namespace": key[0], "table": key[1], **further})
        namespace = random.choice([*self.namespaces, (ROOT,)])
        return Step(
            operation, {"parent" if operation == op.list_namespaces else "namespace": namespace}
        )

    def _further(self, key: Key, random: Random) -> Document:
        """Draw further arguments of a load: none, snapshots=refs, or a former ETag."""
        with_etag = (
            [{"if_none_match": Learned((ETAG, key), NEVER_GIVEN)}] * 2
            if self._lab.feature("etag")
            else []
        )
        refs = [{"snapshots": "refs"}] if self._lab.feature("snapshots-refs") else []
        return random.choice([{}, *refs, *with_etag])

    # -- what came of it ---------------------------------------------------------------------------

    def verdicts(self, step: Step, reply: Reply) -> Iterable[tuple[str, Unmet | None]]:
        """Compare the answer with the effects of earlier successful requests."""
        return self._model.judged(
            step.operation,
            fill(dict(step.arguments), self.value_of),
            fill(step.body, self.value_of),
            reply,
        )

    def value_of(self, placeholder: Learned) -> Any:
        """Return the body of an answer, or its ETag."""
        kind, *what = placeholder.what
        return self._tags.get(what[0]) if kind == ETAG else super().value_of(placeholder)

    def learn(self, step: Step, reply: Reply) -> None:
        """Remember what is there, and the names that are free again."""
        if "snapshots" in step.arguments:
            return  # what is only a part of a table teaches nothing new
        super().learn(step, reply)
        if not 200 <= reply.status < 300:
            return
        if step.operation == op.load_table:
            self._tags.setdefault(
                (step.arguments["namespace"], step.arguments["table"]), reply.headers.get("etag")
            )
        if step.operation == op.drop_namespace:
            self._dropped_namespaces.append(step.arguments["namespace"])
        elif step.operation in {op.rename_table, op.rename_view}:
            left = key_of(step.body["source"])
            if left is not None:
                (self.dropped if step.operation == op.rename_table else self.dropped_views).append(
                    left
                )
        self._forget_what_is_there()

    def _forget_what_is_there(self) -> None:
        for former, there in ((self.dropped, self.tables), (self.dropped_views, self.views)):
            former[:] = [key for key in dict.fromkeys(former) if key not in there]


def _one(there: Sequence[Key], former: Sequence[Key], random: Random, *, otherwise: Key) -> Key:
    """Mostly something that is there, now and then what is gone."""
    late = former[-3:]
    return random.choice(
        there if there and (random.random() < 0.85 or not late) else late or [otherwise]
    )


suite.fuzz = replace(FUZZ, model=CatalogHistory)
