"""Wrong ways of loading a table with all its snapshots, or with those that refs name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import fault, on_call, on_status, replace_rule, wrap_rule
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.http.service import Arguments, Handler, Scope, Service
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.operations import LOAD


def _all(
    spoil: Callable[[list[Document]], list[Document]], *, asked: bool
) -> Callable[[Handler, dict[str, Any]], Reply]:
    """`spoil(snapshots)` of loads with `all`, and if not `asked` of those too that do not say
    which.
    """

    def act(handler: Handler, arguments: Arguments) -> Reply:
        reply = handler(**arguments)
        if arguments.get("snapshots", "" if asked else "all") != "all":
            return reply
        answer: Document = reply.document
        answer["metadata"]["snapshots"] = spoil(answer["metadata"].get("snapshots", []))
        return json_reply(answer)

    return act


def _newest(snapshots: list[Document]) -> list[Document]:
    return snapshots[-3:]


def _keep(kept: Callable[[Document], set[Any]]) -> Callable[[Document], Document]:
    """With `refs` the snapshots of the ids that `kept(metadata)` returns are loaded."""

    def snapshots_of_refs(metadata: Document) -> Document:
        wanted = kept(metadata)
        return {
            **metadata,
            "snapshots": [
                one for one in metadata.get("snapshots", []) if one["snapshot-id"] in wanted
            ],
        }

    return snapshots_of_refs


def _then(
    change: Callable[[Document], Document],
) -> Callable[[Any], Callable[[Document], Document]]:
    """Loading with `refs` changes further members of the metadata."""
    return lambda usual: lambda metadata: change(usual(metadata))


UNSUPPORTED = b'{"error":{"message":"snapshots=refs is not supported","type":"BadRequestException","code":400}}'


@fault("IRC-TBL-LOAD-008")
def refs_are_remembered_by_main(service: Service) -> None:
    known: dict[tuple[Any, Any], Any] = {}

    def kept(pick: Callable[[Document], Document]) -> Callable[[Document], Document]:
        def picked(metadata: Document) -> Document:
            found = pick(metadata)
            return {
                **found,
                "snapshots": known.setdefault(
                    (metadata["table-uuid"], metadata.get("current-snapshot-id")),
                    found["snapshots"],
                ),
            }

        return picked

    wrap_rule("snapshots_of_refs", kept)(service)


@fault("IRC-TBL-LOAD-010", by=partial(wrap_rule, "snapshots_of_refs"))
def refs_have_one_schema(pick: Callable[[Document], Document]) -> Callable[[Document], Document]:
    def picked(metadata: Document) -> Document:
        current = [
            schema
            for schema in metadata["schemas"]
            if schema["schema-id"] == metadata["current-schema-id"]
        ]
        return {**pick(metadata), "schemas": current}

    return picked


@fault("IRC-TBL-LOAD-007", by=lambda act: on_call(LOAD, _all(act, asked=False)))
def loads_no_manifests(snapshots: list[Document]) -> list[Document]:
    return [
        {key: value for key, value in snapshot.items() if key != "manifest-list"}
        for snapshot in snapshots
    ]


@fault(
    "IRC-TBL-LOAD-008",
    "IRC-TBL-LOAD-009",
    by=lambda act: replace_rule("snapshots_of_refs", _keep(act)),
)
def refs_are_branches(metadata: Document) -> set[Any]:
    return {
        ref["snapshot-id"] for ref in metadata.get("refs", {}).values() if ref["type"] == "branch"
    }


@fault(
    "IRC-TBL-LOAD-008",
    "IRC-TBL-LOAD-009",
    by=lambda act: replace_rule("snapshots_of_refs", _keep(act)),
)
def refs_are_the_line(metadata: Document) -> set[Any]:
    parents = {
        one["snapshot-id"]: one.get("parent-snapshot-id") for one in metadata.get("snapshots", [])
    }
    line, one = set[Any](), metadata.get("current-snapshot-id")
    while one is not None and one not in line:
        line.add(one)
        one = parents.get(one)
    return line


@fault("IRC-TBL-LOAD-009", by=lambda act: replace_rule("snapshots_of_refs", _keep(act)))
def refs_have_parents(metadata: Document) -> set[Any]:
    named = {ref["snapshot-id"] for ref in metadata.get("refs", {}).values()}
    return named | {
        one.get("parent-snapshot-id")
        for one in metadata.get("snapshots", [])
        if one["snapshot-id"] in named
    }


@fault("IRC-TBL-LOAD-010", by=lambda act: wrap_rule("snapshots_of_refs", _then(act)))
def refs_cut_the_snapshot_log(metadata: Document) -> Document:
    kept = {snapshot["snapshot-id"] for snapshot in metadata["snapshots"]}
    return {
        **metadata,
        "snapshot-log": [
            entry for entry in metadata.get("snapshot-log", []) if entry["snapshot-id"] in kept
        ],
    }


@fault("IRC-TBL-LOAD-010", by=lambda act: wrap_rule("snapshots_of_refs", _then(act)))
def refs_have_no_logs(metadata: Document) -> Document:
    return {**metadata, "snapshot-log": [], "metadata-log": []}


@fault(
    "IRC-TBL-LOAD-008",
    "IRC-TBL-LOAD-010",
    by=lambda act: wrap_rule("snapshots_of_refs", _then(act)),
)
def refs_lose_parents(metadata: Document) -> Document:
    kept = {snapshot["snapshot-id"] for snapshot in metadata["snapshots"]}

    def orphaned(snapshot: Document) -> Document:
        return {
            key: value
            for key, value in snapshot.items()
            if key != "parent-snapshot-id" or value in kept
        }

    return {**metadata, "snapshots": [orphaned(snapshot) for snapshot in metadata["snapshots"]]}


@fault(
    "IRC-TBL-LOAD-008",
    "IRC-TBL-LOAD-010",
    by=lambda act: wrap_rule("snapshots_of_refs", _then(act)),
)
def refs_lose_refs(metadata: Document) -> Document:
    return {
        **metadata,
        "refs": {name: ref for name, ref in metadata.get("refs", {}).items() if name == "main"},
    }


@fault("IRC-TBL-LOAD-010", by=partial(on_call, LOAD))
def refs_have_no_location(handler: Handler, arguments: Arguments) -> Reply:
    reply = handler(**arguments)
    return (
        json_reply({**reply.document, "metadata-location": None})
        if arguments.get("snapshots") == "refs"
        else reply
    )


@fault("IRC-TBL-LOAD-007")
def refs_are_remembered(service: Service) -> None:
    known: dict[tuple[str, str], Reply] = {}

    def load(handler: Handler, arguments: Arguments) -> Reply:
        place = arguments["namespace"], arguments["table"]
        if arguments.get("snapshots") == "refs":
            known[place] = handler(**arguments)
        return known.get(place) or handler(**arguments)

    def commit(handler: Handler, arguments: Arguments) -> Reply:
        known.pop((arguments["namespace"], arguments["table"]), None)
        return handler(**arguments)

    on_call(LOAD, load)(service)
    on_call(op.update_table, commit)(service)


@fault("IRC-TBL-LOAD-011")
def ignores_unknown_snapshots(service: Service) -> None:
    def change(reply: Reply, scope: Scope) -> Reply:
        values = parse_qs(scope["query_string"].decode()).get("snapshots", ["all"])
        if reply.status != 400 or values[0] in {"all", "refs"}:
            return reply
        namespace, _, table = scope["path"].rpartition("/tables/")
        return service.handlers[LOAD](
            namespace=namespace.rpartition("/namespaces/")[2], table=table
        )

    service.filters[LOAD].append(change)


FAULTS = {
    "loads-refs-by-default IRC-TBL-LOAD-006": on_call(
        LOAD, lambda handler, arguments: handler(**{"snapshots": "refs", **arguments})
    ),
    "loads-the-newest IRC-TBL-LOAD-007": on_call(LOAD, _all(_newest, asked=False)),
    "loads-the-newest-when-asked IRC-TBL-LOAD-006 IRC-TBL-LOAD-007": on_call(
        LOAD, _all(_newest, asked=True)
    ),
    "refs-are-main IRC-TBL-LOAD-008 IRC-TBL-LOAD-009": replace_rule(
        "snapshots_of_refs", _keep(lambda metadata: {metadata.get("current-snapshot-id")})
    ),
    "refs-are-all IRC-TBL-LOAD-009": replace_rule("snapshots_of_refs", lambda metadata: metadata),
    "refs-are-refused IRC-TBL-LOAD-008 IRC-TBL-LOAD-009 IRC-TBL-LOAD-010": on_call(
        LOAD,
        lambda handler, arguments: (
            Reply(400, UNSUPPORTED)
            if arguments.get("snapshots") == "refs"
            else handler(**arguments)
        ),
    ),
    "refs-lose-statistics IRC-TBL-LOAD-010": wrap_rule(
        "snapshots_of_refs", _then(lambda metadata: {**metadata, "statistics": []})
    ),
    "refs-lose-the-metadata-log IRC-TBL-LOAD-010": wrap_rule(
        "snapshots_of_refs", _then(lambda metadata: {**metadata, "metadata-log": []})
    ),
    "unknown-snapshots-are-404 IRC-TBL-LOAD-011": on_status(LOAD, {400: 404}),
}
