"""The places where handlers run: the event loop for short work, threads for work that would keep
the loop from other callers.

Threads and the loop share one interpreter. Two long calls at once would take no less time together,
and leave the loop less of it: so long calls run one after the other. Calls that only wait until
another thread's change has ended wait elsewhere.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from typing import TypeVar

T = TypeVar("T")

LONG_BODY = (
    64 * 1024
)  #: bytes of a request body that the event loop parses: 30 ms for the most expensive one
LARGE_RECORD = 1024 * 1024  #: bytes of a table or view that the event loop changes
SWITCH_SECONDS = 0.0005  #: after which a thread that waits gets the interpreter
FULL_COLLECTION = 1000  #: generation-1 collections between two full garbage collections


class Place(Enum):
    """The place of a handler, chosen before it begins."""

    LOOP = "the event loop"
    TURN = "a thread that waits for the end of another thread's change"
    QUEUE = "the only thread of long calls"
    PLAN = "the only thread that plans scans"
    THREAD = "a thread of the loop's pool, for calls that wait for files or other servers"


_POOLS = {
    Place.TURN: ThreadPoolExecutor(max_workers=8, thread_name_prefix="lakepact waiting calls"),
    Place.QUEUE: ThreadPoolExecutor(max_workers=1, thread_name_prefix="lakepact long calls"),
    Place.PLAN: ThreadPoolExecutor(max_workers=1, thread_name_prefix="lakepact scans"),
    Place.THREAD: None,
}


async def run_in(place: Place, work: Callable[[], T]) -> T:
    """Run work in a thread of a place, which is not the event loop."""
    job = partial(_without_collection, work) if place is Place.QUEUE else work
    return await asyncio.get_running_loop().run_in_executor(_POOLS[place], job)


def in_a_thread(**_: object) -> Place:
    """Choose a thread of the loop's pool for every call of an operation."""
    return Place.THREAD


def among_scans(**_: object) -> Place:
    """Choose the thread of scans: each may take much memory."""
    return Place.PLAN


def share_the_interpreter() -> None:
    """Set up the interpreter of a process that is only a server, so that no thread keeps the others
    from it for long.

    By default a thread waits 5 ms for another one that computes: the loop several times for one
    answer, the writer of a file store for each of the moments that a batch takes, so that commits
    beside loads were five times as slow. While all objects are looked through for garbage, no
    thread runs; stored documents make none. New objects are looked through as often as by default.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what is there now stays
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION)


def _without_collection(work: Callable[[], T]) -> T:
    # To make a document of many values, the interpreter would look through all objects several
    # times.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return work()
    finally:
        if was_enabled:
            gc.enable()
