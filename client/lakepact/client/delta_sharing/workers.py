"""Work on many items at once, with its results in the order of the items and no more of them held
than there is room for.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
    from concurrent.futures import Future

I = TypeVar("I")  # noqa: E741 - an item
R = TypeVar("R")


class Workers:
    """A limited number of threads.

    Args:
        most: The number of items that are worked on at once.
        room: The total weight of these items; a heavier item is worked on alone.
    """

    def __init__(self, most: int, room: int) -> None:
        self._most = most
        self._room = room

    def results(
        self, work: Callable[[I], R], items: Iterable[I], weight: Callable[[I], int]
    ) -> Generator[R, None, None]:
        """Yield the result of `work` for each item, in order."""
        pending: deque[tuple[Future[R], int]] = deque()
        total = 0
        pool = ThreadPoolExecutor(self._most, thread_name_prefix="lakepact")
        try:
            for item in items:
                size = weight(item)
                while pending and (len(pending) >= self._most or total + size > self._room):
                    first, first_size = pending.popleft()
                    yield first.result()
                    total -= first_size
                pending.append((pool.submit(work, item), size))
                total += size
            while pending:
                yield pending.popleft()[0].result()
        finally:
            pool.shutdown(cancel_futures=True)


class AsyncWorkers:
    """A limited number of tasks.

    Args:
        most: The number of items that are worked on at once.
        room: The total weight of these items; a heavier item is worked on alone.
    """

    def __init__(self, most: int, room: int) -> None:
        self._most = most
        self._room = room

    async def results(
        self, work: Callable[[I], Awaitable[R]], items: Iterable[I], weight: Callable[[I], int]
    ) -> AsyncGenerator[R, None]:
        """Yield the result of `work` for each item, in order."""
        pending: deque[tuple[asyncio.Future[R], int]] = deque()
        total = 0
        try:
            for item in items:
                size = weight(item)
                while pending and (len(pending) >= self._most or total + size > self._room):
                    first, first_size = pending[0]
                    result = await first
                    pending.popleft()  # only now: a task in it is cancelled with the generator
                    yield result
                    total -= first_size
                pending.append((asyncio.ensure_future(work(item)), size))
                total += size
            while pending:
                result = await pending[0][0]
                pending.popleft()
                yield result
        finally:
            for future, _ in pending:
                future.cancel()
            await asyncio.gather(*(future for future, _ in pending), return_exceptions=True)
