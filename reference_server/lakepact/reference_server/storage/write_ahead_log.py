"""The write-ahead log of a store's file: whether changes that were acknowledged have gone from it.

SQLite takes the log to end where a checksum does not hold, for so it looks when the last change was
being written when everything ended. So it looks too when something within the log was damaged
later; then changes behind it would be lost without a word. They can be told
apart: a process writes one change after the other, and the mark that ends a change is written last.
"""

from __future__ import annotations

import struct
from pathlib import Path

_HEAD = struct.Struct(
    ">8I"
)  #: of the log: magic, version, page size, sequence, two salts, two checksums
_FRAME = struct.Struct(
    ">6I"
)  #: of each page in it: number, pages of the file after a change that ends here, two salts, two checksums
_MAGIC = (0x377F0682, 0x377F0683)
_LAST = 16  #: the place in the index of the log that names the last valid frame


def count_invalid_commits(log: Path, index: Path) -> int:
    """Return the number of commit frames in a log after the last one that SQLite considers valid.

    0 if only the process ended. After a power failure there may be one, of an unacknowledged
    change.

    Args:
        log: the log.
        index: its index, created by a connection that read the log.
    """
    with log.open("rb") as file:
        raw = file.read(_HEAD.size)
        if len(raw) < _HEAD.size:
            return 0
        magic, _, size, _, *salts, _, _ = _HEAD.unpack(raw)
        if magic not in _MAGIC or not _holds(raw, magic):
            # Nothing behind it can be read; where there is something, a change was written whole.
            return 1 if log.stat().st_size > _HEAD.size + _FRAME.size else 0
        (last,) = struct.unpack_from("=I", index.read_bytes(), _LAST) if index.exists() else (0,)
        count = 0
        place = _HEAD.size + last * (_FRAME.size + size)
        while True:
            file.seek(place)
            frame = file.read(_FRAME.size)
            if len(frame) < _FRAME.size:
                return count
            _, pages, *own_salts, _, _ = _FRAME.unpack(frame)
            count += bool(pages) and own_salts == salts
            place += _FRAME.size + size


def _holds(head: bytes, magic: int) -> bool:
    words = struct.unpack(f"{'>' if magic & 1 else '<'}6I", head[:24])
    first = second = 0
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return (first, second) == struct.unpack(">2I", head[24:32])
