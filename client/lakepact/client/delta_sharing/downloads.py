"""Data files and deletion vectors, fetched from wherever the server points to.

The URLs are secrets, and not of the server's own: they get no credentials, are shown without their
queries, and lead to http(s) addresses only and to no metadata of a cloud, also by redirects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from lakepact.client import errors
from lakepact.client.engine import Attempt, Carried, Engine, Flow
from lakepact.client.origins import is_metadata
from lakepact.client.redaction import without_query
from lakepact.client.refusals import Refusals
from lakepact.generated.contract import Call
from lakepact.reach.auth import NoAuth
from lakepact.reach.urls import origin, web_address
from lakepact.reach.wire import Lost, Reply, Request

if TYPE_CHECKING:
    from lakepact.client.retries import Retries

OPERATION = "readFile"
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: How storage says what is wrong, in XML or JSON.
_REASON = re.compile(
    rb'<(?:Code|code)>([\w. -]{1,80})</|"(?:code|errorCode)"\s*:\s*"([\w. -]{1,80})"'
)

#: Refusals that other URLs of the same file may not meet.
EXPIRED = (errors.BadRequest, errors.NotAllowed, errors.NotFound)

_REFUSALS = Refusals(declared_kinds=dict, kinds={}, read=lambda _: None)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a file."""

    offset: int
    length: int


class Downloads:
    """Fetches files."""

    def __init__(self, retries: Retries) -> None:
        self.engine = Engine("", NoAuth(), retries, _REFUSALS)

    def get(self, url: str, span: Span | None = None) -> Flow[Carried[Any]]:
        """Fetch the file at `url`, or a piece of it, with the body still to be read; the server may
        send the whole file for a piece.

        Raises:
            BadReply: The URL, or where it redirects to, is not an http(s) address, or one of cloud
                metadata.
            ResponseError: The file is not given.
            Unreachable: No reply came.
        """
        headers = [("Accept", "*/*"), ("Accept-Encoding", "identity")]
        if span is not None:
            headers.append(("Range", f"bytes={span.offset}-{span.offset + span.length - 1}"))
        at = url
        for _ in range(1 + _MOST_REDIRECTS):
            call: Call[Any] = Call(OPERATION, "GET", _path_of(at), (), (), None, {})
            _check(at, call)
            last = yield from self.engine.tries(
                call, Request("GET", at, tuple(headers), only_reads=True, is_streamed=True)
            )
            # A message must not contain the signature, nor the storage's text, which may repeat it.
            request = replace(last.request, url=without_query(at))
            if isinstance(last.answer, Lost):
                return self.engine.judge(call, replace(last, request=request))
            attempt = Attempt(request, replace(last.answer, content=b""), last.tries)
            result = Carried(origin(at), call, attempt, last.answer)
            if last.answer.is_success:
                return result
            location = last.answer.header("Location")
            if last.answer.status not in _REDIRECTS or not location:
                raise _refusal(call, attempt, last.answer)
            at = _redirect_url(at, location, result)
        raise errors.BadReply(
            errors.Failure(
                operation=OPERATION,
                message=f"{without_query(url)} redirects more than {_MOST_REDIRECTS} times",
            )
        )


def _check(url: str, call: Call[Any]) -> None:
    # The target is not shown: it may be anything.
    problem = ""
    try:
        if is_metadata(urlsplit(web_address(url)).hostname or ""):
            problem = "is an address of cloud metadata, which is not fetched"
    except ValueError:
        problem = "is not an http or https address"
    if problem:
        raise errors.BadReply(
            errors.Failure(operation=call.operation, message=f"the URL of a file {problem}")
        )


def _redirect_url(url: str, location: str, result: Carried[Any]) -> str:
    try:
        target = web_address(urljoin(url, location))
    except ValueError:
        target = ""
    if not target or (url.startswith("https:") and not target.startswith("https:")):
        raise errors.BadReply(
            result.failure(f"{without_query(url)} redirects to an address that is not followed")
        )
    return target


def _refusal(call: Call[Any], attempt: Attempt, reply: Reply) -> errors.LakepactError:
    kind = _REFUSALS.kind(OPERATION, reply.status, None, has_retry_after=False)
    match = _REASON.search(reply.content[:10_000])
    reason = f": {(match[1] or match[2]).decode()}" if match else ""
    return kind(
        Carried(call.path, call, attempt, reply).failure(
            f"{attempt.request.url} is not given{reason}"
        )
    )


def _path_of(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""
