"""Cost of judging and analysing 200,000 exchanges: `nox -s campaign_bench`, or
`python tests/bench/judging.py [--exchanges N]`.

Some cases are really sent to four reference servers, one of them faulty. Their exchanges are then
copied: each copy of a case has unique names, UUIDs, times, address, body and answer. Only the
answers of correct targets to one case are equal, and with `--all-different` not even those. Exit
code 1 if time or memory exceeds the limit.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from campaigns import Here, few_cases, ran
from faulty import mutants
from lakepact.conformance.campaign import run_verdicts, tables
from lakepact.conformance.campaign.engines.local import LocalEngine
from lakepact.conformance.evidence.arrow import pa
from lakepact.reference_server.running import running as serving

TARGETS = {
    "one": (),
    "two": (),
    "three": (),
    "bad": ("creation-is-201", "drops-answer-200", "error-code-always-400"),
}
EXCHANGES = 200_000
SECONDS, MEGABYTES = (
    150.0,
    2000.0,
)  #: on two cores; judging takes 0.6 ms of computing for an exchange with its 17 verdicts
A_FILE = 20_000  #: exchanges
VARYING = re.compile(
    rb'lp_[0-9a-fr]+_\d+_|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=-ms":)\d{13}'
)
#: Places in a body where a text or a member can be inserted without changing its kind.
IN_AN_ANSWER = re.compile(rb'(?<="message":")|(?<="properties":\{)(?=(\})?)')
IN_A_REQUEST = re.compile(rb"\A\{(?=(\})?)")
DATES = 16  #: variants of each answer
LOOKED_AT = 0.1  #: seconds between two measurements of the memory


@dataclass
class StepCost:
    """Measurements of one step."""

    seconds: float = 0.0
    computing: float = 0.0  #: CPU seconds of all processes
    megabytes: float = 0.0  #: peak of all processes, shared memory counted once


@contextlib.contextmanager
def measure() -> Iterator[StepCost]:
    """Measure this process and its children for the length of a block."""
    cost, end = StepCost(), threading.Event()

    def watch() -> None:
        while not end.wait(LOOKED_AT):
            cost.megabytes = max(
                cost.megabytes, sum(map(proportional_set, [os.getpid(), *children(os.getpid())]))
            )

    watching = threading.Thread(target=watch)
    begin, before = time.perf_counter(), sum(os.times()[:4])
    watching.start()
    try:
        yield cost
    finally:
        end.set()
        watching.join()
        cost.seconds, cost.computing = (
            time.perf_counter() - begin,
            sum(os.times()[:4]) - before,
        )


def children(process: int) -> list[int]:
    """Return all descendants of a process, started by any of its threads."""
    own: list[int] = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            own += [int(child) for child in path.read_text().split()]
    return [one for child in own for one in (child, *children(child))]


def proportional_set(process: int) -> float:
    """Return the proportional set size of a process in megabytes."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1000
    return 0.0


