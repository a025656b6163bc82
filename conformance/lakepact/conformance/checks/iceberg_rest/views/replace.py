"""Checks of replacing views: versions that are added and made current, properties, and who wins."""

from __future__ import annotations

from functools import partial
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    Blocked,
    CatalogLab,
    Document,
    Kind,
    Wrong,
    check,
    expect,
    op,
    set_properties,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.concurrency import ROUNDS, side_by_side
from lakepact.conformance.checks.iceberg_rest.kit.views import (
    HARMLESS,
    OTHER_SCHEMA,
    SQL,
    TABLE_AS_VIEW,
    View,
    add_view_version,
    expect_no_change,
    expect_view,
    load_view,
    make_view,
    next_version,
    properties_of,
    replace_view,
    set_current_view_version,
    sql,
    texts,
    try_replace,
    version,
)
from lakepact.conformance.checks.iceberg_rest.views.create import ODD_SQL

#: fewer than the versions that views keep where nothing else is said, by the reference; others may
#: keep fewer
WRITERS = 6


def _require_former_versions(lab: CatalogLab, view: View) -> None:
    """Replace a view, and check that the version before is kept.

    Raises:
        StepFailed: it is not.
    """
    later = load_view(lab, replace_view(lab, view, *next_version(view, "SELECT 2 AS id")))
    with lab.step("IRC-VIEW-REPL-003"):
        expect.contains(
            view.member("current-version-id"),
            later.versions,
            "after a replacement, ids of versions",
            at=later.place("versions"),
        )


@check("IRC-VIEW-REPL-001", "IRC-VIEW-REPL-003")
def replacements_add_versions(lab: CatalogLab) -> None:
    """Replacing a view returns 200 at a new metadata location and adds a version and a log entry;
    earlier versions are kept.
    """
    view = make_view(lab, properties={"version.history.num-entries": "10"})
    expected = [SQL]
    for number in lab.each((2, 3, 4)):
        reply = try_replace(lab, view, *next_version(view, f"SELECT {number} AS id"))
        with lab.judge("IRC-VIEW-REPL-001"):
            expect_view(reply)
            places = reply.at("metadata-location"), view.reply.at("metadata-location")
            expect.true(
                places[0] != places[1],
                f"a metadata-location other than {places[1]}",
                places[0],
                at=reply.place("metadata-location"),
            )
        lab.require(reply, 200)
        before, view = view, load_view(lab, view)
        expected.append(f"SELECT {number} AS id")
        with lab.judge("IRC-VIEW-REPL-003"):
            expect.equal(
                expected[-1],
                view.current["representations"][0]["sql"],
                "the text of the current version",
                at=view.place("versions"),
            )
            expect.same_items(
                expected,
                texts(view),
                "the texts of all versions",
                at=view.place("versions"),
            )
            expect.equal(
                [*before.log, view.member("current-version-id")],
                view.log,
                "version ids in the log",
                at=view.place("version-log"),
            )


@check("IRC-VIEW-REPL-004")
def property_updates_add_no_version(lab: CatalogLab) -> None:
    """Setting properties or the location adds no version and no log entry."""
    view = make_view(lab)
    changes = (
        set_properties(note="1"),
        upd.remove_properties("note"),
        upd.set_location(f"{view.member('location').rstrip('/')}/moved"),
    )
    for change in lab.each(changes):
        reply = try_replace(lab, view, change)
        if change["action"] != "set-location":
            lab.require(reply, 200)
        after = load_view(lab, view)
        with lab.judge_each("IRC-VIEW-REPL-004") as case:
            for member in ("current-version-id", "versions", "version-log"):
                with case():
                    expect.member(view.member(member), after.place(member))


@check("IRC-VIEW-REPL-006", "IRC-VIEW-REPL-007")
def replacing_missing_views_returns_404(lab: CatalogLab) -> None:
    """Replacing a missing view returns 404; replacing a table as a view returns 404 or 409."""
    view = make_view(lab)
    lab.require(lab.send(op.drop_view, **view.at))
    table = lab.make_table(view.namespace)
    absent = [
        view,
        View((lab.name(),), view.name, view.reply),
        View(view.namespace, lab.name(), view.reply),
    ]

    for missing in lab.each(absent):
        with lab.judge("IRC-VIEW-REPL-006"):
            expect.not_found(try_replace(lab, missing, HARMLESS), "view")
    with lab.judge("IRC-VIEW-REPL-007"):
        reply = try_replace(lab, View(table.namespace, table.name, view.reply), HARMLESS)
        expect.status(reply, 404, 409, mutation=TABLE_AS_VIEW)


