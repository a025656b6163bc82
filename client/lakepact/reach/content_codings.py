"""Content codings of bodies, decoded in pieces of bounded size."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

#: What `Accept-Encoding` asks for.
ACCEPTED_CODINGS = "gzip, deflate"
#: Bytes that are decoded at a time.
_PIECE = 256 * 1024
#: Content codings of one body.
_MOST_CODINGS = 2


class DecodingError(Exception):
    """The content coding of a body is broken, or was not asked for."""


class UnknownCoding(DecodingError):
    """A content coding was not asked for."""


class Decoder:
    """Takes the content codings off a body, in pieces of bounded size.

    Args:
        codings: The header `Content-Encoding`; nothing if there is none.

    Raises:
        UnknownCoding: A coding was not asked for.
        DecodingError: There are too many.
    """

    def __init__(self, codings: str) -> None:
        names = [
            name
            for part in codings.split(",")
            if (name := part.strip().lower()) not in {"", "identity"}
        ]
        if len(names) > _MOST_CODINGS:
            raise DecodingError(
                f"the body has {len(names)} content codings, and at most {_MOST_CODINGS} are read"
            )
        if not set(names) <= {"gzip", "x-gzip", "deflate"}:
            raise UnknownCoding(
                f"the body has the coding {codings[:100]!r}, and gzip or deflate was asked for"
            )
        self._inflaters = [_Inflater(gzip=name != "deflate") for name in reversed(names)]

    def decode(self, piece: bytes) -> Iterator[bytes]:
        """Decode a piece of the body.

        Raises:
            DecodingError: The content coding is broken.
        """
        pieces: Iterable[bytes] = (piece,)
        for inflater in self._inflaters:
            pieces = inflater.inflate(pieces)
        try:
            yield from pieces
        except zlib.error as error:
            raise DecodingError(str(error)) from None


class _Inflater:
    def __init__(self, *, gzip: bool) -> None:
        self._raw = None if gzip else zlib.decompressobj(-zlib.MAX_WBITS)
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16 if gzip else zlib.MAX_WBITS)

    def inflate(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            data = piece
            while data and not self._inflate.eof:
                content = (
                    self._first(data)
                    if self._raw is not None
                    else self._inflate.decompress(data, _PIECE)
                )
                data = self._inflate.unconsumed_tail
                while content:
                    yield content
                    # A full piece may have more behind it, also without more input.
                    content = (
                        self._inflate.decompress(data, _PIECE)
                        if len(content) == _PIECE or data
                        else b""
                    )
                    data = self._inflate.unconsumed_tail

    def _first(self, data: bytes) -> bytes:
        """Return the first bytes of deflate, which many servers send without its envelope."""
        raw, self._raw = self._raw, None
        try:
            return self._inflate.decompress(data, _PIECE)
        except zlib.error:
            if raw is None:
                raise
            self._inflate = raw
            return raw.decompress(data, _PIECE)
