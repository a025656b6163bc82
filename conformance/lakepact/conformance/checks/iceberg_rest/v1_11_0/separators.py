"""Checks of namespaces that are named with a separator of the server's choice."""

from __future__ import annotations

from urllib.parse import quote, unquote

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Namespace,
    NotOffered,
    Place,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.lab import SEPARATOR as UNIT
from lakepact.conformance.checks.iceberg_rest.kit.listings import identifiers
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import SEPARATOR, check


def declared_separator(lab: CatalogLab) -> tuple[str, Place]:
    """Return the separator as the configuration spells it, and where.

    Raises:
        NotOffered: it names none.
    """
    reply = lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse"))
    overrides = reply.document.get("overrides")
    separator = overrides.get(SEPARATOR) if isinstance(overrides, dict) else None
    if not isinstance(separator, str) or not separator:
        raise NotOffered(f"the configuration has no override {SEPARATOR}")
    return separator, reply.place("overrides", SEPARATOR)


def encode_separator(separator: str) -> str:
    """Return the text of a declared separator in a path; a URL-encoded one is sent unchanged,
    because some servers expect that.
    """
    return separator if "%" in separator else quote(separator, safe="")


def nested(lab: CatalogLab) -> tuple[Namespace, Namespace]:
    """Return a namespace, and a new one below it.

    Raises:
        Blocked: they cannot be made.
    """
    parent = lab.make_namespace()
    return parent, lab.make_namespace(parent)


@check("IRC-SEP-001", "IRC-SEP-002")
def both_separators_address_namespaces(lab: CatalogLab) -> None:
    """A path with the declared separator, and one with 0x1F, finds a namespace of two levels."""
    _, child = nested(lab)
    table = lab.table_request(lab.name())
    # Without support for 0x1F, the path of the creation is wrong too; IRC-SEP-002 judges that.
    holds = lab.send(op.create_table, namespace=child, body=table).status == 200
    lab.drop_afterwards(child, table["name"])

    namespaces = lab.path(op.list_namespaces)
    for requirement, separator in lab.each(
        (
            ("IRC-SEP-001", encode_separator(declared_separator(lab)[0])),
            ("IRC-SEP-002", quote(UNIT)),
        )
    ):
        path = f"{namespaces}/{separator.join(child)}"
        with lab.judge(requirement):
            load = lab.send_raw("GET", path, operation=op.load_namespace_metadata)
            expect.status(load, 200, about=f"for the levels joined by {expect.excerpt(separator)}")
            expect.member(list(child), load.place("namespace"))
            listing = lab.send_raw("GET", f"{path}/tables", operation=op.list_tables)
            expect.status(
                listing, 200, about=f"for the levels joined by {expect.excerpt(separator)}"
            )
            if holds:
                expect.contains(
                    {"namespace": list(child), "name": table["name"]},
                    identifiers(listing),
                    "the list of tables",
                    at=listing.place("identifiers"),
                )


@check("IRC-SEP-003")
def both_separators_address_parents(lab: CatalogLab) -> None:
    """Listing with `parent` finds the children of a two-level namespace with the declared separator
    and with 0x1F.
    """
    _, child = nested(lab)
    below = lab.make_namespace(child)

    with lab.judge_each("IRC-SEP-003") as case:
        for separator in (unquote(declared_separator(lab)[0]), UNIT):
            with case():
                reply = lab.send(op.list_namespaces, parent=separator.join(child))
                expect.status(
                    reply,
                    200,
                    about=f"for a parent whose levels are joined by {expect.excerpt(separator)}",
                )
                expect.member([list(below)], reply.place("namespaces"), "the namespaces below it,")


@check("IRC-SEP-004")
def declared_separators_are_url_encoded(lab: CatalogLab) -> None:
    """The override `namespace-separator` is URL-encoded."""
    separator, at = declared_separator(lab)
    plain = all(
        character.isascii() and (character.isalnum() or character in "-._~%")
        for character in separator
    )

    with lab.judge("IRC-SEP-004"):
        expect.true(plain, "a separator as it stands in a URL, such as %1F", separator, at=at)
