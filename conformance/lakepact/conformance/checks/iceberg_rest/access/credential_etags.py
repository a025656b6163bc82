"""Checks of ETags and of mechanisms of access: no ETag outlives the credentials that came with
it.
"""

from __future__ import annotations

import time

from lakepact.conformance.checks.iceberg_rest.access.credential_contents import (
    DELEGATED,
    credentials_in,
    has_credentials,
    temporary_secrets,
)
from lakepact.conformance.checks.iceberg_rest.api import CatalogLab, Kind, Reply, check, expect, op

#: the setting of a target: seconds that the harness waits for credentials to expire
WAIT = "expiry-wait"
USUAL_WAIT = 5.0
CLOCKS = 0.5  #: seconds by which the clocks of target and harness may differ

#: The mechanisms of the contract, alone and together.
MECHANISMS = ("vended-credentials", "remote-signing", "vended-credentials,remote-signing")


@check("IRC-TBL-LOAD-019")
def tables_load_with_every_delegation_mechanism(lab: CatalogLab) -> None:
    """Loading a table returns 200 or 403, whichever access delegation mechanisms the client
    requests.
    """
    table = lab.make_table()

    with lab.judge_each("IRC-TBL-LOAD-019") as case:
        for mechanisms in MECHANISMS:
            with case():
                reply = lab.send(
                    op.load_table, headers=[("X-Iceberg-Access-Delegation", mechanisms)], **table.at
                )
                expect.status(reply, 200, 403, about=f"with {mechanisms}")


@check("IRC-TBL-CREATE-032")
def tables_are_created_with_every_delegation_mechanism(lab: CatalogLab) -> None:
    """Creating or staging a table returns 200 or 403, whichever access delegation mechanisms the
    client requests.
    """
    namespace = lab.make_namespace()

    with lab.judge_each("IRC-TBL-CREATE-032") as case:
        for mechanisms in MECHANISMS:
            for stage in (False, True) if lab.feature("stage-create") else (False,):
                with case():
                    name = lab.name()
                    lab.drop_afterwards(namespace, name)
                    body = lab.table_request(name, stage_create=stage)
                    headers = [("X-Iceberg-Access-Delegation", mechanisms)]
                    reply = lab.send(
                        op.create_table, headers=headers, namespace=namespace, body=body
                    )
                    expect.status(
                        reply,
                        200,
                        403,
                        about=f"with {mechanisms} and stage-create {expect.excerpt(stage)}",
                    )


@check("IRC-TBL-ETAG-012")
def delegated_loads_ignore_etags_without_credentials(lab: CatalogLab) -> None:
    """A load with access delegation and the ETag of the table without credentials returns 200 with
    credentials, not 304.
    """
    table = lab.make_table()
    plain = lab.load(table).reply
    vending = lab.require(lab.send(op.load_table, headers=DELEGATED, **table.at), 200)
    tag = plain.headers.get("etag")
    if tag is None or not has_credentials(vending) or has_credentials(plain):
        lab.skip(
            "IRC-TBL-ETAG-012",
            "tables have no ETag, or the same credentials with and without access delegation",
        )
        return

    with lab.judge("IRC-TBL-ETAG-012"):
        reply = lab.send(op.load_table, headers=[*DELEGATED, ("If-None-Match", tag)], **table.at)
        expect.status(reply, 200, about="with the ETag of the table without credentials")
        actual, at = ", ".join(sorted(reply.document)), reply.place("storage-credentials")
        expect.true(
            has_credentials(reply), "credentials in the answer", actual, at=at, kind=Kind.MISSING
        )


@check("IRC-TBL-ETAG-013")
def etags_expire_with_their_credentials(lab: CatalogLab) -> None:
    """After the credentials of a loaded table expire, a load with its ETag returns 200 with new
    credentials, not 304.
    """
    table = lab.make_table()
    reply = lab.require(lab.send(op.load_table, headers=DELEGATED, **table.at), 200)
    tag = reply.headers.get("etag")
    ends = expiries(reply)
    if tag is None or not ends:
        lab.skip(
            "IRC-TBL-ETAG-013",
            "the table comes without an ETag, or its credentials do not say when they expire",
        )
        return
    longest, left = _patience(lab), max(ends) / 1000 - time.time() + CLOCKS
    if left > longest:
        why = f"the credentials expire in {left:.0f} seconds, and the harness waits for {longest:g}"
        lab.skip(
            "IRC-TBL-ETAG-013", f"{why}: give the server shorter ones, or raise --parameter {WAIT}"
        )
        return
    time.sleep(max(0.0, left))

    with lab.judge("IRC-TBL-ETAG-013"):
        again = lab.send(op.load_table, headers=[*DELEGATED, ("If-None-Match", tag)], **table.at)
        expect.status(again, 200, about="with the ETag of a table whose credentials have expired")
        later = expiries(again)
        at = again.place("storage-credentials")
        expect.true(
            bool(later) and max(later) > max(ends),
            "credentials that expire later",
            "the expired ones, or none",
            at=at,
        )


def expiries(reply: Reply) -> list[int]:
    """Return when the temporary secrets of a table expire, in milliseconds since 1970, as far as
    they say so.
    """
    values = [
        config.get(expiry)
        for config in credentials_in(reply)
        for _, _, expiry in temporary_secrets(config)
    ]
    return [int(value) for value in values if isinstance(value, str) and value.isdecimal()]


def _patience(lab: CatalogLab) -> float:
    try:
        return float(lab.target.parameters.get(WAIT, USUAL_WAIT))
    except ValueError:
        return USUAL_WAIT
