"""Credentials of requests: a flow yields requests that carry them, and receives their replies.

The form is a generator, so that one flow serves the synchronous and the asynchronous client, and so
that a flow that needs requests of its own (a token endpoint, a challenge) yields them like any
other. The last reply that it receives is the answer. To wait for something it yields pauses, which
nothing comes back from.
"""

from __future__ import annotations

import base64
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator

from lakepact.reach.wire import Pause, Reply, Request

#: Wider than RFC 6750, which servers with tokens of their own making do not keep to; narrow enough
#: to stand in a header as one word.
TOKEN = re.compile(r"[!-~]+")

AuthFlow = Generator[Request | Pause, Reply, None]


class Auth(ABC):
    """A way to authorize requests."""

    @abstractmethod
    def flow(self, request: Request) -> AuthFlow:
        """Yield `request` with credentials, and again if the reply calls for others."""


class NoAuth(Auth):
    """Sends requests as they are."""

    def __repr__(self) -> str:
        return "NoAuth()"

    def flow(self, request: Request) -> AuthFlow:
        """Yield the request as it is."""
        yield request


class BearerToken(Auth):
    """Sends a bearer token with every request.

    Args:
        token: The token, or a function that is asked for it before each request. The function is
            asked once more when the server returns 401 or 419 (the token ran out): if it then gives
            another token, the request is sent again. It is called from the thread or event loop
            that sends, so it should answer from memory most of the time.

    Raises:
        ValueError: The token cannot stand in a header. The message does not repeat it.
    """

    def __init__(self, token: str | Callable[[], str]) -> None:
        # A method of the text pickles and shows no token.
        self._token: Callable[[], str] = token if callable(token) else check_token(token).__str__

    def __repr__(self) -> str:
        return "BearerToken([hidden])"

    def flow(self, request: Request) -> AuthFlow:
        """Yield the request with the token; once more with a newer one if the first was refused."""
        token = check_token(self._token())
        reply = yield request.with_header("Authorization", f"Bearer {token}")
        if reply.status in {401, 419} and (newer := check_token(self._token())) != token:
            yield request.with_header("Authorization", f"Bearer {newer}")


class BasicAuth(Auth):
    """Sends a user's name and password with every request.

    Args:
        username: The name.
        password: The password.

    Raises:
        ValueError: The name holds a colon, which would end it.
    """

    def __init__(self, username: str, password: str) -> None:
        if ":" in username:
            raise ValueError("the name of a user holds no colon where it is sent with a password")
        self._header = basic(username, password)

    def __repr__(self) -> str:
        return "BasicAuth([hidden])"

    def flow(self, request: Request) -> AuthFlow:
        """Yield the request with the name and the password."""
        yield request.with_header("Authorization", self._header)


class ZenApiKey(Auth):
    """Sends a user's name and API key with every request, as IBM Cloud Pak for Data wants them.

    Args:
        user: The name.
        api_key: The key.

    Raises:
        ValueError: The name or the key is empty, or the name holds a colon, which would end it. The
            message repeats neither.
    """

    def __init__(self, user: str, api_key: str) -> None:
        if not user or not api_key or ":" in user:
            raise ValueError(
                "an API key is sent with the name of its user, which holds no colon, and neither is"
                " empty"
            )
        # Without the line feed that `echo` would leave behind the key.
        credentials = base64.b64encode(f"{user}:{api_key}".encode()).decode()
        #: The value of Authorization.
        self.header = f"ZenApiKey {credentials}"

    def __repr__(self) -> str:
        return "ZenApiKey([hidden])"

    def flow(self, request: Request) -> AuthFlow:
        """Yield the request with the name and the key."""
        yield request.with_header("Authorization", self.header)


def basic(name: str, secret: str) -> str:
    """Return a name and its secret as the value of a header."""
    return f"Basic {base64.b64encode(f'{name}:{secret}'.encode()).decode()}"


def check_token(token: str) -> str:
    """Return a token that can stand in a header.

    Raises:
        ValueError: It cannot; the message does not repeat it.
        TypeError: It is no text: a variable that is not set, perhaps.
    """
    try:
        stands = TOKEN.fullmatch(token)
    except TypeError:
        raise TypeError(f"a bearer token is text, not {type(token).__name__}") from None
    if not stands:
        raise ValueError("a bearer token holds only visible ASCII characters")
    return token
