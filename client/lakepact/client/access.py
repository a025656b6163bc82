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

#: Headers of the transport and the engine, which properties do not replace.
_OWN_HEADERS = frozenset({"accept", "connection", "content-length", "host", "transfer-encoding"})
_HEADER = re.compile(r"header\.([!#$%&'*+.^_`|~0-9A-Za-z-]+)")
_HEADER_VALUE = re.compile(r"[\t -~]*")


@dataclass(frozen=True, slots=True)
class Access:
    """How servers are reached, see the arguments of `IcebergCatalog`; `repr()` shows no password of a key or proxy."""

    verify: bool | str | os.PathLike[str] | ssl.SSLContext = True
    cert: str | tuple[str, ...] | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)


def header_properties(*layers: Mapping[str, str]) -> Headers:
    """Return the headers that properties such as `header.X-Tenant` name; later layers win.

    Raises:
        ValueError: One cannot be sent as a header; the message does not repeat its value.
    """
    found: dict[str, tuple[str, str]] = {}
    for key, value in (
        item for layer in layers for item in layer.items() if item[0].startswith("header.")
    ):
        name = _HEADER.fullmatch(key)
        if not name or not _HEADER_VALUE.fullmatch(value.strip()):
            raise ValueError(
                f"the property {key!r} cannot be a header: it needs a name without spaces, and a value of one line in ASCII"
            )
        found[name[1].lower()] = (name[1], value.strip())
    return tuple(header for name, header in found.items() if name not in _OWN_HEADERS)
