"""Random Avro files end no server, whatever scan they are planned for.

`LAKEPACT_ATTACK_SECONDS` sets how long files are tried; the session `nightly` tries them for ten
minutes.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from attacks.planning import planned
from attacks.random_avro import LIST, MANIFEST, RandomAvro

SEED = int(os.environ.get("LAKEPACT_ATTACK_SEED", "1"))
SECONDS = float(os.environ.get("LAKEPACT_ATTACK_SECONDS", "4"))
BODIES: list[dict[str, Any]] = [
    {},
    {},
    {"stats-fields": ["id"]},
    {"filter": {"type": "gt", "term": "id", "value": 5}},
    {"filter": {"type": "is-null", "term": "id"}, "stats-fields": ["id"]},
]


def attack(folder: Path, seconds: float) -> None:
    until = time.monotonic() + seconds
    statuses = dict.fromkeys(("completed", "failed", "submitted"), 0)
    with planned(folder) as table:
        names = ["m0.avro", "m1.avro", "m2.avro"]
        paths = [f"file://{table.folder}/{name}" for name in names]
        for number in range(1_000_000):
            if time.monotonic() > until and min(statuses["completed"], statuses["failed"]):
                break
            chance = Random(f"{SEED} {number}")
            files = RandomAvro(chance, paths)
            for name in names:
                table.write(name, files.file(MANIFEST))
            table.write("list.avro", files.file(LIST))
            answer = table.plan(**chance.choice(BODIES))
            assert answer["status"] in statuses, (SEED, number, answer)
            assert len(answer.get("error", {}).get("message", "")) < 700, (SEED, number)
            statuses[answer["status"]] += 1
            table.assert_sound()
    assert min(statuses["completed"], statuses["failed"]) > 0


def test_random_files_end_no_server(tmp_path: Path) -> None:
    attack(tmp_path, SECONDS)


@pytest.mark.nightly
def test_random_files_of_ten_minutes_end_no_server(tmp_path: Path) -> None:
    attack(tmp_path, 600)
