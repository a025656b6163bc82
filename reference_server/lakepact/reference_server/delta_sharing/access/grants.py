"""The locations of tables in the stores that recipients can reach."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def address_of(folder: Path, stores: Iterable[tuple[Path, str]]) -> str | None:
    """Return the address of a local folder for recipients: below the address of its nearest mapped parent folder."""
    above = [(store, address) for store, address in stores if folder.is_relative_to(store)]
    if not above:
        return None
    store, address = max(above, key=lambda pair: len(pair[0].parts))
    return "/".join((address.rstrip("/"), *folder.relative_to(store).parts))
