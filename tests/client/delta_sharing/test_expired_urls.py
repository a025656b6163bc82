"""URLs that expire during a read are replaced by new URLs of the same version."""

from __future__ import annotations

import time

import httpx
import pytest

from lakepact.client import DamagedData, Forbidden

from .serving import PARQUET, PROTOCOL, TABLE, A, Desk, file, lines, metadata, parquet_file, signed


def renewing(content, *, status=403, again=None, expires=None, refresh=True):
    """Return a desk whose first URL of a file is refused, and whose next answer has a new URL."""
    expiry = {} if expires is None else {"expirationTimestamp": expires}
    ends = [{"endStreamAction": {"refreshToken": "again"}}] if refresh else []
    first = lines(
        PROTOCOL, metadata(), file("a", url=signed("old"), size=len(content), **expiry), *ends
    )
    second = again or lines(
        PROTOCOL, metadata(), file("a", url=signed("new"), size=len(content)), *ends
    )
    desk = Desk(query=[first, second]).on("GET store.test/old", httpx.Response(status))
    return desk.on("GET store.test/new", content)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_refused_url_is_refreshed_by_the_refresh_token(table, status):
    desk = renewing(parquet_file(A), status=status)

    assert table(desk).to_arrow().num_rows == 3
    assert desk.bodies == [
        {"includeRefreshToken": True},
        {"includeRefreshToken": True, "refreshToken": "again"},
    ]


def test_expiring_url_is_not_requested(table):
    desk = renewing(parquet_file(A), expires=int(time.time() * 1000) + 1000)

    assert table(desk).to_arrow().num_rows == 3
    assert "GET /old" not in desk.calls


def test_refused_refresh_token_asks_for_the_version_of_the_first_listing(table):
    desk = renewing(parquet_file(A))
    listings = desk.answers[f"POST {TABLE}/query"]
    desk.on(
        f"POST {TABLE}/query",
        listings[0],
        httpx.Response(400, json={"errorCode": "e", "message": "expired"}),
        listings[1],
    )

    assert table(desk).to_arrow().num_rows == 3
    assert desk.bodies[1:] == [
        {"includeRefreshToken": True, "refreshToken": "again"},
        {"version": 5},
    ]


def test_refresh_of_a_version_finds_files_that_name_the_version(table):
    content = parquet_file(A)
    line = file("a", url=signed("new"), size=len(content), version=5)
    desk = renewing(content)
    first = desk.answers[f"POST {TABLE}/query"][0]
    newer = lines(PROTOCOL, metadata(), file("z"), delta_table_version="6")
    desk.on(f"POST {TABLE}/query", first, newer, lines(PROTOCOL, metadata(), line))

    assert table(desk).to_arrow().num_rows == 3
    assert desk.bodies[2] == {"version": 5}


def test_missing_refresh_token_repeats_the_query(table):
    desk = renewing(parquet_file(A), refresh=False)

    assert table(desk).to_arrow(version=5).num_rows == 3
    assert desk.bodies[0] == desk.bodies[1] == {"version": 5}


def test_refresh_keeps_the_version_of_the_first_listing(table):
    content = parquet_file(A)
    newer = lines(PROTOCOL, metadata(), file("z", size=1), delta_table_version="6")
    desk = renewing(content, refresh=False)
    desk.on(
        f"POST {TABLE}/query",
        desk.answers[f"POST {TABLE}/query"][0],
        newer,
        desk.answers[f"POST {TABLE}/query"][1],
    )

    assert table(desk).to_arrow().num_rows == 3
    assert [body.get("version") for body in desk.bodies] == [None, None, 5]


def test_file_missing_from_the_refresh_is_damaged_data(table):
    with pytest.raises(DamagedData, match="file a is no longer listed"):
        table(renewing(parquet_file(A), again=lines(PROTOCOL, metadata()))).to_arrow()


def test_refused_new_url_raises_forbidden(table):
    desk = renewing(
        parquet_file(A), again=lines(PROTOCOL, metadata(), file("a", url=signed("old")))
    )

    with pytest.raises(Forbidden):
        table(desk).to_arrow()

    assert desk.calls.count("GET /old") == 2


def test_many_files_are_refreshed_by_one_query(table):
    names = [f"f{number}" for number in range(20)]
    content = parquet_file(A)
    listings = [
        [file(name, url=signed(f"{age}/{name}"), size=len(content)) for name in names]
        for age in ("old", "new")
    ]
    desk = Desk(query=[lines(*PARQUET, *files) for files in listings])
    for name in names:
        desk.on(f"GET store.test/old/{name}", httpx.Response(403)).on(
            f"GET store.test/new/{name}", content
        )

    assert table(desk).to_arrow().num_rows == 60
    assert desk.calls.count(f"POST {TABLE}/query") == 2
