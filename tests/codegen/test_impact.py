"""The generator carries the measured impact on clients into the package, and refuses one that names unknown things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codegen.contracts import all_sources
from codegen.impact import impact
from lakepact.codegen.documents import Broken

WORKS = {"outcome": "works"}


def measured(folder: Path, clients: dict[str, Any], requirement: str = "R-1") -> Path:
    entries = {requirement: {"mutant": "m", "clients": clients}}
    (folder / "rack.json").write_text(json.dumps({"clients": {"duckdb": {}}, "requirements": entries}))
    return folder / "rack.json"


def test_impact_is_carried_as_it_is_written(tmp_path: Path) -> None:
    file = measured(tmp_path, {"duckdb": WORKS})

    assert impact(file, {"R-1"}) == file.read_bytes()


@pytest.mark.parametrize(
    ("clients", "requirement", "why"),
    [
        ({"duckdb": WORKS}, "R-2", "impact/rack.json, R-2: unknown: the requirement"),
        ({"ghost": WORKS}, "R-1", "R-1: unknown: the client ghost"),
        ({"duckdb": {"outcome": "perhaps"}}, "R-1", "R-1: unknown: the outcome perhaps"),
    ],
    ids=["requirement", "client", "outcome"],
)
def test_impact_that_names_unknown_things_is_refused(clients: dict[str, Any], requirement: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(Broken, match=why):
        impact(measured(tmp_path, clients, requirement), {"R-1"})


def test_impact_of_an_unknown_contract_is_refused(tmp_path: Path) -> None:
    (tmp_path / "impact").mkdir()
    measured(tmp_path / "impact", {})

    with pytest.raises(Broken, match=r"impact/rack\.json: there is no contract of this name"):
        all_sources(tmp_path)
