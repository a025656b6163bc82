"""Endless, huge or slow answers stop at a limit that the message names, within bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lakepact.conformance.evidence.limits import MIB, Budget, GivenUp
from lakepact.conformance.http.wire import NoAnswer, Wire
from lakepact.generated.contract import Contract
from server_doubles.hostile_servers import ATTACKS, DRIPS, attacking, endless_pages, json_answer

MOST_MEMORY = 300 * MIB
LIMITS = r"--max-body|--timeout|Receive buffer|buffer too long|too much data|RemoteProtocolError"
CHECK = """
import resource, subprocess, sys
code = subprocess.call([sys.executable, "-m", "lakepact.cli", "check", *sys.argv[1:]], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


@pytest.mark.parametrize("alone", [False, True], ids=["pooled", "alone"])
@pytest.mark.parametrize("name", ATTACKS)
def test_attack_ends_at_a_limit_that_the_message_names(name: str, *, alone: bool) -> None:
    timeout = 0.5 if name in DRIPS else 20
    with attacking(ATTACKS[name]()) as url, Wire(url, timeout=timeout, max_body=MIB) as wire:
        start = time.monotonic()
        if alone and name.endswith("bomb"):  # a connection of its own does not decompress
            assert len(wire.send("GET", "/x", alone=True).body) < MIB
            return
        with pytest.raises(NoAnswer, match=LIMITS):
            wire.send("GET", "/x", alone=alone)

    assert time.monotonic() - start < 60  # the machine may be busy


def test_slow_answers_exhaust_the_budget_of_a_run() -> None:
    with (
        attacking(ATTACKS["dripping-body"]()) as url,
        Wire(url, timeout=0.2, budget=Budget(1.0)) as wire,
    ):
        with pytest.raises(NoAnswer):
            wire.send("GET", "/x")
        start = time.monotonic()
        with pytest.raises(GivenUp, match="--max-wait"):
            wire.send("GET", "/x")

    assert time.monotonic() - start < 0.1


def first(path: str) -> bytes | None:
    """Answer the configuration correctly, so that the attack begins afterwards."""
    endpoints = [
        f"{operation.method} {operation.path}"
        for operation in Contract("iceberg_rest").operations.values()
    ]
    return (
        json_answer({"defaults": {}, "overrides": {}, "endpoints": endpoints})
        if path.startswith("/v1/config")
        else None
    )


def check_in_process(url: str, folder: Path, *words: str) -> tuple[int, int, list[dict[str, Any]]]:
    """Return the exit code, the peak memory in bytes and the report of a check in its own
    process.
    """
    report = folder / "report.jsonl"
    command = [sys.executable, "-c", CHECK, url, "--report", f"jsonl={report}", *words]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=400).stdout
    code, memory = map(int, output.split())
    return code, memory, [json.loads(line) for line in report.read_bytes().splitlines()]


@pytest.mark.parametrize("name", ["endless-body", "gzip-bomb", "nested-bomb"])
def test_check_of_a_hostile_target_is_incomplete_within_the_memory(
    name: str, tmp_path: Path
) -> None:
    with attacking(ATTACKS[name](), first=first) as url:
        code, memory, report = check_in_process(
            url, tmp_path, "--only", "IRC-NS-*", "--max-wait", "4", "--timeout", "5"
        )

    assert (code, report[-1]["verdict"]) == (3, "incomplete")
    assert memory < MOST_MEMORY
    assert not [line for line in report if line.get("outcome") == "error"]


@pytest.mark.nightly
@pytest.mark.parametrize("contract", ["iceberg_rest", "delta_sharing"])
@pytest.mark.parametrize("name", [*ATTACKS, "endless-pages"])
def test_whole_check_of_a_hostile_target_ends_within_three_minutes(
    name: str, contract: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    attack = endless_pages if name == "endless-pages" else ATTACKS[name]()
    start = time.monotonic()
    with attacking(attack, first=first) as url:
        code, memory, report = check_in_process(url, tmp_path, "--contract", contract)

    seconds = time.monotonic() - start
    record_property("measured", f"exit code {code}, {seconds:.0f} s, {memory / MIB:.0f} MiB")
    assert code in {1, 3}
    assert (seconds < 180, memory < MOST_MEMORY) == (True, True)
    assert not [line for line in report if line.get("outcome") == "error"]