@check("IRC-VIEW-REPL-009")
def updates_are_applied_in_order_and_atomically(lab: CatalogLab) -> None:
    """Updates of a view apply in order; if one cannot be applied, none is."""
    view = make_view(lab)
    steps = (
        set_properties(**{"lakepact.a": "1", "lakepact.b": "1"}),
        set_properties(**{"lakepact.a": "2"}),
        upd.remove_properties("lakepact.b"),
        upd.remove_properties("lakepact.c"),
        set_properties(**{"lakepact.c": "3"}),
    )
    after = load_view(lab, replace_view(lab, view, *steps))
    expected = {"lakepact.a": "2", "lakepact.c": "3"}
    with lab.judge("IRC-VIEW-REPL-009"):
        expect.equal(
            expected,
            {
                key: value
                for key, value in properties_of(after).items()
                if key.startswith("lakepact.")
            },
            "properties",
            at=after.place("properties"),
        )
    impossible = set_current_view_version(upd.NOWHERE)
    for updates in lab.each(
        (
            (set_properties(**{"lakepact.a": "4"}), impossible),
            (*next_version(after, "SELECT 5 AS id"), impossible),
        )
    ):
        reply = try_replace(lab, after, *updates)
        with lab.judge("IRC-VIEW-REPL-009"):
            if reply.status >= 400:
                expect_no_change(lab, after)


@check("IRC-VIEW-REPL-010", "IRC-UPD-087")
def set_current_view_version_selects_a_version(lab: CatalogLab) -> None:
    """`set-current-view-version` makes a version current, by its id or by -1 for the last added
    one, and logs it.
    """
    first = make_view(lab)
    second = load_view(lab, replace_view(lab, first, *next_version(first, "SELECT 2 AS id")))
    old, new = first.member("current-version-id"), second.member("current-version-id")
    with lab.step("IRC-VIEW-REPL-003"):
        expect.contains(
            old,
            second.versions,
            "after a replacement, ids of versions",
            at=second.place("versions"),
        )
    with lab.judge("IRC-UPD-087"):
        expect.equal(
            "SELECT 2 AS id",
            second.current["representations"][0]["sql"],
            "the text of the version that was added last,",
            at=second.place("versions"),
        )
        expect.equal(
            [old, new], second.log, "version ids in the log", at=second.place("version-log")
        )
    for version_id, log in lab.each(((old, [old, new, old]), (new, [old, new, old, new]))):
        reply = try_replace(lab, second, set_current_view_version(version_id))
        after = load_view(lab, second)
        with lab.judge("IRC-VIEW-REPL-010", "IRC-UPD-087"):
            expect.status(reply, 200)
            expect.member(version_id, after.place("current-version-id"))
            expect.equal(log, after.log, "version ids in the log", at=after.place("version-log"))
            expect.same_items(
                second.versions,
                after.versions,
                "ids of versions",
                at=after.place("versions"),
            )
    earlier, _ = next_version(second, "SELECT 3 AS id")
    later = next_version(second, "SELECT 4 AS id", version_id=max(second.versions) + 2)
    reply = try_replace(lab, second, earlier, *later)
    after = load_view(lab, second)
    with lab.judge("IRC-UPD-087"):
        expect.status(reply, 200, about="for two versions in one request")
        text = after.current["representations"][0]["sql"]
        what = "the text of the version that was added last,"
        expect.equal("SELECT 4 AS id", text, what, at=after.place("versions"))


@check("IRC-VIEW-REPL-011")
def dropped_dialects_are_noted(lab: CatalogLab) -> None:
    """Note whether a replacement may drop a dialect."""
    view = make_view(lab)
    only = version(
        view.namespace, sql(dialect="trino"), version_id=2, schema_id=view.current["schema-id"]
    )
    reply = try_replace(lab, view, add_view_version(only), set_current_view_version())
    remark = f"a replacement that drops a dialect is answered with status {reply.status}"
    with lab.judge("IRC-VIEW-REPL-011", remark=remark):
        if reply.status >= 500:
            raise Blocked(f"{remark} (IRC-ERR-025)")


@check("IRC-VIEW-REPL-013", alone=True)
def accepted_replacements_are_kept(lab: CatalogLab) -> None:
    """When many clients replace a view concurrently, each gets 200 or 409, and every accepted
    version is in the view.
    """
    home = lab.make_namespace()
    first = make_view(lab, home)
    _require_former_versions(lab, first)
    for turn in lab.each(lab.repeat(ROUNDS)):
        view = make_view(lab, home, properties={"version.history.num-entries": "100"})
        sql_texts = [f"SELECT {turn} AS round, {n} AS writer" for n in range(WRITERS)]
        replies = side_by_side(
            lab,
            [partial(try_replace, lab, view, *next_version(view, text)) for text in sql_texts],
            what="requests",
        )
        after = load_view(lab, view)
        stored = texts(after)
        with lab.judge("IRC-VIEW-REPL-013") as case:
            for reply in replies:
                with case():
                    expect.status(reply, 200, 409, mutation=Wrong.STALE("version"))
            missing = [
                text
                for text, reply in zip(sql_texts, replies, strict=True)
                if reply.status == 200 and text not in stored
            ]
            expect.equal(
                [],
                missing,
                "accepted versions that the view lacks:",
                at=after.place("versions"),
                kind=Kind.LOST,
            )


