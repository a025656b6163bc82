"""The certificates and proxies that the environment names, and the addresses of hosts."""

from __future__ import annotations

import ssl
import sys
from functools import cache
from os import environ
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import certifi
import httpcore

from lakepact.client.origins import is_metadata

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


@cache
def trusted() -> ssl.SSLContext:
    """Return the certificates of `SSL_CERT_FILE`, else of `SSL_CERT_DIR`, else of certifi."""
    # Reading the certificates of a whole world takes longer than many calls, so every client shares one reading.
    file, folder = environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR")
    is_folder = bool(folder and not file)
    context = ssl.create_default_context(cafile=None if is_folder else file or certifi.where(), capath=folder if is_folder else None)
    context.set_alpn_protocols(["http/1.1"])
    return context


def proxies() -> dict[str, httpcore.Proxy]:
    """Return the proxies for `http`, `https` and `all` URLs.

    Raises:
        ValueError: The address of one is invalid; the message does not repeat it, since it may hold a password.
    """
    if sys.platform == "linux" and not any(name.lower().endswith("_proxy") for name in environ):
        return {}
    from urllib.request import getproxies  # noqa: PLC0415 - it takes a tenth of the time to import a client

    return {scheme: _proxy(scheme, address) for scheme, address in getproxies().items() if scheme in {"http", "https", "all"}}


def _proxy(variable: str, address: str) -> httpcore.Proxy:
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme not in _SCHEMES:
        raise ValueError(f"{variable.upper()}_PROXY is {parts.scheme}://…, and http, https, socks5 or socks5h is supported")
    url = httpcore.URL(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target="/")
    auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    return httpcore.Proxy(url, auth=auth)


def proxy(origin: httpcore.Origin, among: Mapping[str, httpcore.Proxy]) -> httpcore.Proxy | None:
    """Return the proxy for an origin, unless `NO_PROXY` names it.

    Args:
        origin: The origin of a request.
        among: The proxies.
    """
    found = among.get(origin.scheme.decode()) or among.get("all")
    if found is None:
        return None
    from urllib.request import proxy_bypass  # noqa: PLC0415 - see above

    host = origin.host.decode()
    return None if proxy_bypass(host) or proxy_bypass(f"{host}:{origin.port}") else found


def reachable(host: str, resolved: Iterable[tuple[Any, ...]]) -> list[str]:
    """Return the addresses of a host.

    Args:
        host: The host.
        resolved: The results of `getaddrinfo`.

    Raises:
        OSError: A name resolves to the metadata of a cloud, which the owner of the name would choose.
    """
    addresses = [str(address[0]) for *_, address in resolved]
    for address in addresses:
        if address != host and is_metadata(address):
            raise OSError(f"{host} resolves to {address}, an address of cloud metadata, which is not connected to by name")
    return addresses
