"""Apache's compatibility kit, unmodified: all tests pass but those of a table, with a clause for
each.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from interop.rck.kit import (
    FIXED_LOCATIONS,
    KIT,
    SWITCHED_ON,
    Result,
    not_passing,
    run,
    switch_options,
)
from interop.served import durable, serving

pytestmark = pytest.mark.rck

TESTS = 157  #: of Iceberg 1.11.0


#: The served version of the contract, and the properties of the client.
WAYS = {
    "1.10.0": ("1.10.0", {}),
    "1.11.0": ("1.11.0", {}),
    "1.12.0": ("1.12.0", {}),
    "one per page, snapshots when they are needed": (
        "1.11.0",
        {"rest-page-size": "1", "snapshot-loading-mode": "refs"},
    ),
}


@pytest.fixture(scope="module", params=WAYS.values(), ids=WAYS.keys())
def way(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """Return the properties of one run of the kit."""
    way: tuple[str, dict[str, str]] = request.param
    return way


@pytest.fixture(scope="module")
def version(way: tuple[str, dict[str, str]]) -> str:
    """Return the served version of the contract."""
    return way[0]


@pytest.fixture(scope="module")
def results(
    tmp_path_factory: pytest.TempPathFactory, way: tuple[str, dict[str, str]]
) -> list[Result]:
    """Return the outcome of each test against a new durable server."""
    version, properties = way
    return against_ours(tmp_path_factory.mktemp("rck"), version, properties)


def against_ours(
    folder: Path, version: str, properties: Mapping[str, str], selection: Sequence[str] = KIT
) -> list[Result]:
    """Return the outcomes of selected tests against a new durable server."""
    scratch = folder / "warehouse" / "kit"
    scratch.mkdir(parents=True)
    existing = [place for place in FIXED_LOCATIONS if Path(place).exists()]
    if existing:
        pytest.skip(
            f"the kit keeps tables in {', '.join(existing)}, where something is already; remove that first"
        )
    allowed = [f"--allowed-location={place}" for place in FIXED_LOCATIONS]
    try:
        with serving(folder, f"--contract-version={version}", *durable(folder), *allowed) as url:
            place = (folder / "warehouse").as_uri()
            return run(
                url,
                warehouse=place,
                scratch=scratch,
                reports=folder / "reports",
                properties=properties,
                selection=selection,
            )
    finally:
        for place in FIXED_LOCATIONS:
            shutil.rmtree(place, ignore_errors=True)


def test_kit_runs_all_of_its_tests(results: list[Result]) -> None:
    assert len(results) == TESTS


def test_tests_missing_from_the_table_pass(results: list[Result], version: str) -> None:
    exceptions = not_passing(version)
    failures = [
        f"{result.name}: {result.message}"
        for result in results
        if result.outcome != "passed" and result.name not in exceptions
    ]

    assert failures == []


def test_tests_in_the_table_do_not_pass(results: list[Result], version: str) -> None:
    exceptions = not_passing(version)
    for result in results:
        if result.outcome != "passed":
            print(f"  {result.outcome}: {result.name}: {exceptions.get(result.name, '?')}")
    passes = {result.name for result in results if result.outcome == "passed"}
    print(f"  {len(passes)} of {len(results)} passed, contract {version}")

    assert sorted(passes & exceptions.keys()) == []
    assert sorted(exceptions.keys() - {result.name for result in results}) == []


@pytest.mark.parametrize("version", ["1.10.0", "1.11.0"])
def test_switched_on_tests_pass(tmp_path: Path, version: str) -> None:
    results = against_ours(tmp_path, version, {}, switch_options())

    assert {f"SwitchedOn.{test}": "passed" for test in SWITCHED_ON} == {
        result.name: result.outcome for result in results
    }, results
