"""Catalogs with one quirk fail only the requirement that it breaks, or none; what depends on it is
blocked.
"""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import pytest

from faulty import mutants
from faulty_servers import refuses, results, rewrites
from lakepact.conformance.checks.iceberg_rest.tables.load import significant
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.reference_server.faults import (
    Install,
    accept,
    all_of,
    on_answer,
    on_call,
    on_request,
    on_status,
    replace_rule,
)
from lakepact.reference_server.http.paging import page
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Handler, Scope, Service
from sampling import by_day

PASS, WARN, FAIL, BLOCKED, NOT_OFFERED = (
    Outcome.PASS,
    Outcome.WARN,
    Outcome.FAIL,
    Outcome.BLOCKED,
    Outcome.NOT_OFFERED,
)
BROKEN = {FAIL, WARN, Outcome.ERROR}
SHOWING = ("createTable", "loadTable", "updateTable")
MADE = (
    "createNamespace",
    "createTable",
    "createView",
    "registerTable",
    "renameTable",
    "renameView",
)
EXISTENCE = ("namespaceExists", "tableExists", "viewExists")


def updates(arguments: dict[str, Any], action: str = "") -> list[dict[str, Any]]:
    """Return the updates of a commit, or those with an action."""
    return [
        one
        for one in arguments["body"].get("updates") or ()
        if one.get("action") == action or not action
    ]


def actions(arguments: dict[str, Any]) -> list[str]:
    return [str(one.get("action")) for one in updates(arguments)]


def creates(arguments: dict[str, Any]) -> bool:
    return any(
        one.get("type") == "assert-create" for one in arguments["body"].get("requirements") or ()
    )


def has_ids(spec: dict[str, Any]) -> bool:
    return "spec-id" in spec and all("field-id" in field for field in spec["fields"])


def repeats_a_schema_id(arguments: dict[str, Any]) -> bool:
    return not creates(arguments) and any(
        not one["schema"].get("schema-id") for one in updates(arguments, "add-schema")
    )


def has_no_route(*operations: str) -> Install:
    def is_no_route(scope: Scope) -> None:
        raise Problem(404, "NotFoundException", f"Unknown path: {scope['path']}")

    return on_request(operations, is_no_route)


def without_endpoints(document: dict[str, Any]) -> None:
    document.pop("endpoints", None)


def without_existence(document: dict[str, Any]) -> None:
    document["endpoints"] = [
        endpoint for endpoint in document["endpoints"] if not endpoint.startswith("HEAD ")
    ]


def refuses_unit_separators(scope: Scope) -> None:
    if b"%1F" in scope["raw_path"]:
        raise Problem(400, "BadRequestException", "Suspicious Path Character")


def counts(changing: tuple[str, ...], showing: tuple[str, ...]) -> Install:
    """Return a catalog whose objects carry the number of the last request that could have changed
    one.
    """
    last = itertools.count()
    number = [0]

    def note_change(handler: Handler, arguments: dict[str, Any]) -> Reply:
        number[0] = next(last)
        return handler(**arguments)

    def show(document: dict[str, Any]) -> None:
        holder = document.get("metadata", document)
        if "table-uuid" in holder or isinstance(holder.get("properties"), dict):
            holder.setdefault("properties", {})["catalog.commit-id"] = str(number[0])

    return all_of(on_call(changing, note_change), on_answer(showing, show))


def short(most: int) -> Install:
    def pages(records: Any, listing: str, *, after: str | None, size: int | None) -> Any:
        return page(
            records,
            listing,
            after=after,
            size=None if after is None and size is None else min(most, size or most),
        )

    return replace_rule("page", pages)


def keeps_the_current_snapshot(document: dict[str, Any]) -> None:
    metadata = document["metadata"]
    metadata["snapshots"] = [
        one
        for one in metadata.get("snapshots", ())
        if one["snapshot-id"] == metadata.get("current-snapshot-id")
    ]


def keeps_main_alone(document: dict[str, Any]) -> None:
    metadata = document["metadata"]
    metadata["refs"] = {
        name: ref for name, ref in (metadata.get("refs") or {}).items() if name == "main"
    }


