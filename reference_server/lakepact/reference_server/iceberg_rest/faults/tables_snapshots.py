"""Wrong ways of loading a table with all its snapshots, or with those that refs name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from lakepact.reference_server.faults import Fault, around, instead, on_call, on_status
from lakepact.reference_server.iceberg_rest.faults.ways.operations import LOAD
from lakepact.reference_server.replies import Reply, json_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.service import Handler, Scope, Service


# -- all of them --------------------------------------------------------------------------------------------------------


def _refs_unless_asked(handler: Handler, arguments: dict[str, Any]) -> Reply:
    return handler(**{"snapshots": "refs", **arguments})


def _all(spoil: Callable[[list[Document]], list[Document]], *, asked: bool) -> Callable[[Handler, dict[str, Any]], Reply]:
    """`spoil(snapshots)` of loads with `all`, and if not `asked` of those too that do not say which."""

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        if arguments.get("snapshots", "" if asked else "all") != "all":
            return reply
        answer: Document = reply.document
        answer["metadata"]["snapshots"] = spoil(answer["metadata"].get("snapshots", []))
        return json_reply(answer)

    return act


def _newest(snapshots: list[Document]) -> list[Document]:
    return snapshots[-3:]


def _without_manifests(snapshots: list[Document]) -> list[Document]:
    return [{key: value for key, value in snapshot.items() if key != "manifest-list"} for snapshot in snapshots]


# -- those of refs ------------------------------------------------------------------------------------------------------


def _named(kept: Callable[[Document], set[Any]]) -> Callable[[Document], Document]:
    """With `refs` the snapshots of the ids that `kept(metadata)` returns are loaded."""

    def snapshots_of_refs(metadata: Document) -> Document:
        wanted = kept(metadata)
        return {**metadata, "snapshots": [one for one in metadata.get("snapshots", []) if one["snapshot-id"] in wanted]}

    return snapshots_of_refs


def _of_main(metadata: Document) -> set[Any]:
    return {metadata.get("current-snapshot-id")}


def _of_branches(metadata: Document) -> set[Any]:
    return {ref["snapshot-id"] for ref in metadata.get("refs", {}).values() if ref["type"] == "branch"}


def _on_the_line(metadata: Document) -> set[Any]:
    parents = {one["snapshot-id"]: one.get("parent-snapshot-id") for one in metadata.get("snapshots", [])}
    line, one = set[Any](), metadata.get("current-snapshot-id")
    while one is not None and one not in line:
        line.add(one)
        one = parents.get(one)
    return line


def _with_parents(metadata: Document) -> set[Any]:
    named = {ref["snapshot-id"] for ref in metadata.get("refs", {}).values()}
    return named | {one.get("parent-snapshot-id") for one in metadata.get("snapshots", []) if one["snapshot-id"] in named}


def _then(change: Callable[[Document], Document]) -> Callable[[Any], Callable[[Document], Document]]:
    """With `refs` the metadata are changed besides."""
    return lambda usual: lambda metadata: change(usual(metadata))


def _without_statistics(metadata: Document) -> Document:
    return {**metadata, "statistics": []}


def _with_short_log(metadata: Document) -> Document:
    kept = {snapshot["snapshot-id"] for snapshot in metadata["snapshots"]}
    return {**metadata, "snapshot-log": [entry for entry in metadata.get("snapshot-log", []) if entry["snapshot-id"] in kept]}


def _without_metadata_log(metadata: Document) -> Document:
    return {**metadata, "metadata-log": []}


def _without_parents(metadata: Document) -> Document:
    kept = {snapshot["snapshot-id"] for snapshot in metadata["snapshots"]}

    def orphaned(snapshot: Document) -> Document:
        return {key: value for key, value in snapshot.items() if key != "parent-snapshot-id" or value in kept}

    return {**metadata, "snapshots": [orphaned(snapshot) for snapshot in metadata["snapshots"]]}


def _main_for_refs(metadata: Document) -> Document:
    return {**metadata, "refs": {name: ref for name, ref in metadata.get("refs", {}).items() if name == "main"}}


def _without_location(handler: Handler, arguments: dict[str, Any]) -> Reply:
    reply = handler(**arguments)
    return json_reply({**reply.document, "metadata-location": None}) if arguments.get("snapshots") == "refs" else reply


def _remembered(service: Service) -> None:
    known: dict[tuple[str, str], Reply] = {}

    def load(handler: Handler, arguments: dict[str, Any]) -> Reply:
        place = arguments["namespace"], arguments["table"]
        if arguments.get("snapshots") == "refs":
            known[place] = handler(**arguments)
        return known.get(place) or handler(**arguments)

    def commit(handler: Handler, arguments: dict[str, Any]) -> Reply:
        known.pop((arguments["namespace"], arguments["table"]), None)
        return handler(**arguments)

    on_call(LOAD, load)(service)
    on_call("updateTable", commit)(service)


def _refs_are_refused(handler: Handler, arguments: dict[str, Any]) -> Reply:
    return Reply(400, UNSUPPORTED) if arguments.get("snapshots") == "refs" else handler(**arguments)


UNSUPPORTED = b'{"error":{"message":"snapshots=refs is not supported","type":"BadRequestException","code":400}}'


# -- other values -------------------------------------------------------------------------------------------------------


def _ignored(service: Service) -> None:
    def change(reply: Reply, scope: Scope) -> Reply:
        values = parse_qs(scope["query_string"].decode()).get("snapshots", ["all"])
        if reply.status != 400 or values[0] in {"all", "refs"}:
            return reply
        namespace, _, table = scope["path"].rpartition("/tables/")
        return service.handlers[LOAD](namespace=namespace.rpartition("/namespaces/")[2], table=table)

    service.filters[LOAD].append(change)


def _remembered_by_main(service: Service) -> None:
    """What is loaded with `refs` is remembered for as long as main stays where it is."""
    known: dict[tuple[Any, Any], Any] = {}

    def kept(pick: Callable[[Document], Document]) -> Callable[[Document], Document]:
        def picked(metadata: Document) -> Document:
            found = pick(metadata)
            return {
                **found,
                "snapshots": known.setdefault((metadata["table-uuid"], metadata.get("current-snapshot-id")), found["snapshots"]),
            }

        return picked

    around("rules", "snapshots-of-refs", kept)(service)


def _of_the_current_schema(pick: Callable[[Document], Document]) -> Callable[[Document], Document]:
    def picked(metadata: Document) -> Document:
        current = [schema for schema in metadata["schemas"] if schema["schema-id"] == metadata["current-schema-id"]]
        return {**pick(metadata), "schemas": current}

    return picked


FAULTS = (
    Fault("refs-are-remembered-by-main", "With `refs` a new tag is not seen until main moves.", ("IRC-TBL-LOAD-008",), _remembered_by_main),
    Fault(
        "refs-have-one-schema",
        "With `refs` the current schema alone is loaded.",
        ("IRC-TBL-LOAD-010",),
        around("rules", "snapshots-of-refs", _of_the_current_schema),
    ),
    Fault(
        "loads-refs-by-default",
        "Loads that do not say which snapshots get those of refs.",
        ("IRC-TBL-LOAD-006",),
        on_call(LOAD, _refs_unless_asked),
    ),
    Fault(
        "loads-the-newest", "Three snapshots are loaded, even with `all`.", ("IRC-TBL-LOAD-007",), on_call(LOAD, _all(_newest, asked=False))
    ),
    Fault(
        "loads-the-newest-when-asked",
        "Three snapshots are loaded with `all`, and all without.",
        ("IRC-TBL-LOAD-006", "IRC-TBL-LOAD-007"),
        on_call(LOAD, _all(_newest, asked=True)),
    ),
    Fault(
        "loads-no-manifests",
        "Snapshots are loaded without their manifests.",
        ("IRC-TBL-LOAD-007",),
        on_call(LOAD, _all(_without_manifests, asked=False)),
    ),
    Fault(
        "refs-are-main",
        "With `refs` the current snapshot alone is loaded.",
        ("IRC-TBL-LOAD-008", "IRC-TBL-LOAD-009"),
        instead("rules", "snapshots-of-refs", _named(_of_main)),
    ),
    Fault(
        "refs-are-branches",
        "With `refs` the snapshots of tags are left out.",
        ("IRC-TBL-LOAD-008", "IRC-TBL-LOAD-009"),
        instead("rules", "snapshots-of-refs", _named(_of_branches)),
    ),
    Fault(
        "refs-are-the-line",
        "With `refs` the ancestors of main are loaded.",
        ("IRC-TBL-LOAD-008", "IRC-TBL-LOAD-009"),
        instead("rules", "snapshots-of-refs", _named(_on_the_line)),
    ),
    Fault(
        "refs-have-parents",
        "With `refs` the parents of snapshots are loaded too.",
        ("IRC-TBL-LOAD-009",),
        instead("rules", "snapshots-of-refs", _named(_with_parents)),
    ),
    Fault(
        "refs-are-all",
        "With `refs` all snapshots are loaded.",
        ("IRC-TBL-LOAD-009",),
        instead("rules", "snapshots-of-refs", lambda metadata: metadata),
    ),
    Fault(
        "refs-are-refused",
        "Loading with `refs` is refused.",
        ("IRC-TBL-LOAD-008", "IRC-TBL-LOAD-009", "IRC-TBL-LOAD-010"),
        on_call(LOAD, _refs_are_refused),
    ),
    Fault(
        "refs-lose-statistics",
        "With `refs` there are no statistics.",
        ("IRC-TBL-LOAD-010",),
        around("rules", "snapshots-of-refs", _then(_without_statistics)),
    ),
    Fault(
        "refs-cut-the-snapshot-log",
        "With `refs` the snapshot-log is shorter.",
        ("IRC-TBL-LOAD-010",),
        around("rules", "snapshots-of-refs", _then(_with_short_log)),
    ),
    Fault(
        "refs-lose-the-metadata-log",
        "With `refs` there is no metadata-log.",
        ("IRC-TBL-LOAD-010",),
        around("rules", "snapshots-of-refs", _then(_without_metadata_log)),
    ),
    Fault(
        "refs-lose-parents",
        "With `refs` snapshots lose the parents that are left out.",
        ("IRC-TBL-LOAD-008", "IRC-TBL-LOAD-010"),
        around("rules", "snapshots-of-refs", _then(_without_parents)),
    ),
    Fault(
        "refs-lose-refs",
        "With `refs` main is the only one of them.",
        ("IRC-TBL-LOAD-008", "IRC-TBL-LOAD-010"),
        around("rules", "snapshots-of-refs", _then(_main_for_refs)),
    ),
    Fault("refs-have-no-location", "With `refs` the metadata-location is null.", ("IRC-TBL-LOAD-010",), on_call(LOAD, _without_location)),
    Fault("refs-are-remembered", "Once a table was loaded with `refs`, everybody gets those.", ("IRC-TBL-LOAD-010",), _remembered),
    Fault("ignores-unknown-snapshots", "Unknown values of `snapshots` are ignored.", ("IRC-TBL-LOAD-011",), _ignored),
    Fault(
        "unknown-snapshots-are-404",
        "Unknown values of `snapshots` are answered with 404.",
        ("IRC-TBL-LOAD-011",),
        on_status(LOAD, {400: 404}),
    ),
)
