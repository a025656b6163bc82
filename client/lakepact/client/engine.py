"""How a call is made: authorize, try, try again, then decode or raise.

The engine does no input or output. It is a generator: it yields the requests to send and the pauses
to make, receives what came of them, and returns the decoded reply. `transport` drives it, in a
thread or in an event loop, so there is one body of logic for both.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lakepact.client.errors import (
    BadReply,
    Failure,
    LakepactError,
    LimitExceeded,
    NotAuthenticated,
    OutcomeUnknown,
    Unreachable,
)
from lakepact.client.redaction import EXCERPT_SOURCE, Redactor, redact
from lakepact.client.retries import Retry, may_repeat, retry_after
from lakepact.reach.tokens import TokenRefused
from lakepact.reach.urls import origin, url
from lakepact.reach.wire import Headers, Lost, Pause, Reply, Request, with_missing

if TYPE_CHECKING:
    from lakepact.client.etag_cache import EtagCache
    from lakepact.client.refusals import Refusals
    from lakepact.client.retries import Retries
    from lakepact.generated.contract import Call
    from lakepact.reach.auth import Auth

T = TypeVar("T")
#: Yields requests and pauses, receives replies (None after a pause), returns a T.
Flow = Generator[Request | Pause, Reply | Lost | None, T]

NOT_MODIFIED = 304
#: What to give, by parts of errors of TLS.
_ADVICE = {
    "CERTIFICATE_VERIFY_FAILED": "; verify= or --ca-file names certificates to trust",
    "CERTIFICATE_REQUIRED": "; cert= or --client-cert presents a certificate",
    "EOF occurred": "; if the server requires a certificate, cert= or --client-cert presents one",
}
_LOG = logging.getLogger("lakepact.client")


@dataclass(frozen=True, slots=True)
class Attempt:
    """The last request that a call came to, and what came of it."""

    request: Request
    answer: Reply | Lost
    tries: int


@dataclass(frozen=True, slots=True)
class Carried(Generic[T]):
    """A call that the server carried out, and its reply."""

    address: str
    call: Call[T]
    last: Attempt
    reply: Reply

    def failure(self, message: str) -> Failure:
        """Return the part of an invalid reply for an error."""
        return _failure(self.call, self.last, message)

    def decode(self) -> T:
        """Return the body as the model that the contract names; an invalid item of an array raises
        when it is read.

        Raises:
            BadReply: The body is not what the contract says.
            OutcomeUnknown: The same, of a call that changes something: the server may have applied
                the change.
        """
        from lakepact.client.decoding import Undecodable, decode  # noqa: PLC0415 - it imports pydantic

        last = self.last
        if (
            isinstance(last.answer, Reply) and len(last.answer.content) > EXCERPT_SOURCE
        ):  # an error shows no more of it
            last = replace(
                last, answer=replace(last.answer, content=last.answer.content[:EXCERPT_SOURCE])
            )
        call = self.call

        def invalid(reason: str) -> LakepactError:
            kind = OutcomeUnknown if last.request.may_change else BadReply
            return kind(
                _failure(
                    call, last, f"the body of the reply is not what the contract says: {reason}"
                )
            )

        try:
            body: T = decode(call.answers, self.reply, invalid)
        except Undecodable as problem:
            raise invalid(str(problem)) from problem
        return body

    def interruption(self, loss: Lost) -> LakepactError:
        """Return the error for a body that broke off."""
        return _loss_error(
            self.address, self.call, Attempt(self.last.request, loss, self.last.tries), loss
        )


@dataclass(frozen=True, slots=True)
class Engine:
    """Makes calls to the server at `address`."""

    address: str
    auth: Auth
    retries: Retries
    refusals: Refusals
    clock: Callable[[], float] = time.monotonic
    #: The caller's headers of each call; those of the call itself win.
    headers: Headers = ()
    #: Called with the reply of each call that the server carried out.
    on_reply: Callable[[Reply], object] | None = None

    def __post_init__(self) -> None:
        if not callable(
            getattr(self.auth, "flow", None)
        ):  # a token as it is, perhaps, which is not repeated
            raise TypeError(
                "auth must be an Auth such as BearerToken(…) or ClientCredentials(…), not"
                f" {type(self.auth).__name__}"
            )

    def send(self, call: Call[T]) -> Flow[T]:
        """Make `call` and return the decoded reply.

        Raises:
            LakepactError: One of its kinds, see `errors`.
        """
        result = yield from self.carry(call)
        return result.decode()

    def send_conditionally(
        self, call: Call[T], memory: EtagCache, may_store: Callable[[T], bool]
    ) -> Flow[T]:
        """Make `call` and return the decoded reply, or the cached one after a 304.

        Args:
            call: The call.
            memory: The cache of decoded replies.
            may_store: Whether the reply may be cached.

        Raises:
            LakepactError: See `errors`.
        """
        cached = memory.lookup(call)
        conditional = (
            call
            if cached is None
            else replace(call, headers=(*call.headers, ("If-None-Match", cached.etag)))
        )
        result = yield from self.carry(conditional, may_be_unchanged=cached is not None)
        if cached is not None and result.reply.status == NOT_MODIFIED:
            cached_body: T = cached.body
            return cached_body
        body = result.decode()
        if may_store(body):
            memory.keep(call, result.reply, body)
        else:
            memory.forget(call.path)
        return body

    def carry(
        self, call: Call[T], *, is_streamed: bool = False, may_be_unchanged: bool = False
    ) -> Flow[Carried[T]]:
        """Make `call` and return its reply as it came; if it is streamed, with the body still to be
        read.

        Raises:
            LakepactError: One of its kinds, see `errors`.
        """
        media_types = "application/x-ndjson, application/json" if call.lines else "application/json"
        request = Request(
            call.method,
            url(self.address, call.path, call.query),
            (
                ("Accept", media_types),
                *(with_missing(call.headers, self.headers) if self.headers else call.headers),
            ),
            call.content,
            only_reads=call.operation in self.refusals.reads,
            is_streamed=is_streamed,
        )
        last = yield from self.tries(call, request)
        result = self.judge(call, last, may_be_unchanged=may_be_unchanged)
        if self.on_reply is not None:
            self.on_reply(result.reply)
        return result

    def authorization(self, call: Call[Any]) -> Flow[str | None]:
        """Return the `Authorization` header that `call` would be sent with; a token that it needs
        is fetched.

        Raises:
            LakepactError: The token cannot be fetched.
        """
        flow, answer = self.carry(call), None
        while True:
            step = flow.send(answer)
            if isinstance(step, Request) and step.url == url(self.address, call.path, call.query):
                flow.close()
                return next(
                    (value for name, value in step.headers if name == "Authorization"), None
                )
            answer = yield step

    def judge(self, call: Call[T], last: Attempt, *, may_be_unchanged: bool = False) -> Carried[T]:
        """Return the reply, if the call was carried out; or that there is nothing new, where that
        may be.

        Raises:
            LakepactError: It was not.
        """
        if isinstance(last.answer, Lost):
            raise _loss_error(self.address, call, last, last.answer) from last.answer.cause
        if not last.answer.is_success and not (
            may_be_unchanged and last.answer.status == NOT_MODIFIED
        ):
            raise self._refusal(call, last, last.answer)
        return Carried(self.address, call, last, last.answer)

    def tries(self, call: Call[T], request: Request) -> Flow[Attempt]:
        """Send the request of `call` until it is answered for good, or as often as it may be."""
        start, tries = self.clock(), 0
        while True:
            tries += 1
            outgoing, answer = yield from self._try(request)
            elapsed = self.clock() - start
            outcome = answer.status if isinstance(answer, Reply) else answer.how
            _LOG.debug(
                "%s: %s %s: %s after %.3f s, try %d",
                call.operation,
                call.method,
                call.path,
                outcome,
                elapsed,
                tries,
            )
            pause = None
            if may_repeat(outgoing, answer, itself=True):
                pause = self.retries.pause(
                    tries=tries, elapsed=elapsed, retry_after=retry_after(answer)
                )
            if pause is None:
                return Attempt(outgoing, answer, tries)
            if self.retries.on_retry is not None:
                status, cause = (
                    (answer.status, None) if isinstance(answer, Reply) else (None, answer.cause)
                )
                self.retries.on_retry(Retry(call.operation, tries, pause, status, cause))
            yield Pause(pause)

    def _try(self, request: Request) -> Flow[tuple[Request, Reply | Lost]]:
        """Send `request` once, with whatever more its authorization asks for; return what was sent
        last and what came of it.
        """
        flow = self.auth.flow(request)
        try:
            step = next(flow)
            while True:
                answer = yield step
                if isinstance(step, Pause):
                    step = next(flow)
                    continue
                if not isinstance(answer, Reply):
                    return step, _require_answer(answer)
                outgoing = step
                try:
                    step = flow.send(answer)
                except StopIteration:
                    return outgoing, answer
        except TokenRefused as refusal:
            error = _without_token(refusal)
        finally:
            flow.close()
        raise error  # out here, so that the original, which knows the answer, is not carried along

    def _refusal(self, call: Call[T], last: Attempt, reply: Reply) -> LakepactError:
        if reply.status < 400:
            to = (
                f" to {reply.header('Location')}, which is not followed"
                if reply.header("Location")
                else ""
            )
            return BadReply(_failure(call, last, f"the reply is a {reply.status}{to}"))
        grievance = self.refusals.read(reply.content)
        kind = self.refusals.kind(
            call.operation, reply.status, grievance, has_retry_after=retry_after(reply) is not None
        )
        if grievance is None:
            return kind(_failure(call, last, "the reply has no error body in the contract's form"))
        return kind(_failure(call, last, grievance.message, error_type=grievance.type))


def _require_answer(answer: Reply | Lost | None) -> Reply | Lost:
    if answer is None:
        raise TypeError("a request was answered with nothing; only a pause is")
    return answer


def _without_token(refusal: TokenRefused) -> LakepactError:
    """Return the error of a call for which a token endpoint gives no token."""
    request, reply = refusal.request, refusal.reply
    message = f"{refusal}: {refusal.reason}" if refusal.reason else str(refusal)
    return (BadReply if reply.is_success else NotAuthenticated)(
        Failure(
            operation="token",
            message=Redactor(request).text(message),
            status=reply.status,
            tries=1,
            exchange=redact(request, reply),
        )
    )


def _loss_error(address: str, call: Call[T], last: Attempt, loss: Lost) -> LakepactError:
    reply_errors: dict[str, type[LakepactError]] = {"garbled": BadReply, "excessive": LimitExceeded}
    # A lost reply to an idempotent change leaves nothing to find out: the change may be repeated.
    is_unknown = (
        last.request.may_change
        if loss.how in reply_errors
        else loss.how != "unsent" and not last.request.is_idempotent
    )
    kind = OutcomeUnknown if is_unknown else reply_errors.get(loss.how, Unreachable)
    if loss.how == "excessive":
        return kind(_failure(call, last, str(loss.cause)))
    # Authorization may have asked somewhere else.
    server = (
        address if address and last.request.url.startswith(address) else origin(last.request.url)
    )
    reason = {
        "unsent": f"no connection to {server}",
        "unanswered": f"no reply from {server}",
        "garbled": f"the coding of the reply of {server}, or a header of it, is broken",
    }[loss.how]
    advice = next((advice for sign, advice in _ADVICE.items() if sign in str(loss.cause)), "")
    return kind(
        _failure(call, last, f"{reason}: {type(loss.cause).__name__}: {loss.cause}{advice}")
    )


def _failure(
    call: Call[T], last: Attempt, message: str, *, error_type: str | None = None
) -> Failure:
    """Return the part of `call` for an error, without the credentials of its request."""
    redact_text = Redactor(last.request).text
    reply = last.answer if isinstance(last.answer, Reply) else None
    request_id = reply.request_id if reply else None
    return Failure(
        operation=call.operation,
        status=reply.status if reply else None,
        type=error_type and redact_text(error_type),
        message=redact_text(message),
        request_id=request_id and redact_text(request_id),
        retry_after=retry_after(last.answer),
        is_retry_safe=may_repeat(last.request, last.answer),
        tries=last.tries,
        exchange=redact(last.request, last.answer),
    )
