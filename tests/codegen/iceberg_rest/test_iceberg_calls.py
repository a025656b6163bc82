"""Calls of the Iceberg contract on the wire."""

from __future__ import annotations

from lakepact.generated.iceberg_rest import models
from lakepact.generated.iceberg_rest.endpoints import get_token, load_table


def test_call_path_is_percent_encoded() -> None:
    call = load_table.call(
        prefix="a/b", namespace="x\x1fy", table="ü%", snapshots="refs", if_none_match='"1"'
    )

    assert (call.method, call.path) == ("GET", "/v1/a%2Fb/namespaces/x%1Fy/tables/%C3%BC%25")
    assert (call.query, call.headers, call.content) == (
        (("snapshots", "refs"),),
        (("If-None-Match", '"1"'),),
        None,
    )


def test_body_is_sent_with_its_media_type() -> None:
    body = models.OAuthClientCredentialsRequest(
        grant_type="client_credentials", client_id="a", client_secret="b&c"
    )

    call = get_token.call(body=body)

    assert call.headers == (("Content-Type", "application/x-www-form-urlencoded"),)
    assert call.content == b"grant_type=client_credentials&client_id=a&client_secret=b%26c"