def turn_round(document: dict[str, Any]) -> None:
    for member in ("snapshots", "schemas", "partition-specs", "sort-orders"):
        document["metadata"][member] = document["metadata"].get(member, [])[::-1]


def in_capitals(document: dict[str, Any]) -> None:
    document["metadata"]["table-uuid"] = document["metadata"]["table-uuid"].upper()


def with_default(name: str, value: str) -> Any:
    """Return an edit that sets a property unless the request does."""
    return lambda body: body | {"properties": {name: value, **(body.get("properties") or {})}}


def without_version(body: dict[str, Any]) -> dict[str, Any]:
    return body | {
        "properties": {k: v for k, v in body.get("properties", {}).items() if k != "format-version"}
    }


def with_current_schema(body: dict[str, Any]) -> dict[str, Any]:
    kinds = {update["action"] for update in body["updates"]}
    if "add-schema" not in kinds or "set-current-schema" in kinds:
        return body
    current = {"action": "set-current-schema", "schema-id": -1}
    return {**body, "updates": [*body["updates"], current]}


def without_refs(body: dict[str, Any]) -> dict[str, Any]:
    return body | {
        "requirements": [
            one
            for one in body.get("requirements") or ()
            if one.get("type") != "assert-ref-snapshot-id"
        ]
    }


def names_files_elsewhere(arguments: dict[str, Any]) -> bool:
    """Return whether a commit that creates a table names files outside its location."""
    location = next((one["location"] for one in updates(arguments, "set-location")), None)
    paths = [
        one["snapshot"]["manifest-list"]
        for one in updates(arguments, "add-snapshot")
        if "manifest-list" in one["snapshot"]
    ]
    paths += [one["statistics"]["statistics-path"] for one in updates(arguments, "set-statistics")]
    paths += [
        one["partition-statistics"]["statistics-path"]
        for one in updates(arguments, "set-partition-statistics")
    ]
    return bool(location) and any(not file.startswith(f"{location}/") for file in paths)


def partitions_nested_columns(arguments: dict[str, Any]) -> bool:
    columns = {column["id"] for column in arguments["body"]["schema"]["fields"]}
    return any(
        field["source-id"] not in columns
        for field in arguments["body"].get("partition-spec", {}).get("fields", [])
    )


def wants_version_3(arguments: dict[str, Any]) -> bool:
    upgrades = [one.get("format-version") for one in updates(arguments, "upgrade-format-version")]
    return "3" in (arguments["body"].get("properties") or {}).values() or 3 in upgrades


def leaves_its_namespace(arguments: dict[str, Any]) -> bool:
    source, destination = (
        arguments["body"].get(side, {}).get("namespace") for side in ("source", "destination")
    )
    return bool(source and destination and source != destination)


def has_another_name(arguments: dict[str, Any]) -> bool:
    body = arguments["body"]
    names = (
        *body.get("namespace", ()),
        body.get("name", "plain"),
        body.get("destination", {}).get("name", "plain"),
    )
    return not all(re.fullmatch("[a-z0-9_]+", name) for name in names)


def creates_tables_after_stages(service: Service) -> None:
    """Accept commits that create a table only if the table was staged."""
    stages: dict[tuple[str, str], dict[str, Any]] = {}
    create, commit = service.handlers["createTable"], service.handlers["updateTable"]

    def stage(**arguments: Any) -> Reply:
        reply = create(**arguments)
        if arguments["body"].get("stage-create"):
            stages[arguments["namespace"], arguments["body"]["name"]] = reply.document["metadata"]
        return reply

    def commit_after_stage(**arguments: Any) -> Reply:
        place = arguments["namespace"], arguments["table"]
        there = True
        try:
            service.handlers["tableExists"](namespace=place[0], table=place[1])
        except Problem:
            there = False
        if creates(arguments) and not there and place not in stages:
            raise Problem(
                404, "NoSuchTableException", f"Table does not exist: {place} was not staged"
            )
        reply = commit(**arguments)
        stages.pop(place, None)  # not before: a handler that leaves the event loop is called again
        return reply

    service.handlers.update(createTable=stage, updateTable=commit_after_stage)


