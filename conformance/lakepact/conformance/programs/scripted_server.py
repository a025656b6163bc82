"""The scripted server: a local server between the client and the reference server, which records
exchanges and may change them.

Each task of the client has an address of its own below that of the scripted server, so that tasks
can run concurrently. A *script* receives each request of a task together with a function that
forwards it, and returns the answer.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self, TypeAlias

import httpx
import orjson

from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.programs.listener import Answer, Listener, Received
from lakepact.generated.contract import Contract, OperationId

Forward: TypeAlias = "Callable[[Request], Answer]"
Script: TypeAlias = "Callable[[Request, Forward], Answer]"

UPSTREAM_SECONDS = 30
MOST_REQUESTS = 400  #: of one task; a client that sends more repeats itself
#: Hop-by-hop headers; lengths are computed again.
OF_A_CONNECTION = frozenset(
    {
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "te",
        "transfer-encoding",
        "upgrade",
        "expect",
    }
)
TASK_PATH = re.compile(r"/task-(\d+)(/[^?]*)?(\?.*)?")


@dataclass(frozen=True)
class Request:
    """A request of a client."""

    operation: OperationId | None  #: of the contract; None if it has none of that method and path
    method: str
    target: str  #: path and query below the address that the client was given, as they came
    headers: httpx.Headers
    body: bytes
    base: str = ""  #: the address that the client was given

    @property
    def document(self) -> Any:
        """The body as JSON, or None when it is not JSON."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    def at(self, target: str) -> Request:
        """Return the same with another path and query."""
        return replace(self, target=target)

    def with_headers(self, headers: httpx.Headers) -> Request:
        """Return the same with other headers."""
        return replace(self, headers=headers)

    def without_authorization(self) -> Request:
        """Return the same without Authorization."""
        return self.with_headers(
            httpx.Headers(
                [(n, v) for n, v in self.headers.multi_items() if n.lower() != "authorization"]
            )
        )

    def without_step(self, number: int, *names: str) -> Request:
        """Return the same without a step of its path, the first being number 1, if it has one of
        these names.
        """
        steps = self.target.split("/")
        return (
            replace(self, target="/".join([*steps[:number], *steps[number + 1 :]]))
            if steps[number] in names
            else self
        )


def as_it_is(request: Request, forward: Forward) -> Answer:
    """Return the script of a server that does nothing unusual."""
    return forward(request)


@dataclass
class TaskServer:
    """One task of a client: what it said, and was answered.

    Args:
        url: where the client finds the server.
        script: what it is answered.
        check: the check that the task belongs to.
        prefix: what stands before the paths of a catalog.
        exchanges: so far.
        failure: what went wrong on the scripted server itself; the client is not to blame for what
            it did then.
    """

    url: str
    script: Script
    check: str
    prefix: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    failure: Exception | None = None