def in_order(value: Any) -> Any:
    """Return a member of a version; representations, whose order means nothing, are sorted."""
    return (
        sorted(value, key=expect.excerpt)
        if isinstance(value, list) and any(isinstance(one, dict) for one in value)
        else value
    )


@check("IRC-UPD-083")
def versions_use_the_last_added_schema(lab: CatalogLab) -> None:
    """An added version is stored as sent; its schema id -1 stands for the schema added last."""
    view = make_view(lab)
    for number in lab.each((2, 3)):
        columns = [f"lakepact_{number}_{place}" for place in (1, 2)]
        # Ids that no schema has: a server that takes those of the request breaks IRC-UPD-010.
        schemas = [
            {
                **OTHER_SCHEMA,
                "schema-id": 10 * number + place,
                "fields": [{"id": 1, "name": name, "type": "long", "required": False}],
            }
            for place, name in enumerate(columns)
        ]
        text = f"SELECT 1 AS {columns[-1]}"
        request = version(
            view.namespace,
            sql(text),
            sql(text, "trino"),
            version_id=number,
            schema_id=upd.LAST_ADDED,
            default_catalog="Some of ours",
        )
        reply = try_replace(
            lab,
            view,
            *map(upd.add_schema, schemas),
            add_view_version(request),
            set_current_view_version(),
        )
        after = load_view(lab, view)
        with lab.judge("IRC-UPD-083") as case:
            expect.status(reply, 200)
            for member in ("representations", "default-namespace", "default-catalog"):
                with case():
                    expected, actual = map(in_order, (request[member], after.current.get(member)))
                    expect.equal(
                        expected, actual, f"{member} of the version", at=after.place("versions")
                    )
            schemas_by_id = {schema["schema-id"]: schema for schema in after.member("schemas")}
            expect.one_of(
                schemas_by_id,
                after.current["schema-id"],
                "the schema-id",
                at=after.place("versions"),
            )
            expect.equal(
                columns[-1],
                schemas_by_id[after.current["schema-id"]]["fields"][0]["name"],
                "the first column of the version's schema",
                at=after.place("schemas"),
            )


@check("IRC-UPD-083")
def added_versions_do_not_become_current(lab: CatalogLab) -> None:
    """A version that is only added is stored, and the current version does not change."""
    _require_former_versions(lab, make_view(lab))
    view = make_view(lab)
    addition, _ = next_version(view, "SELECT 2 AS id")
    reply = try_replace(lab, view, addition)
    after = load_view(lab, view)

    with lab.judge("IRC-UPD-083"):
        expect.status(reply, 200)
        expect.same_items(
            [SQL, "SELECT 2 AS id"],
            texts(after),
            "the texts of all versions",
            at=after.place("versions"),
        )
        expect.equal(
            SQL,
            after.current["representations"][0]["sql"],
            "the text of the current version",
            at=after.place("versions"),
        )
        expect.equal(view.log, after.log, "version ids in the log", at=after.place("version-log"))


@check("IRC-UPD-083")
def slightly_different_versions_are_added(lab: CatalogLab) -> None:
    """A version that differs only in schema, SQL or default namespace or catalog is added as
    sent.
    """
    home = lab.make_namespace()
    first = version(home, sql(ODD_SQL), sql(ODD_SQL, "trino"), default_catalog="ours")
    elsewhere = lab.make_namespace()
    view = make_view(
        lab, home, view_version=first, properties={"version.history.num-entries": "10"}
    )
    schema_id = view.current["schema-id"]
    likenesses: dict[str, Document] = {
        "another default namespace": {"default-namespace": list(elsewhere)},
        "another default catalog": {"default-catalog": "Ours"},
        "texts in another letter case": {
            "representations": [sql(ODD_SQL.lower()), sql(ODD_SQL.lower(), "trino")]
        },
        "texts with a blank less": {
            "representations": [sql(ODD_SQL.strip()), sql(ODD_SQL.strip(), "trino")]
        },
        "another schema": {"schema-id": upd.LAST_ADDED},
    }
    for number, (what, members) in lab.each(enumerate(likenesses.items(), start=2)):
        request = {**first, "version-id": number, "schema-id": schema_id, **members}
        schemas = [upd.add_schema(OTHER_SCHEMA)] if request["schema-id"] == upd.LAST_ADDED else []
        reply = try_replace(
            lab, view, *schemas, add_view_version(request), set_current_view_version()
        )
        after = load_view(lab, view)
        with lab.judge("IRC-UPD-083") as case:
            expect.status(reply, 200, about=f"for a version with {what}")
            for member in ("representations", "default-namespace", "default-catalog"):
                with case():
                    expected, actual = map(in_order, (request[member], after.current.get(member)))
                    expect.equal(
                        expected,
                        actual,
                        f"{member} of a version with {what},",
                        at=after.place("versions"),
                    )
            of_first = after.current["schema-id"] == schema_id
            expect.equal(
                not schemas,
                of_first,
                f"the version with {what} to have the schema of the first one:",
                at=after.place("versions"),
            )


