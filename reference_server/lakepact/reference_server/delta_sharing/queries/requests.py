"""One request about one table, and what becomes of it when the table's log gives no answer."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakepact.reference_server.delta_sharing.log.refusals import LogError
from lakepact.reference_server.delta_sharing.queries.versions import refusal

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from lakepact.reference_server.delta_sharing.access.recipients import Caller
    from lakepact.reference_server.delta_sharing.histories import History
    from lakepact.reference_server.delta_sharing.queries.capabilities import Capabilities
    from lakepact.reference_server.delta_sharing.queries.versions import Versions
    from lakepact.reference_server.delta_sharing.shares import SharedTable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Request:
    """One request about one table.

    Args:
        caller: who asks.
        table: the table.
        log: its log, which stays as it is for this request whatever is committed meanwhile.
        capabilities: what the client says that it can read.
        versions: the versions that the request may mean.
    """

    caller: Caller
    table: SharedTable
    log: History
    capabilities: Capabilities
    versions: Versions


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered to a request in lines.

    Args:
        version: the version that the answer is about.
        response_format: the format of its lines.
        lines: the lines, if they are few.
        chunks: else the lines in pieces.
        prompt: whether each piece is made in no time.
        end_stream: whether the client was promised an endStreamAction.
    """

    version: int
    response_format: str
    lines: bytes = b""
    chunks: Iterable[bytes] | None = None
    prompt: bool = False
    end_stream: bool = False


@contextmanager
def explained(table: SharedTable) -> Generator[None]:
    """What the log of a table does not answer is refused in the contract's words."""
    try:
        yield
    except (LogError, OSError) as error:
        problem = refusal(table, error)
        if problem.status >= 500:
            # In the words of the answer: what stands in a log, and where it lies, is nobody's affair.
            logger.warning("%s%s", problem.message, f" ({error.strerror})" if isinstance(error, OSError) else "")
        raise problem from error


def explained_chunks(table: SharedTable, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of an answer, made under `explained`."""
    with explained(table):
        yield from chunks
