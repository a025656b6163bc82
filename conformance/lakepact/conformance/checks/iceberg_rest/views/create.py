"""Checks of creating views: the created view, and conflicts with existing names."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    CatalogLab,
    Document,
    Members,
    Wrong,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import (
    ROUNDS,
    side_by_side,
    sole_winner,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_namespaces
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import (
    expect_no_change as table_unchanged,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import (
    OTHER_SCHEMA,
    OVER_TABLE,
    SQL,
    View,
    create,
    expect_no_change,
    expect_view,
    load_view,
    make_view,
    properties_of,
    sql,
    version,
    view_request,
)

AT_ONCE = 8

#: A text with blanks, quotes, letter case and characters that servers may change.
ODD_SQL = "  SELECT 'it''s' AS \"Id\",\n\t'\\' || 'ä🧊'  -- a comment;\nFROM  (VALUES (1)) AS t "

DIALECTS = ("trino", "spark", "Presto", "hive")

#: Members of a version, sent and read back.
NOTES: Members = {
    "timestamp-ms": 1_700_000_000_000,
    "summary": {"engine-name": "lakepact", "note": " ä "},
}


@check("IRC-VIEW-CREATE-001", "IRC-VIEW-CREATE-007")
def create_view_returns_metadata(lab: CatalogLab) -> None:
    """Creating a view returns 200 with its metadata and location; it has one version, which is
    current.
    """
    home = lab.make_namespace()
    name = lab.name()
    reply = create(lab, home, name)

    with lab.judge("IRC-VIEW-CREATE-001"):
        expect_view(reply)
    lab.require(reply, 200, 201)
    for view in lab.each((View(home, name, reply), load_view(lab, View(home, name, reply)))):
        with lab.judge("IRC-VIEW-CREATE-007"):
            current = view.member("current-version-id")
            expect.equal(
                [current],
                list(view.versions),
                "the current version as the only one,",
                at=view.place("versions"),
            )
            expect.equal(
                [current], view.log, "version ids in the log", at=view.place("version-log")
            )


@check("IRC-VIEW-CREATE-003")
def created_versions_have_the_requested_schema(lab: CatalogLab) -> None:
    """The first version of a view has the schema of the request, whatever schema ids the request
    has.
    """
    home = lab.make_namespace()
    for schema_id, own in lab.each(((0, 0), (77, 3), (3, 3), (-1, 0))):
        reply = create(
            lab,
            home,
            lab.name(),
            schema={**OTHER_SCHEMA, "schema-id": own},
            view_version=version(home, schema_id=schema_id),
        )
        with lab.judge("IRC-VIEW-CREATE-003"):
            expect.status(reply, 200, about=f"for a version with schema-id {schema_id}")
            schemas = {
                schema.get("schema-id"): schema for schema in reply.at("metadata", "schemas")
            }
            actual_id = reply.at("metadata", "versions", 0, "schema-id")
            expect.contains(
                actual_id, schemas, "ids of schemas", at=reply.place("metadata", "schemas")
            )
            columns = [field["name"] for field in schemas[actual_id]["fields"]]
            expect.equal(
                [field["name"] for field in OTHER_SCHEMA["fields"]],
                columns,
                "columns",
                at=reply.place("metadata", "schemas"),
            )


@check("IRC-VIEW-CREATE-004", "IRC-VIEW-CREATE-005")
def created_views_keep_representations(lab: CatalogLab) -> None:
    """A created view keeps its SQL, dialects, default namespace and default catalog as sent."""
    home = lab.make_namespace()
    child = lab.child_of(home)
    request = version(
        child or home,
        *(sql(f"{ODD_SQL}-- for {dialect}", dialect) for dialect in DIALECTS),
        default_catalog="Some catalog.of ours",
    )
    view = make_view(lab, home, view_version=request)

    for answer in lab.each((view, load_view(lab, view))):
        with lab.judge("IRC-VIEW-CREATE-004") as case:
            by_dialect = {
                representation["dialect"]: representation["sql"]
                for representation in answer.current["representations"]
            }
            expect.equal(
                {
                    representation["dialect"]: representation["sql"]
                    for representation in request["representations"]
                },
                by_dialect,
                "texts by dialect",
                at=answer.place("versions"),
            )
            for member in ("default-namespace", "default-catalog"):
                with case():
                    expect.equal(
                        request[member],
                        answer.current.get(member),
                        f"{member}",
                        at=answer.place("versions"),
                    )
        with lab.judge("IRC-VIEW-CREATE-005"):
            expect.same_items(
                DIALECTS,
                (representation["dialect"] for representation in answer.current["representations"]),
                "dialects, in any order,",
                at=answer.place("versions"),
            )


@check("IRC-VIEW-CREATE-006")
def created_views_may_keep_summary_and_timestamp(lab: CatalogLab) -> None:
    """Note whether the first version keeps the summary and timestamp of the request."""
    home = lab.make_namespace()
    view = make_view(
        lab,
        home,
        view_version=version(home, timestamp_ms=NOTES["timestamp-ms"], summary=NOTES["summary"]),
    )

    current = load_view(lab, view).current
    summary = current.get("summary") or {}
    same_by_member = {
        "timestamp-ms": current.get("timestamp-ms") == NOTES["timestamp-ms"],
        "summary": all(summary.get(key) == value for key, value in NOTES["summary"].items()),
    }
    whose = {True: "that of the request", False: "the server's own"}
    lab.note(
        "IRC-VIEW-CREATE-006",
        "; ".join(
            f"the {member} is {whose[is_same]}" for member, is_same in same_by_member.items()
        ),
    )


@check("IRC-VIEW-CREATE-008")
def locations_of_views_are_noted(lab: CatalogLab) -> None:
    """Note whether a view keeps the location of the request."""
    view = make_view(lab)
    location = f"{view.member('location').rstrip('/')}-{lab.name()}"
    reply = create(lab, view.namespace, lab.name(), location=location)
    if reply.status != 200:
        lab.note(
            "IRC-VIEW-CREATE-008",
            f"a location beside that of another view is answered with {reply.summary}",
        )
        return
    is_same = reply.at("metadata", "location").rstrip("/") == location
    lab.note(
        "IRC-VIEW-CREATE-008",
        "the location of the request is kept"
        if is_same
        else "the location of the request is replaced",
    )


@check("IRC-VIEW-CREATE-009", "IRC-VIEW-CREATE-010")
def creating_views_over_views_or_tables_returns_409(lab: CatalogLab) -> None:
    """Creating a view under the name of a view or a table returns 409 and changes neither."""
    view = load_view(lab, make_view(lab))
    table = lab.load(lab.make_table(view.namespace))
    ways: tuple[Document, ...] = (
        {},
        {"schema": OTHER_SCHEMA},
        {"view_version": version(view.namespace, sql("SELECT 2 AS id"))},
    )
    for members in lab.each(ways):
        again = lab.send(
            op.create_view,
            namespace=view.namespace,
            body=view_request(view.namespace, view.name, **members),
        )
        with lab.judge("IRC-VIEW-CREATE-009"):
            expect.status(again, 409, mutation=Wrong.PRESENT("view"))
            expect_no_change(lab, view)
        over = create(lab, table.namespace, table.name, **members)
        with lab.judge("IRC-VIEW-CREATE-010"):
            expect.status(over, 409, mutation=OVER_TABLE)
            table_unchanged(lab, table)


@check("IRC-VIEW-CREATE-011")
def creating_views_in_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Creating a view in a missing or dropped namespace returns 404 and does not create the
    namespace.
    """
    with lab.judge_each("IRC-VIEW-CREATE-011") as case:
        for namespace in chain(((lab.name(),),), former_namespaces(lab)):
            with case():
                expect.not_found(create(lab, namespace, lab.name()), "namespace")
                expect.not_found(
                    lab.send(op.load_namespace_metadata, namespace=namespace), "namespace"
                )