def stages_existing_tables(service: Service) -> None:
    def stage_anyway(handler: Handler, arguments: dict[str, Any]) -> Reply:
        if not arguments["body"].get("stage-create"):
            return handler(**arguments)
        usual = service.rules.current("identifier_is_free")
        service.rules.replace("identifier_is_free", accept)
        try:
            return handler(**arguments)
        finally:
            service.rules.replace("identifier_is_free", usual)

    on_call("createTable", stage_anyway)(service)


def looks_for_the_namespace_first() -> Install:
    there: set[str] = set()

    def makes(handler: Handler, arguments: dict[str, Any]) -> Reply:
        there.add("\x1f".join(arguments["body"]["namespace"]))
        return handler(**arguments)

    misses = refuses(
        "reportMetrics",
        lambda arguments: arguments["namespace"] not in there,
        404,
        "NoSuchNamespaceException",
    )
    return all_of(on_call("createNamespace", makes), misses)


NOTE = {"said": ["more", None]}
FREE = frozenset(
    {"properties", "config", "summary", "updates"}
)  #: objects with member names that a user chose


def say_more(value: Any) -> None:
    """Add a member to every object within an answer."""
    if isinstance(value, list):
        for item in value:
            say_more(item)
    elif isinstance(value, dict):
        for member, inner in [*value.items()]:
            if member == "refs":
                say_more([*inner.values()])
            elif member not in FREE:
                say_more(inner)
        value["x-lakepact-note"] = NOTE


def shuffle_listings(document: dict[str, Any]) -> None:
    for member in ("identifiers", "namespaces"):
        random.shuffle(document.get(member, []))


SERVED = itertools.count(1)
# A requirement that an invariant judges runs the whole suite: IRC-META-001, for one. Few quirks
# need that.
IDS = (
    "IRC-UPD-01[2-8]",
    "IRC-UPD-02*",
    "IRC-UPD-07*",
    "IRC-COM-0[013]*",
    "IRC-REQ-02*",
    "IRC-META-01[368]",
    "IRC-TBL-CREATE-01[79]",
)
PAGES = (
    "IRC-PAG-00[124578]",
    "IRC-PAG-01*",
    "IRC-PAG-02[0-3]",
    "IRC-NS-LIST-00[1-8]",
    "IRC-NS-LIST-010",
)
SNAPSHOTS = (
    "IRC-COM-030",
    "IRC-UPD-056",
    "IRC-UPD-066",
    "IRC-UPD-070",
    "IRC-REQ-016",
    "IRC-TBL-LOAD-017",
    "IRC-TBL-REN-003",
)
OF_VIEWS = (
    "IRC-VIEW-CREATE-009",
    "IRC-VIEW-LOAD-00*",
    "IRC-VIEW-REPL-0*",
    "IRC-VIEW-REN-00*",
    "IRC-NS-DROP-004",
    "IRC-NS-GET-00*",
)
CREATING = (
    "IRC-REQ-00*",
    "IRC-TBL-STAGE-*",
    "IRC-UPD-00*",
    "IRC-UPD-01*",
    "IRC-UPD-022",
    "IRC-UPD-04*",
    "IRC-TXN-0*",
)
DROPPING = (
    "IRC-TBL-*",
    "IRC-COM-*",
    "IRC-ERR-*",
    "IRC-NS-*",
    "IRC-GEN-*",
    "IRC-REQ-00*",
    "IRC-PAG-0*",
    "IRC-VIEW-*",
    "IRC-SCAN-FETCH-*",
)
NAMES = (
    *(
        "IRC-GEN-02*",
        "IRC-NS-ENC-00[12346]",
        "IRC-NS-LIST-00[1-8]",
        "IRC-NS-LIST-010",
        "IRC-TBL-LIST-*",
        "IRC-TBL-REN-*",
        "IRC-TBL-REG-001",
    ),
    *("IRC-VIEW-*", "IRC-UPD-02*", "IRC-UPD-059", "IRC-UPD-010"),
)
STATE = (
    *(
        "IRC-TBL-CREATE-014",
        "IRC-TBL-STAGE-006",
        "IRC-TBL-LOAD-006",
        "IRC-TBL-LOAD-010",
        "IRC-GEN-01[67]",
        "IRC-GEN-032",
    ),
    *("IRC-SCAN-PLAN-026", "IRC-COM-002", "IRC-COM-004", "IRC-COM-011", "IRC-COM-012"),
)
PROPERTIES = (
    "IRC-NS-CREATE-00*",
    "IRC-NS-ENC-004",
    "IRC-NS-DROP-005",
    "IRC-NS-PROP-01*",
    "IRC-GEN-013",
    "IRC-GEN-020",
)
NO_PROPERTIES = "UnsupportedOperationException"

