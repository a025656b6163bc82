"""Checks of a second principal, which may read and not change, and of a third one without any
right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    OperationId,
    Place,
    Reply,
    Table,
    Unmet,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    NO_RIGHTS,
    SECOND,
    THIRD,
    WRITES,
    Headers,
    bearing,
    require_secret,
)
from lakepact.conformance.checks.iceberg_rest.kit.server_owned import same_except_server_properties
from lakepact.conformance.checks.iceberg_rest.kit.views import view_request

SETS_A_PROPERTY = {"action": "set-properties", "updates": {"changed-by": "the second principal"}}
TURNS = 5  #: tries to make a table where other checks make and drop things, too
COMMIT: Document = {"requirements": [], "updates": [SETS_A_PROPERTY]}


class Scene:
    """The objects of the first principal, and the requests that another principal tries on them.

    Args:
        lab: the bench.
        who: the name of the other principal; empty for requests without credentials.

    Raises:
        NotOffered: there is no such principal, or the second does not see what the first one makes.
    """

    def __init__(self, lab: CatalogLab, who: str = SECOND) -> None:
        self.lab = lab
        self.other_one: Headers = bearing(require_secret(lab, who)) if who else []
        self.table = lab.make_table()
        self.namespace = self.table.namespace
        self.other = lab.make_table(self.namespace)
        self.empty = lab.make_namespace()
        self.newcomer = lab.name()  #: a namespace that does not exist
        if not lab.only_purges:
            lab.try_drop_table(
                **lab.make_table(self.namespace).at
            )  # so that it is known how the target drops tables
        self.view = lab.make_view(self.namespace) if lab.offers(op.create_view) else None
        if who == SECOND and self.send(op.load_table, **self.table.at).status != 200:
            raise NotOffered(
                "the second principal does not see the tables of the first; it should read"
                " everything and change nothing"
            )

    def send(self, operation: OperationId, **arguments: Any) -> Reply:
        """Return the answer to the other principal."""
        return self.lab.send(operation, headers=self.other_one, anonymous=True, **arguments)

    def require_reader(self) -> None:
        """Continue if the other principal may not commit to the table of the first.

        Raises:
            NotOffered: its commit returns 2xx.
        """
        if self.send(op.update_table, **self.table.at, body=COMMIT).status < 300:
            raise NotOffered(
                "the second principal may change the tables of the first; it should read"
                " everything and change nothing"
            )

    def state(self) -> dict[str, Reply]:
        """Return the answers that show the first principal the state, as far as the other might
        have changed it.
        """
        lab, here = self.lab, {"namespace": self.namespace}
        looks: list[tuple[OperationId, Document]] = [
            (op.load_namespace_metadata, here),
            (op.load_namespace_metadata, {"namespace": self.empty}),
            (op.load_namespace_metadata, {"namespace": (self.newcomer,)}),
            (op.load_table, self.table.at),
            (op.load_table, self.other.at),
            (op.list_tables, here),
        ]
        if self.view is not None:
            looks += [(op.load_view, {**here, "view": self.view}), (op.list_views, here)]
        replies = [
            (operation, lab.send(operation, **at))
            for operation, at in looks
            if lab.offers(operation)
        ]
        return {f"{number} {operation}": reply for number, (operation, reply) in enumerate(replies)}

    def mutations(self) -> dict[OperationId, Document]:
        """Return valid arguments for each operation that changes something."""
        lab, in_namespace = self.lab, {"namespace": self.namespace}
        elsewhere = {"namespace": list(self.namespace), "name": lab.name()}
        requests: dict[OperationId, Document] = {
            op.create_namespace: {"body": {"namespace": [self.newcomer], "properties": {}}},
            op.drop_namespace: {"namespace": self.empty},
            op.update_properties: {
                **in_namespace,
                "body": {"removals": [], "updates": {"changed-by": "the second principal"}},
            },
            op.create_table: {**in_namespace, "body": lab.table_request(lab.name())},
            op.register_table: {
                **in_namespace,
                "body": {"name": lab.name(), "metadata-location": self.table.metadata_location},
            },
            op.update_table: {**self.table.at, "body": COMMIT},
            op.drop_table: {**self.table.at, "purge_requested": True if lab.only_purges else None},
            op.rename_table: {"body": {"source": self.table.identifier, "destination": elsewhere}},
            op.commit_transaction: {
                "body": {"table-changes": [{"identifier": self.table.identifier, **COMMIT}]}
            },
        }
        if self.view is not None:
            view = {**in_namespace, "view": self.view}
            source = {"namespace": list(self.namespace), "name": self.view}
            requests |= {
                op.create_view: {**in_namespace, "body": view_request(self.namespace, lab.name())},
                op.replace_view: {
                    **view,
                    "body": {"requirements": [], "updates": [SETS_A_PROPERTY]},
                },
                op.drop_view: view,
                op.rename_view: {"body": {"source": source, "destination": elsewhere}},
            }
        requests_of_target = {
            operation: arguments
            for operation, arguments in requests.items()
            if lab.offers(operation)
        }
        return (
            requests_of_target
            if self.table.metadata_location
            else {
                operation: arguments
                for operation, arguments in requests_of_target.items()
                if operation != op.register_table
            }
        )


def _lasting(reply: Reply) -> Any:
    """Return an answer without members that change by themselves, such as credentials."""
    document = reply.exchange.json
    if reply.status != 200 or not isinstance(document, dict):
        return {"status": reply.status}
    members = {
        name: document[name]
        for name in ("namespace", "properties", "identifiers", "metadata", "metadata-location")
        if name in document
    }
    if isinstance(members.get("identifiers"), list):
        members["identifiers"] = sorted(
            members["identifiers"], key=str
        )  # a list may come in another order each time
    return members


def change_between(
    lab: CatalogLab, before: Mapping[str, Reply], after: Mapping[str, Reply], refusal: Reply
) -> Unmet | None:
    """Return the first difference between the states before and after a request, if it was refused
    and changed something.
    """
    if refusal.status not in {401, 403}:
        return None
    for look, reply in after.items():
        was, now = _lasting(before[look]), _lasting(reply)
        if not same_except_server_properties(lab, was, now):
            pointer, expected, actual = expect.difference(was, now)
            try:
                what = f"{look} as before a refused {refusal.exchange.operation}:"
                expect.equal(expected, actual, what, at=Place(reply.exchange, f"/body{pointer}"))
            except Unmet as change:
                return change
    return None


def may_write(answers: dict[OperationId, Reply]) -> bool:
    """Return whether the second principal evidently has the rights of the first: it was not refused
    once.
    """
    return all(reply.status < 300 for reply in answers.values())


@check("IRC-SEC-005", "IRC-SEC-016")
def readers_change_nothing(lab: CatalogLab) -> None:
    """Every change by a principal that may only read returns 403, and none is made."""
    scene = Scene(lab)
    answers: dict[OperationId, Reply] = {}
    changes: list[Unmet | None] = []
    for operation in scene.mutations():
        arguments, before = scene.mutations()[operation], scene.state()
        answers[operation] = scene.send(operation, **arguments)
        changes.append(change_between(lab, before, scene.state(), answers[operation]))
        if answers[operation].status < 300:
            lab.add_cleanup(undoing(scene, operation, arguments))
            # The rest would be tried on something else than what the first principal has made.
            scene = Scene(lab)
    if may_write(answers):
        raise NotOffered(
            "the second principal may change everything; it should read everything and change"
            " nothing"
        )
    for operation, reply in lab.each(answers.items()):
        with lab.judge("IRC-SEC-005"):
            expect.status(
                reply,
                403,
                about=f"for {operation} by a principal that may only read",
                mutation=NO_RIGHTS,
            )
    judge_changes(lab, changes)


def judge_changes(lab: CatalogLab, changes: Iterable[Unmet | None]) -> None:
    """Judge that refused requests made no changes; `None` stands for a request that made none."""
    with lab.judge("IRC-SEC-016") as case:
        for change in changes:
            with case():
                if change is not None:
                    raise change


def undoing(scene: Scene, operation: OperationId, arguments: Document) -> Callable[[], None]:
    """Remove what a request may have made that should have been refused."""
    lab = scene.lab

    def undo() -> None:
        body = arguments.get("body", {})
        table_names = {
            op.create_table: body.get("name"),
            op.register_table: body.get("name"),
            op.rename_table: body.get("destination", {}).get("name"),
        }
        if operation == op.create_namespace:
            lab.send(op.drop_namespace, namespace=tuple(body["namespace"]))
        elif operation in table_names:
            lab.try_drop_table(namespace=scene.namespace, table=table_names[operation])
        elif operation in {op.create_view, op.rename_view}:
            lab.send(
                op.drop_view,
                namespace=scene.namespace,
                view=body.get("name") or body["destination"]["name"],
            )

    return undo


@check("IRC-SEC-014")
def transactions_with_a_forbidden_table_return_403(lab: CatalogLab) -> None:
    """A transaction with a table that the principal may not change returns 403 and changes no
    table.
    """
    if not lab.offers(op.commit_transaction):
        raise NotOffered("the target does not declare commitTransaction")
    scene = Scene(lab)
    own = table_of_the_second(scene)
    tables = [own, scene.table] if own is not None else [scene.table, scene.other]
    scene.require_reader()
    before = [lab.load(table) for table in tables]
    orders = (tables, tables[::-1])
    answers = [
        scene.send(
            op.commit_transaction,
            body={"table-changes": [{"identifier": table.identifier, **COMMIT} for table in order]},
        )
        for order in orders
    ]

    with lab.judge("IRC-SEC-014") as case:
        for reply in answers:
            with case():
                expect.status(
                    reply,
                    403,
                    about="for a transaction with a table that may not be changed",
                    mutation=NO_RIGHTS,
                )
        for was, now in zip(before, [lab.load(table) for table in tables], strict=True):
            if not same_except_server_properties(lab, was.metadata, now.metadata):
                with case():
                    expect.equal(
                        was.metadata,
                        now.metadata,
                        "after refused transactions the table",
                        at=now.place(),
                    )


def table_of_the_second(scene: Scene) -> Table | None:
    """Return a table that the second principal may change, if a namespace is known in which it
    may.
    """
    lab, level = scene.lab, scene.lab.target.parameters.get(WRITES)
    if not level:
        return None
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=(level,)))
    name = lab.name()
    lab.drop_afterwards((level,), name)
    reply = _create_there(lab, level, name)
    for _ in range(TURNS):
        if reply.status != 404:
            break
        # Another check, which uses the same namespace, has dropped it in this moment.
        reply = _create_there(lab, level, name)
    table = Table((level,), name, lab.require(reply, 200))
    return table if scene.send(op.update_table, **table.at, body=COMMIT).status == 200 else None


def _create_there(lab: CatalogLab, level: str, name: str) -> Reply:
    """Return the answer to creating a table in a namespace that is there, or made first."""
    lab.require(
        lab.send(op.create_namespace, body={"namespace": [level], "properties": {}}), 200, 409
    )
    return lab.try_create_table((level,), name)


@check("IRC-SEC-008")
def listings_without_rights_are_refused(lab: CatalogLab) -> None:
    """Listings by a principal without any rights return 401, 403 or 404, with and without
    paging.
    """
    third = bearing(require_secret(lab, THIRD))
    table = lab.make_table()
    here, page = {"namespace": table.namespace}, {"page_token": "", "page_size": 1}
    listings: list[tuple[OperationId, Document]] = [
        (op.list_namespaces, {}),
        (op.list_namespaces, {"parent": table.namespace}),
        (op.list_tables, here),
        (op.list_tables, {**here, **page}),
        (op.list_views, here),
        (op.list_views, {**here, **page}),
    ]
    for operation, arguments in lab.each(listings):
        if lab.offers(operation):
            lab.send(operation, **arguments)
            reply = lab.send(operation, headers=third, anonymous=True, **arguments)
            # A hidden object may also be reported as missing; then its listing is not refused as
            # such.
            allowed = (401, 403, 404) if arguments else (401, 403)
            with lab.judge("IRC-SEC-008"):
                expect.status(
                    reply,
                    *allowed,
                    about=f"for {operation} by a principal without any rights",
                    mutation=NO_RIGHTS,
                )


@check("IRC-VIEW-LOAD-006")
def view_exists_without_rights_returns_403_or_404(lab: CatalogLab) -> None:
    """HEAD of a view by a principal that may not see it returns 403, or 404 if loading the view
    returns 404.
    """
    if not lab.offers(op.view_exists):
        raise NotOffered("the target does not declare viewExists")
    third = bearing(require_secret(lab, THIRD))
    namespace = lab.make_namespace()
    view = lab.make_view(namespace)
    reply = lab.send(op.view_exists, headers=third, anonymous=True, namespace=namespace, view=view)
    hidden = lab.send(op.load_view, headers=third, anonymous=True, namespace=namespace, view=view)

    with lab.judge(
        "IRC-VIEW-LOAD-006", remark="the view is reported as missing" if reply.status == 404 else ""
    ):
        allowed = (403, 404) if hidden.status == 404 else (403,)
        expect.status(reply, *allowed, about="for a view that may not be seen", mutation=NO_RIGHTS)
