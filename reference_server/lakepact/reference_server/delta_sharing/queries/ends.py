"""The end of a streamed answer: its `endStreamAction`, also after an error.

A client that did not ask is never sent an endStreamAction, for some take it for a file.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lakepact.reference_server.delta_sharing.answers import one_line
from lakepact.reference_server.delta_sharing.queries.capabilities import Rules
from lakepact.reference_server.http.problems import Problem

logger = logging.getLogger(__name__)


def end_of_stream(
    *,
    refresh_token: str | None = None,
    next_page_token: str | None = None,
    expires: int | None = None,
    error: str | None = None,
) -> dict[str, Any]:
    """Return the endStreamAction of an answer; what there is nothing to say about is left out.

    Args:
        refresh_token: asks for the same files with new URLs.
        next_page_token: asks for the page that follows.
        expires: the millisecond in which the first URL of the answer ends.
        error: why the answer is not whole.
    """
    members = {
        "refreshToken": refresh_token,
        "nextPageToken": next_page_token,
        "minUrlExpirationTimestamp": expires,
        "errorMessage": error,
    }
    return {
        "endStreamAction": {name: value for name, value in members.items() if value is not None}
    }


def end_line(document: dict[str, Any]) -> bytes:
    """Return an endStreamAction as the last line of an answer."""
    return one_line(document) + b"\n"


def with_end(
    chunks: Iterable[bytes], end: Callable[[], dict[str, Any]], *, on_request: bool, rules: Rules
) -> Iterator[bytes]:
    """Yield an answer with its end.

    If the answer cannot be finished, a client that requested an endStreamAction gets an error in
    it. For others the connection is cut, so that the part is not mistaken for the whole.

    Args:
        chunks: the answer.
        end: returns the endStreamAction; called after the last chunk.
        on_request: whether the client requested an endStreamAction.
        rules: the decisions about capabilities.
    """
    any_lines = False
    try:
        for chunk in chunks:
            yield chunk
            any_lines = True
        last = end()
    except Exception as error:
        # As long as nothing is sent, the request can still be refused.
        if not (any_lines and on_request):
            raise
        yield end_line(end_of_stream(error=_reason(error)))
        return
    if rules.needs_end(last, on_request=on_request):
        yield end_line(last)


def _reason(error: Exception) -> str:
    """Return the error text for an answer that broke off."""
    if isinstance(error, Problem):
        return error.message
    incident = uuid.uuid4().hex
    logger.error("an answer broke off; incident %s", incident, exc_info=error)
    return f"the server failed; its log says why under incident {incident}"
