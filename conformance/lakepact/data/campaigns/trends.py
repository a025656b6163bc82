"""Trends over landed runs: since when each target breaks a requirement, and what changed at that
time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign.analysis.findings import BAD, VERDICTS
from lakepact.conformance.report.page import page, plain_table, section, top
from lakepact.data.campaigns import RUN
from lakepact.data.campaigns.delta import deltalake
from lakepact.data.catalogs import CatalogAddress
from lakepact.data.compare.delta_side import batches_of

#: The columns that are read of each table.
COLUMNS = {
    "campaigns": (RUN, "created_at", "lakepact", "judge", "targets"),
    "coverage": (RUN, "target", "requirement_id", "verdict"),
}
UNSTATED = "without a version"
HEAD = ("target", "requirement", "verdict", "since", "run", "runs", "what changed then")


@dataclass(frozen=True)
class Run:
    """A landed run: its time, the judge of its verdicts, and the version that each target's profile
    states.
    """

    run_id: str
    day: str
    lakepact: str
    judge: str
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Trend:
    """A requirement on a target, as the last run that judged it found it.

    Args:
        target: name of the target.
        requirement_id: the requirement.
        verdict: of the last run.
        since: the first run of the unbroken series with a verdict as good or as bad.
        before: the run before that series; `None` if the first landed run begins it.
        runs: runs of the series.
    """

    target: str
    requirement_id: str
    verdict: str
    since: Run
    before: Run | None
    runs: int

    @property
    def is_bad(self) -> bool:
        """Whether the requirement is broken."""
        return self.verdict in BAD

    @property
    def change(self) -> str:
        """The settings that changed when the series began."""
        if self.before is None:
            return "the first landed run"
        old, new = self.before, self.since
        pairs = (
            (self.target, old.versions.get(self.target, ""), new.versions.get(self.target, "")),
            ("lakepact", old.lakepact, new.lakepact),
            ("checks of lakepact", old.judge, new.judge),
        )
        changes = [
            f"{name} {before or UNSTATED} → {after or UNSTATED}"
            for name, before, after in pairs
            if before != after
        ]
        return "; ".join(changes) or "no version that is known"


@dataclass(frozen=True)
class Trends:
    """All runs in the order of time, and the trend of each requirement on each target."""

    runs: tuple[Run, ...]
    trends: tuple[Trend, ...]
    verdicts: Mapping[
        tuple[str, str], Mapping[str, int]
    ]  #: requirements by verdict, by run id and target

    @property
    def breaches(self) -> tuple[Trend, ...]:
        """The broken requirements, latest first."""
        return tuple(
            sorted(
                (t for t in self.trends if t.is_bad),
                key=lambda t: (t.since.day, t.since.run_id),
                reverse=True,
            )
        )

    @property
    def repairs(self) -> tuple[Trend, ...]:
        """The requirements that a run broke and the last run keeps."""
        return tuple(t for t in self.trends if not t.is_bad and t.before is not None)


def of_delta(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of both tables in a folder of Delta tables.

    Raises:
        CannotLand: deltalake is not installed.
        LookupError: the folder holds no such table.
    """
    open_table = deltalake().DeltaTable
    for name in COLUMNS:
        if not open_table.is_deltatable(str(folder / name)):
            raise LookupError(
                f"{folder / name} is no Delta table; lakepact campaign land --as delta --to"
                f" {folder} makes it"
            )
    return {
        name: _rows(batches_of(open_table(str(folder / name)), ", ".join(few)))
        for name, few in COLUMNS.items()
    }


def of_iceberg(catalog: CatalogAddress, *, namespace: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of both tables in an Iceberg catalog.

    Raises:
        CannotOpen: the catalog does not answer, or has no such table.
    """
    with catalog.open() as client:
        return {
            name: _rows(client.scan((namespace, name), few).batches())
            for name, few in COLUMNS.items()
        }


def _rows(batches: Iterable[Any]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


def trends(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> Trends:
    """Return the trends of the rows of `campaigns` and `coverage`."""
    runs = {
        row[RUN]: _run(row)
        for row in sorted(rows["campaigns"], key=lambda row: (row["created_at"], row[RUN]))
    }
    by_requirement: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    verdicts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows["coverage"]:
        by_requirement[row["target"], row["requirement_id"]][row[RUN]] = row["verdict"]
        verdicts[row[RUN], row["target"]][row["verdict"]] += 1
    all_trends = (
        _trend(key, [(run, by_run[name]) for name, run in runs.items() if name in by_run])
        for key, by_run in sorted(by_requirement.items())
    )
    return Trends(tuple(runs.values()), tuple(filter(None, all_trends)), verdicts)


def _run(row: Mapping[str, Any]) -> Run:
    versions = {target["name"]: target.get("version") or "" for target in row["targets"]}
    return Run(
        row[RUN], f"{row['created_at']:%Y-%m-%d %H:%M}", row["lakepact"], row["judge"], versions
    )


def _trend(key: tuple[str, str], history: Sequence[tuple[Run, str]]) -> Trend | None:
    """Return the last series of runs whose verdicts are all bad, or all good; undecided runs do not
    end it.
    """
    verdicts = [(run, verdict) for run, verdict in history if verdict in (*BAD, "pass")]
    if not verdicts:
        return None
    is_bad, length = verdicts[-1][1] in BAD, 0
    for _, verdict in reversed(verdicts):
        if (verdict in BAD) != is_bad:
            break
        length += 1
    before = verdicts[-length - 1][0] if length < len(verdicts) else None
    return Trend(*key, verdicts[-1][1], verdicts[-length][0], before, length)


def _rows_of(history: Iterable[Trend]) -> list[tuple[object, ...]]:
    """Return the rows of a table with the columns of `HEAD`."""
    return [
        (t.target, t.requirement_id, t.verdict, t.since.day, t.since.run_id, t.runs, t.change)
        for t in history
    ]


def html(history: Trends) -> str:
    """Return the trends as a page."""
    return page("Trends of campaigns", _parts(history))


def _parts(history: Trends) -> Iterator[str]:
    links = {"broken": "Broken now", "mended": "Mended", "runs": "Runs"}
    days = [run.day for run in history.runs]
    facts = {
        "runs": len(history.runs),
        "from": days[0] if days else "—",
        "to": days[-1] if days else "—",
    }
    yield top("Conformance campaigns", "Trends", facts, links=links)
    yield "<main>"
    for anchor, lead, some in (
        (
            "broken",
            "Requirements that the last run that judged them found broken, and since when.",
            history.breaches,
        ),
        ("mended", "Requirements that a run found broken and that pass now.", history.repairs),
    ):
        tables = [plain_table(HEAD, _rows_of(some))] if some else []
        yield from section(anchor, links[anchor], tables, lead=lead if some else "None.")
    counts = [
        (
            run.day,
            run.run_id,
            target,
            version,
            *(history.verdicts[run.run_id, target].get(verdict, 0) for verdict in VERDICTS),
        )
        for run in reversed(history.runs)
        for target, version in run.versions.items()
    ]
    yield from section(
        "runs",
        "Runs",
        [plain_table(("day", "run", "target", "version", *VERDICTS), counts)],
        lead="Latest first.",
    )
    yield "</main>"
