"""A killed server loses no change that it acknowledged or showed, and shows no partial change."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest

from crashes import Reader, Writer, crash, server
from lakepact.client import IcebergCatalog
from lakepact.reference_server.iceberg_rest.store_check import check_store

WRITERS = 8


def rounds_of_crashes(
    warehouse: Path, rounds: int, seed: int, *options: str, end: signal.Signals = signal.SIGKILL
) -> tuple[list[str], int]:
    """Kill a working server repeatedly; return the failures and the number of acknowledged
    changes.
    """
    chance = random.Random(seed)
    writers = [Writer(number, random.Random(f"{seed}.{number}")) for number in range(WRITERS)]
    reader = Reader(writers)
    wrong: list[str] = []
    acknowledged = 0
    for number in range(rounds + 1):
        with server(warehouse, *options) as (url, process):
            with IcebergCatalog(url) as catalog:
                for writer in writers:
                    if number:
                        wrong += filter(None, [writer.agree(catalog)])
                    else:
                        writer.prepare(catalog)
            if number:
                wrong += reader.agree()
            if number < rounds:
                acknowledged += crash(url, process, writers, reader, chance=chance, end=end)
                if end != signal.SIGKILL:
                    wrong += [f"it ended with {process.returncode}"] if process.returncode else []
                    wrong += [f"{log} is left" for log in warehouse.glob(".lakepact/*-wal")]
        wrong += [
            str(finding)
            for finding in check_store(warehouse / ".lakepact" / "iceberg_rest.sqlite").findings
        ]
    return [
        *wrong,
        *reader.torn,
        *(refused for writer in writers for refused in writer.refused),
    ], acknowledged


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_nothing_that_was_acknowledged_is_lost_when_the_server_is_killed(
    tmp_path: Path, durability: str
) -> None:
    wrong, acknowledged = rounds_of_crashes(tmp_path, 4, 20, "--durability", durability)

    assert wrong == []
    assert acknowledged >= 4


def test_sigterm_keeps_acknowledged_changes_and_closes_the_store(tmp_path: Path) -> None:
    wrong, acknowledged = rounds_of_crashes(tmp_path, 2, 21, end=signal.SIGTERM)

    assert wrong == []
    assert acknowledged >= 2


@pytest.mark.nightly
@pytest.mark.parametrize("durability", ["full", "normal"])
def test_nothing_is_lost_in_very_many_crashes(tmp_path: Path, durability: str) -> None:
    rounds = int(os.environ.get("LAKEPACT_CRASHES", "300"))
    wrong, acknowledged = rounds_of_crashes(
        tmp_path, rounds, random.randrange(10**9), "--durability", durability
    )

    assert wrong == []
    assert acknowledged >= rounds