class Copies:
    """Copies of the exchanges of a run.

    Args:
        rows: the exchanges of the run.
        all_different: whether all targets answer differently.
    """

    def __init__(self, rows: list[dict[str, Any]], *, all_different: bool) -> None:
        self._rows = rows
        self._all_different = all_different
        self._pieces = [self._cut(row) for row in rows]
        self._sent = pa.array([row["request_headers"] for row in rows], tables.PAIRS)
        self._answered = pa.array(
            [later(row["response_headers"], n) for row in rows for n in range(DATES)], tables.PAIRS
        )

    @staticmethod
    def _cut(row: dict[str, Any]) -> list[tuple[list[bytes], list[bytes]]]:
        contents = (
            (row["url"] or "").encode(),
            row["request_body"] or b"",
            row["response_body"] or b"",
        )
        return [(VARYING.split(content), VARYING.findall(content)) for content in contents]

    def table(self, first: int, many: int) -> Any:
        """Return a table of exchanges from a number on."""
        numbers = [n % len(self._rows) for n in range(first, first + many)]
        columns: dict[str, Any] = {
            name: [self._rows[n][name] for n in numbers]
            for name in tables.EXCHANGES.names
            if "headers" not in name
        }
        targets = 1 if self._all_different else len(TARGETS)
        for place, n in enumerate(numbers):
            case = (first + place) // targets
            columns["case_id"][place] = hashlib.sha256(
                b"%d" % (case // (len(TARGETS) // targets))
            ).hexdigest()[:32]
            columns["exchange_id"][place] = hashlib.sha256(b"%d" % (first + place)).hexdigest()[:32]
            columns["number"][place] = case
            url, columns["request_body"][place], columns["response_body"][place] = self._contents(
                n, case, first + place
            )
            columns["url"][place] = f"{url.decode()}{'&' if b'?' in url else '?'}case={case}"
            columns["response_bytes"][place] = len(columns["response_body"][place])
        variants = [n * DATES + (first + place) % DATES for place, n in enumerate(numbers)]
        columns["request_headers"] = self._sent.take(pa.array(numbers))
        columns["response_headers"] = as_long(
            self._answered.take(pa.array(variants)), columns["response_body"]
        )
        return pa.table(
            {
                f.name: pa.array(columns[f.name], f.type)
                if isinstance(columns[f.name], list)
                else columns[f.name]
                for f in tables.EXCHANGES
            }
        )

    def _contents(self, number: int, case: int, copy: int) -> list[bytes]:
        seed, others = random.Random(copy), dict[bytes, bytes]()

        def other(old: bytes) -> bytes:
            if old not in others:
                if old.startswith(b"lp_"):
                    others[old] = b"lp_%06x%d_%d_" % (copy % 4 + 10**6, copy % 4, case)
                elif b"-" in old:
                    digits = b"%032x" % seed.getrandbits(128)
                    others[old] = b"-".join(
                        (
                            digits[:8],
                            digits[8:12],
                            b"4" + digits[13:16],
                            b"8" + digits[17:20],
                            digits[20:],
                        )
                    )
                else:
                    others[old] = b"%d" % (int(old) + copy)
            return others[old]

        contents = []
        for constant, varying in self._pieces[number]:
            pieces = [constant[0]]
            for old, piece in zip(varying, constant[1:], strict=True):
                pieces += [other(old), piece]
            contents.append(b"".join(pieces))
        contents[1] = IN_A_REQUEST.sub(
            lambda met: b'{"case":%d%b' % (case, b"" if met[1] else b","), contents[1]
        )
        contents[2] = IN_AN_ANSWER.sub(
            lambda met: own(case, contents[2], met), contents[2], count=1
        )
        return contents


def own(case: int, content: bytes, met: re.Match[bytes]) -> bytes:
    """Return the part of an answer that is unique to its case: the beginning of a message, or a
    property.
    """
    if content[: met.start()].endswith(b'"'):
        return b"Case %d: " % case
    return b'"case":"%d"%b' % (case, b"" if met[1] else b",")


def as_long(headers: Any, bodies: list[bytes]) -> Any:
    """Return the headers with the lengths of these bodies as Content-Length."""
    pairs = headers.flatten()
    names, values = pairs.field("name").to_pylist(), pairs.field("value").to_pylist()
    for row, (start, end) in enumerate(pairwise(headers.offsets.to_pylist())):
        for place in range(start, end):
            if names[place].lower() == "content-length":
                values[place] = str(len(bodies[row]))
    structs = pa.StructArray.from_arrays(
        [pa.array(names, pa.string()), pa.array(values, pa.string())], names=["name", "value"]
    )
    return pa.ListArray.from_arrays(headers.offsets, structs).cast(tables.PAIRS)


def later(headers: list[dict[str, str]], seconds: int) -> list[dict[str, str]]:
    """Return the headers with a later Date."""
    return [
        {**one, "value": re.sub(r":\d\d GMT", f":{seconds:02d} GMT", one["value"])}
        if one["name"] == "date"
        else one
        for one in headers
    ]


def write(run: Path, first: int, many: int, *, all_different: bool) -> None:
    """Write one file of a run."""
    rows = tables.read(run / "real", tables.EXCHANGES).to_pylist()
    tables.write_part(
        Copies(rows, all_different=all_different).table(first, many),
        run / "exchanges",
        f"part-{first:09d}",
    )


def generate(folder: Path, exchanges: int, *, all_different: bool) -> Path:
    """Return a run with a number of exchanges."""
    run = folder / "run"
    with contextlib.ExitStack() as servers:
        urls = {
            name: servers.enter_context(serving(warehouse="memory:", faults=mutants(faults))).url
            for name, faults in TARGETS.items()
        }
        ran(
            few_cases(folder / "plan"),
            run,
            Here(),
            *(f"{name}={url}" for name, url in urls.items()),
        )
    real = tables.read(run / "exchanges", tables.EXCHANGES).sort_by(
        [("case_id", "ascending"), ("target", "ascending")]
    )
    tables.write_part(real, run / "real", "part-00000")
    for part in tables.parts(run / "exchanges"):
        part.unlink()
    generate_files(run, exchanges, all_different=all_different)
    return run


def generate_files(run: Path, exchanges: int, *, all_different: bool) -> None:
    """Write the exchanges of a run, as copies of the real exchanges."""
    with ProcessPoolExecutor() as pool:
        files = [
            pool.submit(
                write, run, first, min(A_FILE, exchanges - first), all_different=all_different
            )
            for first in range(0, exchanges, A_FILE)
        ]
        for file in files:
            file.result()


def main() -> int:
    """Generate a run, measure and print, and return 1 if a limit is exceeded."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--exchanges", type=int, default=EXCHANGES)
    options.add_argument(
        "--all-different", action="store_true", help="all targets answer differently"
    )
    options.add_argument(
        "--folder", type=Path, help="where a run is generated and kept, or an existing run"
    )
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        run = (
            folder / "run"
            if (folder / "run").is_dir()
            else generate(folder, arguments.exchanges, all_different=arguments.all_different)
        )
        steps: dict[str, StepCost] = {}
        with measure() as steps["judge"], LocalEngine() as engine:
            run_verdicts.judge(run, engine)
        with measure() as steps["analyse"], LocalEngine() as engine:
            analysis = run_verdicts.analyse(run, engine)
        exchanges = sum(row["exchanges"] for row in analysis["outcomes"])
        verdicts = tables.read(run / "results", tables.RESULTS, ["http_status"]).num_rows
    row_counts = ", ".join(f"{len(rows):,} {name}" for name, rows in analysis.items())
    lines = [f"{exchanges:,} exchanges, {verdicts:,} verdicts; rows: {row_counts}"]
    for name, cost in steps.items():
        lines.append(
            f"{name:8} {cost.seconds:6.1f} s  {cost.computing:6.1f} s computing  {cost.megabytes:6.0f} MB at most"
        )
    seconds, most = (
        sum(cost.seconds for cost in steps.values()),
        max(cost.megabytes for cost in steps.values()),
    )
    lines.append(
        f"{'both':8} {seconds:6.1f} s of {SECONDS * exchanges / EXCHANGES:.0f}, {most:.0f} MB of {MEGABYTES:.0f}"
    )
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if seconds <= SECONDS * exchanges / EXCHANGES and most <= MEGABYTES else 1


if __name__ == "__main__":
    sys.exit(main())
