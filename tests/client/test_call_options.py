"""Single calls have their own timeouts and retries, retries are announced, and replies of successes
can be seen.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable

import httpx
import pytest

from driving import ENDPOINTS, Desk, Driven
from lakepact.client import (
    NO_RETRIES,
    IcebergCatalog,
    LimitExceeded,
    Retries,
    Retry,
    SharingClient,
    Throttled,
    Timeouts,
)
from miniatures import answer, miniature

PROFILE = {"shareCredentialsVersion": 1, "endpoint": "http://shares.test", "bearerToken": "t0ken"}
BUSY, GOOD = httpx.Response(429), httpx.Response(204, headers={"X-Request-Id": "r1", "X-A": "a"})


def desk(*answers: httpx.Response) -> Desk:
    """Return a catalog that answers loads of a namespace in order."""
    left, config = list(answers), {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS}
    return Desk({"GET /v1/config": config, "HEAD /v1/namespaces/n": lambda _: left.pop(0)})


def test_retry_is_announced_before_its_pause(drive: Callable[..., Driven]) -> None:
    announcements: list[Retry] = []
    retries = Retries(first_pause=0.001, jitter=float, on_retry=announcements.append)
    drive(
        "http://catalog.test", carrier=desk(BUSY, BUSY, GOOD).carrier, retries=retries
    ).namespace_exists("n")

    assert announcements == [
        Retry("namespaceExists", 1, 0.001, 429, None),
        Retry("namespaceExists", 2, 0.002, 429, None),
    ]


def test_error_of_the_hook_ends_the_call(drive: Callable[..., Driven]) -> None:
    busy = desk(BUSY, GOOD)
    with pytest.raises(ZeroDivisionError):
        drive(
            "http://catalog.test", carrier=busy.carrier, retries=Retries(on_retry=lambda _: 1 / 0)
        ).namespace_exists("n")

    assert len(busy.calls) == 1


def test_options_of_a_call_leave_the_catalog_as_it_is(drive: Callable[..., Driven]) -> None:
    busy = desk(BUSY, BUSY, GOOD)
    client = drive("http://catalog.test", carrier=busy.carrier, retries=Retries(first_pause=0.001))
    whole, client.catalog = client.catalog, client.catalog.with_options(retries=NO_RETRIES)
    with pytest.raises(Throttled):
        client.namespace_exists("n")
    client.catalog = whole

    assert client.namespace_exists("n") is True
    assert [request.url.path for request in busy.requests].count("/v1/config") == 1


def test_number_is_the_timeout_of_a_call() -> None:
    with (
        miniature(lambda *_: answer(200, {"defaults": {}, "overrides": {}})) as url,
        IcebergCatalog(url, timeouts=30) as catalog,
    ):
        catalog.config()
        with pytest.raises(LimitExceeded, match=r"within 1e-09 s; Timeouts\(reply=…\)"):
            catalog.with_options(timeouts=1e-9).load_namespace("n")


def test_response_of_a_success_is_kept(drive: Callable[..., Driven]) -> None:
    client = drive("http://catalog.test", carrier=desk(GOOD, httpx.Response(404)).carrier)
    plain, client.catalog = (
        client.catalog,
        client.catalog.with_response().with_options(retries=NO_RETRIES),
    )
    assert [client.namespace_exists("n"), client.namespace_exists("n")] == [True, False]

    response = client.catalog.response
    assert (response.status, response.request_id, response.header("x-a"), plain.response) == (
        204,
        "r1",
        "a",
        None,
    )


def test_options_reach_tables_of_a_sharing_client() -> None:
    announcements: list[Retry] = []
    answers = [BUSY, httpx.Response(200, headers={"Delta-Table-Version": "7", "Request-Id": "r2"})]
    shares = Desk({"GET /shares/s/schemas/t/tables/u/version": lambda _: answers.pop(0)})
    with (
        httpx.Client(transport=shares.carrier) as http,
        SharingClient(PROFILE, http=http, retries=NO_RETRIES) as client,
    ):
        own = client.with_options(
            retries=Retries(first_pause=0.001, on_retry=announcements.append)
        ).with_response()

        assert own.table("s.t.u").version() == 7
        assert (own.response and own.response.request_id, len(announcements), client.response) == (
            "r2",
            1,
            None,
        )


def test_pickled_client_of_options_keeps_them() -> None:
    catalog = IcebergCatalog("http://catalog.test").with_options(retries=NO_RETRIES, timeouts=5)
    arguments = pickle.loads(pickle.dumps(catalog)).__getstate__()

    assert (arguments["retries"].tries, arguments["timeouts"]) == (1, Timeouts.of(5))
