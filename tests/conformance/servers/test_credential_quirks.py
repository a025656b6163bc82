"""Catalogs without credentials, or with unusual credentials, fail only what they break."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from faulty_servers import checked, outcomes_of
from lakepact.conformance.evidence.outcome import Outcome
from miniatures import Answer, answer, miniature

LOCATION = "s3://bucket/n/t"
TABLE = {
    "metadata-location": f"{LOCATION}/metadata/0.json",
    "metadata": {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": LOCATION,
    },
}
S3 = {"s3.access-key-id": "AKID", "s3.secret-access-key": "hush-hush"}
GCS = {"gcs.oauth2.token": "hush-hush", "gcs.oauth2.token-expires-at": "32472144000000"}


def refusal(status: int, kind: str) -> Answer:
    return answer(status, {"error": {"message": kind, "type": kind, "code": status}})


def credentials_of(*credentials: tuple[str, dict[str, Any]]) -> Answer:
    document = {
        "storage-credentials": [
            {"prefix": prefix, "config": config} for prefix, config in credentials
        ]
    }
    return answer(200, document, **{"Cache-Control": "no-store"})


class Catalog:
    """A catalog with one table under any name, and a fixed answer to requests for its
    credentials.
    """

    def __init__(self, credentials: Answer) -> None:
        self.credentials = credentials
        self.there: set[str] = set()

    def __call__(self, method: str, target: str, body: bytes) -> Answer:
        path = target.partition("?")[0].split("/")
        if path[-1] == "config":
            templates = (
                "namespaces",
                "namespaces/{namespace}",
                "namespaces/{namespace}/tables",
                "namespaces/{namespace}/tables/{table}",
            )
            endpoints = [
                f"{verb} /v1/{{prefix}}/{template}"
                for template in templates
                for verb in ("GET", "POST", "DELETE")
            ]
            endpoints.append("GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials")
            return answer(200, {"defaults": {}, "overrides": {}, "endpoints": endpoints})
        if len(path) <= 4:
            return (
                answer(200, {"namespace": orjson.loads(body)["namespace"]})
                if method == "POST"
                else answer(204)
            )
        if method == "POST" and path[-1] != "tables":
            return refusal(400, "BadRequestException")  # commits are not supported
        if method == "POST":
            self.there.add(orjson.loads(body)["name"])
            return answer(200, TABLE)
        if path[5] not in self.there:
            return refusal(404, "NoSuchTableException")
        if method == "DELETE":
            self.there.discard(path[5])
            return answer(204)
        return self.credentials if path[-1] == "credentials" else answer(200, TABLE)


def outcomes(credentials: Answer) -> dict[str, Outcome]:
    with miniature(Catalog(credentials)) as url:
        run = checked(url, "IRC-TBL-CRED-*")
    assert not any("hush" in f"{verdict}" for verdict in run.verdicts)
    return outcomes_of(run)


@pytest.mark.parametrize(
    "credentials",
    [
        credentials_of(),
        refusal(400, "BadRequestException"),
        refusal(403, "ForbiddenException"),
        refusal(404, "NoSuchCredentialsException"),
        credentials_of((LOCATION, S3)),
        credentials_of((f"{LOCATION}/", S3)),
        credentials_of(("s3://bucket", S3), (LOCATION, S3)),
        credentials_of((LOCATION, S3), (LOCATION, GCS)),
        credentials_of(("s3", S3)),
    ],
)
def test_allowed_credentials_fail_nothing(credentials: Answer) -> None:
    assert {
        r: o
        for r, o in outcomes(credentials).items()
        if o not in {Outcome.PASS, Outcome.NOT_OFFERED}
    } == {}


@pytest.mark.parametrize(
    ("credentials", "requirement"),
    [
        (refusal(404, "NoSuchTableException"), "IRC-TBL-CRED-001"),
        (refusal(500, "InternalServerError"), "IRC-TBL-CRED-007"),
        (credentials_of((LOCATION, {**S3, "seconds": 1})), "IRC-TBL-CRED-002"),
        (credentials_of(("s3://bucket/n/u", S3)), "IRC-TBL-CRED-004"),
        (credentials_of((LOCATION, S3), (LOCATION, S3)), "IRC-TBL-CRED-005"),
        (credentials_of((LOCATION, {})), "IRC-TBL-CRED-009"),
    ],
)
def test_wrong_credentials_break_their_requirement(credentials: Answer, requirement: str) -> None:
    assert outcomes(credentials)[requirement] in {Outcome.FAIL, Outcome.WARN}