@check("IRC-VIEW-CREATE-017")
def created_views_keep_properties(lab: CatalogLab) -> None:
    """A created view keeps its properties as sent; a property that is not a string returns 400."""
    home = lab.make_namespace()
    properties = {"lakepact.note": " Ä ", "lakepact.empty": "", "comment": "a view"}
    view = make_view(lab, home, properties=properties)

    for answer in lab.each((view, load_view(lab, view))):
        with lab.judge("IRC-VIEW-CREATE-017"):
            stored = properties_of(answer)
            expect.includes(
                properties,
                stored,
                "properties",
                at=answer.place("properties"),
            )
    no_texts: tuple[Any, ...] = (1, True, 1.5, [], {})
    for wrong in lab.each(no_texts):
        name = lab.name()
        reply = create(lab, home, name, properties={"lakepact.note": wrong})
        with lab.judge("IRC-VIEW-CREATE-017"):
            expect.status(
                reply,
                400,
                about=f"for {expect.excerpt(wrong)} as a property",
                mutation=Wrong.TYPE("/properties/*"),
            )
            expect.not_found(lab.send(op.load_view, namespace=home, view=name), "view")


@check("IRC-VIEW-CREATE-018", alone=True)
def concurrent_creates_have_one_winner(lab: CatalogLab) -> None:
    """When many clients create the same view concurrently, exactly one gets 200, and the view is
    the winner's.
    """
    home = lab.make_namespace()
    for _ in lab.each(lab.repeat(ROUNDS)):
        name = lab.name()
        requests = [
            {
                "schema": SCHEMA,
                "view_version": version(home, sql(f"{SQL}, {n} AS creator")),
                "properties": {"lakepact.creator": str(n)},
            }
            for n in range(AT_ONCE)
        ]
        replies = side_by_side(
            lab,
            [partial(create, lab, home, name, **request) for request in requests],
            what="requests",
        )
        with lab.judge("IRC-VIEW-CREATE-018"):
            winner = View(home, name, replies[sole_winner(replies, 409, 503, what="creations")])
            now = lab.send(op.load_view, **winner.at)
            expect.status(now, 200)
            expect.member(
                winner.uuid,
                now.place("metadata", "view-uuid"),
                "the view-uuid in the winner's response,",
            )
