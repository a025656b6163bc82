"""Locations of files, where suite and target share a file system."""

from __future__ import annotations

from pathlib import Path

from lakepact.conformance.evidence.outcome import NotOffered


def local_path(location: str) -> Path:
    """Return the path that a location has on this machine.

    Raises:
        NotOffered: it has none.
    """
    scheme, colon, rest = location.partition(":")
    path = rest.removeprefix("//").removeprefix("localhost") if colon else location
    if (colon and scheme != "file") or not path.startswith("/"):
        raise NotOffered(f"the harness cannot look at {location}")
    return Path(path)
