"""Which of the properties that a table comes with its files are opened with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.clients.iceberg_rest.suite import check
from lakepact.conformance.outcome import Unmet
from lakepact.generated.iceberg_rest import op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.conformance.clients.iceberg_rest.lab import CatalogClientLab
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

ACCESS_KEY = "s3.access-key-id"
BUCKET = "s3://lakepact-scripted"
LOADED = frozenset({op.load_table})


def with_access(config: dict[str, str], credentials: Sequence[tuple[str, str]]) -> Script:
    """Return a catalog whose tables seem to lie in a bucket, with this configuration and the keys of these places in it."""

    def script(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if request.operation not in LOADED or answer.status != 200:
            return answer
        document: dict[str, Any] = answer.document
        document["metadata"]["location"] = f"{BUCKET}/home/t"
        document["metadata-location"] = f"{BUCKET}/home/t/metadata/00000-a.metadata.json"
        document["config"] = {**document.get("config", {}), **config}
        document["storage-credentials"] = [{"prefix": prefix, "config": keys(key)} for prefix, key in credentials]
        return answer.with_document(document).with_header("etag", None)

    return script


def keys(key: str) -> dict[str, str]:
    """Credentials that are told apart by the name of their key."""
    return {ACCESS_KEY: key, "s3.secret-access-key": f"opens-nothing-{key}", "client.region": "eu-central-1"}


def _opened_with(lab: CatalogClientLab, home: Sequence[str], script: Script) -> str:
    """Return the key with which the client would open the metadata file."""
    found = lab.performs("file-properties", script, namespace=home, table="t").result
    if not isinstance(found, dict):
        raise Unmet("an object of properties", expect.shown(found))
    return str(found.get(ACCESS_KEY))


@check("IRC-TBL-LOAD-013", "IRC-TBL-CRED-003")
def keys_of_a_table(lab: CatalogClientLab) -> None:
    """Files are opened with the storage credentials of a table rather than with its config, and with those of the longest prefix."""
    home = lab.namespace("t")
    lab.does("file-properties", namespace=home, table="t")
    with lab.judge("IRC-TBL-LOAD-013"):
        key = _opened_with(lab, home, with_access(keys("of-config"), [(f"{BUCKET}/home/t", "of-storage")]))
        expect.equal("of-storage", key, f"{ACCESS_KEY} of storage-credentials:")
    nested = [(f"{BUCKET}/home/t/metadata", "longest"), (f"{BUCKET}/home/t/metadata-of-another", "elsewhere"), (f"{BUCKET}/home", "short")]
    with lab.judge_each("IRC-TBL-CRED-003") as case:
        for credentials in (nested, nested[::-1]):
            with case():
                key = _opened_with(lab, home, with_access({}, credentials))
                expect.equal("longest", key, f"{ACCESS_KEY} of the longest of {expect.shown([prefix for prefix, _ in credentials])}:")
