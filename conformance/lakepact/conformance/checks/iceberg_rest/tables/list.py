"""Checks of listing the tables of a namespace, and of asking whether one exists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Namespace,
    check,
    expect,
    op,
)
from lakepact.conformance.checks.iceberg_rest.kit.dropped import former_namespaces, former_tables
from lakepact.conformance.checks.iceberg_rest.kit.lab import REFUSES_NAMES
from lakepact.conformance.checks.iceberg_rest.kit.listings import names

NOT_ACCEPTABLE = 406  #: status of a server that does not drop namespaces with tables
LIVES = 3  #: tables whose life is followed in the lists


# -- what is in the list ---------------------------------------------------------------------------


def expect_names(lab: CatalogLab, namespace: Namespace, expected: Sequence[str], what: str) -> None:
    """Expect a list of exactly these tables."""
    reply = lab.send(op.list_tables, namespace=namespace)
    expect.same_items(expected, names(reply), what, at=reply.place("identifiers"))


def expect_identifiers(lab: CatalogLab, namespace: Namespace, expected: Sequence[str]) -> None:
    """The list names these tables, each as an object with its name and exactly this namespace."""
    reply = lab.send(op.list_tables, namespace=namespace)
    expect.same_items(expected, names(reply), "names of tables", at=reply.place("identifiers"))
    for number, identifier in enumerate(reply.at("identifiers")):
        at = reply.place("identifiers", number, "namespace")
        expect.equal(
            list(namespace),
            identifier.get("namespace"),
            "the namespace of the path as `namespace`",
            at=at,
        )


@check("IRC-TBL-LIST-001")
def listings_hold_name_and_namespace(lab: CatalogLab) -> None:
    """Listings hold each table with its name and namespace, also in nested namespaces and with
    non-ASCII names.
    """
    home, odd = lab.make_namespace(), lab.namespace_with_name(f"{lab.name()} żółć")
    child = lab.child_of(home)
    namespaces = [home, *([odd] if odd else []), *([lab.make_namespace(child)] if child else [])]
    tables: dict[Namespace, list[str]] = {namespace: [] for namespace in namespaces}
    for namespace, there in tables.items():
        for stem in ("", "b", "A"):
            name = lab.name(stem)
            created = lab.try_create_table(namespace, name)
            if stem and created.status in REFUSES_NAMES:
                continue  # names like it are refused here
            lab.require(created, 200)
            lab.drop_afterwards(namespace, name)
            there.append(name)

    with lab.judge_each("IRC-TBL-LIST-001") as case:
        for namespace, expected in tables.items():
            with case():
                expect_identifiers(lab, namespace, expected)


def namesakes(lab: CatalogLab, level: str) -> list[Namespace]:
    """Namespaces whose names look like `level` to a careless comparison; those that the target
    refuses are left out.
    """
    namespaces: list[Namespace] = []
    for name in (f"{level}b", f"{level}.b", level.replace("_", "x"), level.upper(), level[:-1]):
        if lab.send(op.create_namespace, body={"namespace": [name]}).status == 200:
            lab.add_cleanup(partial(lab.send, op.drop_namespace, namespace=(name,)))
            namespaces += (
                [(name,)]
                if lab.send(op.load_namespace_metadata, namespace=(name,)).status == 200
                else []
            )
    return namespaces


@check("IRC-TBL-LIST-002")
def listings_hold_one_namespace(lab: CatalogLab) -> None:
    """The listing of a namespace omits the tables of its children, its parent, and namespaces with
    similar names.
    """
    top = lab.make_namespace(level=lab.name("ab"))
    child = lab.child_of(top)
    below = [child, lab.make_namespace(child, level="a")] if child else []
    others = namesakes(lab, top[0])
    tables = {
        namespace: [lab.make_table(namespace).name for _ in range(2)]
        for namespace in (top, *below, *others)
    }

    with lab.judge_each("IRC-TBL-LIST-002") as case:
        for namespace, expected in tables.items():
            with case():
                expect_names(lab, namespace, expected, f"tables of {'.'.join(namespace)}:")


@check("IRC-TBL-LIST-005")
def empty_namespaces_list_no_tables(lab: CatalogLab) -> None:
    """Listing the tables of a namespace without tables returns 200 and an empty array."""
    empty = [lab.make_namespace()]
    parent = lab.make_namespace()
    child = lab.child_of(parent)
    if child:
        lab.make_table(child)
        empty.append(parent)

    with lab.judge_each("IRC-TBL-LIST-005") as case:
        for namespace in chain(empty, (table.namespace for table in former_tables(lab))):
            with case():
                reply = lab.send(op.list_tables, namespace=namespace)
                expect.status(reply, 200)
                expect.member([], reply.place("identifiers"))


@check("IRC-TBL-LIST-004")
def listing_tables_of_missing_namespaces_returns_404(lab: CatalogLab) -> None:
    """Listing the tables of a missing or dropped namespace returns 404."""
    table = lab.make_table()
    never: list[Namespace] = [(lab.name(),)]
    if lab.child_of(table.namespace):
        never += [(*table.namespace, lab.name()), (*table.namespace, table.name)]

    with lab.judge_each("IRC-TBL-LIST-004") as case:
        for namespace in chain(never, former_namespaces(lab)):
            with case():
                reply = lab.send(op.list_tables, namespace=namespace)
                expect.not_found(reply, "namespace")


@check("IRC-TBL-LIST-007")
def listings_follow_create_rename_and_drop(lab: CatalogLab) -> None:
    """A table is listed after it is created, under its new name after a rename, and not after it is
    dropped.
    """
    namespace = lab.make_namespace()
    there: list[str] = []

    with lab.judge("IRC-TBL-LIST-007") as case:
        for _ in range(LIVES):
            with case():
                there.append(lab.make_table(namespace).name)
                expect_names(lab, namespace, there, "tables after a creation:")
        if lab.offers(op.rename_table):
            for old in list(there):
                with case():
                    new = lab.name()
                    ends = {
                        end: {"namespace": list(namespace), "name": name}
                        for end, name in (("source", old), ("destination", new))
                    }
                    lab.drop_afterwards(namespace, new)
                    lab.require(lab.send(op.rename_table, body=ends))
                    there[there.index(old)] = new
                    expect_names(lab, namespace, there, "tables after a rename:")
        while there and lab.offers(op.drop_table):
            lab.drop_table(namespace=namespace, table=there.pop())
            expect_names(lab, namespace, there, "tables after a drop:")


@check("IRC-TBL-LIST-001", "IRC-TBL-LIST-007")
def listings_follow_renames_across_namespaces(lab: CatalogLab) -> None:
    """A table that is renamed into another namespace is listed there and no longer in its former
    namespace.
    """
    home, other = lab.make_namespace(), lab.make_namespace()
    table, stays = lab.make_table(home), lab.make_table(home)
    lab.drop_afterwards(other, table.name)
    reply = lab.send(
        op.rename_table,
        body={
            "source": table.identifier,
            "destination": {**table.identifier, "namespace": list(other)},
        },
    )
    if reply.status == NOT_ACCEPTABLE:
        for requirement in ("IRC-TBL-LIST-001", "IRC-TBL-LIST-007"):
            lab.skip(requirement, "tables stay in their namespaces")
        return
    lab.require(reply)

    with lab.judge("IRC-TBL-LIST-001"):
        expect_identifiers(lab, other, [table.name])
    with lab.judge("IRC-TBL-LIST-007"):
        expect_names(
            lab, home, [stays.name], "tables of the namespace that the renamed table left:"
        )


# -- whether one exists ----------------------------------------------------------------------------


def similar(name: str) -> tuple[str, ...]:
    """Return names that look like `name` to a careless comparison, and are others."""
    alike = (
        f"{name}x",
        name[:-1],
        name.replace("_", "%"),
        f"{name[:-1]}_",
        f"{name[:-1]}%",
        f"{name}.files",
        f"{name} ",
    )
    return tuple(other for other in alike if other != name)


def is_odd(name: str) -> bool:
    """Return whether a name has characters for which a server may refuse it."""
    return re.fullmatch(r"[A-Za-z0-9_]+", name) is None


def absent_tables(lab: CatalogLab) -> Iterator[Document]:
    """Yield names without a table in an existing namespace: never created, similar, elsewhere, or
    dropped.
    """
    table = lab.make_table(name=lab.name("name"))
    yield from ({**table.at, "table": name} for name in (lab.name(), *similar(table.name)))
    yield {"namespace": lab.make_namespace(), "table": table.name}
    for former in former_tables(lab):
        yield former.at


def homeless_tables(lab: CatalogLab) -> list[Document]:
    """Return names of tables whose namespace is missing."""
    table = lab.make_table()
    homes: list[Namespace] = [(lab.name(),), (f"{table.namespace[0]}x",)]
    if lab.child_of(table.namespace):
        homes += [(*table.namespace, lab.name()), (*table.namespace, table.name)]
    return [{**table.at, "namespace": home} for home in homes]


@check("IRC-TBL-HEAD-001", "IRC-TBL-HEAD-002")
def head_table_returns_204_or_404(lab: CatalogLab) -> None:
    """HEAD of a table returns 204 if it exists and 404 if not, also for similar names."""
    namespaces = [lab.make_namespace()]
    child = lab.child_of(namespaces[0])
    namespaces += [child] if child else []
    for namespace in lab.each(namespaces):
        table = lab.make_table(namespace)
        with lab.judge_each("IRC-TBL-HEAD-001") as case:
            for at in (table.at, lab.append(table).at):
                with case():
                    expect.status(lab.send(op.table_exists, **at), 204)
    with lab.judge_each("IRC-TBL-HEAD-002") as case:
        for at in chain(homeless_tables(lab), absent_tables(lab)):
            with case():
                expect.not_found(
                    lab.send(op.table_exists, **at),
                    "table",
                    *((400,) if is_odd(at["table"]) else ()),
                    about=f"for {'.'.join(at['namespace'])} {expect.excerpt(at['table'])}",
                )


@check("IRC-TBL-HEAD-001", "IRC-TBL-HEAD-002")
def head_table_follows_create_and_drop(lab: CatalogLab) -> None:
    """HEAD of a table returns 404 before it is created, 204 after, and 404 once it is dropped."""
    namespace, name = lab.make_namespace(), lab.name()
    at: Document = {"namespace": namespace, "table": name}
    for _ in lab.each(range(2)):
        with lab.judge("IRC-TBL-HEAD-002"):
            expect.not_found(lab.send(op.table_exists, **at), "table")
        lab.make_table(namespace, name=name)
        with lab.judge("IRC-TBL-HEAD-001"):
            expect.status(lab.send(op.table_exists, **at), 204)
        if not lab.offers(op.drop_table):
            return
        lab.drop_table(**at)
    with lab.judge("IRC-TBL-HEAD-002"):
        expect.not_found(lab.send(op.table_exists, **at), "table")
