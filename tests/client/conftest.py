"""A scripted server: it returns the answers of a test and records the requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import httpx
import pytest
from pydantic import BaseModel

from driving import KINDS, Driven
from lakepact.client import errors
from lakepact.client.engine import Engine
from lakepact.client.limits import Timeouts
from lakepact.client.refusals import ErrorBody, Refusals
from lakepact.client.retries import Retries
from lakepact.client.transport.asynchronous.connection import AsyncConnection
from lakepact.client.transport.asynchronous.transport import AsyncTransport
from lakepact.client.transport.synchronous.connection import Connection
from lakepact.client.transport.synchronous.transport import Transport
from lakepact.generated.contract import Call
from lakepact.reach.auth import Auth, NoAuth


class Pet(BaseModel):
    """The model that the calls of these tests return."""

    name: str


def read_grievance(content: bytes) -> ErrorBody | None:
    kind, separator, message = content.decode(errors="replace").partition("|")
    return ErrorBody(message, kind or None) if separator else None


#: A contract of two operations: `feed` is a commit, `visit` is a read.
REFUSALS = Refusals(
    declared_kinds=lambda: {
        ("feed", 409): ("Changed",),
        ("feed", 500): ("Unclear",),
        ("feed", 404): ("NoSuchTable",),
        ("visit", 404): ("NoSuchTable",),
        ("adopt", 404): ("NoSuchNamespace", "NoSuchTable"),
    },
    kinds={
        "Changed": errors.CommitRejected,
        "NoSuchNamespace": errors.NoSuchNamespace,
        "NoSuchTable": errors.NoSuchTable,
        "Taken": errors.AlreadyExists,
        "Unclear": errors.OutcomeUnknown,
    },
    read=read_grievance,
)

VISIT = Call("visit", "GET", "/pets/a%2Fb", (), (), None, {"200": Pet, "404": None})
ADOPT = Call(
    "adopt",
    "POST",
    "/pets",
    (),
    (("Content-Type", "application/json"),),
    b'{"name":"rex"}',
    {"200": Pet},
)
FEED = Call(
    "feed", "POST", "/pets/rex", (), (("Content-Type", "application/json"),), b"{}", {"200": Pet}
)
LEAVE = Call("leave", "DELETE", "/pets/rex", (), (), None, {"204": None})

Answer = httpx.Response | Exception


@dataclass
class Script:
    """A server that returns its answers in order, the last forever."""

    answers: list[Answer]
    requests: list[httpx.Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    @property
    def carrier(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def clock(self) -> float:
        """Return the sum of the pauses, as the time."""
        return sum(self.pauses)

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


Send = Callable[..., Pet | None]


@pytest.fixture(params=["sync", "async"])
def send(request: pytest.FixtureRequest) -> Send:
    """Return a function that sends a call to a script, once in a thread and once in an event
    loop.
    """

    def send_to(
        script: Script, call: Call, *, auth: Auth | None = None, retries: Retries | None = None
    ) -> Pet | None:
        engine = Engine(
            "http://pets.test/base",
            auth or NoAuth(),
            retries or Retries(jitter=lambda: 0.0),
            REFUSALS,
            script.clock,
        )
        if request.param == "sync":
            return Connection(
                engine,
                Transport(Timeouts(), httpx.Client(transport=script.carrier)),
                script.pauses.append,
            ).send(call)
        transport = AsyncTransport(Timeouts(), httpx.AsyncClient(transport=script.carrier))
        return asyncio.run(AsyncConnection(engine, transport, script.pause).send(call))

    return send_to


@pytest.fixture(params=KINDS)
def drive(request: pytest.FixtureRequest) -> Iterator[Callable[..., Driven]]:
    """Yield a function that opens a catalog of either kind until the end of the test."""
    with ExitStack() as stack:

        def open_catalog(address: str, kinds: dict[str, type] = KINDS, **options: object) -> Driven:
            return stack.enter_context(Driven(kinds[request.param], address, **options))

        yield open_catalog


@pytest.fixture
def script() -> Callable[..., Script]:
    return lambda *answers: Script(list(answers))
