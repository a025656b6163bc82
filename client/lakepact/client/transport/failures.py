"""The meaning of failures of sending and of receiving for their requests."""

from __future__ import annotations

from lakepact.client.limits import LimitReached
from lakepact.reach.wire import Lost

#: Failures before a byte of the request has left; httpcore and httpx call them alike.
_UNSENT = {
    "ConnectError",
    "ConnectTimeout",
    "PoolTimeout",
    "ProxyError",
    "UnsupportedProtocol",
    "WrongSetting",
}
#: Failures of reading what the server sent; httpx looks at the target of a redirect, although it is
#: not to follow it.
_GARBLED = {"DecodingError", "InvalidURL"}


def loss(error: Exception) -> Lost:
    """Return what a failure means for its request."""
    # The library's frames hold the headers that were sent; a program that prints the local
    # variables of a traceback would print them.
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    if isinstance(error, LimitReached):
        return Lost("excessive", error)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & _UNSENT:
        return Lost("unsent", error)
    return Lost("garbled" if kinds & _GARBLED else "unanswered", error)


def is_of_socks(error: BaseException) -> bool:
    """Return whether the library of SOCKS raised an error, of whatever class, over what a proxy
    sent.
    """
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return frame is not None and frame.tb_frame.f_globals["__name__"].startswith("socksio.")
