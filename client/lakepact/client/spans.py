"""Spans of OpenTelemetry for requests of the client, if the extra `otel` is installed.

A span is one request, also one that is repeated or fetches a token. Its name and attributes are
those of the semantic conventions for HTTP clients. It holds no header, no body, no query and no
text of an error, because these may hold secrets.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lakepact.client.redaction import Redactor, without_query
from lakepact.reach.wire import Lost, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager
    from types import ModuleType

    from opentelemetry.trace import Span, Tracer

    from lakepact.reach.wire import Request

_UNTRACED = nullcontext[Any](lambda _: None)
_PORTS = {"http": 80, "https": 443}


def request_span(
    operation: str, request: Request, resent: int
) -> AbstractContextManager[Callable[[Reply | Lost], None]]:
    """Return the span of a request, which is current while it is entered; it is called with what
    came of the request.

    Args:
        operation: The operation of the contract that the request is for.
        request: The request.
        resent: How often it was sent before.
    """
    tracer = _tracer()
    return _UNTRACED if tracer is None else _trace(tracer, operation, request, resent)


def _tracer() -> Tracer | None:
    """Return the tracer; None until the program sets a provider, because its spans would be
    dropped.
    """
    api = _api()
    return (
        None
        if api is None or isinstance(api.get_tracer_provider(), api.ProxyTracerProvider)
        else api.get_tracer("lakepact.client")
    )


@cache
def _api() -> ModuleType | None:
    try:
        from opentelemetry import trace  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    return trace


@contextmanager
def _trace(
    tracer: Tracer, operation: str, request: Request, resent: int
) -> Generator[Callable[[Reply | Lost], None]]:
    from opentelemetry.trace import SpanKind  # noqa: PLC0415

    name = f"{request.method} {operation}"
    # Of an exception only the type is recorded: its text may hold a secret.
    with tracer.start_as_current_span(
        name, kind=SpanKind.CLIENT, record_exception=False, set_status_on_exception=False
    ) as span:
        if span.is_recording():
            span.set_attributes(_attributes(operation, request, resent))
        try:
            yield lambda answer: _end(span, answer)
        except BaseException as error:
            _fail(span, type(error).__name__)
            raise


def _attributes(operation: str, request: Request, resent: int) -> dict[str, str | int]:
    url = Redactor(request).text(without_query(request.url))
    attributes: dict[str, str | int] = {
        "http.request.method": request.method,
        "url.full": url,
        "lakepact.operation": operation,
    }
    parts = urlsplit(url)
    if parts.hostname:
        attributes |= {
            "server.address": parts.hostname,
            "server.port": parts.port or _PORTS.get(parts.scheme, 0),
        }
    return attributes | ({"http.request.resend_count": resent} if resent else {})


def _end(span: Span, answer: Reply | Lost) -> None:
    if isinstance(answer, Lost):
        _fail(span, type(answer.cause).__name__)
        return
    span.set_attribute("http.response.status_code", answer.status)
    if answer.status >= 400:
        _fail(span, str(answer.status))


def _fail(span: Span, kind: str) -> None:
    from opentelemetry.trace import StatusCode  # noqa: PLC0415

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)
