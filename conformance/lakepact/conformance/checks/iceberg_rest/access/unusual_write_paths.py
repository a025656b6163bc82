"""Checks of changes that are asked for in rarer ways, or without any credentials, and of plans
whose table one may not see.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.iceberg_rest.access.authentication import requires_credentials
from lakepact.conformance.checks.iceberg_rest.access.rights import (
    Scene,
    change_between,
    judge_changes,
    undoing,
)
from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    NotOffered,
    OperationId,
    Reply,
    Unmet,
    check,
    expect,
    op,
    set_ref,
)
from lakepact.conformance.checks.iceberg_rest.kit.principals import (
    NO_CREDENTIALS,
    NO_RIGHTS,
    THIRD,
    bearing,
    require_secret,
)
from lakepact.conformance.checks.iceberg_rest.kit.scans import (
    FETCH,
    PLAN,
    TASKS,
    in_background,
    needs,
    on_pages,
    plan,
    table_with_files,
    wait_for_plan,
)

NOBODY = ""  #: a caller without credentials
HIDDEN = (403, 404)
#: Statuses of a server that does not implement the operation, returned before it checks rights.
NOT_DONE = (400, 405, 406, 501)


def rarer(scene: Scene) -> Iterator[tuple[str, OperationId, Document]]:
    """Yield unusual requests that change something: a description, the operation, and valid
    arguments.
    """
    lab, here, table = scene.lab, {"namespace": scene.namespace}, scene.table
    tag = set_ref("lakepact", table.member("snapshots", 0, "snapshot-id"), kind="tag")
    yield "a tag", op.update_table, {**table.at, "body": {"requirements": [], "updates": [tag]}}
    yield (
        "removed properties",
        op.update_properties,
        {**here, "body": {"removals": ["kept"], "updates": {}}},
    )
    yield (
        "a table that is only staged",
        op.create_table,
        {**here, "body": lab.table_request(lab.name(), stage_create=True)},
    )
    if lab.feature("nesting"):
        yield (
            "a namespace below another one",
            op.create_namespace,
            {"body": {"namespace": [*scene.namespace, scene.newcomer]}},
        )
    if table.metadata_location:
        over = {
            "name": scene.other.name,
            "metadata-location": table.metadata_location,
            "overwrite": True,
        }
        yield "a table registered over another one", op.register_table, {**here, "body": over}
    if scene.view is not None:
        source = {"namespace": list(scene.namespace), "name": scene.view}
        destination = {"namespace": list(scene.empty), "name": lab.name()}
        yield (
            "a view in another namespace",
            op.rename_view,
            {"body": {"source": source, "destination": destination}},
        )
    yield "a purged table", op.drop_table, {**scene.other.at, "purge_requested": True}


def scene_of_readers(lab: CatalogLab) -> Scene:
    """Return the objects of the first principal, with a table that has a snapshot, for a second one
    that may only read.

    Raises:
        NotOffered: the second may change it.
    """
    scene = Scene(lab)
    scene.require_reader()
    scene.table = lab.append(scene.table)
    lab.send(
        op.update_properties,
        namespace=scene.namespace,
        body={"removals": [], "updates": {"kept": "1"}},
    )
    return scene


def state_of(scene: Scene) -> dict[str, Reply]:
    """Return the answers that show the first principal the state, including child namespaces."""
    below = (*scene.namespace, scene.newcomer)
    return {**scene.state(), "below": scene.lab.send(op.load_namespace_metadata, namespace=below)}


@check("IRC-SEC-005", "IRC-SEC-016")
def readers_change_nothing_by_unusual_requests(lab: CatalogLab) -> None:
    """Unusual change requests by a principal that may only read are refused with 4xx or 501, and
    none is made.
    """
    scene = scene_of_readers(lab)
    answers: list[tuple[str, Reply]] = []
    changes: list[Unmet | None] = []
    before = state_of(scene)
    for what, operation, arguments in rarer(scene):
        if not lab.offers(operation):
            continue
        answers.append((what, scene.send(operation, **arguments)))
        after = state_of(scene)
        changes.append(change_between(lab, before, after, answers[-1][1]))
        if answers[-1][1].status < 300:
            # The rest would be tried on something else than what the first principal has made.
            _undo(scene, operation, arguments)
            break
        before = after

    for what, reply in lab.each(answers):
        with lab.judge("IRC-SEC-005"):
            about = f"for {what}, requested by a principal that may only read"
            expect.status(reply, 403, *NOT_DONE, about=about, mutation=NO_RIGHTS)
    judge_changes(lab, changes)


def _undo(scene: Scene, operation: OperationId, arguments: Document) -> None:
    lab, undo = scene.lab, undoing(scene, operation, arguments)
    lab.add_cleanup(undo)
    if operation == op.rename_view:
        destination = arguments["body"]["destination"]
        lab.add_cleanup(
            lambda: lab.send(
                op.drop_view, namespace=tuple(destination["namespace"]), view=destination["name"]
            )
        )


@check("IRC-SEC-001", "IRC-SEC-016")
def changes_without_credentials_return_401_or_403(lab: CatalogLab) -> None:
    """Every change without credentials returns 401 or 403, and none is made."""
    requires_credentials(lab)
    scene = Scene(lab, NOBODY)
    answers: dict[OperationId, Reply] = {}
    changes: list[Unmet | None] = []
    before = scene.state()
    for operation, arguments in scene.mutations().items():
        answers[operation] = scene.send(operation, **arguments)
        after = scene.state()
        changes.append(change_between(lab, before, after, answers[operation]))
        if answers[operation].status < 300 or changes[-1]:
            lab.add_cleanup(undoing(scene, operation, arguments))
            break
        before = after

    for operation, reply in lab.each(answers.items()):
        with lab.judge("IRC-SEC-001"):
            expect.status(
                reply,
                401,
                403,
                about=f"for {operation} without credentials",
                mutation=NO_CREDENTIALS,
            )
    judge_changes(lab, changes)


@check("IRC-SEC-005")
def plans_of_hidden_tables_return_403_or_404(lab: CatalogLab) -> None:
    """Fetching a plan or its tasks by id returns 403 or 404 to a principal that may not see the
    table.
    """
    needs(lab, PLAN)
    third = bearing(require_secret(lab, THIRD))
    table = table_with_files(lab, properties={**in_background(lab), **on_pages(lab)})
    table.append(*(table.file(name) for name in ("first", "second", "third")))
    if lab.send(PLAN, headers=third, anonymous=True, body={}, **table.table.at).status == 200:
        raise NotOffered(
            "the third principal plans scans of the tables of the first; it should be allowed"
            " nothing"
        )
    whole = wait_for_plan(lab, table.table, plan(lab, table.table))
    tasks = whole.answers[0].document.get("plan-tasks") or []
    requests: dict[OperationId, Document] = {}
    if whole.id is not None and lab.offers(FETCH):
        requests[FETCH] = {"plan_id": whole.id}
    if tasks and lab.offers(TASKS):
        requests[TASKS] = {"body": {"plan-task": tasks[0]}}
    if not requests:
        raise NotOffered("the target has nothing to fetch of a plan")

    with lab.judge_each("IRC-SEC-005") as case:
        for operation, arguments in requests.items():
            with case():
                reply = lab.send(
                    operation, headers=third, anonymous=True, **table.table.at, **arguments
                )
                expect.status(
                    reply,
                    *HIDDEN,
                    about=f"for {operation} by a principal without any rights",
                    mutation=NO_RIGHTS,
                )
