"""Checks of the member of the configuration that declares Idempotency-Keys."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Kind, Reply, expect, op
from lakepact.conformance.checks.iceberg_rest.v1_11_0.keys import new_key
from lakepact.conformance.checks.iceberg_rest.v1_11_0.suite import LIFETIME, check


def config_of(lab: CatalogLab) -> Reply:
    """Return the answer with the configuration of the target.

    Raises:
        Blocked: there is none.
    """
    return lab.require(
        lab.send(op.get_config, warehouse=lab.target.parameters.get("warehouse")), 200
    )


@check("IRC-IDEM-021")
def lifetimes_are_top_level_members(lab: CatalogLab) -> None:
    """`idempotency-key-lifetime` is a member of the configuration itself, not of `defaults` or
    `overrides`.
    """
    config = config_of(lab)

    with lab.judge_each("IRC-IDEM-021") as case:
        for member in ("defaults", "overrides"):
            with case():
                settings = config.document.get(member)
                value = settings.get(LIFETIME) if isinstance(settings, dict) else None
                expect.equal(
                    None,
                    value,
                    f"`{LIFETIME}` in `{member}`, instead of beside it,",
                    at=config.place(member, LIFETIME),
                )


@check("IRC-IDEM-022")
def working_keys_are_declared(lab: CatalogLab) -> None:
    """A server that recognises a repeated key declares `idempotency-key-lifetime`."""
    config = config_of(lab)
    namespace, key = (lab.name(),), new_key()
    lab.add_cleanup(lambda: lab.send(op.drop_namespace, namespace=namespace))
    first, again = (
        lab.send(op.create_namespace, body={"namespace": list(namespace)}, idempotency_key=key)
        for _ in range(2)
    )
    if (first.status, again.status) != (200, 200):
        lab.skip("IRC-IDEM-022", "the target does not recognise a repeated key")
        return

    with lab.judge("IRC-IDEM-022"):
        expect.true(
            LIFETIME in config.document,
            f"`{LIFETIME}` in the configuration of a server that keeps keys",
            ", ".join(sorted(config.document)),
            at=config.place(LIFETIME),
            kind=Kind.MISSING,
        )
