"""One case again, in this process: sent as it was, or made as small as it can be while it goes on
to show the same.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lakepact.conformance.campaign import documents, tables
from lakepact.conformance.campaign.analysis.findings import BAD
from lakepact.conformance.campaign.errors import Refused
from lakepact.conformance.campaign.execution.job import Job
from lakepact.conformance.campaign.execution.sending import ANSWERED, Bench, Down
from lakepact.conformance.campaign.judging.verdicts import judged
from lakepact.conformance.campaign.paths import parquet
from lakepact.conformance.campaign.planning import cases
from lakepact.conformance.campaign.planning.cases import CHECK, SEQUENCE
from lakepact.conformance.campaign.reporting.causes import Answers, Cause, ways
from lakepact.conformance.campaign.runs import discovered
from lakepact.conformance.campaign.targets import of_document
from lakepact.conformance.evidence.arrow import pa, pc
from lakepact.conformance.fuzz.shrinking import ATTEMPTS, Shrinking
from lakepact.conformance.fuzz.steps import Step
from lakepact.conformance.running import suite as suites

Row = dict[str, Any]

FEWEST_DIGITS = 6  #: of the name of a case that is not told in full


@dataclass(frozen=True)
class Answered:
    """One step of a case as it went, and what was said of it."""

    row: Row
    verdicts: tuple[Row, ...]

    @property
    def bad(self) -> tuple[Row, ...]:
        """Return the broken requirements."""
        return tuple(one for one in self.verdicts if one["verdict"] in BAD)


@dataclass(frozen=True)
class Replayed:
    """A case that was sent again.

    Args:
        case: its row.
        before: its steps as they landed; none if they have not.
        after: as they went now.
    """

    case: Row
    before: tuple[Answered, ...]
    after: tuple[Answered, ...]

    def differs(self, step: int) -> tuple[str, ...]:
        """Return the differences of the answer to a step without names, times and places; empty if
        it is equivalent.
        """
        if step >= len(self.before) or step >= len(self.after):
            return ("only one of them came so far",)
        then, now = (each[step].row for each in (self.before, self.after))
        if (then["state"], now["state"]) != (ANSWERED, ANSWERED):
            return (
                () if then["state"] == now["state"] else (f"{then['state']}, now {now['state']}",)
            )
        return tuple(
            way.what if way.kind == "body" else way.kind
            for way in ways(self.case["contract"], {"then": then, "now": now})
        )


@dataclass(frozen=True)
class Minimized:
    """The smallest case that was found.

    Args:
        requirement: what it goes on to break.
        before: the steps that it began with, those that prepare included.
        case: its row; it is a case like any other.
        answered: its steps as they went.
        sent: how often a case was sent on the way.
    """

    requirement: str
    before: int
    case: Row
    answered: tuple[Answered, ...]
    sent: int


def replayed(run: Path, case_id: str, target: str, *, url: str | None = None) -> Replayed:
    """Send a case once more.

    Args:
        run: folder of the run that has it.
        case_id: its name, or the beginning of it.
        target: the name of one of its targets.
        url: another address to send it to.

    Raises:
        LookupError: there is no such run, case or target.
        Refused: the target does not answer.
    """
    said = documents.read(run / "run.json")
    case = _case(run, case_id)
    before = [row for row in _rows(run / "exchanges", case["case_id"]) if row["target"] == target]
    with _bench(said, target, case, url) as (bench, features):
        after = _sent(bench, case)
    earlier = {target: dict(of_document(_document(said, target)).features)}
    before.sort(key=lambda row: row["step"])
    return Replayed(case, _answered(before, earlier), _answered(after, features))


def minimized(
    run: Path,
    case_id: str,
    target: str,
    *,
    requirement: str | None = None,
    url: str | None = None,
    attempts: int = ATTEMPTS,
) -> Minimized:
    """Make a case smaller as long as the same requirement is broken: steps, members and items are
    left out, long texts cut.

    Args:
        run: folder of the run that has it.
        case_id: its name, or the beginning of it.
        target: the name of one of its targets.
        requirement: which one, if it breaks several.
        url: another address to send it to.
        attempts: how often to send it at most.

    Raises:
        LookupError: there is no such run, case or target, or the case breaks nothing (any more).
        Refused: the target does not answer.
    """
    said = documents.read(run / "run.json")
    row = _case(run, case_id)
    if row["mode"] == CHECK:
        raise LookupError(
            f"{row['case_id']} is the check {row['request']}, which is as small as it was written;"
            " lakepact check --only it"
        )
    wanted = [requirement] if requirement else []
    with _bench(said, target, row, url) as (bench, features):

        def breaks(answers: Answers) -> bool:
            broken = [
                bad["requirement_id"] for bad in _answered([answers[target]], features)[0].bad
            ]
            wanted.extend([] if wanted else broken[:1])
            return bool(wanted) and wanted[0] in broken

        search = _Search(row, {target: bench}, breaks)
        if not search.finds(attempts):
            what = f"does not break {requirement}" if requirement else "breaks nothing"
            raise LookupError(
                f"{row['case_id']} {what} on {target} any more: there is nothing to make smaller"
            )
        answered = _answered([answers[target] for answers in search.answered], features)
    return Minimized(
        wanted[0],
        len(search.steps),
        {**search.best, "number": row["number"]},
        answered,
        search.sent,
    )


def reproduced(run: Path, cause: Cause, *, attempts: int = ATTEMPTS) -> Cause:
    """Return a cause of divergences with the smallest sequence that was found for which the targets
    still differ in this way.

    Args:
        run: folder of the run that has it.
        cause: the cause.
        attempts: how often to send a sequence at most.

    Raises:
        Refused: a target does not answer.
    """
    said, row = documents.read(run / "run.json"), _case(run, cause.occurrences[0][0])
    with ExitStack() as stack:
        benches = {
            target: stack.enter_context(_bench(said, target, row, None))[0]
            for target in cause.answers
        }
        search = _Search(row, benches, lambda answers: cause.way in ways(row["contract"], answers))
        if not search.finds(attempts):
            return cause
    return replace(cause, answers=search.answered[-1], reproduction=search.answered)


class _Search:
    """Sends sequences to targets, and remembers the last that showed what is looked for, with its
    answers.
    """

    def __init__(
        self, row: Row, benches: Mapping[str, Bench], shows: Callable[[Answers], bool]
    ) -> None:
        case = cases.case_of(row)
        self.steps = [*case.setup, *case.steps]
        self.best, self.sent = row, 0
        self.answered: tuple[Answers, ...] = ()
        self._case, self._benches, self._shows = (
            replace(case, mode=SEQUENCE, setup=()),
            benches,
            shows,
        )
        self._contract = suites.load(case.contract).contract
        self._sha256 = cases.fingerprint(self._contract)

    def finds(self, attempts: int) -> bool:
        """Look for the shortest sequence, and return whether there is any."""
        needed = self._needed(self.steps)
        if needed:
            Shrinking(self.steps[:needed], self._needed, attempts=attempts).shortest()
        return bool(needed)

    def _needed(self, steps: Sequence[Step]) -> int:
        """Return how many of the steps it takes; 0 if they do not show it."""
        self.sent += 1
        row = {**self._row(steps), "number": self.sent}
        sent = {target: _sent(bench, row) for target, bench in self._benches.items()}
        answered = [
            dict(zip(sent, rows, strict=True)) for rows in zip(*sent.values(), strict=False)
        ]
        needed = next(
            (done for done, answers in enumerate(answered, start=1) if self._shows(answers)), 0
        )
        if needed:
            self.best, self.answered = self._row(steps[:needed]), tuple(answered[:needed])
        return needed

    def _row(self, steps: Sequence[Step]) -> Row:
        return cases.row_of(replace(self._case, steps=tuple(steps)), self._contract, self._sha256)


def _sent(bench: Bench, row: Row) -> list[Row]:
    try:
        return bench.rows(row)
    except Down as down:
        raise Refused("the target stopped answering") from down


def _answered(
    rows: Sequence[Row], features: Mapping[str, Mapping[str, bool]]
) -> tuple[Answered, ...]:
    return tuple(Answered(row, tuple(judged(row, features)[0])) for row in rows)


@contextmanager
def _bench(
    said: Mapping[str, Any], target: str, case: Row, url: str | None
) -> Generator[tuple[Bench, Mapping[str, Mapping[str, bool]]]]:
    asked = of_document(_document(said, target))
    if asked.contract != case["contract"]:
        raise LookupError(
            f"{target} is asked for {asked.contract}, the case is one of {case['contract']}"
        )
    asked = discovered(replace(asked, url=url.rstrip("/")) if url else asked)
    word = secrets.token_hex(3)
    bench = Bench(Job("", said["run_id"], word, (asked,)), 0, word)
    try:
        yield bench, {target: dict(asked.features)}
    finally:
        bench.close()


def _document(said: Mapping[str, Any], target: str) -> Mapping[str, Any]:
    for document in said["targets"]:
        if document["name"] == target:
            found: Mapping[str, Any] = document
            return found
    raise LookupError(
        f"--target {target}: the run has"
        f" {', '.join(document['name'] for document in said['targets'])}"
    )


def _case(run: Path, case_id: str) -> Row:
    short = case_id.rstrip("…")
    held = tables.read(run / "cases", tables.CASES)
    found: list[Row] = (
        held.filter(pc.starts_with(held.column("case_id"), short)).to_pylist()
        if len(short) >= FEWEST_DIGITS
        else []
    )
    if len(found) != 1:
        raise LookupError(
            f"--case {case_id}:"
            f" {'several cases begin' if found else 'no case of the run begins'} so"
        )
    return found[0]


def _rows(folder: Path, case_id: str) -> list[Row]:
    wanted = pa.array([case_id], tables.TEXT)
    found: list[Row] = []
    for part in tables.parts(folder):
        with parquet(part) as file:
            table = file.read(columns=["case_id"])
            if pc.any(pc.is_in(table.column("case_id"), value_set=wanted)).as_py():
                whole = tables.read_file(part, tables.EXCHANGES)
                found += whole.filter(
                    pc.is_in(whole.column("case_id"), value_set=wanted)
                ).to_pylist()
    return found
