"""Clients reach servers behind a private authority, a client certificate or a proxy, from other
processes and event loops too.
"""

from __future__ import annotations

import asyncio
import gc
import pickle
import ssl
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from operator import methodcaller
from typing import Any

import httpx
import pytest
from botocore.credentials import RefreshableCredentials

from driving import Desk, Driven
from fronts import certificate, proxy_front, socks_front, tls_front
from lakepact.client import (
    NO_RETRIES,
    AsyncIcebergCatalog,
    IcebergCatalog,
    Limits,
    SharingClient,
    SigV4,
    Unreachable,
)
from lakepact.reference_server import running

PROFILE = {"shareCredentialsVersion": 1, "endpoint": "http://shares.test", "bearerToken": "t0ken"}
RENEWED = RefreshableCredentials("a", "b", "c", None, dict, "t")


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    with running(contract="iceberg_rest", warehouse="memory:") as server:
        yield server.url


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Return certificate and key of a server and of a caller."""
    folder = tmp_path_factory.mktemp("tls")
    return {name: certificate(folder, name) for name in ("server", "caller")}


@pytest.mark.parametrize("setting", ["verify", "settings", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_private_authority_is_trusted(
    setting: str, drive: Callable[..., Driven], server_url: str, certificates: Any, monkeypatch: Any
) -> None:
    authority = certificates["server"][0]
    options = {
        "verify": {"verify": authority},
        "settings": {"verify": ssl.create_default_context(cafile=authority)},
    }.get(setting, {})
    monkeypatch.setenv("SSL_CERT_FILE", "")
    if not options:
        monkeypatch.setenv(setting, authority)
    with tls_front(server_url, certificates["server"]) as front:
        assert drive(front.url, **options).namespace_exists("n") is False


def test_client_certificate_is_presented(
    drive: Callable[..., Driven], server_url: str, certificates: Any
) -> None:
    authority, caller = certificates["server"][0], certificates["caller"]
    with tls_front(server_url, certificates["server"], callers=caller[0]) as front:
        assert drive(front.url, verify=authority, cert=caller).namespace_exists("n") is False
        with pytest.raises(Unreachable):
            drive(front.url, verify=authority, retries=NO_RETRIES).config()


@pytest.mark.parametrize("setting", ["proxy", "HTTPS_PROXY"])
def test_requests_go_through_the_proxy(
    setting: str, drive: Callable[..., Driven], server_url: str, certificates: Any, monkeypatch: Any
) -> None:
    with tls_front(server_url, certificates["server"]) as front, proxy_front() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1" if setting == "proxy" else "")
        options = {"proxy": proxy.url.replace("//", "//user:p%40ss@")} if setting == "proxy" else {}
        for access in (options, {"proxy": "none"}):
            drive(front.url, verify=certificates["server"][0], **access).config()

    (head,) = proxy.heads
    assert head.startswith(f"CONNECT {front.url.removeprefix('https://')} ".encode())
    assert (b"Proxy-Authorization: Basic dXNlcjpwQHNz" in head) == (setting == "proxy")


def test_requests_go_through_a_socks_proxy(
    drive: Callable[..., Driven], server_url: str, certificates: Any
) -> None:
    login = b"\x01\x04user\x04p@ss"
    with tls_front(server_url, certificates["server"]) as front, socks_front(login=login) as proxy:
        address = proxy.url.replace("//", "//user:p%40ss@")
        for url in (server_url, front.url):
            drive(url, verify=certificates["server"][0], proxy=address).config()

    assert proxy.heads[0] == login
    assert [int.from_bytes(head[-2:], "big") for head in proxy.heads[1::2]] == [
        int(url.rpartition(":")[2]) for url in (server_url, front.url)
    ]


# httpcore leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("nonsense", [b"HTTP/1.1 400 Bad Request", b"\x05", b"\x05\x01\x00"])
def test_proxy_that_does_not_speak_socks_raises_unreachable(
    drive: Callable[..., Driven], server_url: str, nonsense: bytes
) -> None:
    with (
        socks_front(nonsense=nonsense) as proxy,
        pytest.raises(Unreachable, match="the proxy does not answer as SOCKS5 does"),
    ):
        drive(server_url, proxy=proxy.url, retries=NO_RETRIES).config()


def test_name_that_no_host_has_raises_unreachable(drive: Callable[..., Driven]) -> None:
    with pytest.raises(Unreachable, match="label"):
        drive("http://a.test", proxy=f"http://{'a' * 64}.test", retries=NO_RETRIES).config()


@pytest.mark.parametrize("kind", [IcebergCatalog, AsyncIcebergCatalog, SharingClient])
def test_missing_package_of_a_socks_proxy_is_named(kind: type, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)

    with pytest.raises(ValueError, match="proxy is socks5://…, which needs socksio: pip install"):
        kind(PROFILE if kind is SharingClient else "http://a.test", proxy="socks5://127.0.0.1:1")


def test_missing_package_of_an_environment_proxy_matters_where_it_is_used(
    drive: Callable[..., Driven], server_url: str, monkeypatch: Any
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", "socks5://user:s3cr3t@127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    assert drive(server_url).namespace_exists("n") is False
    with pytest.raises(
        Unreachable, match="ALL_PROXY is socks5://…, which needs socksio"
    ) as exc_info:
        drive("http://catalog.test", retries=NO_RETRIES).config()
    assert "s3cr3t" not in str(exc_info.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"verify": __file__}, r"verify='.*': .*; it must be a file in PEM"),
        ({"verify": False}, "verification cannot be switched off"),
        ({"cert": "x.pem", "verify": ssl.create_default_context()}, "exclude each other"),
        (
            {"proxy": "http://user:s3cr3t@"},
            "proxy is http://…, and http, https, socks5 or socks5h is supported",
        ),
        ({"proxy": "http://user:s3cr3t@proxy.test:port"}, "proxy is no address such as http"),
        (
            {"proxy": "http://proxy.test", "http": httpx.Client()},
            "http has its own verify, cert and proxy",
        ),
        (
            {"headers": {"X-A": "s3cr3t\r\nX-B: b"}},
            r"the property 'header\.X-A' cannot be a header",
        ),
    ],
)
@pytest.mark.parametrize("kind", [IcebergCatalog, SharingClient])
def test_wrong_argument_is_named_without_its_secret(
    kind: type, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as exc_info:
        kind("http://catalog.test" if kind is IcebergCatalog else PROFILE, **options)

    assert "s3cr3t" not in str(exc_info.value)


def test_headers_of_a_sharing_client_are_sent_to_its_server() -> None:
    desk = Desk({"GET /shares": {"items": []}})
    with (
        httpx.Client(transport=desk.carrier) as http,
        SharingClient(PROFILE, http=http, headers={"X-Tenant": "a"}) as client,
    ):
        list(client.shares())

    assert (desk.requests[0].headers["x-tenant"], desk.requests[0].headers["authorization"]) == (
        "a",
        "Bearer t0ken",
    )


def test_pickled_catalogs_are_used_in_spawned_processes(server_url: str, certificates: Any) -> None:
    with tls_front(server_url, certificates["server"], callers=certificates["caller"][0]) as front:
        catalog = IcebergCatalog(
            front.url, verify=certificates["server"][0], cert=certificates["caller"], proxy="none"
        )
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            assert list(pool.map(methodcaller("namespace_exists", "n"), [catalog, catalog])) == [
                False,
                False,
            ]


def test_sharing_client_is_pickled_with_its_profile() -> None:
    assert (
        repr(pickle.loads(pickle.dumps(SharingClient(PROFILE, downloads=2))))
        == "SharingClient('http://shares.test')"
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"http": httpx.Client()}, "with http= or with TLS settings in verify="),
        ({"verify": ssl.create_default_context()}, "with http= or with TLS settings in verify="),
        ({"auth": SigV4("glue", region="r", credentials=RENEWED)}, "that renew themselves"),
    ],
)
def test_objects_of_a_process_are_not_pickled(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(TypeError, match=f"cannot be pickled .*{reason}"):
        pickle.dumps(IcebergCatalog("http://catalog.test", **options))


def test_pickled_signatures_hold_no_secret_of_the_configuration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t")
    content = pickle.dumps(SigV4("glue", region="eu-west-1"))

    assert (b"s3cr3t" in content, repr(pickle.loads(content))) == (
        False,
        "SigV4('glue', region='eu-west-1', credentials=[hidden])",
    )


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a loop ends before its connections
def test_catalog_serves_two_event_loops_at_once(server_url: str) -> None:
    results: list[bool] = []

    async def many(catalog: AsyncIcebergCatalog) -> None:
        results.extend(await asyncio.gather(*(catalog.namespace_exists("n") for _ in range(20))))

    catalog = AsyncIcebergCatalog(server_url, limits=Limits(connections=4))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(asyncio.run, [many(catalog), many(catalog)]))
    for last in (many(catalog), catalog.close()):
        asyncio.run(last)
    del catalog, last
    gc.collect()  # the connections warn here, and in no later test

    assert results == [False] * 60
