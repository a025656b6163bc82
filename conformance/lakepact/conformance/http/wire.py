"""Raw HTTP: sends the exact request of a check and keeps every exchange as evidence, without
secrets.

This module knows no contract. Requests use kept connections, except those whose answer must not
have a body (`HEAD`, and requests with `alone=True`): these use a connection of their own that is
read to its end, because a client library would hide unexpected bytes.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, Self, TypeVar
from urllib.parse import urlsplit

import h11
import httpx

from lakepact.conformance.evidence.availability import Availability
from lakepact.conformance.evidence.exchanges import (
    ANYTHING,
    MARGIN,
    SHOWN_BODY,
    ErrorBody,
    Exchange,
    Reply,
)
from lakepact.conformance.evidence.limits import (
    ENDLESS_COST,
    MAX_BODY,
    MAX_WAIT,
    MIB,
    Budget,
    TooLarge,
    too_large,
)
from lakepact.conformance.evidence.outcome import LOWEST_ERROR, Blocked
from lakepact.conformance.evidence.redaction import (
    SECRET_HEADERS,
    redact,
    secrets_of,
    secrets_of_form,
)
from lakepact.conformance.http import logins
from lakepact.conformance.http.caller import Caller
from lakepact.conformance.http.connections import Connections
from lakepact.generated.contract import OperationId
from lakepact.reach.content_codings import ACCEPTED_CODINGS
from lakepact.reach.settings import DIRECT, Settings
from lakepact.reach.wire import Request

NO_CONTENT, NOT_MODIFIED = 204, 304
USER_AGENT = "lakepact-conformance"
#: Headers that say what is addressed rather than who calls: the account of a watsonx.data instance.
ADDRESSING = frozenset({"accountid"})
TOO_MANY = 429
BUSY = frozenset({TOO_MANY, 503})  #: statuses after which a request is sent again
PAUSES = (0.1, 0.5, 1.0)  #: seconds before each retry, unless Retry-After is present
PATIENCE = 5  #: requests whose retries may all fail; after them nothing is retried
MAX_KEPT = 64 * MIB  #: bytes of large bodies that are kept until the invariants have read them
LONGEST_PAUSE = (
    3.0  #: seconds; a longer Retry-After of a 503 is not obeyed, and the answer is judged
)


def _hint(error: Exception) -> str:
    """Return what to check if no connection could be opened."""
    return (
        "; check the address, and that the server is running"
        if isinstance(error, httpx.ConnectError | ConnectionRefusedError)
        else ""
    )


def _retry_seconds(retry_after: str | None, otherwise: float) -> float:
    """Return the seconds of a Retry-After header."""
    return float(retry_after) if retry_after and retry_after.isdigit() else otherwise


class Throttled(Blocked):
    """A request returned 429 after all retries."""


class Interrupted(Blocked):
    """A request was not sent, because the run ends early."""


class NoAnswer(Blocked):
    """A request was not answered.

    Args:
        why: the reason, for a report.
        late: whether the timeout expired; otherwise the connection failed or closed early.
        keep: records the request as an exchange with status 0 and returns it.
    """

    def __init__(self, why: str, *, late: bool, keep: Callable[[], Exchange]) -> None:
        super().__init__(why)
        self.late = late
        self.keep = keep


class Closeable(Protocol):
    """A resource that must be closed."""

    def close(self) -> None:
        """Close it."""
        ...


C = TypeVar("C", bound=Closeable)


class Wire:
    """The connections to one target, and every exchange on them.

    Args:
        url: base address of the target.
        headers: sent with every request; reports never show their values.
        access: certificates, proxy and login.
        timeout: seconds to wait for a complete answer.
        max_body: maximum bytes of a body, both as sent and as decoded.
        budget: the time that may be spent on answers that exceed these limits.
        patient: retry requests that return 503 or 429, after Retry-After or a short pause.
        max_paused: seconds of such pauses; after them nothing is retried.

    Raises:
        ValueError: a setting of `access` cannot be used.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        access: Settings = DIRECT,
        timeout: float = 10.0,
        max_body: int = MAX_BODY,
        budget: Budget | None = None,
        patient: bool = False,
        longest_pause: float = MAX_WAIT,
    ) -> None:
        self.url = url.rstrip("/")
        self._base_path = urlsplit(self.url).path
        self.caller = Caller(headers or {}, logins.login(access, self.url, timeout=timeout))
        self._own = frozenset(name.lower() for name in self.caller.headers)
        self._identifying = self._own | {"authorization"}  #: headers that say who calls
        self._own_secrets = secrets_of(self.caller.headers.items())
        self._secrets = dict.fromkeys(self._own_secrets)  #: in order of appearance
        self._max_body, self._budget = max_body, budget
        self._cookies = httpx.Cookies()
        common = [
            ("Accept-Encoding", ACCEPTED_CODINGS),
            ("Connection", "keep-alive"),
            ("User-Agent", USER_AGENT),
        ]
        #: A client library takes ten times as long.
        self._connections = Connections(
            self.url, access, timeout=timeout, headers=common, max_body=max_body
        )
        self._is_patient = patient
        self._patience = PATIENCE if patient else 0  #: requests whose retries may still all fail
        self._paused, self._max_paused = 0.0, longest_pause
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._lasting: dict[str, Any] = {}  #: resources that are closed with the connections
        self._large: dict[
            int, int
        ] = {}  #: bytes of large bodies that are kept, by number of their exchange
        self._large_bytes = 0
        self.availability = Availability()
        self.throttled = ""  #: why requests are not judged: the target limits their rate
        self.exchanges: dict[int, Exchange] = {}
        self.required: set[int] = set()  #: numbers of exchanges whose success later steps need
        self.concurrent: set[int] = (
            set()
        )  #: numbers of exchanges that were sent at the same time as others, or cut off
        self.file_users: set[str] = set()  #: checks that read or write files of the server
        self.interrupted = False  #: whether the run ends early: no check goes on
        self.cleaning: set[str] = set()  #: checks that remove what they created

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections and shared resources."""
        with self._lock:
            lasting, self._lasting = self._lasting, {}
        for thing in (self._connections, *lasting.values()):
            thing.close()

    @contextlib.contextmanager
    def spending(self, budget: Budget) -> Generator[None]:
        """Count late and oversized answers of the block in another budget."""
        usual, self._budget = self._budget, budget
        try:
            yield
        finally:
            self._budget = usual

    def count_endless(self) -> None:
        """Count an endless listing; after a few of them nothing more is sent."""
        if self._budget is not None:
            self._budget.charge(ENDLESS_COST)

    def shared_resource(self, key: str, make: Callable[[], C]) -> C:
        """Return the result of `make`, called once for all checks of a run; it is closed with the
        connections.
        """
        with self._lock:
            if key not in self._lasting:
                self._lasting[key] = make()
            thing: C = self._lasting[key]
        return thing

    def truncate_body(self, number: int) -> None:
        """Cut the body of an exchange to the part that a report quotes, after all checks have read
        it.
        """
        with self._lock:
            self._large_bytes -= self._large.pop(number, 0)
        exchange, length = self.exchanges[number], SHOWN_BODY + MARGIN
        self.exchanges[number] = replace(
            exchange, body=exchange.body[:length], left_out=max(len(exchange.body) - length, 0)
        )

    def redact(self, text: str) -> str:
        """Return `text` without secrets that were sent and without credentials that the target
        vends.
        """
        return redact(text, tuple(self._secrets))

    def send(
        self,
        method: str,
        target: str,
        *,
        headers: Iterable[tuple[str, str]] = (),
        body: bytes = b"",
        operation: OperationId | None = None,
        check: str = "",
        anonymous: bool = False,
        alone: bool = False,
        disconnect_after: float | None = None,
        accepts: str = ANYTHING,
        retry: bool = True,
        objects: frozenset[str] = frozenset(),
    ) -> Reply:
        """Send one request and keep the exchange; retries of busy targets are kept too.

        Args:
            method: HTTP method.
            target: path and query below the base address, percent-encoded, sent unchanged.
            headers: further headers; they replace the target's headers of the same name.
            body: bytes of the body.
            operation: id of the operation that the request belongs to.
            check: name of the check that sends it.
            anonymous: leave out the target's own headers, but for those of `ADDRESSING`.
            alone: use a connection of its own and read it to its end.
            disconnect_after: seconds after which the connection is closed; the exchange then has
                status 0.
            accepts: default of the `Accept` header.
            retry: send again what returns 429 or 503.
            objects: the names in the request that its lab gave.

        Raises:
            NoAnswer: no answer came.
            Throttled: the target limits the rate of requests, and still does after the longest
                wait.
            Interrupted: the run ends early.
        """
        if self.interrupted and check not in self.cleaning:
            raise Interrupted("the run was interrupted")
        further = list(headers)
        own_headers = self._merge(further, anonymous=anonymous, accepts=accepts)
        if not anonymous:
            request = Request(method, self.url + target, tuple(own_headers), body)
            own_headers += self.caller.authorization(request)
        once = partial(
            self._exchange,
            method,
            target,
            own_headers,
            body,
            operation=operation,
            check=check,
            alone=alone,
            disconnect_after=disconnect_after,
            accepts=accepts,
            objects=objects,
        )
        reply = once()
        for usual in PAUSES if retry else ():
            pause = self._pause(reply, usual)
            if pause is None:
                break
            time.sleep(pause)
            reply = once()
        else:
            self._patience -= retry and reply.status in BUSY
        if retry and self._is_patient and reply.status == TOO_MANY:
            self.throttled = (
                f"the target limits the rate of requests: {method} {target} returned 429 after"
                f" {self._paused:.0f} s of pauses in this run; allow more requests there, send"
                " fewer at a time (--workers 1), or wait longer (--max-wait SECONDS)"
            )
            raise Throttled(self.throttled)
        if not anonymous and not self._identifying.intersection(
            name.lower() for name, _ in further
        ):
            self.caller.note(reply.exchange)
        return reply

    def _pause(self, reply: Reply, usual: float) -> float | None:
        """Return the seconds to wait before a request is sent again; `None` if it is not."""
        if reply.status not in BUSY or not self._patience or self._paused > self._max_paused:
            return None
        pause = _retry_seconds(reply.headers.get("retry-after"), usual)
        if reply.status != TOO_MANY:
            pause = min(pause, LONGEST_PAUSE)
        elif self._paused + pause > self._max_paused:
            return None
        self._paused += pause
        return pause

    def _exchange(
        self,
        method: str,
        target: str,
        own_headers: Sequence[tuple[str, str]],
        body: bytes,
        *,
        operation: OperationId | None,
        check: str,
        alone: bool,
        disconnect_after: float | None,
        accepts: str,
        objects: frozenset[str],
    ) -> Reply:
        if self._budget is not None:
            self._budget.check(operation)
        start = time.perf_counter()
        keep = partial(
            self.keep,
            operation=operation,
            check=check,
            method=method,
            url=self.url + target,
            own_headers=own_headers,
            body=body,
            start=start,
            accepts=accepts,
            objects=objects,
        )
        try:
            if disconnect_after is not None:
                with self._connection(method, target, own_headers, body):
                    time.sleep(disconnect_after)
                return Reply(keep(0, httpx.Headers(), b""))
            if alone or method == "HEAD":
                status, answer_headers, answer_body = self._send_alone(
                    method, target, own_headers, body
                )
            else:
                status, answer_headers, answer_body = self._send_by_pool(
                    method, target, own_headers, body
                )
        except (httpx.HTTPError, OSError, h11.ProtocolError) as error:
            late = isinstance(error, (httpx.TimeoutException, TimeoutError))
            if self._budget is not None and (late or isinstance(error, TooLarge)):
                seconds = time.perf_counter() - start
                self._budget.spend(seconds)
                self._budget.count_late(operation, seconds)
            if not late:
                self.availability.note_failure(error, f"{method} {target}, sent by {check}")
            why = (
                f"no answer to {method} {self.url}{target}: {type(error).__name__}:"
                f" {error}{_hint(error)}"
            )
            raise NoAnswer(why, late=late, keep=partial(keep, 0, httpx.Headers(), b"")) from error
        self.availability.note_answer()
        if self._budget is not None:
            self._budget.count_answer(operation)
        return Reply(keep(status, answer_headers, answer_body))

    def keep(
        self,
        status: int,
        headers: httpx.Headers,
        answer: bytes,
        *,
        operation: OperationId | None,
        check: str,
        method: str,
        url: str,
        own_headers: Sequence[tuple[str, str]],
        body: bytes,
        start: float,
        accepts: str = ANYTHING,
        objects: frozenset[str] = frozenset(),
    ) -> Exchange:
        """Record an exchange that was sent by another client.

        Args:
            status: of the answer; 0 if none came.
            headers: of the answer.
            answer: its body.
            operation: the operation that the request belongs to.
            check: the check that it belongs to.
            method: of the request.
            url: of the request.
            own_headers: its headers.
            body: its body.
            start: when it was sent, by `time.perf_counter`.
            accepts: the default `Accept`, which reports omit.
            objects: the names in the request that its lab gave.
        """
        seconds = time.perf_counter() - start
        secrets = (
            *secrets_of((n, v) for n, v in own_headers if n.lower() in SECRET_HEADERS),
            *secrets_of_form(body),
        )
        with self._lock:
            self._secrets.update(dict.fromkeys(secrets))
            exchange = Exchange(
                number=next(self._numbers),
                operation=operation,
                check=check,
                method=method,
                url=url,
                request_headers=tuple((n, v) for n, v in own_headers if n.lower() != "host"),
                request_body=body,
                status=status,
                headers=headers,
                body=answer,
                seconds=seconds,
                sent_at=time.time() - seconds,
                secrets=tuple(dict.fromkeys((*secrets, *self._own_secrets))),
                own=self._own,
                accepts=accepts,
                error=ErrorBody.of(answer) if status >= LOWEST_ERROR else None,
                objects=objects,
            )
            self.exchanges[exchange.number] = exchange
        self._keep_within_bounds(exchange)
        return exchange

    def _keep_within_bounds(self, exchange: Exchange) -> None:
        """Cut the oldest large bodies once they take too much memory together."""
        if len(exchange.body) <= SHOWN_BODY + MARGIN:
            return
        with self._lock:
            self._large[exchange.number] = len(exchange.body)
            self._large_bytes += len(exchange.body)
            numbers = []
            while self._large_bytes > MAX_KEPT and len(self._large) > 1:
                number = next(iter(self._large))
                self._large_bytes -= self._large.pop(number)
                numbers.append(number)
        for number in numbers:
            self.truncate_body(number)

    def _merge(
        self, headers: Iterable[tuple[str, str]], *, anonymous: bool, accepts: str
    ) -> list[tuple[str, str]]:
        items = list(headers)
        names = {name.lower() for name, _ in items}
        caller_headers = [
            (name, value)
            for name, value in self.caller.headers.items()
            if name.lower() not in names and (not anonymous or name.lower() in ADDRESSING)
        ]
        accept = [] if "accept" in names else [("Accept", accepts)]
        return [*accept, *caller_headers, *((name, value) for name, value in items if value)]

    def _send_by_pool(
        self, method: str, target: str, headers: Sequence[tuple[str, str]], body: bytes
    ) -> tuple[int, httpx.Headers, bytes]:
        if self._cookies.jar:
            request = httpx.Request(method, self.url)
            self._cookies.set_cookie_header(request)
            headers = [
                *headers,
                *(("Cookie", value) for value in request.headers.get_list("cookie")),
            ]
        answer = self._connections.ask(method, self._base_path + target, headers, body)
        if "set-cookie" in answer[1]:  # later requests send it back
            with self._lock:
                self._cookies.extract_cookies(
                    httpx.Response(
                        answer[0], headers=answer[1], request=httpx.Request(method, self.url)
                    )
                )
        return answer

    @contextlib.contextmanager
    def _connection(
        self, method: str, target: str, headers: Sequence[tuple[str, str]], body: bytes
    ) -> Generator[socket.socket]:
        """Open a connection, send a request on it, and close it at the end."""
        head = [
            f"{method} {self._base_path}{target} HTTP/1.1",
            f"Host: {self._connections.authority}",
            "Connection: close",
        ]
        head += [f"{name}: {value}" for name, value in headers]
        if body or method in {"POST", "PUT", "PATCH"}:
            head.append(f"Content-Length: {len(body)}")
        with contextlib.closing(self._connections.fresh()) as stream:
            stream.sendall("\r\n".join(head).encode("utf-8") + b"\r\n\r\n" + body)
            yield stream

    def _send_alone(
        self, method: str, target: str, headers: Sequence[tuple[str, str]], body: bytes
    ) -> tuple[int, httpx.Headers, bytes]:
        with (
            self._connection(method, target, headers, body) as stream,
            contextlib.closing(self._connections.source(stream)) as source,
        ):
            source.max_bytes += 2 * self._max_body
            data = bytearray()
            while chunk := source.more():
                data += chunk
        answer_head, _, rest = bytes(data).partition(b"\r\n\r\n")
        parser = h11.Connection(h11.CLIENT)
        parser.send(
            h11.Request(method=method, target="/", headers=[("Host", self._connections.authority)])
        )
        parser.send(h11.EndOfMessage())
        parser.receive_data(answer_head + b"\r\n\r\n")
        event = parser.next_event()
        if not isinstance(event, h11.Response):
            raise h11.RemoteProtocolError("the connection was closed before a response came")
        answer_headers = httpx.Headers([(name, value) for name, value in event.headers])
        is_chunked = answer_headers.get("transfer-encoding", "").lower() == "chunked"
        if is_chunked and rest == b"0\r\n\r\n":
            rest = b""
        elif (
            is_chunked and method != "HEAD" and event.status_code not in (NO_CONTENT, NOT_MODIFIED)
        ):
            rest = _join(parser, rest)
        if len(rest) > self._max_body:
            raise too_large(self._max_body)
        return event.status_code, answer_headers, rest


def _join(parser: h11.Connection, chunks: bytes) -> bytes:
    """Read a chunked body after its head."""
    parser.receive_data(chunks)
    parser.receive_data(b"")
    parts = []
    while not isinstance(event := parser.next_event(), h11.EndOfMessage):
        if isinstance(event, h11.Data):
            parts.append(bytes(event.data))
    return b"".join(parts)
