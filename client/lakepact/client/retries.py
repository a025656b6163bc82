"""When a call is sent again, and after how long.

Only what cannot do its work twice is sent again: requests that never left, idempotent methods,
those with a key that the server knows them by, and whatever the server itself invites back with
`Retry-After` on 429 or 503. A commit without a key whose outcome is unknown is therefore never
repeated.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC

from lakepact.reach.wire import Lost, Reply, Request

#: Refusals that may pass by themselves, and say that nothing was done.
_BUSY = frozenset({429, 503})
#: These, and answers of something between client and server, after which only idempotent requests
#: are safe.
_PASSING = _BUSY | {408, 502, 504}


@dataclass(frozen=True, slots=True)
class Retry:
    """A call of `operation` that is sent again after `pause` seconds: the last of its `tries` had
    this `status`, or none for a `cause`.
    """

    operation: str
    tries: int
    pause: float
    status: int | None
    cause: Exception | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often and for how long a call is tried.

    A server's `Retry-After` is waited for exactly; without one the pauses grow from `first_pause`
    twofold up to `longest_pause`, each shortened at random by up to a half. A pause that would end
    after `total` seconds is not begun: the call fails at once. `on_retry` is called with a `Retry`
    before each pause, and after it where pyiceberg commits rows again; an error that it raises ends
    the call.
    """

    tries: int = 4
    total: float = 60.0
    first_pause: float = 0.25
    longest_pause: float = 10.0
    jitter: Callable[[], float] = random.random
    on_retry: Callable[[Retry], object] | None = None

    def pause(self, *, tries: int, elapsed: float, retry_after: float | None) -> float | None:
        """Return seconds to wait before the next try, or None when there is to be none.

        Args:
            tries: The number of requests sent.
            elapsed: The seconds since the first.
            retry_after: The seconds that the server asks for.
        """
        if tries >= self.tries:
            return None
        pause = retry_after
        if pause is None:
            pause = min(self.longest_pause, self.first_pause * 2 ** (tries - 1)) * (
                1 - self.jitter() / 2
            )
        return pause if elapsed + pause <= self.total else None


#: Every call is tried once.
NO_RETRIES = Retries(tries=1)


def may_repeat(request: Request, answer: Reply | Lost, *, itself: bool = False) -> bool:
    """Return whether `request` can be sent again safely, with a chance of success.

    Args:
        request: The request.
        answer: Its reply or failure.
        itself: Whether the same request is sent, with its idempotency key, rather than a new one.
    """
    if isinstance(answer, Reply) and answer.status not in _PASSING:
        return False
    is_harmless = request.is_idempotent or (itself and request.has_key)
    if isinstance(answer, Lost):
        return answer.how == "unsent" or (answer.how == "unanswered" and is_harmless)
    if answer.status in _BUSY:
        return is_harmless or retry_after(answer) is not None
    return is_harmless


def retry_after(answer: Reply | Lost, *, now: Callable[[], float] = time.time) -> float | None:
    """Return seconds that the server asks to wait, from either form of `Retry-After`; None without
    one that can be read.
    """
    text = answer.header("Retry-After") if isinstance(answer, Reply) else None
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    # Imported here: most runs never see a date, and reading one loads the whole e-mail package.
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    # An HTTP date is in GMT even where it does not say so.
    return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now())
