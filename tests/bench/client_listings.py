"""Cost of reading a listing: our client, and the connector of PyPI if it is installed, alternating
on the same server.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from lakepact.client import SharingClient

ROUNDS = 7
SHARE, SCHEMA = "bench", "default"


def client_listings(port: int, table: str, token: str) -> Iterator[tuple[str, float, float]]:
    """Yield each measurement: a name with its unit, the value and its limit."""
    endpoint = f"http://127.0.0.1:{port}/delta-sharing"
    with SharingClient(
        {"shareCredentialsVersion": 1, "endpoint": endpoint, "bearerToken": token}
    ) as client:
        shared = client.table(SHARE, SCHEMA, table)

        def look_at_each() -> list[str]:
            return [file.url for file in shared.files()]

        clients: dict[str, Callable[[], Any]] = {
            "all": lambda: list(shared.files()),
            "looked at": look_at_each,
        }
        if (connector := connectors(endpoint, token, table)) is not None:
            clients["connector"] = connector
        best = dict.fromkeys(clients, float("inf"))
        for _ in range(ROUNDS):
            for name, take_in in clients.items():
                before = time.process_time()
                take_in()
                best[name] = min(best[name], time.process_time() - before)
    yield "client: taking in a listing, ms", best["all"] * 1e3, 350
    yield "client: taking it in and looking at each file, ms", best["looked at"] * 1e3, 600
    if "connector" in best:
        yield (
            "client: taking in a listing, % of the connector",
            100 * best["all"] / best["connector"],
            20,
        )
        yield (
            "client: looking at each file too, % of the connector",
            100 * best["looked at"] / best["connector"],
            30,
        )


def connectors(endpoint: str, token: str, table: str) -> Callable[[], Any] | None:
    """Return the functions of the connector that read a listing; None if it is not installed."""
    try:
        from delta_sharing.protocol import DeltaSharingProfile, Table  # noqa: PLC0415 - it need not be there
        from delta_sharing.rest_client import DataSharingRestClient  # noqa: PLC0415
    except ImportError:
        return None
    client = DataSharingRestClient(DeltaSharingProfile(1, endpoint, token))
    return lambda: client.list_files_in_table(Table(table, SHARE, SCHEMA))
