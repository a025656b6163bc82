"""One request about one table, and the errors of its log as errors of the contract."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lakepact.reference_server.delta_sharing.access.recipients import Caller
from lakepact.reference_server.delta_sharing.histories import History
from lakepact.reference_server.delta_sharing.log.refusals import LogError
from lakepact.reference_server.delta_sharing.queries.capabilities import Capabilities
from lakepact.reference_server.delta_sharing.queries.versions import Versions, refusal
from lakepact.reference_server.delta_sharing.shares import SharedTable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Request:
    """One request about one table.

    Args:
        caller: the recipient.
        table: the table.
        log: its log, fixed for this request even if commits follow.
        capabilities: the client's capabilities.
        versions: the versions that the request may read.
    """

    caller: Caller
    table: SharedTable
    log: History
    capabilities: Capabilities
    versions: Versions


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in lines.

    Args:
        version: its table version.
        response_format: the format of its lines.
        lines: the lines, if they are few.
        chunks: otherwise the lines in chunks.
        prompt: whether chunks are produced without blocking.
        end_stream: whether the client gets an endStreamAction.
    """

    version: int
    response_format: str
    lines: bytes = b""
    chunks: Iterable[bytes] | None = None
    prompt: bool = False
    end_stream: bool = False


@contextmanager
def explain_errors(table: SharedTable) -> Generator[None]:
    """Turn errors of the log into the contract's errors."""
    try:
        yield
    except (LogError, OSError) as error:
        problem = refusal(table, error)
        if problem.status >= 500:
            # The message does not repeat contents or paths of the log.
            logger.warning(
                "%s%s",
                problem.message,
                f" ({error.strerror})" if isinstance(error, OSError) else "",
            )
        raise problem from error


def explain_in_chunks(table: SharedTable, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of an answer, made under `explained`."""
    with explain_errors(table):
        yield from chunks
