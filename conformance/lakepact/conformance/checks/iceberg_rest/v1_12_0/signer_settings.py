"""Checks of the signer settings of tables."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Document, expect, op
from lakepact.conformance.checks.iceberg_rest.v1_11_0.remote_signing import (
    DELEGATED,
    config_of,
    expect_signed,
    is_on,
    storage_of,
)
from lakepact.conformance.checks.iceberg_rest.v1_12_0.suite import check

CONFIG = "remote-signing-config"


@check("IRC-SIGNER-001", "IRC-SIGNER-002")
def signed_tables_configure_their_signer(lab: CatalogLab) -> None:
    """A table with remote signing has `remote-signing-config`, and a request to sign with its
    properties and headers returns 200.
    """
    table = lab.make_table()
    storage = storage_of(lab, table)
    reply = lab.send(op.load_table, headers=DELEGATED, **table.at)
    if not is_on(config_of(reply)):
        for requirement in ("IRC-SIGNER-001", "IRC-SIGNER-002"):
            lab.skip(
                requirement, "no table comes with a configuration that turns remote signing on"
            )
        return
    with lab.judge("IRC-SIGNER-001"):
        config = reply.document.get(CONFIG)
        expect.true(
            isinstance(config, dict),
            f"an object as `{CONFIG}`",
            expect.excerpt(config),
            at=reply.place(CONFIG),
        )
    settings: Document = reply.document.get(CONFIG) or {}
    headers = [
        (name, value)
        for name, values in (settings.get("headers") or {}).items()
        for value in values
    ]
    body = storage.request(storage.uri(), properties=settings.get("properties") or {})
    with lab.judge("IRC-SIGNER-002"):
        expect_signed(lab.send(op.sign_request, body=body, headers=headers, **table.at))
