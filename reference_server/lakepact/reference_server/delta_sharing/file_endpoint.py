"""The endpoint of data files: GET and HEAD of signed URLs, with ranges, without a bearer token."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote

from lakepact.generated.contract import OperationId
from lakepact.reference_server.delta_sharing.answers import KINDS, refusal
from lakepact.reference_server.delta_sharing.files import Expired, Files, Forged, SharedFile
from lakepact.reference_server.delta_sharing.ranges import NotSatisfiable, part_of_range
from lakepact.reference_server.http.endpoint import error_reply, finish
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.http.service import Scope, Service
from lakepact.reference_server.http.wire import Wire

FILES = OperationId("(data files)")  #: instead of an operation, for faults
MEDIA_TYPE = b"application/octet-stream"
PIECE = 256 * 1024  #: bytes that are read at a time


class OpenFile:
    """One file that is being sent; as chunks of a reply it is the part from `start` to `end`.

    Args:
        descriptor: the open file, which is closed in the end.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        about = os.fstat(descriptor)
        self.regular = stat.S_ISREG(about.st_mode)
        self.size = about.st_size
        self.etag = b'"%x-%x"' % (about.st_mtime_ns, about.st_size)
        self.modified = formatdate(about.st_mtime, usegmt=True).encode()
        self.start, self.end = 0, about.st_size

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = os.pread(self._descriptor, min(PIECE, self.end - self.start), self.start)
        self.start += len(piece)
        if not piece:
            raise StopIteration
        return piece

    def close(self) -> None:
        """Close the file."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()


class FileEndpoint:
    """Answers the URLs of data files.

    Args:
        files: what knows the URLs.
        root: the path that they lie below.
        rules: the decisions.
        service: the service whose data it is.
    """

    def __init__(
        self, files: Files, *, root: str, rules: Rules, service: Callable[[], Service]
    ) -> None:
        self._files, self._rules = files, rules
        self._below = f"{root}/"
        self._service = service

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer one request."""
        service, wire = self._service(), Wire(scope, receive, send)
        try:
            service.rules.http.authenticate(FILES, scope)
            reply = await asyncio.get_running_loop().run_in_executor(None, self._answer, scope)
        except Exception as error:  # noqa: BLE001 - each becomes a reply
            reply = error_reply(error, service, "sending a data file")
        reply = finish(reply, service.filters_of(FILES), scope)
        await (reply.sender or Wire.answer)(wire, reply)

    def _answer(self, scope: Scope) -> Reply:
        if scope["method"] not in {"GET", "HEAD"}:
            message = f"{scope['method']} is not a method of a data file; it has GET and HEAD"
            raise Problem(405, KINDS[405], message, headers=(("allow", "GET, HEAD"),))
        file = self._open(scope)
        try:
            reply = (
                _whole(file)
                if scope["method"] == "HEAD"
                else _file_or_part(file, dict(scope["headers"]), self._rules)
            )
        except BaseException:
            file.close()
            raise
        if reply.chunks is not file:
            file.close()
        return reply

    def _open(self, scope: Scope) -> OpenFile:
        """Return the file that a URL leads to.

        Raises:
            Problem: it is not a URL of ours, its time is over, or the file is not there.
        """
        table, _, name = scope["path"].removeprefix(self._below).partition("/")
        pairs = [
            pair.partition("=")
            for pair in unquote(scope["query_string"].decode("latin-1")).split("&")
        ]
        query = {name: value for name, _, value in pairs}
        try:
            file = self._files.open(table, name, query)
        except (Forged, Expired) as error:
            raise refusal(403, str(error)) from None
        try:
            handle = OpenFile(open_file(file))
        except OSError:
            raise refusal(
                404,
                "the file is not there; it may have been removed since the server was asked for the"
                " table",
            ) from None
        if not handle.regular:
            handle.close()
            raise refusal(404, "what the URL leads to is not a file")
        return handle


def open_file(file: SharedFile) -> int:
    """Return the descriptor of a file, opened for reading.

    Raises:
        OSError: it is not there, or it lies there by a link that is not followed.
    """
    root = os.path.realpath(os.fsencode(file.root))
    full = os.path.join(root, file.path)  # noqa: PTH118 - of bytes
    real = os.path.realpath(full)
    is_followed = file.follows_links or real == os.path.normpath(full)
    if not is_followed or not real.startswith(root.rstrip(b"/") + b"/"):
        raise FileNotFoundError
    return os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)


def _validators(file: OpenFile) -> tuple[tuple[bytes, bytes], ...]:
    return ((b"accept-ranges", b"bytes"), (b"etag", file.etag), (b"last-modified", file.modified))


def _whole(file: OpenFile) -> Reply:
    """Return the answer to HEAD, which is about the whole file whatever part is asked for."""
    return Reply(
        200,
        headers=(
            (b"content-type", MEDIA_TYPE),
            (b"content-length", b"%d" % file.size),
            *_validators(file),
        ),
    )


def _file_or_part(file: OpenFile, headers: Mapping[bytes, bytes], rules: Rules) -> Reply:
    """Return the file, or the part of it that is asked for.

    Raises:
        Problem: there is no such part.
    """
    is_current = headers.get(b"if-range", file.etag) in {file.etag, file.modified}
    range_header = headers.get(b"range") if is_current else None
    try:
        part = rules.part(range_header, file.size)
    except NotSatisfiable:
        message = (
            f"the file has {file.size} bytes; none of them is in the range"
            f" {(range_header or b'').decode('latin-1')[:100]!r}"
        )
        raise Problem(
            416, KINDS[416], message, headers=(("content-range", f"bytes */{file.size}"),)
        ) from None
    status, extra = 200, _validators(file)
    if part is not None:
        file.start, file.end = part
        status = 206
        extra = (
            *extra,
            (b"content-range", b"bytes %d-%d/%d" % (file.start, file.end - 1, file.size)),
        )
    length = file.end - file.start
    if length == 0:
        return _whole(file)
    if length <= PIECE and len(body := next(file)) == length:
        return Reply(status, body, extra, MEDIA_TYPE)
    return Reply(
        status,
        headers=((b"content-length", b"%d" % length), *extra),
        media_type=MEDIA_TYPE,
        chunks=file,
    )


class Rules(ServiceRules):
    """Decisions about data files that a fault may replace."""

    part = staticmethod(part_of_range)
