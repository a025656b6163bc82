"""`lakepact generate` on documents of other projects: `nox -s generate_others`, or
`python -m generate_others [NAME …]` for some of them.

Each package is type-checked with `mypy --strict` and imported, and each of its operations makes a
round trip with each documented answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from generate_others.documents import SHIPPED
from round_trips import round_trips

SEEDS = 3  #: of the values that make the round trips
SHOWN = 10  #: differences of a package


def main(names: list[str]) -> int:
    """Generate and try each package; return 1 if one of them fails."""
    failed = False
    with tempfile.TemporaryDirectory(prefix="lakepact-") as folder:
        sys.path.insert(0, folder)
        for shipped in SHIPPED:
            if not names or shipped.name in names:
                problems, counts = tried(shipped.name, shipped.document(), Path(folder))
                failed = failed or bool(problems)
                counted = f"{shipped.name:<10} {shipped.package:<50} {counts}"
                sys.stdout.write("\n  ".join([counted, *problems]) + "\n")
                sys.stdout.flush()
    return int(failed)


def tried(name: str, document: Path, folder: Path) -> tuple[list[str], str]:
    """Generate a package, and return its problems and counts."""
    made = _run(
        "-m", "lakepact.cli", "generate", str(document), "--out", str(folder / name), "--json"
    )
    if made.returncode != 0:
        return [made.stderr], ""
    result: dict[str, Any] = json.loads(made.stdout)
    types = _run(
        "-m",
        "mypy",
        "--strict",
        "--config-file",
        "/dev/null",
        "--cache-dir",
        str(folder / ".mypy_cache"),
        str(folder / name),
    )
    problems = types.stdout.splitlines() if types.returncode else []
    calls = 0
    for seed in range(SEEDS):
        made_calls, differences = round_trips(name, seed)
        calls += made_calls
        problems += differences[:SHOWN]
    counted = f"{result['operations']} operations, {result['models']} models, {len(result['findings'])} findings"
    return problems, f"{counted}, {calls} round trips"


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
