"""`python -m codegen`: make all generated code, or see whether it is what it should be."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from codegen import sync_twin
from codegen.compare import adopt, differences
from codegen.contracts import SPECS, Source, all_sources
from codegen.generate import generate
from lakepact.codegen.documents import Broken

GENERATED = SPECS.parent / "generated"


def main() -> int:
    """Generate, or check; 0 means that all is well."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=__doc__)
    parser.add_argument(
        "--specs", type=Path, default=SPECS, help="the folder that holds the contracts"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=GENERATED,
        help="the folder that holds the package lakepact.generated",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; list the files that differ from a fresh output",
    )
    arguments = parser.parse_args()
    try:
        sources = all_sources(arguments.specs)
        return _check(arguments.out, sources) if arguments.check else _write(arguments.out, sources)
    except Broken as broken:
        print(broken, file=sys.stderr)
        return 1


def _write(out: Path, sources: tuple[Source, ...]) -> int:
    with tempfile.TemporaryDirectory() as fresh:
        generate(Path(fresh), sources)  # what is there stays until all of it is made
        adopt(out, Path(fresh))
    if out == GENERATED:
        sync_twin.write()
    return 0


def _check(out: Path, sources: tuple[Source, ...]) -> int:
    with tempfile.TemporaryDirectory() as fresh:
        generate(Path(fresh), sources)
        different = differences(out, Path(fresh))
    different += [
        f"different {path.relative_to(SPECS.parent).as_posix()}" for path in sync_twin.stale()
    ]
    print("\n".join(different) or "generated code is what the contracts say")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
