"""A shared server; each test takes its own tables and writes their logs by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server import Server, running
from raw_requests import Sender
from sample_tables.shared_tables import TOKENS, SharedTable, write_shares

#: How tables of a kind are shared, and how many there are for tests to take.
KINDS: dict[str, tuple[dict[str, Any], int]] = {
    "open": ({"historyShared": True}, 500),
    "closed": ({}, 12),
    "directory": ({"historyShared": True, "accessModes": ["dir"]}, 1),
    "late": ({"historyShared": True, "startVersion": 2}, 12),
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def tables_server(folder: Path) -> Iterator[Server]:
    tables = [
        {"name": f"{kind}{number}", "location": f"{kind}{number}", **settings}
        for kind, (settings, count) in KINDS.items()
        for number in range(count)
    ]
    shares = write_shares(folder, tables, TOKENS)
    with running(contract="delta_sharing", shares=shares) as server:
        yield server


@pytest.fixture(scope="session")
def taken() -> dict[str, int]:
    """Return how many tables of each kind tests have taken."""
    return dict.fromkeys(KINDS, 0)


@pytest.fixture
def tables(
    tables_server: Server,
    folder: Path,
    taken: dict[str, int],
) -> Iterator[Callable[..., SharedTable]]:
    """Yield a function that takes an unused table of a kind."""
    with Sender(tables_server.url) as send:

        def table(kind: str) -> SharedTable:
            name = f"{kind}{taken[kind]}"
            taken[kind] += 1
            assert taken[kind] <= KINDS[kind][1], f"there are no more tables of the kind {kind}"
            return SharedTable(folder / name, name, send)

        yield table


@pytest.fixture
def table(tables: Callable[[str], SharedTable]) -> SharedTable:
    """Return a table that is shared with its history, without a log yet."""
    return tables("open")


@pytest.fixture
def closed(tables: Callable[[str], SharedTable]) -> SharedTable:
    """Return a table that is shared without its history."""
    return tables("closed")


@pytest.fixture
def late(tables: Callable[[str], SharedTable]) -> SharedTable:
    """Return a table that is shared from version 2 on."""
    return tables("late")
