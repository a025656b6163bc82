"""The certificates, the proxy and the headers with which a server is reached."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    import ssl
    from collections.abc import Mapping

    from lakepact.client.wire import Headers

#: Headers of the transport and the engine, which callers do not replace.
OWN_HEADERS = frozenset({"accept", "connection", "content-length", "host", "transfer-encoding"})
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t -~]*")


@dataclass(frozen=True, slots=True)
class Access:
    """How servers are reached; `repr()` shows no password of a key or proxy.

    Args:
        verify: True for the usual certificates; the path of a file or folder of certificates to trust, in PEM; or TLS settings.
        cert: The path of a certificate to present, in PEM, with its key; or a tuple of its path, that of the key, and a password.
        proxy: The address of a proxy for all requests; `none` for no proxy; None for those of the environment.
    """

    verify: bool | str | os.PathLike[str] | ssl.SSLContext = True
    cert: str | tuple[str, ...] | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)


def checked_header(name: str, value: str, *, of: str) -> tuple[str, str]:
    """Return a header that can be sent.

    Args:
        name: Its name.
        value: Its value.
        of: The words for where it comes from, in the error.

    Raises:
        ValueError: It cannot be sent; the message does not repeat its value.
    """
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value.strip()):
        raise ValueError(f"{of} cannot be a header: it needs a name without spaces, and a value of one line in ASCII")
    return name, value.strip()


def checked_headers(headers: Mapping[str, str] | None) -> Headers:
    """Return the caller's headers.

    Raises:
        ValueError: One cannot be sent, or is one of the client's own.
    """
    for name in headers or ():
        if name.lower() in OWN_HEADERS:
            raise ValueError(f"headers holds {name!r}, which the client sends itself")
    return tuple(checked_header(name, value, of=f"{name!r} of headers") for name, value in (headers or {}).items())
