"""Apache's own kit for REST catalogs, unmodified: everything passes but what a table names, with the clause that says why."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interop.rck.kit import FIXED_LOCATIONS, KIT, SWITCHED_ON, Result, not_passing, run, switched_on
from interop.served import durable, serving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

pytestmark = pytest.mark.rck

TESTS = 157  #: of Iceberg 1.11.0


#: The version of the contract that is served, and what the client is told besides.
WAYS = {
    "1.10.0": ("1.10.0", {}),
    "1.11.0": ("1.11.0", {}),
    "one per page, snapshots when they are needed": ("1.11.0", {"rest-page-size": "1", "snapshot-loading-mode": "refs"}),
}


@pytest.fixture(scope="module", params=WAYS.values(), ids=WAYS.keys())
def way(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """Return how the kit is run."""
    way: tuple[str, dict[str, str]] = request.param
    return way


@pytest.fixture(scope="module")
def version(way: tuple[str, dict[str, str]]) -> str:
    """Return the version of the contract that is served."""
    return way[0]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, way: tuple[str, dict[str, str]]) -> list[Result]:
    """Return how each test ended, against a server of its own that loses nothing."""
    version, properties = way
    return against_ours(tmp_path_factory.mktemp("rck"), version, properties)


def against_ours(folder: Path, version: str, properties: Mapping[str, str], chosen: Sequence[str] = KIT) -> list[Result]:
    """Return how each of these tests ends against a server of its own that loses nothing."""
    scratch = folder / "warehouse" / "kit"
    scratch.mkdir(parents=True)
    taken = [place for place in FIXED_LOCATIONS if Path(place).exists()]
    if taken:
        pytest.skip(f"the kit keeps tables in {', '.join(taken)}, where something is already; remove that first")
    allowed = [f"--allowed-location={place}" for place in FIXED_LOCATIONS]
    try:
        with serving(folder, f"--contract-version={version}", *durable(folder), *allowed) as url:
            place = (folder / "warehouse").as_uri()
            return run(url, warehouse=place, scratch=scratch, reports=folder / "reports", properties=properties, chosen=chosen)
    finally:
        for place in FIXED_LOCATIONS:
            shutil.rmtree(place, ignore_errors=True)


def test_the_kit_is_whole(results: list[Result]) -> None:
    assert len(results) == TESTS


def test_every_test_passes_that_the_table_does_not_name(results: list[Result], version: str) -> None:
    known = not_passing(version)
    unexpected = [f"{result.name}: {result.said}" for result in results if result.ended != "passed" and result.name not in known]

    assert unexpected == []


def test_no_test_passes_that_the_table_names(results: list[Result], version: str) -> None:
    known = not_passing(version)
    for result in results:
        if result.ended != "passed":
            print(f"  {result.ended}: {result.name}: {known.get(result.name, '?')}")
    passed = {result.name for result in results if result.ended == "passed"}
    print(f"  {len(passed)} of {len(results)} passed, contract {version}")

    assert sorted(passed & known.keys()) == []
    assert sorted(known.keys() - {result.name for result in results}) == []


@pytest.mark.parametrize("served", ["1.10.0", "1.11.0"])
def test_what_the_kit_has_no_switch_for_passes_too(tmp_path: Path, served: str) -> None:
    results = against_ours(tmp_path, served, {}, switched_on())

    assert {f"SwitchedOn.{test}": "passed" for test in SWITCHED_ON} == {result.name: result.ended for result in results}, results