#: By quirk: the catalog, requirements, and the outcomes of those that it breaks or that are worth a
#: look; no other is broken.
QUIRKS: dict[str, tuple[Install, tuple[str, ...], dict[str, Outcome]]] = {
    "requires-ids": (
        all_of(
            refuses(
                "updateTable",
                lambda a: (
                    not creates(a)
                    and any(not u["schema"].get("schema-id") for u in updates(a, "add-schema"))
                ),
                400,
            ),
            refuses(
                "updateTable",
                lambda a: any(not has_ids(one["spec"]) for one in updates(a, "add-spec")),
                400,
            ),
            refuses(
                "createTable",
                lambda a: (
                    not has_ids(a["body"].get("partition-spec") or {"spec-id": 0, "fields": []})
                ),
                500,
            ),
        ),
        IDS,
        {"IRC-TBL-CREATE-019": FAIL, "IRC-UPD-022": FAIL},
    ),
    "requires-the-deprecated-snapshot-id": (
        refuses(
            "updateTable",
            lambda a: any("snapshot-id" not in one for one in updates(a, "set-statistics")),
            400,
        ),
        ("IRC-UPD-052", "IRC-UPD-06[6-9]", "IRC-UPD-07[0-2]", "IRC-META-015"),
        {"IRC-UPD-067": FAIL},
    ),
    "requires-the-deprecated-last-column-id": (
        refuses(
            "updateTable",
            lambda a: any("last-column-id" not in one for one in updates(a, "add-schema")),
            500,
        ),
        ("IRC-UPD-01*", "IRC-COM-001", "IRC-COM-030", "IRC-TXN-001"),
        {"IRC-UPD-012": FAIL},
    ),
    "answers-transactions-with-200": (
        on_status("commitTransaction", {204: 200}),
        ("IRC-TXN-001", "IRC-TXN-009", "IRC-TXN-010", "IRC-TXN-011", "IRC-TXN-012", "IRC-TXN-014"),
        {"IRC-TXN-001": FAIL},
    ),
    "has-no-nested-paths": (
        on_request(("loadNamespaceMetadata", "dropNamespace"), refuses_unit_separators),
        (
            "IRC-NS-CREATE-010",
            "IRC-NS-ENC-001",
            "IRC-NS-GET-001",
            "IRC-NS-GET-005",
            "IRC-NS-GET-006",
        ),
        {
            "IRC-NS-ENC-001": FAIL,
            "IRC-NS-GET-001": PASS,
            "IRC-NS-GET-005": PASS,
            "IRC-NS-GET-006": NOT_OFFERED,
        },
    ),
    "creates-children-at-the-top": (
        rewrites("createNamespace", lambda body: body | {"namespace": body["namespace"][:1]}),
        ("IRC-PAG-022", "IRC-PAG-004"),
        {"IRC-PAG-004": PASS, "IRC-PAG-022": NOT_OFFERED},
    ),
    "has-flat-namespaces": (
        refuses("createNamespace", lambda a: len(a["body"]["namespace"]) > 1, 400),
        ("IRC-NS-CREATE-00*", "IRC-NS-LIST-00[1-8]", "IRC-NS-DROP-005", "IRC-TBL-CREATE-013"),
        {},
    ),
    "has-no-namespace-properties": (
        all_of(
            refuses(
                "createNamespace",
                lambda arguments: arguments["body"].get("properties"),
                406,
                NO_PROPERTIES,
            ),
            refuses("updateProperties", lambda _: True, 406, NO_PROPERTIES),
            on_answer(
                ("createNamespace", "loadNamespaceMetadata"),
                lambda document: document.update(properties=None),
            ),
        ),
        PROPERTIES,
        {},
    ),
    "declares-and-has-no-head": (
        all_of(on_answer("getConfig", without_existence), has_no_route(*EXISTENCE)),
        ("IRC-CFG-012",),
        {},
    ),
    "drops-and-renames-nothing": (
        all_of(on_answer("getConfig", without_endpoints), has_no_route("dropTable", "renameTable")),
        ("IRC-TBL-CREATE-001", "IRC-VIEW-CREATE-001"),
        {},
    ),
    "has-half-of-the-routes": (
        all_of(
            on_answer("getConfig", without_endpoints),
            has_no_route("updateProperties", "renameTable", "reportMetrics", "dropTable"),
        ),
        ("IRC-CFG-013", "IRC-NS-PROP-*", "IRC-TBL-REN-*", "IRC-TBL-MET-*", "IRC-TBL-DROP-001"),
        {"IRC-CFG-013": FAIL},
    ),
    "shows-its-state-in-tables": (counts((*SHOWING, "createNamespace"), SHOWING), STATE, {}),
    "shows-its-state-in-views": (
        counts(
            (
                "createNamespace",
                "createTable",
                "createView",
                "replaceView",
                "renameView",
                "dropView",
                "dropNamespace",
            ),
            ("loadNamespaceMetadata", "createView", "loadView", "replaceView"),
        ),
        OF_VIEWS,
        {},
    ),
    "keeps-one-snapshot": (
        on_answer(SHOWING, keeps_the_current_snapshot),
        ("IRC-UPD-005", "IRC-UPD-035", "IRC-UPD-044", "IRC-UPD-05*", "IRC-UPD-066", "IRC-UPD-090"),
        {"IRC-UPD-035": FAIL},
    ),
    "keeps-main-alone": (
        on_answer(SHOWING, keeps_main_alone),
        ("IRC-TBL-LOAD-00[16789]", "IRC-UPD-044"),
        {"IRC-UPD-044": FAIL},
    ),
    "keeps-one-snapshot-and-main": (
        all_of(
            on_answer(SHOWING, keeps_the_current_snapshot), on_answer(SHOWING, keeps_main_alone)
        ),
        ("IRC-UPD-035", "IRC-UPD-044", "IRC-UPD-045", *SNAPSHOTS),
        {"IRC-UPD-035": FAIL, "IRC-UPD-044": FAIL, "IRC-UPD-045": FAIL},
    ),
    "takes-one-property-update": (
        refuses("updateTable", lambda a: actions(a).count("set-properties") > 1, 400),
        ("IRC-TBL-STAGE-00[4567]",),
        {},
    ),
    "says-more-in-another-order": (
        all_of(
            on_answer(("listTables", "listViews"), say_more),
            on_answer(("listNamespaces", "listTables", "listViews"), shuffle_listings),
            on_answer(SHOWING, turn_round),
        ),
        ("IRC-UPD-*", "IRC-COM-0*", "IRC-META-*", *NAMES, "IRC-NS-ENC-005", "IRC-NS-LIST-009"),
        {},
    ),
    "wants-an-update": (
        refuses("updateTable", lambda arguments: arguments["body"].get("updates") == [], 400),
        ("IRC-COM-01[2-5]", "IRC-REQ-00*", "IRC-ERR-010", "IRC-TBL-REN-013"),
        {"IRC-COM-012": WARN},
    ),
    "makes-one-update": (
        rewrites("updateTable", lambda b: b | {"updates": b["updates"][:1]}),
        ("IRC-COM-022",),
        {"IRC-COM-022": BLOCKED},
    ),
    "has-pages-of-one-and-renames-with-200": (
        all_of(short(1), on_status("renameTable", {204: 200})),
        ("IRC-PAG-*", "IRC-NS-LIST-*", "IRC-GEN-005", "IRC-GEN-006"),
        {"IRC-GEN-006": FAIL},
    ),
    "has-pages-of-two": (short(2), PAGES, {}),
    "ignores-refs-in-requirements": (
        rewrites("updateTable", without_refs),
        ("IRC-COM-004", "IRC-COM-005", "IRC-COM-006", "IRC-COM-013", "IRC-REQ-039"),
        {"IRC-COM-005": FAIL},
    ),
    "removes-nothing-but-refs": (
        refuses(
            "updateTable",
            lambda a: any(one.startswith("remove-") and "ref" not in one for one in actions(a)),
            500,
        ),
        ("IRC-UPD-05[15]", "IRC-UPD-07[3467]"),
        {"IRC-UPD-073": FAIL, "IRC-UPD-076": FAIL},
    ),
    "ignores-unknown-columns": (
        mutants(["unknown-columns-are-ignored"])[0].install,
        ("IRC-SCAN-PLAN-017", "IRC-SCAN-PLAN-018"),
        {"IRC-SCAN-PLAN-017": FAIL, "IRC-SCAN-PLAN-018": BLOCKED},
    ),
    "duplicates-equal-specs": (
        mutants(["duplicates-equal-specs"])[0].install,
        ("IRC-UPD-02[36]",),
        {"IRC-UPD-023": WARN, "IRC-UPD-026": PASS},
    ),
    "has-capital-uuids-and-version-3": (
        all_of(
            on_answer(SHOWING, in_capitals),
            rewrites("createTable", with_default("format-version", "3")),
        ),
        ("IRC-REQ-001", "IRC-TXN-012", "IRC-TBL-STAGE-005"),
        {},
    ),
    "drops-only-with-purge": (
        refuses("dropTable", lambda arguments: not arguments.get("purge_requested"), 400),
        DROPPING,
        {"IRC-TBL-DROP-001": FAIL},
    ),
    "creates-only-staged-tables": (creates_tables_after_stages, CREATING, {"IRC-REQ-001": FAIL}),
    "keeps-files-together": (refuses("updateTable", names_files_elsewhere, 400), CREATING, {}),
    "creates-version-2-and-upgrades-nothing": (
        all_of(
            rewrites("createTable", without_version),
            refuses(
                "updateTable",
                lambda a: any(
                    one.get("format-version") == 3 for one in updates(a, "upgrade-format-version")
                ),
                500,
            ),
        ),
        ("IRC-UPD-005", "IRC-UPD-041", "IRC-UPD-079"),
        {"IRC-UPD-005": FAIL, "IRC-UPD-041": BLOCKED, "IRC-UPD-079": BLOCKED},
    ),
    "knows-no-nested-columns": (
        refuses("createTable", partitions_nested_columns, 500, "NullPointerException"),
        ("IRC-TBL-CREATE-005", "IRC-TBL-CREATE-006"),
        {"IRC-TBL-CREATE-005": BLOCKED, "IRC-TBL-CREATE-006": FAIL},
    ),
    "renames-within-namespaces": (
        refuses("renameTable", leaves_its_namespace, 406, "UnsupportedOperationException"),
        ("IRC-NS-DROP-001",),
        {"IRC-NS-DROP-001": PASS},
    ),
    "looks-for-namespaces-of-metrics": (looks_for_the_namespace_first(), ("IRC-TBL-MET-005",), {}),
    "columns-and-orders-say-more": (
        on_answer("updateTable", lambda answer: say_more(answer["metadata"]["sort-orders"])),
        NAMES,
        {},
    ),
    "names-are-plain": (refuses(MADE, has_another_name, 400), NAMES, {}),
    "nothing-is-moved": (
        refuses(
            ("updateTable", "replaceView"),
            lambda a: not creates(a) and "set-location" in actions(a),
            403,
            "ForbiddenException",
        ),
        NAMES,
        {},
    ),
    "renames-stay-within": (
        refuses(
            ("renameTable", "renameView"),
            leaves_its_namespace,
            406,
            "UnsupportedOperationException",
        ),
        NAMES,
        {},
    ),
}
LONG = {
    "says-more-in-another-order",
    "drops-only-with-purge",
    "has-pages-of-one-and-renames-with-200",
}


