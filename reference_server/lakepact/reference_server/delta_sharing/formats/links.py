"""The parts of every line about a file: its URL, the URL's expiry, and a stable id."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar, cast

import orjson

from lakepact.reference_server.delta_sharing.log import DamagedLog
from lakepact.reference_server.delta_sharing.log.active_files import Chunk

T = TypeVar("T")

# Bytes that no JSON text has, where an answer puts what is its own.
ADDRESS, SIGNATURE, STAMP = b"\0", b"\1", b"\2"

_ID = blake2b(digest_size=16)
_BETWEEN = "\x7f"  # needs no escape, and hardly ever stands in a text


@dataclass(frozen=True, slots=True)
class Links:
    """The URLs of one answer: a file's is the address, the key of its path, and the signature.

    Args:
        key: gives the last segment of a file's URL, for its path as the log spells it.
        address: what the URLs begin with.
        signature: what stands behind their question mark.
        expires: the millisecond in which they end.
    """

    key: Callable[[str], str]
    address: str
    signature: str
    expires: int

    def url(self, path: str) -> str:
        """Return the URL of a file."""
        return f"{self.address}{self.key(path)}?{self.signature}"

    def fill(
        self, block: bytes, *, version: int | None = None, timestamp: int | None = None
    ) -> bytes:
        """Return prepared lines with the parts of this answer inserted.

        Args:
            block: the prepared lines.
            version: the requested version, if any.
            timestamp: the time of that version.
        """
        stamp = b"".join(
            b',"%b":%d' % (name.encode(), value)
            for name, value in stamps(self, version, timestamp).items()
        )
        return (
            block.replace(ADDRESS, self.address.encode())
            .replace(SIGNATURE, b"?" + self.signature.encode())
            .replace(STAMP, stamp)
        )


def stamps(links: Links, version: int | None, timestamp: int | None) -> dict[str, int]:
    """Return the members that say when: until when a URL holds, and from when the file is."""
    members = {"expirationTimestamp": links.expires, "version": version, "timestamp": timestamp}
    return {name: value for name, value in members.items() if value is not None}


def size_of(action: Mapping[str, Any]) -> int:
    """Return how large a file is.

    Raises:
        DamagedLog: the log never said it.
    """
    size: int | None = action.get("size")
    if size is None:
        raise DamagedLog(
            f"{action['path']!r} was removed, and the log does not say how large it was"
        )
    return size


def file_id(path: str) -> str:
    """Return the name of a file, for ever, from its path as the log spells it."""
    digest = _ID.copy()
    digest.update(path.encode())
    return digest.hexdigest()


def ascii_json(value: Any) -> str:
    """Return a value as JSON in ASCII: some clients take U+2028 and its like for the end of a
    line.
    """
    text = orjson.dumps(value)
    return text.decode() if text.isascii() else json.dumps(value, separators=(",", ":"))


def stats_members(chunk: Chunk) -> Sequence[str]:
    """Return the JSON text `,"stats":…` of each file, to follow other members; empty without
    statistics.
    """
    if None not in chunk.stats:
        # All at once, where they are plain, for that is several times faster.
        text = orjson.dumps(_BETWEEN.join(cast("Sequence[str]", chunk.stats)))
        parts = text[1:-1].decode().split(_BETWEEN) if text.isascii() else []
        if len(parts) == len(chunk):
            return [f',"stats":"{part}"' for part in parts]
    return ["" if stats is None else f',"stats":{ascii_json(stats)}' for stats in chunk.stats]


def once(documents: Iterable[T], write: Callable[[T], str]) -> Mapping[int, str]:
    """Return how documents are written, by their identities; one that many files share is written
    once.
    """
    return {
        number: write(document)
        for number, document in {id(document): document for document in documents}.items()
    }
