"""Requests to the storage that the server signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lakepact.conformance.clients.iceberg_rest.access.file_access import with_access
from lakepact.conformance.clients.iceberg_rest.access.tokens import CREDENTIAL, LIFETIME, PAUSE, Issuer, asks_for_tokens
from lakepact.conformance.clients.iceberg_rest.kit.scripts import error
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.judging import expect

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

TASK = "sign-repeatedly"
PATH = "/v1/lakepact/sign"


def signing(issuer: Issuer) -> Script:
    """Return a catalog that signs the requests to its storage for callers with a valid token."""
    signed = 0

    def config(base: str) -> dict[str, str]:
        names = {"uri": base, "endpoint": PATH.removeprefix("/")}
        return {"s3.remote-signing-enabled": "true"} | {
            f"{family}{name}": value for family in ("s3.signer.", "signer.") for name, value in names.items()
        }

    def catalog(request: Request, forward: Forward) -> Answer:
        nonlocal signed
        if request.target.partition("?")[0] != PATH:
            return with_access(config(request.base), [])(request, forward)
        document = request.document
        if request.method != "POST" or not isinstance(document, dict) or "uri" not in document:
            return error(400, "BadRequestException")
        signed += 1
        headers = {**document.get("headers", {}), "Authorization": [f"signature-{signed}"]}
        return Answer(200, body=orjson.dumps({"uri": document["uri"], "headers": headers}))

    def script(request: Request, forward: Forward) -> Answer:
        return issuer.script(request, lambda allowed: catalog(allowed, forward))

    return script


@check("IRC-CLI-050")
def signatures_after_the_first_token(lab: CatalogClientLab) -> None:
    """A client gets two signatures from its server although its first token expires in between, announced or not."""
    arguments: dict[str, Any] = {"namespace": lab.namespace("t"), "table": "t", "times": 2, "pause": PAUSE, "properties": CREDENTIAL}
    plain = lab.performs(TASK, signing(Issuer()), **arguments)
    asks_for_tokens(plain)
    if not _are_signed(plain.ended.value):
        raise Blocked(f"the client does not let requests be signed: {plain.ended.outcome}")
    with lab.judge_each("IRC-CLI-050") as case:
        for announced in (True, False):
            with case():
                done = lab.performs(TASK, signing(Issuer(lifetime=LIFETIME, announced=announced)), **arguments)
                how = "announced" if announced else "not announced"
                expect.true(_are_signed(done.result), f"two signatures, after an expiry that was {how}", done.ended.outcome, at=None)


def _are_signed(found: Any) -> bool:
    return isinstance(found, list) and len(found) == 2 and all(isinstance(one, str) and "signature-" in one for one in found)
