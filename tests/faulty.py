"""Faults of servers in tests: mutants of the suite by name, and faults of one test."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from lakepact.reference_server import running
from lakepact.reference_server.faults import ANSWERS, Fault, Install
from mutants import fault_named


def mutants(names: Iterable[str], contract: str = "iceberg_rest") -> list[str | Fault]:
    """Return the mutants of these names; names of general faults are kept."""
    return [
        name if name.rpartition(".")[2] in ANSWERS else fault_named(name, contract)
        for name in names
    ]


def unnamed(install: Install) -> Fault:
    """Return a fault for one test."""
    return Fault("under-test", (), install)


if __name__ == "__main__":  # serve with mutants until standard input ends
    with running(warehouse="memory:", faults=mutants(sys.argv[1:])) as server:
        print(server.url, flush=True)  # noqa: T201 - the bench reads it
        sys.stdin.read()
