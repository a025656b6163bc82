"""Names that the server refuses at creation, sent to the other operations."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Namespace,
    OperationId,
    Reply,
    Wrong,
    check,
    expect,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.namespaces import create
from lakepact.conformance.checks.iceberg_rest.protocol.paths import ODD_NAMES

Requests = dict[OperationId, Document]

REFUSED = frozenset({400, 422})  #: statuses of a server that does not take a name
FEW = 3  #: refused names that are sent to every operation
COMMIT: Document = {"requirements": [], "updates": [set_properties(lakepact="nowhere")]}


def about_a_namespace(lab: CatalogLab, name: str) -> Requests:
    """Return valid arguments of the operations on a namespace of this name."""
    namespace: Namespace = (name,)
    at, identifier = {"namespace": namespace}, {"namespace": list(namespace), "name": lab.name()}
    return {
        op.load_namespace_metadata: at,
        op.namespace_exists: at,
        op.update_properties: {**at, "body": {"removals": [], "updates": {"a": "1"}}},
        op.list_tables: at,
        op.create_table: {**at, "body": lab.table_request(lab.name())},
        op.commit_transaction: {"body": {"table-changes": [{"identifier": identifier, **COMMIT}]}},
        op.rename_table: {
            "body": {"source": identifier, "destination": {**identifier, "name": lab.name()}}
        },
        op.drop_namespace: at,
    }


def about_a_table(lab: CatalogLab, name: str, namespace: Namespace) -> Requests:
    """Return valid arguments of the operations on a table of this name."""
    at: Document = {"namespace": namespace, "table": name}
    identifier = {"namespace": list(namespace), "name": name}
    return {
        op.load_table: at,
        op.table_exists: at,
        op.load_credentials: at,
        op.update_table: {**at, "body": COMMIT},
        op.commit_transaction: {"body": {"table-changes": [{"identifier": identifier, **COMMIT}]}},
        op.rename_table: {
            "body": {"source": identifier, "destination": {**identifier, "name": lab.name()}}
        },
        op.drop_table: at,
    }


def _create_table(lab: CatalogLab, namespace: Namespace, name: str) -> Reply:
    reply = lab.try_create_table(namespace, name)
    if reply.status == 200:
        lab.drop_afterwards(namespace, name)
    return reply


@check("IRC-GEN-034")
def refused_names_return_4xx(lab: CatalogLab) -> None:
    """Every operation returns 4xx for a namespace or table whose name is refused at creation."""
    home, stem = lab.make_namespace(), lab.name()
    names = [f"{stem}{odd}" for odd in ODD_NAMES]
    namespaces = [name for name in names if create(lab, [name]).status in REFUSED]
    tables = [name for name in names if _create_table(lab, home, name).status in REFUSED]
    subjects: tuple[tuple[str, list[str], Callable[[str], Requests]], ...] = (
        ("namespace", namespaces, lambda name: about_a_namespace(lab, name)),
        ("table", tables, lambda name: about_a_table(lab, name, home)),
    )
    with lab.judge_each("IRC-GEN-034", without="the target refuses no name") as case:
        for noun, bad_names, requests in subjects:
            plain = requests(lab.name()) if bad_names else {}
            working = [
                o
                for o, arguments in plain.items()
                if lab.offers(o) and 400 <= lab.send(o, **arguments).status < 500
            ]
            for name in bad_names[:FEW]:
                for operation in working:  # others fail for any name, which is judged elsewhere
                    with case(Wrong.VALUE(f"{noun} name")):
                        reply = lab.send(operation, **requests(name)[operation])
                        expect.client_error(
                            reply,
                            about=(
                                f"for {operation} of a {noun} {expect.excerpt(name)}, which it"
                                " refuses to create"
                            ),
                        )
