"""The headers of every call that properties of a catalog name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.reach.wire import Headers

#: Headers of the transport and the engine, which properties do not replace.
_OWN_HEADERS = frozenset({"accept", "connection", "content-length", "host", "transfer-encoding"})
_HEADER = re.compile(r"header\.([!#$%&'*+.^_`|~0-9A-Za-z-]+)")
_HEADER_VALUE = re.compile(r"[\t -~]*")


def header_properties(*layers: Mapping[str, str]) -> Headers:
    """Return the headers that properties such as `header.X-Tenant` name; later layers win.

    Raises:
        ValueError: One cannot be sent as a header; the message does not repeat its value.
    """
    by_name: dict[str, tuple[str, str]] = {}
    for key, value in (
        item for layer in layers for item in layer.items() if item[0].startswith("header.")
    ):
        name = _HEADER.fullmatch(key)
        if not name or not _HEADER_VALUE.fullmatch(value.strip()):
            raise ValueError(
                f"the property {key!r} cannot be a header: it needs a name without spaces, and a"
                " value of one line in ASCII"
            )
        by_name[name[1].lower()] = (name[1], value.strip())
    return tuple(header for name, header in by_name.items() if name not in _OWN_HEADERS)
