"""The page on writing checks: its check passes on the reference server and kills its mutant, with
the code of the page alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[2]
PAGE = TESTS.parent / "docs" / "write-a-check.md"
MODULE = re.compile(
    r"`(?:conformance|tests)/((?:lakepact|mutants)/\S+)\.py`:\n\n```python\n(.*?)```", re.DOTALL
)

RUN = """
import sys, types
from lakepact.conformance.running import plan, runner, suite
from lakepact.conformance.evidence.target import Target
from lakepact.reference_server import running
from mutants import faults_of

for name, source in zip(sys.argv[1::2], sys.argv[2::2]):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, name, "exec"), vars(module))
(fault,) = faults_of(module)
for faults in ((), (fault,)):
    with running(contract="iceberg_rest", warehouse="memory:", faults=faults) as server:
        run = runner.Run(plan.plan(suite.load("iceberg_rest"), only=["namespaces.missing.*"]), Target(server.url))
        list(run.events())
    print(fault.name, *sorted({f"{v.requirement}={v.outcome}" for v in run.verdicts if v.check.startswith("namespaces.missing")}))
"""


def test_check_of_the_page_passes_and_kills_its_mutant() -> None:
    modules = [
        text
        for path, source in MODULE.findall(PAGE.read_text())
        for text in (path.replace("/", "."), source)
    ]
    env = {**os.environ, "PYTHONPATH": str(TESTS)}
    output = subprocess.run(
        [sys.executable, "-c", RUN, *modules], capture_output=True, text=True, check=True, env=env
    ).stdout

    assert output.splitlines() == [
        "missing-namespaces-are-gone IRC-ERR-008=pass IRC-NS-GET-005=pass",
        "missing-namespaces-are-gone IRC-ERR-008=pass IRC-NS-GET-005=fail",
    ]