@pytest.mark.parametrize("quirk", by_day(QUIRKS, QUIRKS.keys() - LONG))
def test_quirk_breaks_only_its_requirement(quirk: str) -> None:
    install, only, expected = QUIRKS[quirk]
    actual = results(install, *only)

    assert {
        requirement: outcome
        for requirement, outcome in actual.items()
        if outcome in BROKEN or requirement in expected
    } == expected


#: Choices that the contract leaves to vendors, and requirements that they keep.
CHOICES: dict[str, tuple[Install, tuple[str, ...]]] = {
    "each-answer-says-more-of-itself": (
        on_answer("loadTable", lambda document: document.update({"x-served": next(SERVED)})),
        ("IRC-GEN-01[0-4]", "IRC-TBL-ETAG-003"),
    ),
    "format-version-1-is-the-default": (
        rewrites("createTable", with_default("format-version", "1")),
        ("IRC-COM-023", "IRC-UPD-02[26]", "IRC-UPD-07[3-5]", "IRC-REQ-03[0-2]"),
    ),
    "the-last-schema-of-a-new-table-is-its-current-one": (
        rewrites("updateTable", with_current_schema),
        ("IRC-REQ-003",),
    ),
    "no-tables-of-version-3": (
        refuses(("createTable", "updateTable"), wants_version_3, 400),
        ("IRC-UPD-005",),
    ),
    "conflicts-are-reported-by-the-commit-of-a-staged-table": (
        stages_existing_tables,
        ("IRC-TBL-STAGE-009",),
    ),
    "views-keep-three-versions": (
        rewrites("createView", with_default("version.history.num-entries", "3")),
        ("IRC-VIEW-REPL-013",),
    ),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_vendor_choice_fails_nothing(choice: str) -> None:
    install, only = CHOICES[choice]

    assert set(results(install, *only).values()) <= {PASS, NOT_OFFERED}


def test_catalog_without_statistics_fails_nothing() -> None:
    keeps_none = refuses(
        "updateTable", lambda a: any("statistics" in one for one in actions(a)), 400
    )
    only = ("IRC-META-015", "IRC-UPD-010", "IRC-UPD-022", "IRC-UPD-04[05]", "IRC-UPD-050")

    assert set(
        results(keeps_none, *only, **{"statistics": False, "partition-statistics": False}).values()
    ) <= {PASS, NOT_OFFERED}


def test_pages_are_judged_without_nested_paths() -> None:
    operations = ("loadNamespaceMetadata", "dropNamespace", "listTables", "createTable")
    actual = results(on_request(operations, refuses_unit_separators), "IRC-PAG-01*")

    assert set(actual.values()) <= {PASS, NOT_OFFERED}
    assert actual["IRC-PAG-017"] is PASS


class RemovesFilesOfViews:
    """A catalog that removes the metadata file of a dropped view, even if another view uses the
    file.
    """

    def __init__(self) -> None:
        self.current: dict[Any, str] = {}
        self.gone: set[str] = set()

    def remember(self, handler: Handler, arguments: dict[str, Any]) -> Reply:
        reply = handler(**arguments)
        name = arguments["view"] if "view" in arguments else arguments["body"]["name"]
        self.current[str(arguments["namespace"]), name] = reply.document["metadata-location"]
        return reply

    def drop(self, handler: Handler, arguments: dict[str, Any]) -> Reply:
        self.gone.add(self.current.get((str(arguments["namespace"]), arguments["view"]), ""))
        return handler(**arguments)

    def register(self, handler: Handler, arguments: dict[str, Any]) -> Reply:
        if arguments["body"].get("metadata-location") in self.gone:
            raise Problem(404, "NotFoundException", "Failed to open input stream for file")
        return self.remember(handler, arguments)


def test_catalog_that_removes_files_of_dropped_views_passes_registration() -> None:
    catalog = RemovesFilesOfViews()
    removes = all_of(
        on_call(("createView", "replaceView", "loadView"), catalog.remember),
        on_call("dropView", catalog.drop),
        on_call("registerView", catalog.register),
    )

    assert set(results(removes, "IRC-VIEW-REG-00[456]", version="1.11.0").values()) == {PASS}


def test_metadata_file_in_another_order_is_equal() -> None:
    file = {
        "snapshots": [{"snapshot-id": 1}, {"snapshot-id": 2}],
        "schemas": [{"schema-id": 1}, {"schema-id": 0}],
    }

    assert significant({member: value[::-1] for member, value in file.items()}) == significant(file)
