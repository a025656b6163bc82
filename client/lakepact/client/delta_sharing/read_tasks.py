"""Parts of an answer that other processes read: each pickles, and renews its URLs without the
others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lakepact.client.delta_sharing.lines import Metadata
    from lakepact.client.delta_sharing.pieces import Piece
    from lakepact.client.delta_sharing.queries import TableRequest
    from lakepact.client.several import Names

#: Bytes of the files of one task, unless the caller says otherwise.
TASK_BYTES = 128 * 1024 * 1024
#: Assumed size of a file of unknown size.
UNKNOWN_SIZE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The parts of an answer that reading its files needs, after the answer itself is closed."""

    question: TableRequest
    operation: str
    metadata: Metadata
    version: int | None
    #: Asks for the same files with new URLs.
    refresh_token: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Some files of an answer, which `SharingClient.read` reads in any process; `repr()` shows no
    signature.

    A task holds pre-signed URLs and perhaps a refresh token: who has the pickled task can read its
    files.
    """

    answer: Answered = field(repr=False)
    columns: tuple[str, ...] | None
    pieces: tuple[Piece, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """The bytes of its files; unknown sizes are estimated."""
        return sum(map(weight, self.pieces))


def weight(piece: Piece) -> int:
    """Return the bytes that a piece needs; an estimate where the server does not tell the size."""
    return piece.file.size if piece.file.size is not None else UNKNOWN_SIZE


def divide(
    answer: Answered, pieces: Iterable[Piece], columns: Names | None, *, most: int
) -> Iterator[ReadTask]:
    """Yield tasks of consecutive pieces, none with more than `most` bytes unless one file alone has
    more.
    """
    names = None if columns is None else tuple(columns)
    group: list[Piece] = []
    size = 0
    for piece in pieces:
        if group and size + weight(piece) > most:
            yield ReadTask(answer, names, tuple(group))
            group, size = [], 0
        group.append(piece)
        size += weight(piece)
    if group:
        yield ReadTask(answer, names, tuple(group))
