"""Files are fetched from the web alone, without credentials, and their signatures stay where they belong."""

from __future__ import annotations

import httpx
import pytest

from lakepact.client import (
    BadReply,
    Forbidden,
    NotFound,
    ServerError,
    Unreachable,
)
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

    asked, *fetched = both.requests
    assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
    assert {request.headers.get("Authorization") for request in fetched} == {None}
    assert [str(request.url) for request in fetched] == [signed("a"), signed("b")]
    assert {request.headers["Accept-Encoding"] for request in fetched} == {"identity"}


@pytest.mark.parametrize("url", ["file:///etc/passwd", "/etc/passwd", "ftp://store.test/a", "https:///a", "http://[x/a", "s3://b/a", ""])
def test_urls_that_are_not_of_the_web_are_refused(table, url):
    desk = Desk(query=lines(PROTOCOL, metadata(), file("a", url=f"{url}?sig={SIGNATURE}")))

    with pytest.raises(BadReply, match="not an http or https address") as caught:
        table(desk).to_arrow()

    assert SIGNATURE not in str(caught.value)
    assert len(desk.requests) == 1


def test_redirects_of_files_are_followed_on_the_web(table):
    content = parquet_file(A)
    desk = desk_of({"a": content})
    desk.on("GET store.test/a", httpx.Response(307, headers={"Location": f"https://other.test/b?sig={SIGNATURE}"}))
    desk.on("GET other.test/b", content)

    assert table(desk).to_arrow().num_rows == 3


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://store.test/a", "ftp://x.test", "data:,x"])
def test_redirects_of_files_to_elsewhere_are_refused(table, location):
    """That from https to http is one: what was promised to be private would be no more."""
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.Response(302, headers={"Location": f"{location}?sig={SIGNATURE}"}))

    with pytest.raises(BadReply, match=r"redirects to an address that is not followed|a header of it, is broken") as caught:
        table(desk).to_arrow()

    assert SIGNATURE not in f"{caught.value} {caught.value.exchange}"
    assert len(desk.requests) == 2


def test_redirects_without_end_are_refused(table):
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.Response(302, headers={"Location": "/a"}))

    with pytest.raises(BadReply, match="redirects more than 5 times"):
        table(desk).to_arrow()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(403, Forbidden), (404, NotFound), (500, ServerError), (503, ServerError)],
)
def test_a_file_that_is_not_given_is_an_error_without_the_signature(table, status, kind):
    told = f"<Error><Code>AccessDenied</Code><Message>{SIGNATURE}</Message><StringToSign>{SIGNATURE}</StringToSign></Error>"
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.Response(status, content=told.encode()))

    with pytest.raises(kind, match=r"https://store\.test/a\?\[hidden\] is not given: AccessDenied") as caught:
        table(desk, retries=Retries(tries=2)).to_arrow()

    assert caught.value.operation == "readFile"
    assert SIGNATURE not in f"{caught.value} {caught.value!r} {caught.value.exchange} {caught.value.__cause__}"


def test_a_file_whose_reply_is_lost_is_fetched_again(table):
    content = parquet_file(A)
    desk = desk_of({"a": content}).on("GET store.test/a", httpx.ReadError("reset"), httpx.Response(503), content)

    assert table(desk).to_arrow().num_rows == 3


def test_a_file_that_cannot_be_reached_is_an_error_without_the_signature(table):
    desk = desk_of({"a": b"x"}).on("GET store.test/a", httpx.ConnectError("refused"))

    with pytest.raises(Unreachable, match=r"no connection to https://store\.test") as caught:
        table(desk).to_arrow()

    assert SIGNATURE not in f"{caught.value} {caught.value.exchange}"
