"""Requests to the network or to a carrier, and the beginnings of their replies.

The network is reached through the connection pools of the HTTP library: its own requests, responses and cookies take half of a small call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import httpcore
import httpx

from lakepact.client.metered import metered

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from lakepact.client.wire import Headers, Request

_Client = TypeVar("_Client", httpx.Client, httpx.AsyncClient)

#: Headers of requests that do not say otherwise.
_USUAL = (("User-Agent", "lakepact"), ("Accept-Encoding", "gzip, deflate"))
#: Failures of sending and of receiving.
FAILURES = (
    httpx.RequestError,
    httpx.InvalidURL,
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
#: Failures before a byte of the request has left.
UNSENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpcore.ConnectError,
    httpcore.ConnectTimeout,
    httpcore.PoolTimeout,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The beginning of a reply.

    Args:
        status: Its status.
        headers: Its headers, with their names in lower case.
        pieces: Begins to read its body as it is sent. A body that is half read ends with its reader, even if the reply is kept.
        close: Gives its connection back.
        whole: The decoded body, where a carrier has read it already.
    """

    status: int
    headers: Headers
    pieces: Callable[[], Any]
    close: Callable[[], Any]
    whole: bytes | None = None

    def header(self, name: str) -> str:
        """Return the first header of a name in lower case; nothing if there is none."""
        return next((value for key, value in self.headers if key == name), "")


class Network:
    """Sends requests through a carrier, or through the proxy or pool of connections that their address needs.

    Args:
        carrier: The replacement of the network, if there is one.
        timeout: The timeouts of the library.
        trusted: The certificates of servers.
    """

    def __init__(self, carrier: httpx.BaseTransport | None, timeout: httpx.Timeout, trusted: ssl.SSLContext) -> None:
        # Redirects are not followed: they would send the credentials to another address.
        self._client = httpx.Client(verify=trusted, timeout=timeout, transport=carrier, follow_redirects=False)
        metered(self._client)
        self._extensions = {"timeout": timeout.as_dict()}

    def send(self, request: Request) -> Answer:
        """Send a request and return the beginning of its reply.

        Raises:
            FAILURES: No reply began.
        """
        url = _parsed(request.url)
        transport = _open(self._client)._transport_for_url(url)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        if type(transport) is not httpx.HTTPTransport:  # a carrier, or a transport with changes of its own
            return _of_carrier(transport.handle_request(_outgoing(request, url, self._extensions)), is_async=False)
        pool: Any = transport._pool  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        reply: httpcore.Response = pool.handle_request(_pooled(request, url, self._extensions))
        body: Any = reply.stream
        return Answer(reply.status, _headers(reply.headers), partial(iter, body), reply.close)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class AsyncNetwork:
    """Sends requests through a carrier, or through the proxy or pool of connections that their address needs.

    Args:
        carrier: The replacement of the network, if there is one.
        timeout: The timeouts of the library.
        trusted: The certificates of servers.
    """

    def __init__(self, carrier: httpx.AsyncBaseTransport | None, timeout: httpx.Timeout, trusted: ssl.SSLContext) -> None:
        self._client = httpx.AsyncClient(verify=trusted, timeout=timeout, transport=carrier, follow_redirects=False)
        metered(self._client)
        self._extensions = {"timeout": timeout.as_dict()}

    async def send(self, request: Request) -> Answer:
        """Send a request and return the beginning of its reply.

        Raises:
            FAILURES: No reply began.
        """
        url = _parsed(request.url)
        transport = _open(self._client)._transport_for_url(url)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        if type(transport) is not httpx.AsyncHTTPTransport:
            return _of_carrier(await transport.handle_async_request(_outgoing(request, url, self._extensions)), is_async=True)
        pool: Any = transport._pool  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        reply: httpcore.Response = await pool.handle_async_request(_pooled(request, url, self._extensions))
        body: Any = reply.stream
        return Answer(reply.status, _headers(reply.headers), partial(aiter, body), reply.aclose)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


@lru_cache(maxsize=64)
def _parsed(url: str) -> httpx.URL:
    # Parsing takes a tenth of a small call, and a table is often loaded again.
    return httpx.URL(url)


def _open(client: _Client) -> _Client:
    if client.is_closed:
        raise RuntimeError("the client is closed: it sends nothing more")
    return client


def _pooled(request: Request, url: httpx.URL, extensions: dict[str, Any]) -> httpcore.Request:
    """Return a request as the pool takes it."""
    headers = [(b"Host", url.netloc), *((name.encode("ascii"), value.encode()) for name, value in _whole_headers(request))]
    if request.content is not None or request.method in {"POST", "PUT", "PATCH"}:
        headers.append((b"Content-Length", b"%d" % len(request.content or b"")))
    target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return httpcore.Request(request.method, target, headers=headers, content=request.content, extensions=extensions)


def _outgoing(request: Request, url: httpx.URL, extensions: dict[str, Any]) -> httpx.Request:
    """Return a request as a carrier takes it."""
    return httpx.Request(request.method, url, headers=_whole_headers(request), content=request.content, extensions=extensions)


def _whole_headers(request: Request) -> list[tuple[str, str]]:
    given = {name.lower() for name, _ in request.headers}
    return [*(usual for usual in _USUAL if usual[0].lower() not in given), *request.headers]


def _of_carrier(response: httpx.Response, *, is_async: bool) -> Answer:
    headers = _headers(response.headers.raw)
    close = response.aclose if is_async else response.close
    if response.is_stream_consumed:
        return Answer(response.status_code, headers, response.iter_raw, close, response.content)
    return Answer(response.status_code, headers, response.aiter_raw if is_async else response.iter_raw, close)


def _headers(headers: list[tuple[bytes, bytes]]) -> Headers:
    return tuple((name.decode("latin-1").lower(), _text(value)) for name, value in headers)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
