"""Replays one case in this process: unchanged, or shrunk as long as it shows the same."""

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
from lakepact.conformance.campaign.execution.sending import ANSWERED, CaseSender, Down
from lakepact.conformance.campaign.judging.verdicts import judge_row
from lakepact.conformance.campaign.paths import parquet
from lakepact.conformance.campaign.planning import cases
from lakepact.conformance.campaign.planning.cases import CHECK, SEQUENCE
from lakepact.conformance.campaign.reporting.causes import Answers, Cause, ways
from lakepact.conformance.campaign.runs import discover
from lakepact.conformance.campaign.targets import of_document
from lakepact.conformance.evidence.arrow import pa, pc
from lakepact.conformance.fuzz.shrinking import ATTEMPTS, Shrinking
from lakepact.conformance.fuzz.steps import Step
from lakepact.conformance.running import suite as suites

Row = dict[str, Any]

FEWEST_DIGITS = 6  #: of the name of a case that is not told in full


@dataclass(frozen=True)
class Answered:
    """One step of a case with its answer and verdicts."""

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
    """The smallest case that breaks a requirement.

    Args:
        requirement: the broken requirement.
        before: the steps of the original case, including its setup.
        case: its row; it is a case like any other.
        results: its steps as they went.
        attempts: how often a case was sent.
    """

    requirement: str
    before: int
    case: Row
    results: tuple[Answered, ...]
    attempts: int


def send_again(run: Path, case_id: str, target: str, *, url: str | None = None) -> Replayed:
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
    document = documents.read(run / "run.json")
    case = _case(run, case_id)
    before = [row for row in _rows(run / "exchanges", case["case_id"]) if row["target"] == target]
    with _sender(document, target, case, url) as (sender, features):
        after = _send(sender, case)
    earlier = {target: dict(of_document(_document(document, target)).features)}
    before.sort(key=lambda row: row["step"])
    return Replayed(case, _judge_steps(before, earlier), _judge_steps(after, features))


