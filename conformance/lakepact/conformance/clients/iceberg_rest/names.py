"""How a client spells names in paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.conformance import expect
from lakepact.conformance.clients.iceberg_rest.suite import check

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.lab import CatalogClientLab

AWKWARD = ("with space", "50%41", "a+b&c=d", "q?#", "élan", "with.dot")


@check("IRC-CLI-002")
def names_arrive(lab: CatalogClientLab) -> None:
    """Namespaces with several levels, and with characters that paths have no room for, arrive as they are."""
    plain = lab.namespace("t")
    lab.does("list-tables", ["t"], namespace=plain)
    with lab.judge("IRC-CLI-002"):
        inner = lab.namespace("inner", within=plain)
        expect.equal(["inner"], lab.performs("list-tables", namespace=inner).result, f"the tables of {expect.shown(inner)}")
        for name in AWKWARD:
            namespace = lab.namespace("t", named=f"{lab.name()} {name}")
            expect.equal(["t"], lab.performs("list-tables", namespace=namespace).result, f"the tables of {expect.shown(namespace)}")
