"""What a caller says about the way to a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    import ssl


@dataclass(frozen=True, slots=True)
class Access:
    """How servers are reached, see the arguments of `IcebergCatalog`; `repr()` shows no password of a key or proxy."""

    verify: bool | str | os.PathLike[str] | ssl.SSLContext = True
    cert: str | tuple[str, ...] | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)