def minimize(
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
    document = documents.read(run / "run.json")
    row = _case(run, case_id)
    if row["mode"] == CHECK:
        raise LookupError(
            f"{row['case_id']} is the check {row['request']}, which is as small as it was written;"
            " lakepact check --only it"
        )
    requirements = [requirement] if requirement else []
    with _sender(document, target, row, url) as (sender, features):

        def breaks(answers: Answers) -> bool:
            failing = [
                bad["requirement_id"] for bad in _judge_steps([answers[target]], features)[0].bad
            ]
            requirements.extend([] if requirements else failing[:1])
            return bool(requirements) and requirements[0] in failing

        search = _Search(row, {target: sender}, breaks)
        if not search.finds(attempts):
            what = f"does not break {requirement}" if requirement else "breaks nothing"
            raise LookupError(
                f"{row['case_id']} {what} on {target} any more: there is nothing to make smaller"
            )
        results = _judge_steps([answers[target] for answers in search.results], features)
    return Minimized(
        requirements[0],
        len(search.steps),
        {**search.best, "number": row["number"]},
        results,
        search.attempts,
    )


def reproduce(run: Path, cause: Cause, *, attempts: int = ATTEMPTS) -> Cause:
    """Return a cause of divergences with the smallest sequence that was found for which the targets
    still differ in this way.

    Args:
        run: folder of the run that has it.
        cause: the cause.
        attempts: how often to send a sequence at most.

    Raises:
        Refused: a target does not answer.
    """
    document, row = documents.read(run / "run.json"), _case(run, cause.occurrences[0][0])
    with ExitStack() as stack:
        senders = {
            target: stack.enter_context(_sender(document, target, row, None))[0]
            for target in cause.answers
        }
        search = _Search(row, senders, lambda answers: cause.way in ways(row["contract"], answers))
        if not search.finds(attempts):
            return cause
    return replace(cause, answers=search.results[-1], reproduction=search.results)


class _Search:
    """Sends sequences to targets, and remembers the last one that showed the difference or
    breach.
    """

    def __init__(
        self, row: Row, senders: Mapping[str, CaseSender], shows: Callable[[Answers], bool]
    ) -> None:
        case = cases.case_of(row)
        self.steps = [*case.setup, *case.steps]
        self.best, self.attempts = row, 0
        self.results: tuple[Answers, ...] = ()
        self._case, self._senders, self._shows = (
            replace(case, mode=SEQUENCE, setup=()),
            senders,
            shows,
        )
        self._contract = suites.load(case.contract).contract
        self._sha256 = cases.fingerprint(self._contract)

    def finds(self, attempts: int) -> bool:
        """Look for the shortest sequence, and return whether there is any."""
        count = self._steps_to_fail(self.steps)
        if count:
            Shrinking(self.steps[:count], self._steps_to_fail, attempts=attempts).shortest()
        return bool(count)

    def _steps_to_fail(self, steps: Sequence[Step]) -> int:
        """Return the number of steps until the first that shows it; 0 if none does."""
        self.attempts += 1
        row = {**self._row(steps), "number": self.attempts}
        rows_by_target = {target: _send(sender, row) for target, sender in self._senders.items()}
        results = [
            dict(zip(rows_by_target, rows, strict=True))
            for rows in zip(*rows_by_target.values(), strict=False)
        ]
        count = next(
            (number for number, answers in enumerate(results, start=1) if self._shows(answers)), 0
        )
        if count:
            self.best, self.results = self._row(steps[:count]), tuple(results[:count])
        return count

    def _row(self, steps: Sequence[Step]) -> Row:
        return cases.row_of(replace(self._case, steps=tuple(steps)), self._contract, self._sha256)


def _send(sender: CaseSender, row: Row) -> list[Row]:
    try:
        return sender.rows(row)
    except Down as down:
        raise Refused("the target stopped answering") from down


def _judge_steps(
    rows: Sequence[Row], features: Mapping[str, Mapping[str, bool]]
) -> tuple[Answered, ...]:
    return tuple(Answered(row, tuple(judge_row(row, features)[0])) for row in rows)


@contextmanager
def _sender(
    document: Mapping[str, Any], target: str, case: Row, url: str | None
) -> Generator[tuple[CaseSender, Mapping[str, Mapping[str, bool]]]]:
    settings = of_document(_document(document, target))
    if settings.contract != case["contract"]:
        raise LookupError(
            f"{target} is asked for {settings.contract}, the case is one of {case['contract']}"
        )
    settings = discover(replace(settings, url=url.rstrip("/")) if url else settings)
    word = secrets.token_hex(3)
    sender = CaseSender(Job("", document["run_id"], word, (settings,)), 0, word)
    try:
        yield sender, {target: dict(settings.features)}
    finally:
        sender.close()


def _document(run_document: Mapping[str, Any], target: str) -> Mapping[str, Any]:
    for document in run_document["targets"]:
        if document["name"] == target:
            result: Mapping[str, Any] = document
            return result
    raise LookupError(
        f"--target {target}: the run has"
        f" {', '.join(document['name'] for document in run_document['targets'])}"
    )


def _case(run: Path, case_id: str) -> Row:
    short = case_id.rstrip("…")
    table = tables.read(run / "cases", tables.CASES)
    rows: list[Row] = (
        table.filter(pc.starts_with(table.column("case_id"), short)).to_pylist()
        if len(short) >= FEWEST_DIGITS
        else []
    )
    if len(rows) != 1:
        raise LookupError(
            f"--case {case_id}: {'several cases begin' if rows else 'no case of the run begins'} so"
        )
    return rows[0]


def _rows(folder: Path, case_id: str) -> list[Row]:
    ids = pa.array([case_id], tables.TEXT)
    result: list[Row] = []
    for part in tables.parts(folder):
        with parquet(part) as file:
            table = file.read(columns=["case_id"])
            if pc.any(pc.is_in(table.column("case_id"), value_set=ids)).as_py():
                whole = tables.read_file(part, tables.EXCHANGES)
                result += whole.filter(pc.is_in(whole.column("case_id"), value_set=ids)).to_pylist()
    return result
