# Made by codegen.sync_twin from asynchronous/rows.py beside this folder. Do not edit: nox -s generate
"""The rows of an answer: its files fetched side by side, read, and put together in order."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing import pieces
from lakepact.client.delta_sharing.file_skipping import FileSkipping
from lakepact.client.delta_sharing.pieces import without_stats
from lakepact.client.delta_sharing.progress import Progress
from lakepact.client.delta_sharing.read_tasks import Answered, divide, weight
from lakepact.client.delta_sharing.rows.plan import Plan
from lakepact.client.delta_sharing.synchronous.piece_reader import AHEAD, PieceReader
from lakepact.client.errors import BadReply, Failure, LimitExceeded, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lakepact.client.delta_sharing.lines import SharedFile
    from lakepact.client.delta_sharing.pieces import Piece
    from lakepact.client.delta_sharing.read_tasks import ReadTask
    from lakepact.client.delta_sharing.synchronous.answer import Answer
    from lakepact.client.delta_sharing.synchronous.reach import Reach
    from lakepact.client.several import Names


#: Bytes of a file in memory, beside its URL and its name.
_FILE_BYTES = 1024


class Rows:
    """Reads the rows of one answer.

    Args:
        reach: Fetches the files.
        answer: Lists the files.
        columns: The wanted columns.
        progress: Called after each file.
        ahead: As for `PieceReader`.
        clock: Returns the seconds since 1970.
    """

    def __init__(
        self,
        reach: Reach,
        answer: Answer,
        *,
        columns: Names | None,
        progress: Callable[[Progress], object] | None = None,
        ahead: float = AHEAD,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._reach = reach
        self._answer = answer
        self._question = answer.question
        self._columns = columns
        self._progress = progress
        self._ahead = ahead
        self._clock = clock
        self.plan = Plan(
            answer.metadata,
            answer.operation,
            columns=columns,
            predicate=self._question.predicate,
            gives_changes=self._question.gives_changes,
        )
        self._skipping = FileSkipping(
            None if self._question.gives_changes else self.plan.predicate, answer.metadata
        )

    def tables(self) -> Generator[Any, None, None]:
        """Yield the rows of the files, in the order of the answer, up to the limit of the
        question.
        """
        todo = self._pieces()
        progress = Progress(
            files=0,
            of_files=len(todo),
            bytes=0,
            of_bytes=sum(piece.file.size or 0 for piece in todo),
            rows=0,
        )
        left = self._question.limit
        reader = PieceReader(
            self._reach, self._require_answer(), self.plan, ahead=self._ahead, clock=self._clock
        )
        results = self._reach.workers.results(reader.read, todo if left != 0 else (), weight)
        with closing(results):
            for piece, tables in results:
                rows = 0
                while left != 0 and (table := next(tables, None)) is not None:
                    part = table.slice(0, left)
                    rows += part.num_rows
                    yield part
                    left = None if left is None else left - part.num_rows
                progress = progress.after(piece.file.size or 0, rows)
                if self._progress is not None:
                    self._progress(progress)
                if left == 0:
                    break

    def tasks(self, *, most: int) -> list[ReadTask]:
        """Return tasks that read the rows, each at most `most` bytes of files. The limit of the
        query does not apply to them.
        """
        todo = self._pieces()
        return list(divide(self._require_answer(), todo, self._columns, most=most))

    def _pieces(self) -> list[Piece]:
        # All files are known before the first is fetched: what renews their URLs stands at the end
        # of the answer.
        files = self._files()
        try:
            return (
                pieces.of_changes(files)
                if self._question.gives_changes
                else pieces.of_snapshot(files)
            )
        except ValueError as error:
            raise BadReply(Failure(operation=self._answer.operation, message=str(error))) from None

    def _require_answer(self) -> Answered:
        end = self._answer.end
        return Answered(
            question=self._question,
            operation=self._answer.operation,
            metadata=self._answer.metadata,
            version=self._answer.version,
            refresh_token=end.refresh_token if end else None,
        )

    def _files(self) -> list[SharedFile]:
        """Return the files of the answer; of a later one, if this one breaks off and the table did
        not change.
        """
        tries = 0
        while True:
            try:
                return self._list_files()
            except Unreachable as error:
                tries += 1
                pause = self._reach.retries.pause(tries=tries, elapsed=0.0, retry_after=None)
                if pause is None:
                    raise
                failure = error
            self._reach.sleep(pause)
            later = self._answer.again(self._question)
            if (later.version, later.metadata) != (self._answer.version, self._answer.metadata):
                later.close()
                raise failure
            self._answer = later

    def _list_files(self) -> list[SharedFile]:
        """Return the files whose rows are read."""
        files: list[SharedFile] = []
        left = self._reach.calls.limits.listing
        for file in self._answer.files():
            if self._may_match(file):
                left -= _FILE_BYTES + len(file.url) + len(file.id)
                if left < 0:
                    message = (
                        "the files of the listing take more bytes than allowed; "
                        "Limits(listing=…) allows more"
                    )
                    raise LimitExceeded(Failure(operation=self._answer.operation, message=message))
                files.append(without_stats(file))
        return files

    def _may_match(self, file: SharedFile) -> bool:
        """Return whether the file can have wanted rows; a server may list later versions than the
        last that was asked about.
        """
        last = self._question.ending_version
        return (
            last is None or file.version is None or file.version <= last
        ) and self._skipping.may_hold(file)
