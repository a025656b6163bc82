# Made by codegen.sync_twin from asynchronous/answer.py beside this folder. Do not edit: nox -s generate
"""An answer about a table, read line by line."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Self

from lakepact.client.delta_sharing.access import choose_mode
from lakepact.client.delta_sharing.capabilities import HEADER as CAPABILITIES
from lakepact.client.delta_sharing.capabilities import promises_end
from lakepact.client.delta_sharing.lines import EndOfStream, Line, Metadata, Protocol, SharedFile
from lakepact.client.delta_sharing.parsing import LineReader
from lakepact.client.delta_sharing.waiting import Waiting
from lakepact.client.errors import BadReply, Failure
from lakepact.client.paging import Bookmark

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from types import TracebackType

    from lakepact.client.delta_sharing.queries import TableRequest
    from lakepact.client.delta_sharing.synchronous.reach import Reach
    from lakepact.client.transport.synchronous.connection import Opened

#: The operation that gives no files.
METADATA = "getTableMetadata"
VERSION = "Delta-Table-Version"
FILE_ID_HASH = "fileidhash"


class Pages:
    """The pages of an answer, read as they arrive.

    An answer refers to them, and they do not refer to it: whoever drops an answer that is half read
    gives its connection back at once. In a circle both would wait for Python to find them, which
    may be within another request, and that would then wait for itself.
    """

    def __init__(self, reach: Reach, question: TableRequest) -> None:
        self._reach = reach
        self._question = question
        self.operation = question.call(None).operation
        self._opened: Opened | None = None
        self.version: int | None = None
        self.end: EndOfStream | None = None

    def failure(self, message: str) -> Failure:
        """Return the part of the last page for an error."""
        return (
            Failure(operation="", message=message)
            if self._opened is None
            else self._opened.failure(message)
        )

    def close(self) -> None:
        """Read no more of them."""
        if self._opened is not None:
            self._opened.close()

    def blocks(self) -> Generator[list[Line], None, None]:
        """Yield the lines of all pages, as many at a time as arrive."""
        bookmark = Bookmark(self.operation, self._reach.calls.limits)
        is_delta = None
        waiting = Waiting(self._question.patience)
        while bookmark.token is not None:
            reply = self._open(bookmark.token or None, waiting.query_id)
            reader = LineReader(
                formats=self._question.capabilities.formats,
                gives_changes=self._question.gives_changes,
                promises_end=promises_end(reply.header(CAPABILITIES)),
                failure=reply.failure,
                is_delta=is_delta,
                longest=self._reach.calls.limits.line,
                may_wait=self._question.capabilities.background,
            )
            for block in reply:
                yield reader.feed(block)
            lines, self.end = reader.end()
            yield lines
            reply.close()
            if reader.status is not None:
                self._reach.sleep(waiting.pause(reader.status, reply.failure))
                continue
            is_delta = reader.is_delta
            bookmark.turn(self.end.next_page_token if self.end else None)

    def _open(self, page_token: str | None, query_id: str | None) -> Opened:
        call = (
            self._question.call(page_token)
            if query_id is None
            else self._question.follow_up(query_id, page_token)
        )
        reply = self._reach.calls.open(call)
        self._opened = reply
        # A query in the background is answered later, when the request is over.
        file_id_hash = (
            None if self._question.capabilities.background else self._question.file_id_hash
        )
        if file_id_hash is not None and (reply.header(FILE_ID_HASH) or "").lower() != file_id_hash:
            raise BadReply(
                reply.failure(f"the server did not make file ids by {FILE_ID_HASH}: {file_id_hash}")
            )
        version = reply.header(VERSION)
        if page_token is None and version is not None:
            if not (version.isascii() and version.isdigit()):
                raise BadReply(reply.failure(f"the header {VERSION} is not a number"))
            self.version = int(version)
            if subject := self._question.contradiction(self.version):
                raise BadReply(
                    reply.failure(
                        f"the query asks for {subject} of the table, and the header {VERSION} is"
                        f" {version}"
                    )
                )
        return reply


class Answer:
    """An answer of the server: protocol and metadata of the table, then its files as they arrive.

    Iterating over it once yields the files, and earlier metadata that the server sends. An answer
    that is not read to its end must be closed, or used with `with`.

    Attributes:
        protocol: The requirements for readers.
        metadata: The metadata of the table.
    """

    protocol: Protocol
    metadata: Metadata

    def __init__(self, reach: Reach, question: TableRequest) -> None:
        self._reach = reach
        #: The request.
        self.question = question
        self._first: list[SharedFile | Metadata | Protocol] = []
        self._is_read = False
        self._pages = Pages(reach, question)
        #: The operation that answered it.
        self.operation = self._pages.operation
        self._rest = self._pages.blocks()

    @property
    def version(self) -> int | None:
        """The version of the table that the answer is about, or begins with; None where the server
        does not say it.
        """
        return self._pages.version

    @property
    def end(self) -> EndOfStream | None:
        """The endStreamAction of the answer; None before it is reached, or if there is none."""
        return self._pages.end

    def begin(self) -> Self:
        """Read as far as what the table is."""
        try:
            self._read_description()
        except BaseException:
            self.close()
            raise
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Read no more of the answer."""
        self._is_read = True
        self._rest.close()
        self._pages.close()

    def __iter__(self) -> Iterator[SharedFile | Metadata | Protocol]:
        """Yield the files, and descriptions of the table in other versions, in the server's order.

        Raises:
            BadReply: The answer is not what the contract says.
            DamagedData: It breaks off.
            QueryFailed: The server gave up.
            RuntimeError: The answer was read already.
        """
        with closing(self.blocks()) as blocks:
            for lines in blocks:
                yield from lines

    def files(self) -> Iterator[SharedFile]:
        """Yield the files alone, in the server's order. The errors are those of iterating over the
        answer.
        """
        with closing(self.blocks()) as blocks:
            for lines in blocks:
                for line in lines:
                    if type(line) is SharedFile:
                        yield line

    def blocks(self) -> Generator[list[SharedFile | Metadata | Protocol], None, None]:
        """Yield the rest after the description of the table, as it arrives; errors are those of
        iterating over the answer.
        """
        if self._is_read:
            raise RuntimeError("an answer is read once: ask again")
        self._is_read = True
        first, self._first = self._first, []
        try:
            yield first
            for lines in self._rest:
                # Each page repeats the description of the table.
                yield [
                    line
                    for line in lines
                    if type(line) is SharedFile or self._is_of_another_version(line)
                ]
        finally:
            self.close()

    def _is_of_another_version(self, line: Line) -> bool:
        if isinstance(line, Protocol):
            return self.question.historical_protocol and line != self.protocol
        return line != self.metadata

    def again(self, question: TableRequest) -> Answer:
        """Return the answer to another question."""
        return Answer(self._reach, question).begin()

    def _read_description(self) -> None:
        protocol: Protocol | None = None
        metadata: Metadata | None = None
        for lines in self._rest:
            for line in lines:
                if isinstance(line, Protocol) and (
                    protocol is None or not self.question.historical_protocol
                ):
                    protocol = protocol or line
                elif isinstance(line, Metadata) and metadata is None:
                    metadata = line
                else:
                    self._first.append(line)
            if protocol is not None and metadata is not None:
                break
        if protocol is None or metadata is None:
            missing = "protocol" if protocol is None else "metaData"
            raise BadReply(self._pages.failure(f"the reply has no line that says the {missing}"))
        self.protocol = protocol
        self.metadata = metadata
        if self.operation != METADATA:
            choose_mode(metadata.access_modes, ("url",), operation=self.operation)
