"""Steps of client drivers: lines of `ok`, `FAIL` or `known`, a name, and a reason if any, separated
by tabs.

`known` is a step that fails with every catalog; the driver states it, not the server.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LONGEST_RUN = 600  #: seconds


@dataclass(slots=True)
class Steps:
    """The outcomes of the steps of a client."""

    successes: list[str] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)  #: with the reason
    limits: dict[str, str] = field(default_factory=dict)  #: steps that fail with every catalog


def drive(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Steps:
    """Run a program of steps to its end, and print its steps as they end."""
    steps = Steps()
    other: list[str] = []
    with subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            kind, _, rest = line.rstrip("\n").partition("\t")
            name, _, why = rest.partition("\t")
            if kind in {"ok", "FAIL", "known"}:
                print(f"  {kind:5} {name}{f' | {why[:300]}' if why else ''}", flush=True)
            if kind == "ok":
                steps.successes.append(name)
            elif kind == "FAIL":
                steps.failures[name] = why
            elif kind == "known":
                steps.limits[name] = why
            else:
                other.append(line)
        code = process.wait(LONGEST_RUN)
    assert code == 0, f"{command[0]} ended with {code}:\n{''.join(other[-40:])}"
    print(
        f"  {len(steps.successes)} passed, {len(steps.failures)} failed, {len(steps.limits)} known not to work",
        flush=True,
    )
    return steps
