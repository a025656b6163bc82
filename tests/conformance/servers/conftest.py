"""The fixture pack, and checks of the reference server that shares it with a quirk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from faulty import unnamed
from faulty_servers import checked
from lakepact.conformance.evidence.outcome import Outcome
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.fixtures import pack
from lakepact.reference_server.faults import Install
from lakepact.reference_server.running import running


@pytest.fixture(scope="session")
def shares(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("shares") / "pack"
    pack.write(folder)
    return folder


def results_of(
    folder: Path,
    *areas: str,
    quirk: Install | None = None,
    names_its_content: bool = True,
    **features: bool,
) -> dict[str, Any]:
    """Return the results of the checks of some areas on a server with a quirk;
    `names_its_content` tells the suite what the fixture pack holds.
    """
    faults = [] if quirk is None else [unnamed(quirk)]
    with running(contract="delta_sharing", shares=folder / "shares.yaml", faults=faults) as server:
        target = Target(
            server.address("delta_sharing"),
            headers={"Authorization": f"Bearer {pack.TOKENS['all']}"},
            features={"fixtures": names_its_content, **features},
            parameters={"fixtures": str(folder)} if names_its_content else {},
        )
        return checked(
            target, *(area if "-" in area else f"*.{area}.*" for area in areas), of="delta_sharing"
        ).results()


def failures(results: dict[str, Any]) -> dict[str, str]:
    """Return the requirements that fail, and why."""
    return {
        name: f"{result.outcome}: {result.verdicts[0].expected} / {result.verdicts[0].actual} ({result.verdicts[0].check})"
        for name, result in results.items()
        if result.outcome not in {Outcome.PASS, Outcome.NOT_OFFERED}
    }