class ScriptedServer:
    """The server that clients are tested against.

    Args:
        contract: its contract.
        upstream: the base address of the server behind it.
        wire: records the exchanges.
        forwarded: returns a request as that server expects it.
    """

    def __init__(
        self,
        contract: Contract,
        upstream: str,
        wire: Wire,
        *,
        forwarded: Callable[[Request], Request] = lambda request: request,
    ) -> None:
        self._forwarded = forwarded
        self._contract = contract
        self._upstream = upstream.rstrip("/")
        self._wire = wire
        self._task_servers: dict[int, TaskServer] = {}
        self._numbers = itertools.count(1)
        self._client = httpx.Client(
            timeout=UPSTREAM_SECONDS, trust_env=False, follow_redirects=False
        )
        self._remembered: dict[str, _Once] = {}
        self._lock = threading.Lock()
        self._listener = Listener(self._answer)

    def open(self) -> Self:
        """Begin to answer clients.

        Raises:
            Blocked: no port is free.
        """
        try:
            self._listener.open()
        except OSError as error:
            raise Blocked(
                f"no port of 127.0.0.1 is free for the scripted server: {error}"
            ) from error
        return self

    def close(self) -> None:
        """Stop answering."""
        self._listener.close()
        self._client.close()

    @contextlib.contextmanager
    def task(self, check: str, script: Script, *, prefix: str = "") -> Generator[TaskServer]:
        """Yield an address at which everything is answered as a script says, until the block
        ends.
        """
        number = next(self._numbers)
        server = TaskServer(f"{self._listener.address}/task-{number}", script, check, prefix)
        self._task_servers[number] = server
        try:
            yield server
        finally:
            del self._task_servers[number]

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, or raise its error, computed once for all checks."""
        with self._lock:
            once = self._remembered.setdefault(key, _Once())
        return once.result(make)

    def ask(
        self,
        method: str,
        target: str,
        *,
        document: Any = None,
        headers: Mapping[str, str] | None = None,
        allowed: int | None = None,
    ) -> Answer:
        """Return the server's own answer, without the script.

        Raises:
            Blocked: the server answered with 400 or above, and not with the `allowed` status.
        """
        body = b"" if document is None else orjson.dumps(document)
        own_headers = {"content-type": "application/json", **(headers or {})}
        answer = self._forward(Request(None, method, target, httpx.Headers(own_headers), body))
        if answer.status >= 400 and answer.status != allowed:
            raise Blocked(
                f"the server behind the scripted server answers {method} {target} with"
                f" {answer.status}"
            )
        return answer

    def _forward(self, request: Request) -> Answer:
        request = self._forwarded(request)
        headers = [
            (n, v)
            for n, v in request.headers.multi_items()
            if n.lower() not in OF_A_CONNECTION | {"accept-encoding"}
        ]
        upstream_request = self._client.build_request(
            request.method,
            f"{self._upstream}{request.target}",
            headers=[*headers, ("accept-encoding", "identity")],
            content=request.body,
        )
        upstream_request.headers.pop("user-agent", None)
        answer = self._client.send(upstream_request)
        rest = tuple(
            (n, v) for n, v in answer.headers.multi_items() if n.lower() not in OF_A_CONNECTION
        )
        return Answer(answer.status_code, rest, answer.content)

    def _answer(self, message: Received) -> Answer:
        match = TASK_PATH.fullmatch(message.target)
        server = self._task_servers.get(int(match[1])) if match else None
        if match is None or server is None:
            return Answer(
                404,
                body=(
                    b'{"error":{"message":"no task of the client uses this'
                    b' address","type":"NotFound","code":404}}'
                ),
            )
        start = time.perf_counter()
        path = match[2] or "/"
        headers = httpx.Headers(list(message.headers))
        operation = operation_of(self._contract, message.method, path, server.prefix)
        request = Request(
            operation, message.method, path + (match[3] or ""), headers, message.body, server.url
        )
        if len(server.exchanges) >= MOST_REQUESTS:
            answer = Answer(
                503,
                body=(
                    b'{"error":{"message":"this is going round in'
                    b' circles","type":"TooMany","code":503}}'
                ),
            )
        else:
            try:
                answer = server.script(request, self._forward)
            except Exception as error:  # noqa: BLE001 - ours, reported by the caller of the task
                server.failure = (
                    Blocked(f"no answer behind the scripted server: {error}")
                    if isinstance(error, httpx.HTTPError)
                    else error
                )
                answer = Answer(
                    500,
                    body=(
                        b'{"error":{"message":"the scripted server'
                        b' failed","type":"Broken","code":500}}'
                    ),
                )
        exchange = self._wire.keep(
            answer.status,
            httpx.Headers(list(answer.headers)),
            answer.body,
            operation=operation,
            check=server.check,
            method=request.method,
            url=server.url + request.target,
            own_headers=[
                (n, v) for n, v in headers.multi_items() if n.lower() not in OF_A_CONNECTION
            ],
            body=message.body,
            start=start,
        )
        server.exchanges.append(exchange)
        return answer


def operation_of(contract: Contract, method: str, path: str, prefix: str) -> OperationId | None:
    """Return the operation of a request; the route with the fewest variables where several fit."""
    fitting = [
        (template.count("{"), operation)
        for verb, template, operation in contract.routes
        if verb == method and _pattern(template, prefix).fullmatch(path)
    ]
    return min(fitting)[1] if fitting else None


class _Once:
    """A value that is made once, or the error of making it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # making one value may need another
        self._made: list[Any] = []
        self._failed: Exception | None = None

    def result(self, make: Callable[[], Any]) -> Any:
        """Return the value, or raise its error."""
        with self._lock:
            if not self._made and self._failed is None:
                try:
                    self._made.append(make())
                except Exception as reason:  # noqa: BLE001 - raised for each check that needs the value
                    self._failed = reason
        if self._failed is not None:
            raise self._failed
        return self._made[0]


@cache
def _pattern(template: str, prefix: str) -> re.Pattern[str]:
    steps: Sequence[str] = [s for s in template.split("/") if s and (s != "{prefix}" or prefix)]
    parts = [
        re.escape(prefix) if s == "{prefix}" else "[^/]+" if s.startswith("{") else re.escape(s)
        for s in steps
    ]
    return re.compile("".join(f"/{s}" for s in parts))
