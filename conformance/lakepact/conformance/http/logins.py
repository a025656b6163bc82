"""Logins: headers that authorize each request, by a token that is renewed or by a signature."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qs, urlsplit

import httpx

from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.evidence.exchanges import ErrorBody
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.redaction import redact, secrets_of, secrets_of_form
from lakepact.conformance.http.connections import Connections
from lakepact.reach.auth import ZenApiKey
from lakepact.reach.settings import Settings
from lakepact.reach.tokens import FetchedToken, TokenRefused
from lakepact.reach.wire import Headers, Pause, Reply, Request

Login = Callable[[Request], Headers]


def login(settings: Settings, url: str, *, timeout: float) -> Login | None:
    """Return the function that authorizes requests; `None` if the settings name no login.

    Args:
        settings: the settings.
        url: base address of the target.
        timeout: seconds to wait for a token.

    Raises:
        ValueError: a setting lacks something; the message names the option.
    """
    auth = settings.login(url)
    if auth is None:
        return None
    if isinstance(auth, ZenApiKey):
        return lambda _: (("Authorization", auth.header),)
    if not isinstance(auth, FetchedToken):
        return auth.signature
    connections = Connections(auth.endpoint, settings, timeout=timeout)
    return partial(_bearer, auth, connections)


def _bearer(auth: FetchedToken, connections: Connections, _: Request) -> Headers:
    """Return the header with the token of an endpoint, which may be fetched first.

    Raises:
        Blocked: the endpoint gives none.
    """
    with contextlib.closing(auth.current()) as flow:
        reply, step = Reply(0), None
        try:
            step = next(flow)
            while True:
                if isinstance(step, Pause):  # another thread fetches it
                    time.sleep(step.seconds)
                    step = next(flow)
                else:
                    reply = _reply(connections, step)
                    step = flow.send(reply)
        except StopIteration as end:
            token, _ = end.value
            if token is not None:
                return (("Authorization", f"Bearer {token.value}"),)
        except TokenRefused:
            pass
    raise Blocked(
        f"the token endpoint {auth.endpoint} returned {reply.status} and no"
        f" token{_words(step, reply)} (--token-endpoint, --credential-env, --scope)"
    )


def _words(request: Request | Pause | None, reply: Reply) -> str:
    """Return what the endpoint says in its refusal, without secrets of the request."""
    if not isinstance(request, Request) or reply.is_success:
        return ""
    secrets = (*secrets_of(request.headers), *secrets_of_form(request.content or b""))
    form = parse_qs((request.content or b"").decode())
    scope = f" for scope {json.dumps(*form['scope'])}" if "scope" in form else ""
    return f"{scope}: {redact(plain(ErrorBody.of(reply.content).message), secrets)}"


def _reply(connections: Connections, request: Request) -> Reply:
    url = urlsplit(request.url)
    target = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
    try:
        with contextlib.closing(connections):  # the next one is asked for much later
            status, headers, body = connections.ask(
                request.method, target, request.headers, request.content or b""
            )
    except httpx.HTTPError as error:
        raise Blocked(
            f"the token endpoint {request.url} does not answer: {error} (--token-endpoint)"
        ) from error
    return Reply(status, tuple(headers.multi_items()), body)
