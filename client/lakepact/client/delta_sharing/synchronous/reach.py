# Made by codegen.sync_twin from asynchronous/reach.py beside this folder. Do not edit: nox -s generate
"""Requests of a client: to the server, and to the URLs that the server returns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lakepact.client.delta_sharing.downloads import OPERATION, Downloads, Span
from lakepact.client.delta_sharing.refusals import REFUSALS
from lakepact.client.engine import Engine
from lakepact.client.errors import DamagedData, LimitExceeded, Unreachable
from lakepact.client.retries import Retry
from lakepact.client.transport.synchronous.connection import Connection, Opened
from lakepact.client.transport.synchronous.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from lakepact.client.delta_sharing.access import DirectoryCredentials
    from lakepact.client.delta_sharing.profile import Profile
    from lakepact.client.delta_sharing.queries import Place
    from lakepact.client.delta_sharing.workers import Workers
    from lakepact.client.limits import Limits, Timeouts
    from lakepact.client.retries import Retries
    from lakepact.reach.access import Access
    from lakepact.reach.wire import Headers


@dataclass(frozen=True, slots=True)
class Reach:
    """The connection that calls go through, and the one that files come through, which knows no
    credentials.
    """

    calls: Connection
    files: Connection
    downloads: Downloads
    workers: Workers
    retries: Retries
    sleep: Callable[[float], None]
    #: Credentials of directories, by table and location.
    credentials: dict[tuple[Place, str | None], DirectoryCredentials] = field(
        default_factory=dict, repr=False
    )

    def with_options(self, **options: Any) -> Reach:
        """Return the same connections with other options, see `Connection.with_options`."""
        retries = options.get("retries", self.retries)
        files = self.files.with_options(timeouts=options.get("timeouts"))
        return replace(
            self,
            calls=self.calls.with_options(**options),
            files=files,
            downloads=Downloads(retries),
            retries=retries,
        )

    def download(self, url: str, *, most: int | None, span: Span | None = None) -> bytearray:
        """Return the bytes of a file or of a range; starts again if the reply breaks off.

        Args:
            url: Its URL.
            most: The number of bytes; None if unknown.
            span: The range.

        Raises:
            DamagedData: There are more bytes, or fewer.
            LimitExceeded: There are more bytes than allowed for a file of unknown size.
            ResponseError: The storage refuses the file.
            Unreachable: No complete reply came.
        """
        tries = 0
        while True:
            response = Opened(self.files.drive(self.downloads.get(url, span), OPERATION))
            try:
                return _collect(response, most, span, self.files.limits.file)
            except Unreachable as error:
                tries += 1
                pause = self.retries.pause(tries=tries, elapsed=0.0, retry_after=None)
                if pause is None:
                    raise
                if self.retries.on_retry is not None:
                    self.retries.on_retry(Retry(OPERATION, tries, pause, None, error))
            finally:
                response.close()
            self.sleep(pause)

    def close(self) -> None:
        """Close all connections."""
        self.calls.close()
        self.files.close()


def _collect(response: Opened, most: int | None, span: Span | None, unknown: int) -> bytearray:
    """Return the bytes of a reply that were asked for; `unknown` limits a reply that announces no
    length.
    """
    skip = span.offset if span is not None and response.status != 206 else 0
    length = span.length if span is not None else most
    bound = unknown if length is None else length
    content = bytearray()
    for piece in response:
        content += piece[skip:]
        skip -= min(skip, len(piece))
        if len(content) > bound or (span is not None and len(content) == bound):
            break
    if length is None and len(content) > bound:
        raise LimitExceeded(
            response.failure(f"the file has more than {bound} bytes; Limits(file=…) allows more")
        )
    if span is None and length is not None and len(content) != length:
        actual = f"more than {length}" if len(content) > length else str(len(content))
        raise DamagedData(
            response.failure(f"the file has {actual} bytes where the listing says {length}")
        )
    if span is not None and len(content) < span.length:
        raise DamagedData(
            response.failure(
                f"the file has {len(content)} bytes where the listing says {span.length}"
            )
        )
    return content if span is None else content[: span.length]


def reach(
    profile: Profile,
    *,
    retries: Retries,
    timeouts: Timeouts,
    limits: Limits,
    headers: Headers,
    access: Access,
    http: httpx.Client | None,
    workers: Workers,
    sleep: Callable[[float], None],
) -> Reach:
    """Return the connections of a client with that profile."""
    downloads = Downloads(retries)
    engine = Engine(profile.endpoint, profile.auth, retries, REFUSALS, headers=headers)
    calls = Connection(engine, Transport(timeouts, http, limits, access=access), sleep)
    # The certificate that says who asks is for the server alone.
    files = Connection(
        downloads.engine,
        Transport(timeouts, http, limits, access=replace(access, cert=None)),
        sleep,
    )
    return Reach(calls, files, downloads, workers, retries, sleep)
