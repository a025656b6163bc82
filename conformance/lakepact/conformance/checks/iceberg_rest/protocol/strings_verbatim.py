"""Checks of names and properties that are stored as sent: not trimmed, cut, case-folded or
normalised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Place,
    Reply,
    check,
    expect,
    op,
    set_properties,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.lab import REFUSES_NAMES
from lakepact.conformance.checks.iceberg_rest.kit.listings import identifiers
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import (
    create,
    expect_namespace,
    properties_of,
)
from lakepact.conformance.checks.iceberg_rest.kit.views import create as created_view

Store = Callable[[Mapping[str, str]], Place | None]

#: Properties that stores are known to change: by columns that are too short, by trimming, by keys
#: that are folded or rewritten.
PROPERTIES = {
    "Owner.Team": "Capitals And.Dots",
    "a b": "  spaces at both ends ",
    "lines": "one\n\ttwo\n",
    "e\u0301cole \ufb01": "e\u0301 \ufb01 \u2460 \u00c5 \U0001f9ca",
    "empty": "",
    "long": "0123456789" * 30,
    "longer": "0123456789" * 500,
    **{f"one.of.many.{n}": str(n) for n in range(40)},
}

#: Names that a catalog may refuse; after normalising or trimming they would be other names.
ODD = ("{}e\u0301", "{}\ufb01", "{}\u2460", "{}\u00a0x", "{} ", "_{}", ".{}")


def _is_success(reply: Reply) -> bool:
    """Return whether a request returned 200; other checks judge other statuses."""
    return reply.status == 200


def _expect_verbatim(
    lab: CatalogLab, properties: Mapping[str, str], store: Store, *, by: str = ""
) -> None:
    """Expect stored properties to equal the request, all at once or, if those are refused, each one
    that is accepted.

    Args:
        lab: the lab of the check.
        properties: the properties of the request.
        store: stores properties and returns their place; None if they are refused.
        by: the requirement that any properties are stored, if another one is judged.

    Raises:
        StepFailed: plain properties are not stored either.
    """
    if by:
        with lab.step(by):
            plain = store({"plain": "text"})
            at = plain and plain.within("plain")
            expect.equal("text", at and at.value, "property plain", at=at)
    whole = store(properties)
    for key, value in properties.items():
        place = whole or store({key: value})
        if place is not None:
            expect.equal(
                value,
                place.within(key).value,
                f"property {expect.excerpt(key)}",
                at=place.within(key),
            )


@check("IRC-GEN-020", "IRC-NS-CREATE-002", "IRC-NS-PROP-002")
def namespace_properties_are_kept_as_sent(lab: CatalogLab) -> None:
    """Namespace properties keep every character of their keys and values, at creation and after an
    update.
    """
    if not lab.feature("namespace-properties"):
        for requirement in ("IRC-GEN-020", "IRC-NS-CREATE-002", "IRC-NS-PROP-002"):
            lab.skip(requirement, "the target keeps no properties of namespaces")
        return

    lab.make_namespace()

    def created(properties: Mapping[str, str]) -> Place | None:
        reply = create(lab, [lab.name()], properties=dict(properties))
        return reply.place("properties") if _is_success(reply) else None

    def load(properties: Mapping[str, str]) -> Place | None:
        name = lab.name()
        reply = create(lab, [name], properties=dict(properties))
        return properties_of(lab, (name,)).place() if _is_success(reply) else None

    def updated(properties: Mapping[str, str]) -> Place | None:
        namespace = lab.make_namespace(properties={"empty": "not empty yet"})
        reply = lab.send(
            op.update_properties,
            namespace=namespace,
            body={"removals": [], "updates": dict(properties)},
        )
        return properties_of(lab, namespace).place() if _is_success(reply) else None

    with lab.judge("IRC-NS-CREATE-002"):
        _expect_verbatim(lab, PROPERTIES, created)
    with lab.judge("IRC-GEN-020"):
        _expect_verbatim(lab, PROPERTIES, load, by="IRC-NS-GET-002")
    with lab.judge("IRC-NS-PROP-002"):
        _expect_verbatim(lab, PROPERTIES, updated)


@check("IRC-GEN-020")
def table_properties_are_kept_as_sent(lab: CatalogLab) -> None:
    """Table properties keep every character of their keys and values, at creation and after a
    commit.
    """
    namespace = lab.make_namespace()

    def created(properties: Mapping[str, str]) -> Place | None:
        name = lab.name()
        reply = lab.try_create_table(namespace, name, properties=dict(properties))
        if not _is_success(reply):
            return None
        lab.drop_afterwards(namespace, name)
        return lab.send(op.load_table, namespace=namespace, table=name).place(
            "metadata", "properties"
        )

    def commit(properties: Mapping[str, str]) -> Place | None:
        table = lab.make_table(namespace, properties={"empty": "not empty yet"})
        reply = lab.try_commit(table, set_properties(**properties))
        load = lab.send(op.load_table, **table.at) if _is_success(reply) else None
        return load.place("metadata", "properties") if load else None

    with lab.judge_each("IRC-GEN-020") as case:
        with case():
            _expect_verbatim(lab, PROPERTIES, created, by="IRC-TBL-CREATE-009")
        with case():
            _expect_verbatim(lab, PROPERTIES, commit, by="IRC-UPD-061")


@check("IRC-GEN-020", "IRC-NS-CREATE-001")
def names_are_kept_as_sent(lab: CatalogLab) -> None:
    """An accepted namespace or table name keeps every character: it is returned, loaded and listed
    as sent.
    """
    namespace, stem = lab.make_namespace(), lab.name()

    with lab.judge_each(
        "IRC-NS-CREATE-001", without="the target refuses namespaces with special characters"
    ) as case:
        for odd in ODD:
            level = odd.format(stem)
            reply = create(lab, [level])
            if reply.status not in REFUSES_NAMES:
                with case():
                    expect_namespace(reply, [level])
    with lab.judge_each(
        "IRC-GEN-020", without="the target refuses tables with special characters"
    ) as case:
        for odd in ODD:
            name = odd.format(stem)
            request = lab.table_request(name)
            created = lab.send(op.create_table, namespace=namespace, body=request)
            if created.status in REFUSES_NAMES:
                continue
            with case():
                expect.status(created, 200, about=f"for the new name {expect.excerpt(name)}")
                lab.drop_afterwards(namespace, name)
                expect.status(
                    lab.send(op.load_table, namespace=namespace, table=name),
                    200,
                    about=f"for {expect.excerpt(name)}",
                )
                members = identifiers(lab.send(op.list_tables, namespace=namespace))
                expect.contains(
                    {"namespace": list(namespace), "name": name},
                    members,
                    "the tables",
                    at=members.at,
                )


@check("IRC-GEN-020")
def table_column_docs_are_kept_as_sent(lab: CatalogLab) -> None:
    """The docs of table columns keep every character, in tables of many columns too."""
    doc = 'e\u0301 \ufb01, two\nlines, "quoted", \U0001f9ca '
    fields = [
        {"id": n + 1, "name": f"c{n}", "type": "long", "required": False, "doc": f"{doc}{n}"}
        for n in range(120)
    ]
    table = lab.load(lab.make_table(schema={"type": "struct", "schema-id": 0, "fields": fields}))

    with lab.judge("IRC-GEN-020"):
        docs = [field.get("doc") for field in upd.current_schema(table)["fields"]]
        expect.equal(
            [field["doc"] for field in fields],
            docs,
            "docs of the columns",
            at=table.place("schemas"),
        )


@check("IRC-GEN-020")
def view_column_docs_are_kept_as_sent(lab: CatalogLab) -> None:
    """The docs of view columns keep every character."""
    namespace, name = lab.make_namespace(), lab.name()
    doc = "e\u0301 \ufb01, two\nlines, \U0001f9ca "
    fields = [{"id": 1, "name": "id", "type": "long", "required": False, "doc": doc}]
    reply = created_view(
        lab, namespace, name, schema={"type": "struct", "schema-id": 0, "fields": fields}
    )
    lab.require(reply, 200)

    with lab.judge("IRC-GEN-020"):
        load = lab.send(op.load_view, namespace=namespace, view=name)
        docs = [
            field.get("doc")
            for schema in load.at("metadata", "schemas")
            for field in schema["fields"]
        ]
        expect.equal([doc], docs, "docs of the columns", at=load.place("metadata", "schemas"))
