"""Objects that serve any number of event loops, where those of asyncio serve one."""

from __future__ import annotations

import asyncio
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["AsyncLock", "Lock", "PerLoop"]
T = TypeVar("T")


class PerLoop(Generic[T]):
    """An object for each event loop.

    Args:
        make: Makes one.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: WeakKeyDictionary[asyncio.AbstractEventLoop, T] = WeakKeyDictionary()

    def get(self) -> T:
        """Return that of the running event loop."""
        loop = asyncio.get_running_loop()
        made = self._made.get(loop)
        return self._made.setdefault(loop, self._make()) if made is None else made


class AsyncLock:
    """A lock of tasks; those of other event loops do not wait for it."""

    def __init__(self) -> None:
        self._locks = PerLoop(asyncio.Lock)

    async def __aenter__(self) -> None:
        await self._locks.get().acquire()

    async def __aexit__(self, *_: object) -> None:
        self._locks.get().release()
