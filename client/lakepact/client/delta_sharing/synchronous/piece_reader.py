# Made by codegen.sync_twin from asynchronous/piece_reader.py beside this folder. Do not edit: nox -s generate
"""Reads the rows of files, with new URLs for those that expire."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing import deletion_vectors
from lakepact.client.delta_sharing.downloads import EXPIRED
from lakepact.client.delta_sharing.pieces import without_stats
from lakepact.client.delta_sharing.read_tasks import weight
from lakepact.client.delta_sharing.rows.plan import Plan
from lakepact.client.delta_sharing.synchronous.answer import Answer
from lakepact.client.errors import BadRequest, DamagedData, Failure
from lakepact.client.rows.selection import Selection, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pyroaring import BitMap64

    from lakepact.client.delta_sharing.downloads import Span
    from lakepact.client.delta_sharing.lines import SharedFile
    from lakepact.client.delta_sharing.pieces import Piece
    from lakepact.client.delta_sharing.read_tasks import Answered, ReadTask
    from lakepact.client.delta_sharing.synchronous.reach import Reach

#: Milliseconds before its end from which a URL is not used.
_MARGIN = 15_000
#: The bytes of rows of a file that are made beside the downloads of others.
AHEAD = 16 << 20


class PieceReader:
    """Reads pieces of one answer, also after the answer is closed.

    Args:
        reach: Fetches the files.
        answered: The answer that listed them.
        plan: Makes rows of files.
        ahead: The bytes of rows that are made of each file before the ones before it are used.
        clock: Returns the seconds since 1970.
    """

    def __init__(
        self,
        reach: Reach,
        answer: Answered,
        plan: Plan,
        *,
        ahead: float = AHEAD,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._reach = reach
        self._answered = answer
        self._plan = plan
        self._ahead = ahead
        self._clock = clock
        self._renewed: dict[tuple[str, str, int | None], SharedFile] = {}
        self._renewals = 0
        self._renewing = threading.Lock()

    def read(self, piece: Piece) -> tuple[Piece, Iterator[Any]]:
        """Return the piece and an iterator of its wanted rows; the first rows are decoded."""
        content = self._with_url(piece.file, self._content)
        selection = Selection(self._numbers(piece.only), self._numbers(piece.but_not))
        tables = self._plan.tables(piece, content, selection, self._reach.calls.limits.decoding)
        return piece, read_ahead(tables, self._ahead)

    def _content(self, file: SharedFile) -> bytearray:
        return self._reach.download(file.url, most=file.size)

    def _numbers(self, holder: SharedFile | None) -> BitMap64 | None:
        """Return the numbers of rows in the deletion vector of a file."""
        if holder is None or holder.deletion_vector is None:
            return None
        vector = holder.deletion_vector
        try:
            if deletion_vectors.is_inline(vector):
                return numbers(deletion_vectors.from_line(vector), vector.cardinality)
            span = deletion_vectors.span(vector)
        except ValueError as error:
            reason = str(error)
        else:
            content = self._with_url(holder, lambda file: self._vector(file, span))
            try:
                return numbers(deletion_vectors.from_file(content, vector), vector.cardinality)
            except ValueError as error:
                reason = str(error)
        raise DamagedData(
            Failure(operation=self._answered.operation, message=f"file {holder.id}: {reason}")
        )

    def _vector(self, file: SharedFile, span: Span) -> bytearray:
        url = file.deletion_vector.path_or_inline if file.deletion_vector is not None else ""
        return self._reach.download(url, most=None, span=span)

    def _with_url(self, file: SharedFile, fetch: Callable[[SharedFile], bytearray]) -> bytearray:
        """Return the result of `fetch`, with a new URL if the old one has expired."""
        renewals, current = self._renewals, self._renewed.get(self._key(file), file)
        if current.expiration is not None and self._clock() * 1000 > current.expiration - _MARGIN:
            return fetch(self._renew(file, renewals))
        try:
            return fetch(current)
        except EXPIRED:
            newest = self._renew(file, renewals)
        return fetch(newest)

    def _renew(self, file: SharedFile, renewals: int) -> SharedFile:
        """Return the file with a new URL, from an answer that came after `renewals` others."""
        with self._renewing:
            if self._renewals == renewals:
                self._renewed = self._ask_again()
                self._renewals += 1
        newest = self._renewed.get(self._key(file))
        if newest is None:
            message = f"file {file.id} is no longer listed, and its URL has run out"
            raise DamagedData(Failure(operation=self._answered.operation, message=message))
        return newest

    def _ask_again(self) -> dict[tuple[str, str, int | None], SharedFile]:
        question, version = self._answered.question, self._answered.version
        try:
            later = Answer(self._reach, question.again(self._answered.refresh_token)).begin()
        except BadRequest:
            if self._answered.refresh_token is None:
                raise
            # Refresh tokens end too.
            later = Answer(self._reach, question.at_version(version) or question).begin()
        if later.version != version and (at_version := question.at_version(version)) is not None:
            later.close()
            later = Answer(self._reach, at_version).begin()
        with later:
            return {self._key(file): without_stats(file) for file in later.files()}

    def _key(self, file: SharedFile) -> tuple[str, str, int | None]:
        # A server names the version of a snapshot's files only where the query names one.
        version = file.version if self._answered.question.gives_changes else None
        return file.kind, file.id, version


def tables_of(reach: Reach, task: ReadTask) -> Generator[Any, None, None]:
    """Yield the rows of each file of a task, in order."""
    answer = task.answer
    plan = Plan(
        answer.metadata,
        answer.operation,
        columns=task.columns,
        predicate=answer.question.predicate,
        gives_changes=answer.question.gives_changes,
    )
    results = reach.workers.results(PieceReader(reach, answer, plan).read, task.pieces, weight)
    with closing(results):
        for _, tables in results:
            while (table := next(tables, None)) is not None:
                yield table


def read_ahead(tables: Iterator[Any], ahead: float) -> Iterator[Any]:
    """Make so many bytes of tables, and return all tables."""
    head: list[Any] = []
    size = 0
    while size < ahead and (table := next(tables, None)) is not None:
        head.append(table)
        size += table.nbytes
    return chain(head, tables)
