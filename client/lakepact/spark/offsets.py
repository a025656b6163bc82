"""Offsets of a stream: the last version that was delivered, as Spark stores it in the
checkpoint.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_VERSION = "version"
#: The offset before a stream that begins with a snapshot.
NOTHING: dict[str, Any] = {_VERSION: None}


def offset(version: int) -> dict[str, Any]:
    """Return the offset of a stream that has delivered all versions up to this."""
    return {_VERSION: version}


def version_of(stored: Mapping[str, Any]) -> int | None:
    """Return the last version that was delivered; None before a snapshot.

    Raises:
        ValueError: It is not an offset of this source.
    """
    version = stored.get(_VERSION, "")
    if version is not None and (not isinstance(version, int) or isinstance(version, bool)):
        raise ValueError(
            f"the checkpoint is not of this source: its offset is {dict(stored)}; name another"
            " checkpointLocation"
        )
    return version


def after(stored: Mapping[str, Any]) -> int | None:
    """Return the first version to deliver; None for a snapshot."""
    version = version_of(stored)
    return None if version is None else version + 1
