"""The certificates and proxies that the caller or the environment names."""

from __future__ import annotations

import ssl
import sys
from functools import cache
from os import environ, fspath
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import certifi
import httpcore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.reach.access import Access

#: Variables that name certificates to trust, the first one first.
_AUTHORITIES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR")
_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


def tls(access: Access) -> ssl.SSLContext:
    """Return the TLS settings: with the certificates of `access`, else of the environment, else of certifi.

    Raises:
        ValueError: A file cannot be read or holds no certificate, or verification is off; the message names the argument or variable.
    """
    verify, cert = access.verify, access.cert
    if verify is False:
        raise ValueError(
            "verify=False: verification cannot be switched off; verify= takes the server's own certificate too"
        )
    if isinstance(verify, ssl.SSLContext):
        if cert:
            raise ValueError(
                "cert and TLS settings in verify exclude each other; load the certificate into these settings"
            )
        return verify
    name = next((name for name in _AUTHORITIES if environ.get(name)), "certifi")
    path = environ.get(name) or certifi.where()
    try:
        if verify is True and not cert:
            return trusted(path)
        name, path = (name, path) if verify is True else ("verify", fspath(verify))
        context = trusted.__wrapped__(path)  # not shared: the files of a caller may change
        if cert:
            name, (path, *more) = "cert", (cert,) if isinstance(cert, str) else cert
            context.load_cert_chain(
                path, more[0] if more else None, more[1] if more[1:] else lambda: ""
            )  # never asks a terminal
    except (OSError, ValueError) as wrong:
        raise ValueError(
            f"{name}={path!r}: {getattr(wrong, 'strerror', None) or wrong}; it must be a file in PEM"
        ) from None
    return context


@cache
def trusted(path: str) -> ssl.SSLContext:
    """Return TLS settings that trust the certificates of a file or folder."""
    # Reading the certificates of a whole world takes longer than many calls, so every client shares one reading.
    is_folder = Path(path).is_dir()
    context = ssl.create_default_context(
        cafile=None if is_folder else path, capath=path if is_folder else None
    )
    context.set_alpn_protocols(["http/1.1"])
    return context


def proxies(access: Access) -> dict[str, httpcore.Proxy]:
    """Return the proxies for `http`, `https` and `all` URLs; that of the caller under an empty name.

    Raises:
        ValueError: The address of one is invalid; the message does not repeat it, since it may hold a password.
    """
    if access.proxy:
        return {} if access.proxy == "none" else {"": _proxy("proxy", access.proxy)}
    if sys.platform == "linux" and not any(name.lower().endswith("_proxy") for name in environ):
        return {}
    from urllib.request import getproxies  # noqa: PLC0415 - it takes a tenth of the time to import a client

    found = {
        scheme: address
        for scheme, address in getproxies().items()
        if scheme in {"http", "https", "all"}
    }
    return {scheme: _proxy(f"{scheme.upper()}_PROXY", address) for scheme, address in found.items()}


def _proxy(name: str, address: str) -> httpcore.Proxy:
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise ValueError(
            f"{name} is {parts.scheme}://…, and http, https, socks5 or socks5h is supported"
        )
    url = httpcore.URL(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target="/")
    auth = (
        None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    )
    return httpcore.Proxy(url, auth=auth)


def proxy(origin: httpcore.Origin, among: Mapping[str, httpcore.Proxy]) -> httpcore.Proxy | None:
    """Return the proxy for an origin: that of the caller, else that of the environment unless `NO_PROXY` names the host.

    Args:
        origin: The origin of a request.
        among: The proxies.
    """
    found = among.get("") or among.get(origin.scheme.decode()) or among.get("all")
    if found is None or "" in among:
        return found
    from urllib.request import proxy_bypass  # noqa: PLC0415 - see above

    host = origin.host.decode()
    return None if proxy_bypass(host) or proxy_bypass(f"{host}:{origin.port}") else found
