"""The settings of signers in loadTable."""

from __future__ import annotations

from typing import Any

import httpx

from lakepact.conformance.clients.iceberg_rest.access.file_access import PATH, TASK, signing
from lakepact.conformance.clients.iceberg_rest.access.tokens import CREDENTIAL, Issuer
from lakepact.conformance.clients.iceberg_rest.api import (
    Answer,
    Forward,
    NotOffered,
    Request,
    expect,
    op,
)
from lakepact.conformance.clients.iceberg_rest.v1_11_0.suite import NewerCatalogClientLab
from lakepact.conformance.clients.iceberg_rest.v1_12_0.suite import check

PROPERTIES = {"lakepact.table": "t", "lakepact.empty": ""}
HEADERS = {"x-lakepact-signer": ["one"], "x-lakepact-region": ["eu-central-1"]}
SIGNER = "remote-signing-config"


@check("IRC-SIGNER-003", "IRC-SIGNER-004")
def settings_are_passed_on(lab: NewerCatalogClientLab) -> None:
    """A client sends the properties and headers of `remote-signing-config` with every request to
    sign.
    """
    requests: list[tuple[Any, httpx.Headers]] = []
    catalog = signing(Issuer())

    def script(request: Request, forward: Forward) -> Answer:
        if request.target.partition("?")[0] == PATH or request.operation == op.sign_request:
            requests.append((request.document, request.headers))
        answer = catalog(request, forward)
        if request.operation != op.load_table or answer.status != 200:
            return answer
        return answer.with_document(
            {**answer.document, SIGNER: {"properties": PROPERTIES, "headers": HEADERS}}
        )

    lab.performs(
        TASK,
        script,
        namespace=lab.namespace("t"),
        table="t",
        times=2,
        pause=0,
        properties=CREDENTIAL,
    )
    if not requests:
        raise NotOffered("the client asks for no signatures")
    with lab.judge_each("IRC-SIGNER-003") as case:
        for body, _ in requests:
            with case():
                properties = body.get("properties") if isinstance(body, dict) else None
                actual = {name: (properties or {}).get(name) for name in PROPERTIES}
                expect.equal(PROPERTIES, actual, f"properties of `{SIGNER}` in a request to sign:")
    with lab.judge_each("IRC-SIGNER-004") as case:
        for _, headers in requests:
            with case():
                expect.equal(
                    HEADERS,
                    {name: headers.get_list(name) for name in HEADERS},
                    f"headers of `{SIGNER}` in a request to sign:",
                )
