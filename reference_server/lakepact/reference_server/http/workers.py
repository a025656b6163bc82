"""Work that would keep the event loop from other callers: it is done in threads, while the loop answers the others.

Threads and the loop share one interpreter. Two long requests at once would take no less time together, and leave the loop less of it:
so long requests are worked on one after the other. Requests that only wait until a change by another thread has ended wait elsewhere.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LONG_BODY = 64 * 1024  #: bytes of a request body that is worked on at once: 30 ms for the most expensive one
SWITCH_SECONDS = 0.0005  #: after which a thread that waits gets the interpreter
SELDOM = 1000  #: collections of what is not new any more, until all objects are looked through
LARGE_RECORD = 1024 * 1024  #: bytes of a table or view that is changed at once

_long = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lakepact long requests")
_waiting = ThreadPoolExecutor(max_workers=8, thread_name_prefix="lakepact waiting requests")


class TakesLong(Exception):
    """A request would hold the event loop for long; nothing of it is done yet, and a thread has to begin it again."""


class NotNow(TakesLong):
    """A request may change records, and another thread is changing some."""


def leave_the_loop(size: float) -> None:
    """Have a request worked on in a thread if it is about a record of so many bytes.

    Raises:
        TakesLong: the record is large, and this is the thread of an event loop.
    """
    if size > LARGE_RECORD and _is_on_loop():
        raise TakesLong


async def at_leisure(work: Callable[[], T]) -> T:
    """Do long work in a thread, after all other long work."""
    return await asyncio.get_running_loop().run_in_executor(_long, partial(_uncollected, work))


async def in_turn(work: Callable[[], T]) -> T:
    """Run work in a thread while no other thread changes records."""
    return await asyncio.get_running_loop().run_in_executor(_waiting, work)


def share_the_interpreter() -> None:
    """Set up the interpreter of a process that is only a server, so that no thread keeps the others from it for long.

    By default a thread waits 5 ms for another one that computes: the loop several times for one answer, the writer of a file store for
    each of the moments that a batch takes, so that commits beside loads were five times as slow. While all objects are looked through for
    garbage, no thread runs; stored documents make none. New objects are looked through as often as by default.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is there now stays
    gc.set_threshold(*gc.get_threshold()[:2], SELDOM)


def _uncollected(work: Callable[[], T]) -> T:
    # To make a document of many values, the interpreter would look through all objects several times.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return work()
    finally:
        if was_enabled:
            gc.enable()


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
