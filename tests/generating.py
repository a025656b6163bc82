"""The generator, run like `nox -s generate`, on a small contract of every supported shape."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
CONTRACTS = HERE / "codegen" / "contracts"
SPECS = HERE.parent / "specs"


def generated(
    into: Path, *, specs: Path = CONTRACTS, hash_seed: int = 0
) -> subprocess.CompletedProcess[str]:
    """Generate the contracts below `specs`, and return the ended process."""
    command = [sys.executable, "-m", "codegen", "--specs", str(specs), "--out", str(into)]
    environment = {**os.environ, "PYTHONPATH": str(SPECS), "PYTHONHASHSEED": str(hash_seed)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
