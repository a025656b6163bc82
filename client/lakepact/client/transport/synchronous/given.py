# Made by codegen.sync_twin from asynchronous/given.py beside this folder. Do not edit: nox -s generate
"""A client of httpx that the caller has given, for threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from lakepact.client.transport.messages import USUAL, Answer, extensions, text_headers
from lakepact.reach.wire import with_missing

if TYPE_CHECKING:
    from lakepact.client.limits import Timeouts
    from lakepact.reach.wire import Request


class GivenClient:
    """Sends requests through the connections, proxies and hooks of a client of httpx, which stays
    open.

    Its headers, cookies, authentication and timeouts are not used: files may lie at other
    addresses, which must not see credentials.
    """

    failures = (httpx.RequestError, httpx.InvalidURL)

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def send(self, request: Request, timeouts: Timeouts) -> Answer:
        """Send a request and return the beginning of its reply, or raise one of `failures`."""
        headers = with_missing(request.headers, USUAL)
        http_request = httpx.Request(
            request.method,
            request.url,
            headers=headers,
            content=request.content,
            extensions=extensions(timeouts),
        )
        # Redirects are not followed: they would send the credentials to another address.
        response = self._http.send(http_request, stream=True, auth=None, follow_redirects=False)
        whole = response.content if response.is_stream_consumed else None
        return Answer(
            response.status_code,
            text_headers(response.headers.raw),
            response.iter_raw,
            response.close,
            whole,
        )

    def close(self) -> None:
        """Leave the client to its owner."""
