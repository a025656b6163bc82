"""Files are fetched by http and https only, without credentials, and errors hide their
signatures.
"""

from __future__ import annotations

import httpx
import pytest

from lakepact.client import BadReply, Forbidden, NotFound, ServerError, Unreachable
from lakepact.client.retries import Retries

from .serving import (
    PROTOCOL,
    SIGNATURE,
    TOKEN,
    A,
    Desk,
    desk_of,
    file,
    lines,
    metadata,
    parquet_file,
    signed,
)


def test_data_urls_get_no_credentials(table, both):
    table(both).to_arrow()

    query, *downloads = both.requests
    assert query.headers["Authorization"] == f"Bearer {TOKEN}"
    assert {request.headers.get("Authorization") for request in downloads} == {None}
    assert [str(request.url) for request in downloads] == [signed("a"), signed("b")]
    assert {request.headers["Accept-Encoding"] for request in downloads} == {"identity"}


SCHEMES = [
    "file:///etc/passwd",
    "/etc/passwd",
    "ftp://store.test/a",
    "https:///a",
    "http://[x/a",
    "s3://b/a",
    "",
]
REDIRECTS = [
    "file:///etc/passwd",
    "http://store.test/a",
    "ftp://x.test",
    "data:,x",
]  # one from https to http too
METADATA = [
    "169.254.169.254",
    "2852039166",
    "0xA9.254.43518",
    "[fd00:ec2::254]",
    "[::ffff:a9fe:a9fe]",
    "METADATA.google.internal.",
]
OF_CLOUDS = [(f"https://{host}/a", "cloud metadata") for host in METADATA]


@pytest.mark.parametrize(
    ("url", "complaint"), [*((url, "not an http or https address") for url in SCHEMES), *OF_CLOUDS]
)
def test_url_of_another_scheme_or_of_cloud_metadata_is_a_bad_reply(table, url, complaint):
    desk = Desk(query=lines(PROTOCOL, metadata(), file("a", url=f"{url}?sig={SIGNATURE}")))

    with pytest.raises(BadReply, match=complaint) as exc_info:
        table(desk).to_arrow()

    assert SIGNATURE not in str(exc_info.value)
    assert len(desk.requests) == 1


NOT_FOLLOWED = "redirects to an address that is not followed|a header of it, is broken"


@pytest.mark.parametrize(
    ("location", "complaint"), [*((location, NOT_FOLLOWED) for location in REDIRECTS), *OF_CLOUDS]
)
def test_redirect_to_another_scheme_or_cloud_metadata_is_a_bad_reply(table, location, complaint):
    desk = desk_of({"a": b"x"}).on(
        "GET store.test/a", httpx.Response(302, headers={"Location": f"{location}?sig={SIGNATURE}"})
    )

    with pytest.raises(BadReply, match=complaint) as exc_info:
        table(desk).to_arrow()

    assert SIGNATURE not in f"{exc_info.value} {exc_info.value.exchange}"
    assert len(desk.requests) == 2


def test_https_redirect_of_a_file_is_followed(table):
    content = parquet_file(A)
    desk = desk_of({"a": content})
    desk.on(
        "GET store.test/a",
        httpx.Response(307, headers={"Location": f"https://other.test/b?sig={SIGNATURE}"}),
    )
    desk.on("GET other.test/b", content)

    assert table(desk).to_arrow().num_rows == 3


def test_endless_redirects_are_a_bad_reply(table):
    desk = desk_of({"a": b"x"}).on(
        "GET store.test/a", httpx.Response(302, headers={"Location": "/a"})
    )

    with pytest.raises(BadReply, match="redirects more than 5 times"):
        table(desk).to_arrow()


@pytest.mark.parametrize(
    ("status", "kind"), [(403, Forbidden), (404, NotFound), (500, ServerError), (503, ServerError)]
)
def test_refused_file_raises_without_the_signature(table, status, kind):
    body = f"<Error><Code>AccessDenied</Code><Message>{SIGNATURE}</Message><StringToSign>{SIGNATURE}</StringToSign></Error>"
    desk = desk_of({"a": b"x"}).on(
        "GET store.test/a", httpx.Response(status, content=body.encode())
    )

    with pytest.raises(
        kind, match=r"https://store\.test/a\?\[hidden\] is not given: AccessDenied"
    ) as exc_info:
        table(desk, retries=Retries(tries=2)).to_arrow()

    assert exc_info.value.operation == "readFile"
    assert (
        SIGNATURE
        not in f"{exc_info.value} {exc_info.value!r} {exc_info.value.exchange} {exc_info.value.__cause__}"
    )


def test_file_with_a_lost_reply_is_fetched_again(table):
    content = parquet_file(A)
    desk = desk_of({"a": content}).on(
        "GET store.test/a", httpx.ReadError("reset"), httpx.Response(503), content
    )

    assert table(desk).to_arrow().num_rows == 3


def test_unreachable_file_raises_without_the_signature(table):
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.ConnectError("refused"))

    with pytest.raises(Unreachable, match=r"no connection to https://store\.test") as exc_info:
        table(desk).to_arrow()

    assert SIGNATURE not in f"{exc_info.value} {exc_info.value.exchange}"
