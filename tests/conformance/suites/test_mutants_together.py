"""Servers with several faults at once: each fault shows, and nothing else fails."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakepact.conformance.running import suite as suites
from lakepact.reference_server.settings import Settings
from mutants import fault_named
from mutants.together import SIZES, drawn, footprint, tried

CONTRACT = "iceberg_rest"


@pytest.fixture
def quiet() -> Iterator[None]:
    """Leave out the log of the server, which reports each of its own errors."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def entries_of(name: str, folder: Path) -> frozenset[str]:
    settings = Settings(
        config=Path(suites.load(CONTRACT).launch_settings(folder).settings["config"])
    )
    return footprint(fault_named(name, CONTRACT), settings)


@pytest.mark.parametrize("seed", range(6))
def test_seed_draws_the_same_number_of_different_faults(seed: int) -> None:
    faults = drawn(seed)

    assert len(set(faults)) == SIZES[seed % len(SIZES)]
    assert drawn(seed) == faults


def test_drawn_faults_change_different_entries(tmp_path: Path) -> None:
    entries = [entry for name in drawn(2) for entry in entries_of(name, tmp_path)]

    assert len(set(entries)) == len(entries)


def test_footprint_names_the_changed_answers(tmp_path: Path) -> None:
    assert entries_of("drops-what-is-missing", tmp_path) == {"filter dropTable"}


@pytest.mark.usefixtures("quiet")
@pytest.mark.nightly
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("seed", range(30))
def test_many_servers_with_several_faults_show_each_and_no_other(seed: int, tmp_path: Path) -> None:
    trial = tried(seed, str(tmp_path))

    assert trial.violations == ()
