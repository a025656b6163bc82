"""Code of the small contract, generated once for all tests, and a copy of the contract to
modify.
"""

from __future__ import annotations

import importlib
import shutil
import warnings
from pathlib import Path

import pytest

from generating import CONTRACTS, generated

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # connexion imports deprecated modules
    importlib.import_module("connexion")


@pytest.fixture(scope="session")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package `lakepact.generated` of the small contract."""
    into = tmp_path_factory.mktemp("generated")
    ran = generated(into)
    assert (ran.returncode, ran.stderr) == (0, "")
    return into / "lakepact" / "generated"


@pytest.fixture
def rack(tmp_path: Path) -> Path:
    """Return a copy of the contract's folder."""
    return Path(shutil.copytree(CONTRACTS / "rack" / "2", tmp_path / "rack" / "2"))
