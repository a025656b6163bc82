"""Transport: paths, and how names are spelled in them."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Namespace, check, expect, op
from lakepact.conformance.checks.iceberg_rest.kit.lab import REFUSES_NAMES
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import expect_loads, expect_namespace


@check("IRC-GEN-001", "IRC-GEN-002")
def routes_are_below_the_base_url(lab: CatalogLab) -> None:
    """GET v1/config and v1/{prefix}/namespaces return 200 below the base URL."""
    statuses = (200, *range(400, 500))
    config = lab.require(
        lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse")), *statuses
    )
    listing = lab.require(lab.send(op.list_namespaces, declared=False), *statuses)

    if listing.status == config.status == 200:
        listing.at("namespaces")  # a server that answers any path alike shows nothing
    with lab.judge("IRC-GEN-002"):
        expect.status(listing, 200)
        if lab.offer.segments.get("prefix") is None:
            double_slash = lab.send_raw("GET", "/v1//namespaces", operation=None)
            if (
                double_slash.status == 200
            ):  # what others do may change the listing, but not this namespace
                (level,) = lab.make_namespace()
                ours = lab.send_raw("GET", f"/v1//namespaces/{level}")
                about = "for a namespace of the catalog behind `//`, where namespaces are listed"
                expect.status(ours, 200, about=about)
    if config.status == 200:
        lab.require(listing, 200)
    with lab.judge("IRC-GEN-001"):
        expect.status(config, 200)


@check("IRC-GEN-021", "IRC-NS-ENC-001")
def percent_encoding_is_decoded_once(lab: CatalogLab) -> None:
    """The server decodes percent-encoding once, with hex digits of either case."""
    parent = lab.make_namespace()
    literal = lab.namespace_with_name(f"{lab.name()}_%41")

    with lab.judge("IRC-GEN-021"):
        if literal:
            expect_loads(lab, literal)
    child = lab.child_of(parent)
    if child is None:
        lab.skip(
            "IRC-NS-ENC-001",
            "namespaces of several levels are refused, or not found at their paths",
        )
        return
    prefix = lab.path(op.list_namespaces)
    upper = lab.send_raw(
        "GET", f"{prefix}/{parent[0]}%1F{child[1]}", operation=op.load_namespace_metadata
    )
    lower = lab.send_raw(
        "GET", f"{prefix}/{parent[0]}%1f{child[1]}", operation=op.load_namespace_metadata
    )
    with lab.judge("IRC-NS-ENC-001"):
        expect_namespace(upper, child)
    with lab.judge("IRC-GEN-021"):
        with lab.step("IRC-NS-ENC-001"):
            expect.status(upper, 200)
        expect.status(lower, 200, about="for hex digits in lower case")
        expect.member(upper.at("namespace"), lower.place("namespace"))


@check("IRC-GEN-022")
def plus_in_a_path_is_not_a_space(lab: CatalogLab) -> None:
    """A plus in a path stands for itself, not for a space."""
    lab.make_namespace()
    stem = lab.name()
    plus, space = lab.namespace_with_name(f"{stem}+b"), lab.namespace_with_name(f"{stem} b")
    if plus is None or space is None:
        lab.skip(
            "IRC-GEN-022", "the target refuses namespaces with a plus or a space in their names"
        )
        return
    prefix = lab.path(op.list_namespaces)
    answers = {
        f"{stem}+b": plus,
        f"{stem}%2Bb": plus,
        f"{stem}%20b": space,
    }

    with lab.judge_each("IRC-GEN-022") as case:
        for segment, namespace in answers.items():
            with case():
                reply = lab.send_raw(
                    "GET", f"{prefix}/{segment}", operation=op.load_namespace_metadata
                )
                expect_namespace(reply, namespace, f"at {segment}")


ODD_NAMES = (
    "a/b",
    "a.b",
    "a%b",
    "a b",
    "a'b\"c",
    "a?b",
    "a#b",
    "a\\b",
    "ä表🧊",
    "a%2Fb",
    "..",
    "a&b=c",
    "a;b",
    "a:b@c",
    "a+b",
    "a\0b",
    "x" * 256,  # longer than many columns and file names
)

#: Names of Iceberg's metadata tables, which clients append to the name of a table.
METADATA_TABLES = ("files", "history", "snapshots", "partitions", "entries")


def _expect_addressable(lab: CatalogLab, namespace: Namespace, name: str) -> None:
    """Expect that a new table is loaded and dropped by its name, or that the name is refused.

    Raises:
        Unmet: it is neither.
    """
    created = lab.try_create_table(namespace, name)
    if created.status in REFUSES_NAMES:
        return
    expect.status(created, 200, about=f"for the new name {expect.excerpt(name)}")
    lab.drop_afterwards(namespace, name)
    load = lab.send(op.load_table, namespace=namespace, table=name)
    expect.status(load, 200)
    expect.member(
        created.at("metadata", "table-uuid"),
        load.place("metadata", "table-uuid"),
        f"table UUID of {expect.excerpt(name)}",
    )
    expect.status(lab.try_drop_table(namespace=namespace, table=name), 204, 200)
    expect.not_found(lab.send(op.load_table, namespace=namespace, table=name), "table")


@check("IRC-GEN-023")
def special_characters_are_refused_or_addressable(lab: CatalogLab) -> None:
    """Creating a table with special characters in its name returns 4xx, or the table can be loaded
    and dropped by that name.
    """
    namespace, stem = lab.make_namespace(), lab.name()

    with lab.judge_each("IRC-GEN-023") as case:
        for odd in ODD_NAMES:
            with case():
                _expect_addressable(lab, namespace, f"{stem}{odd}")


@check("IRC-GEN-036")
def tables_named_like_metadata_tables_are_addressable(lab: CatalogLab) -> None:
    """Creating a table called like a metadata table returns 4xx, or the table can be loaded and
    dropped by that name.
    """
    namespace = lab.make_namespace()

    with lab.judge_each("IRC-GEN-036") as case:
        for name in METADATA_TABLES:
            with case():
                _expect_addressable(lab, namespace, name)
