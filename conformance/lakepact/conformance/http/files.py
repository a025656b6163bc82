"""Files of others, fetched without the credentials of a target, within limits of size and time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Self

import httpx

from lakepact.conformance.evidence.limits import decode, too_large

MOST = 256 << 20  #: bytes of a file
PATIENCE = 10  #: times the timeout that a whole file may take


class Files:
    """A client that follows redirects; its answers are read to their end, or refused.

    Args:
        timeout: seconds to wait for the next bytes.
        most: bytes of an answer, as it is sent and as it is decoded.
    """

    def __init__(self, *, timeout: float, most: int = MOST) -> None:
        self._timeout, self._most = timeout, most
        self._client = httpx.Client(
            timeout=timeout,
            follow_redirects=True,
            trust_env=False,
            headers={"user-agent": "lakepact-conformance"},
        )
        self.close = self._client.close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(
        self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Return an answer with its body.

        Raises:
            httpx.HTTPError: there is none, or it is too large or too slow.
            httpx.InvalidURL: the URL is invalid.
        """
        until, content = time.monotonic() + PATIENCE * self._timeout, bytearray()
        with self._client.stream(method, url, headers=headers) as reply:
            for piece in reply.iter_raw():
                content += piece
                if len(content) > self._most:
                    raise too_large(self._most)
                if time.monotonic() > until:
                    raise httpx.ReadTimeout(f"the answer takes over {PATIENCE * self._timeout:g} s")
        body = decode(bytes(content), reply.headers.get("content-encoding", ""), self._most)
        return httpx.Response(
            reply.status_code,
            headers=[(k, v) for k, v in reply.headers.items() if k != "content-encoding"],
            content=body,
            request=reply.request,
        )
