"""Checks of configurations of unknown warehouses."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, expect, op
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import check


@check("IRC-WHS-001")
def unknown_warehouses_return_404(lab: CatalogLab) -> None:
    """An unknown warehouse returns 404 NoSuchWarehouseException, unless the catalog ignores the
    parameter.
    """
    for name in lab.each((lab.name(), f"s3://{lab.name()}/nowhere", f"{lab.name()} ä")):
        reply = lab.send(op.get_config, warehouse=name)
        if reply.status == 200:
            lab.skip("IRC-WHS-001", "the target answers for every warehouse")
            return
        with lab.judge("IRC-WHS-001"):
            expect.not_found(reply, "warehouse", about=f"for the warehouse {expect.excerpt(name)}")
            expect.member("NoSuchWarehouseException", reply.place("error", "type"), "error.type")
