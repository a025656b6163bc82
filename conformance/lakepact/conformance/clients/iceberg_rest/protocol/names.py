"""Names in the paths of a client's requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab

AWKWARD = ("50%41", "a+b&c=d", "q?#", "élan", "with.dot")


@check("IRC-CLI-002", "IRC-CLI-005")
def namespace_names(lab: CatalogClientLab) -> None:
    """A client lists the tables of namespaces with several levels, with special characters and with spaces."""
    plain = lab.namespace("t")
    lab.does("list-tables", ["t"], namespace=plain)
    with lab.judge("IRC-CLI-002"):
        _lists(lab, lab.namespace("t", within=plain))
        for name in AWKWARD:
            _lists(lab, lab.namespace("t", named=f"{lab.name()}-{name}"))
    with lab.judge("IRC-CLI-005"):
        _lists(lab, lab.namespace("t", named=f"{lab.name()} with spaces"))


def _lists(lab: CatalogClientLab, namespace: Sequence[str]) -> None:
    expect.equal(["t"], lab.performs("list-tables", namespace=namespace).result, f"the tables of {expect.shown(namespace)}", at=None)


@check("IRC-CLI-002")
def table_names(lab: CatalogClientLab) -> None:
    """A client loads tables with special characters in their names."""
    names = [name for name in AWKWARD if "?" not in name]
    home = lab.namespace("t", *names)
    lab.does("load-table", namespace=home, table="t")
    with lab.judge_each("IRC-CLI-002") as case:
        for name in names:
            with case():
                expected = lab.stored(home, name)["metadata"]["table-uuid"]
                found = lab.performs("load-table", namespace=home, table=name).result
                expect.equal(
                    expected, found.get("uuid") if isinstance(found, dict) else found, f"uuid of the table {expect.shown(name)}:", at=None
                )
