"""Stores in files of each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from lakepact.client import IcebergCatalog
from lakepact.reference_server import running
from lakepact.reference_server.storage.group_commit import FileStore
from lakepact.reference_server.storage.sqlite import StoreFile

Open = Callable[..., FileStore]


@contextmanager
def catalog_of(
    warehouse: str | Path, *, store: str | Path = "file", **options: Any
) -> Iterator[IcebergCatalog]:
    """Yield a client of a server on the store of a warehouse."""
    with (
        running(warehouse=str(warehouse), store=store) as server,
        IcebergCatalog(server.url, **options) as catalog,
    ):
        yield catalog


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