@check("IRC-UPD-083")
def earlier_versions_keep_their_schemas(lab: CatalogLab) -> None:
    """An earlier version keeps its schema after a version with another schema is added."""
    view = make_view(lab)
    former = view.current["schema-id"]
    request = version(view.namespace, sql("SELECT 2 AS id"), version_id=2, schema_id=upd.LAST_ADDED)
    after = load_view(
        lab,
        replace_view(
            lab,
            view,
            upd.add_schema(OTHER_SCHEMA),
            add_view_version(request),
            set_current_view_version(),
        ),
    )

    with lab.judge("IRC-UPD-083"):
        fields = [
            [schema["fields"] for schema in one.member("schemas") if schema["schema-id"] == former]
            for one in (view, after)
        ]
        expect.equal(
            fields[0],
            fields[1],
            "the fields of the schema of the first version",
            at=after.place("schemas"),
        )


@check("IRC-UPD-087")
def existing_versions_count_as_last_added(lab: CatalogLab) -> None:
    """-1 refers to an existing version that is added again, with its schema."""
    first = make_view(lab, properties={"version.history.num-entries": "10"})
    columns = [field["name"] for field in SCHEMA["fields"]]
    other = version(first.namespace, sql("SELECT 2 AS id"), version_id=2, schema_id=upd.LAST_ADDED)
    second = load_view(
        lab,
        replace_view(
            lab,
            first,
            upd.add_schema(OTHER_SCHEMA),
            add_view_version(other),
            set_current_view_version(),
        ),
    )
    again = {**first.current, "version-id": max(second.versions) + 1, "schema-id": upd.LAST_ADDED}
    reply = try_replace(
        lab, second, upd.add_schema(SCHEMA), add_view_version(again), set_current_view_version()
    )
    after = load_view(lab, second)
    if reply.status == 400:
        # Iceberg's own library takes nothing for added that is there already, and then has no
        # schema that was added last.
        lab.note(
            "IRC-UPD-087", "the target does not count an existing schema as the last added one"
        )
        return

    with lab.judge("IRC-UPD-087"):
        expect.status(reply, 200)
        expect.equal(
            SQL,
            after.current["representations"][0]["sql"],
            "the text of the version that was added last,",
            at=after.place("versions"),
        )
        schemas = {schema["schema-id"]: schema for schema in after.member("schemas")}
        expect.equal(
            columns,
            [field["name"] for field in schemas[after.current["schema-id"]]["fields"]],
            "the columns of its schema",
            at=after.place("schemas"),
        )


@check("IRC-UPD-084")
def version_ids_are_unique(lab: CatalogLab) -> None:
    """A version with an id in use gets another id; adding an existing version stores no second
    one.
    """
    _require_former_versions(lab, make_view(lab))
    view = make_view(lab)
    version_id = view.member("current-version-id")
    again = version(
        view.namespace,
        sql("SELECT 2 AS id"),
        version_id=version_id,
        schema_id=view.current["schema-id"],
    )
    replies = [try_replace(lab, view, add_view_version(again), set_current_view_version())]
    both = load_view(lab, view)
    with lab.judge("IRC-UPD-084"):
        expect.status(replies[0], 200)
        expect.same_items(
            [SQL, "SELECT 2 AS id"],
            texts(both),
            "the texts of all versions",
            at=both.place("versions"),
        )
        expect.equal(2, len(both.versions), "different ids of versions:", at=both.place("versions"))
        expect.equal(
            SQL,
            both.versions[version_id]["representations"][0]["sql"],
            "the text of the version that had the id,",
            at=both.place("versions"),
        )
    same = try_replace(
        lab, view, add_view_version(both.current), add_view_version(both.versions[version_id])
    )
    with lab.judge("IRC-UPD-084"):
        expect.status(same, 200)
        after = load_view(lab, view)
        expect.same_items(
            texts(both),
            texts(after),
            "the texts of all versions once both were added again,",
            at=after.place("versions"),
        )
