"""Stores in files of each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lakepact.reference_server.storage.group_commit import FileStore
from lakepact.reference_server.storage.sqlite import StoreFile

Open = Callable[..., FileStore]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def open_store(path: Path) -> Iterator[Open]:
    """Yield a function that opens the store of the test."""
    with ExitStack() as ending:

        def opened(**options: str) -> FileStore:
            store = FileStore(
                StoreFile(path, **{"contract": "iceberg_rest", "durability": "normal", **options})
            )
            ending.callback(store.close)
            return store

        yield opened
