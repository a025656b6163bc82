"""The rows of an answer: its files fetched side by side, read, and put together in order."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing import deletion_vectors, pieces
from lakepact.client.delta_sharing.downloads import EXPIRED
from lakepact.client.delta_sharing.pieces import without_stats
from lakepact.client.delta_sharing.progress import Progress
from lakepact.client.delta_sharing.rows.plan import Plan
from lakepact.client.delta_sharing.rows.selection import Selection, numbers
from lakepact.client.errors import BadReply, DamagedData, Failure, Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

    from pyroaring import BitMap64

    from lakepact.client.delta_sharing.asynchronous.answer import AsyncAnswer
    from lakepact.client.delta_sharing.asynchronous.reach import AsyncReach
    from lakepact.client.delta_sharing.downloads import Span
    from lakepact.client.delta_sharing.lines import SharedFile
    from lakepact.client.delta_sharing.pieces import Piece

#: Milliseconds before its end from which a URL is not used.
_MARGIN = 15_000
#: Assumed size of a file of unknown size.
_UNKNOWN = 64 * 1024 * 1024


class AsyncRows:
    """Reads the rows of one answer.

    Args:
        reach: Fetches the files.
        answer: Lists the files.
        columns: The wanted columns.
        progress: Called after each file.
        clock: Returns the seconds since 1970.
    """

    def __init__(
        self,
        reach: AsyncReach,
        answer: AsyncAnswer,
        *,
        columns: Sequence[str] | None,
        progress: Callable[[Progress], object] | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._reach = reach
        self._answer = answer
        self._question = answer.question
        self._progress = progress
        self._clock = clock
        self._renewed: dict[tuple[str, str, int | None], SharedFile] = {}
        self._renewals = 0
        self._renewing = asyncio.Lock()
        self.plan = Plan(
            answer.metadata,
            answer.operation,
            columns=columns,
            predicate=self._question.predicate,
            gives_changes=self._question.gives_changes,
        )

    async def tables(self) -> AsyncGenerator[Any, None]:
        """Yield the rows of each file, in the order of the answer, up to the limit of the question."""
        # All files are known before the first is fetched: what renews their URLs stands at the end of the answer.
        files = await self._files()
        try:
            todo = pieces.of_changes(files) if self._question.gives_changes else pieces.of_snapshot(files)
        except ValueError as error:
            raise BadReply(Failure(operation=self._answer.operation, message=str(error))) from None
        done = Progress(files=0, of_files=len(todo), bytes=0, of_bytes=sum(piece.file.size or 0 for piece in todo), rows=0)
        left = self._question.limit
        results = self._reach.workers.results(self._read, todo if left != 0 else (), _weight)
        async with aclosing(results):
            async for piece, table in results:
                kept = table if left is None else table.slice(0, left)
                done = done.after(piece.file.size or 0, kept.num_rows)
                if self._progress is not None:
                    self._progress(done)
                yield kept
                left = None if left is None else left - kept.num_rows
                if left == 0:
                    break

    async def _files(self) -> list[SharedFile]:
        """Return the files of the answer; of a later one, if this one breaks off and the table did not change."""
        tried = 0
        while True:
            try:
                return [without_stats(file) async for file in self._answer.files()]
            except Unreachable as error:
                tried += 1
                pause = self._reach.retries.pause(tried=tried, elapsed=0.0, retry_after=None)
                if pause is None:
                    raise
                broken_off = error
            await self._reach.sleep(pause)
            later = await self._answer.again(self._question)
            if (later.version, later.metadata) != (self._answer.version, self._answer.metadata):
                await later.close()
                raise broken_off
            self._answer = later

    async def _read(self, piece: Piece) -> tuple[Piece, Any]:
        content = await self._with_url(piece.file, self._content)
        selection = Selection(await self._numbers(piece.only), await self._numbers(piece.but_not))
        table = await asyncio.to_thread(self.plan.table, piece, content, selection)
        return piece, table

    async def _content(self, file: SharedFile) -> bytearray:
        return await self._reach.download(file.url, most=file.size)

    async def _numbers(self, holder: SharedFile | None) -> BitMap64 | None:
        """Return the numbers of rows in the deletion vector of a file."""
        if holder is None or holder.deletion_vector is None:
            return None
        vector = holder.deletion_vector
        try:
            if deletion_vectors.is_inline(vector):
                return numbers(deletion_vectors.from_line(vector), vector)
            span = deletion_vectors.span(vector)
        except ValueError as error:
            reason = str(error)
        else:
            content = await self._with_url(holder, lambda file: self._vector(file, span))
            try:
                return numbers(deletion_vectors.from_file(content, vector), vector)
            except ValueError as error:
                reason = str(error)
        raise DamagedData(Failure(operation=self._answer.operation, message=f"file {holder.id}: {reason}"))

    async def _vector(self, file: SharedFile, span: Span) -> bytearray:
        url = file.deletion_vector.path_or_inline if file.deletion_vector is not None else ""
        return await self._reach.download(url, most=None, span=span)

    async def _with_url(self, file: SharedFile, fetch: Callable[[SharedFile], Awaitable[bytearray]]) -> bytearray:
        """Return the result of `fetch`, with a new URL if the old one has expired."""
        seen, current = self._renewals, self._renewed.get(_key(file), file)
        if current.expiration is not None and self._clock() * 1000 > current.expiration - _MARGIN:
            return await fetch(await self._renew(file, seen))
        try:
            return await fetch(current)
        except EXPIRED:
            renewed = await self._renew(file, seen)
        return await fetch(renewed)

    async def _renew(self, file: SharedFile, seen: int) -> SharedFile:
        """Return the file with a new URL, from an answer that came after `seen` others."""
        async with self._renewing:
            if self._renewals == seen:
                self._renewed = await self._asked_again()
                self._renewals += 1
        renewed = self._renewed.get(_key(file))
        if renewed is None:
            message = f"file {file.id} is no longer listed, and its URL has run out"
            raise DamagedData(Failure(operation=self._answer.operation, message=message))
        return renewed

    async def _asked_again(self) -> dict[tuple[str, str, int | None], SharedFile]:
        end = self._answer.end
        later = await self._answer.again(self._question.again(end.refresh_token if end else None))
        if later.version != self._answer.version and (pinned := self._question.pinned(self._answer.version)) is not None:
            await later.close()
            later = await self._answer.again(pinned)
        async with later:
            return {_key(file): without_stats(file) async for file in later.files()}


def _key(file: SharedFile) -> tuple[str, str, int | None]:
    return file.kind, file.id, file.version


def _weight(piece: Piece) -> int:
    return piece.file.size if piece.file.size is not None else _UNKNOWN
