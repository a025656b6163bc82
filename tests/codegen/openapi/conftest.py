"""The package that `lakepact generate` makes of a small document, imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lakepact.cli import main
from round_trips import Package

PETSTORE = Path(__file__).parent / "petstore.yaml"


@pytest.fixture(scope="session")
def generation(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """Return the ended command, and the folder that it wrote."""
    folder = tmp_path_factory.mktemp("generated") / "petstore"
    return CliRunner().invoke(main, ["generate", str(PETSTORE), "--out", str(folder)]), folder


@pytest.fixture(scope="session")
def petstore(generation: tuple[Result, Path]) -> Iterator[Package]:
    sys.path.insert(0, str(generation[1].parent))
    yield Package("petstore")
    sys.path.remove(str(generation[1].parent))
