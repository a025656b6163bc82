"""The generator carries the measured impact on clients into the package of the contract."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from codegen.contracts import SPECS, all_sources
from generating import CONTRACTS
from lakepact.codegen.documents import Broken
from lakepact.generated.contract import Contract, contracts


def test_impact_is_an_input_of_its_contract(tmp_path: Path) -> None:
    shutil.copytree(CONTRACTS, tmp_path, dirs_exist_ok=True)
    (tmp_path / "impact").mkdir()
    (tmp_path / "impact" / "rack.json").write_text("{}")

    assert (
        "specs/impact/rack.json"
        in next(source for source in all_sources(tmp_path) if source.name == "rack").inputs
    )


def test_impact_of_an_unknown_contract_is_refused(tmp_path: Path) -> None:
    (tmp_path / "impact").mkdir()
    (tmp_path / "impact" / "ghost.json").write_text("{}")

    with pytest.raises(Broken, match=r"impact/ghost\.json: there is no contract of this name"):
        all_sources(tmp_path)


@pytest.mark.parametrize("name", contracts())
def test_impact_of_a_contract_is_the_committed_table(name: str) -> None:
    contract = Contract(name)
    file = SPECS / "impact" / f"{contract.profile_of or name}.json"

    assert contract.impact.get("contract") == (file.stem if file.exists() else None)
