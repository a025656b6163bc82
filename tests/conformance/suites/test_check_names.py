"""The names of checks and the requirements of each. Files of known failures refer to them, so renaming a check breaks those files.

To accept a change, run `python tests/conformance/suites/test_check_names.py` and give the reason for each new name in the commit.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lakepact.conformance.running import suite as suites
from lakepact.generated.contract import Contract, contracts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.conformance.running.suite import Suite

FROZEN = Path(__file__).with_name("check_names")


def loaded() -> Iterable[tuple[str, Suite[Any]]]:
    for contract in contracts():
        for version in Contract(contract).versions:
            yield f"{contract}-{version}", suites.load(contract, version)
    for contract in suites.with_clients():
        for version in Contract(contract).versions:
            try:
                yield f"{contract}-{version}-clients", suites.of_clients(contract, version)
            except LookupError:
                continue


def listing(suite: Suite[Any]) -> list[str]:
    return sorted(f"{item.name}: {' '.join(item.requirements)}" for item in (*suite.checks.values(), *suite.invariants.values()))


@pytest.mark.parametrize(("name", "suite"), list(loaded()))
def test_check_names_are_frozen(name: str, suite: Suite[Any]) -> None:
    assert FROZEN.joinpath(f"{name}.txt").read_text().splitlines() == listing(suite)


def test_frozen_lists_have_a_suite_each() -> None:
    assert {f"{name}.txt" for name, _ in loaded()} == {file.name for file in FROZEN.iterdir()}


if __name__ == "__main__":
    FROZEN.mkdir(exist_ok=True)
    for name, suite in loaded():
        FROZEN.joinpath(f"{name}.txt").write_text("\n".join(listing(suite)) + "\n")
