"""Work of pyiceberg for catalogs for event loops: in threads, which wait for the calls that the
loop makes.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

#: Not the threads of the loop: those look up names of hosts, for which calls of this work wait.
_THREADS = ThreadPoolExecutor(32, "lakepact-rows")


async def in_thread(work: Callable[..., T], *args: Any) -> T:
    """Return the result of work in a thread."""
    return await asyncio.get_running_loop().run_in_executor(
        _THREADS, functools.partial(contextvars.copy_context().run, work, *args)
    )


def blocking(catalog: Any) -> Any:
    """Return a catalog whose methods other threads call, while the running loop makes the calls."""
    return _Blocking(catalog, asyncio.get_running_loop())


class _Blocking:
    def __init__(self, catalog: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._catalog = catalog
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._catalog, name)
        if not inspect.iscoroutinefunction(member):
            return member
        return lambda *args, **kwargs: asyncio.run_coroutine_threadsafe(
            member(*args, **kwargs), self._loop
        ).result()
