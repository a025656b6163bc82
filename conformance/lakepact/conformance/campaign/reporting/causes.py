"""The causes of divergences: steps in which targets differ in the same way, the gravest first.

A status counts more than a body, and a write more than a read. What occurs only after a graver cause, in the same cases, follows from it.
"""

from __future__ import annotations

import difflib
import itertools
import json
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.execution.sending import ANSWERED, BROKEN
from lakepact.conformance.campaign.judging.answers import compared, differences, generic, normalised, shown, suite_of
from lakepact.conformance.campaign.judging.members import place_of_answer
from lakepact.conformance.campaign.judging.verdicts import NO_ANSWER
from lakepact.conformance.campaign.planning.cases import READING
from lakepact.conformance.report.causes import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Row = dict[str, Any]
    Answers = Mapping[str, Row]  #: rows of `exchanges` of one step, by target
    At = tuple[str, int]  #: case and step

KINDS = ("status", "error_type", "body", "header")  #: the gravest first
SHOWN_TEXT = 80  #: characters of a value
CONTEXT, SHOWN_LINES, WIDTH = 2, 24, 56  #: of answers side by side


@dataclass(frozen=True, slots=True)
class Way:
    """The way in which the answers to a request differ.

    Args:
        operation: of the request.
        is_read: whether the request changes nothing.
        kind: one of `KINDS`.
        what: what each target answers, or the place in the body.
    """

    operation: str
    is_read: bool
    kind: str
    what: str

    @property
    def title(self) -> str:
        """The difference in one line."""
        match self.kind:
            case "status":
                return f"{self.operation} returned {self.what}"
            case "error_type":
                return f"{self.operation} returned errors of different types: {self.what}"
            case "body":
                return f"{self.operation} returned different content at {self.what}"
            case _:
                return f"{self.operation} returned different media types or ETags: {self.what}"


@dataclass(frozen=True)
class Cause:
    """One way in which targets differ, with the requests that show it.

    Args:
        way: how they differ.
        contract: of the request.
        occurrences: cases and steps.
        answers: those of the last step of the reproduction, or else of the first occurrence, by target.
        requirements: that a target breaks in these exchanges.
        following: what occurs only after it.
        reproduction: the answers to each step of the smallest sequence that shows it; empty if none was looked for.
    """

    way: Way
    contract: str
    occurrences: tuple[At, ...]
    answers: Answers
    requirements: tuple[str, ...] = ()
    following: tuple[Way, ...] = ()
    reproduction: tuple[Answers, ...] = ()

    @property
    def rank(self) -> tuple[int, bool, int]:
        """Rank of the cause; the gravest has the lowest."""
        return KINDS.index(self.way.kind), self.way.is_read, -len(self.occurrences)

    @property
    def heading(self) -> str:
        """The cause in one line."""
        return f"{self.way.title}, in {plural(len({case for case, _ in self.occurrences}), 'case')}"

    @property
    def curls(self) -> dict[str, str]:
        """The request to each target."""
        return {target: curl_of(row) for target, row in self.answers.items()}

    @property
    def places(self) -> list[str]:
        """The places in the body where the first two different answers differ, with both values."""
        one, other = (compared(self.contract, evidence.exchange_of(row), row["pages"]) for row in _two(self.contract, self.answers))
        return [f"{at}: {_short(a)} ≠ {_short(b)}" for at, a, b in differences(one, other)]

    @property
    def side_by_side(self) -> list[str]:
        """The first two different answers, line by line; `!` marks lines that differ."""
        one, other = (list(_lines(self.contract, row)) for row in _two(self.contract, self.answers))
        return list(itertools.islice(_beside(one, other), SHOWN_LINES))


def ways(contract: str, answers: Answers) -> list[Way]:
    """Return the ways in which targets answer a step differently, the gravest first."""
    rows = {target: row for target, row in sorted(answers.items()) if row["state"] in {ANSWERED, BROKEN}}
    if len(rows) < 2:
        return []
    seen = {target: _classes(contract, row) for target, row in rows.items()}
    first = next(iter(rows.values()))
    operation, is_read = first["operation_id"], first["method"] in READING
    coarsest = next((kind for kind in ("status", "error_type", "body") if _differ(seen, kind)), None)
    kinds = [kind for kind in (coarsest, "header" if coarsest != "status" else None) if kind and _differ(seen, kind)]
    found = [Way(operation, is_read, kind, _said(seen, kind)) for kind in kinds]
    if coarsest != "body":
        return found
    place = place_of_answer(suite_of(contract).contract, operation, first["http_status"])
    one, other = (compared(contract, evidence.exchange_of(row), row["pages"]) for row in _two(contract, rows))
    places = dict.fromkeys(generic(at, place) for at, _, _ in differences(one, other))
    return [*(Way(operation, is_read, "body", at) for at in places), *found[1:]]


def causes(divergences: Iterable[Row], exchanges: Mapping[At, Answers]) -> list[Cause]:
    """Return the causes of divergences, the gravest first.

    Args:
        divergences: rows of that table.
        exchanges: by case and step.
    """
    found: dict[Way, list[At]] = defaultdict(list)
    rows = {(row["case_id"], row["step"]): row for row in divergences}
    for at, row in rows.items():
        for way in ways(row["contract"], exchanges.get(at, {})):
            found[way].append(at)
    together: dict[tuple[At, ...], Cause] = {}
    for way, occurrences in found.items():
        first = min(occurrences, key=lambda at: (at[1], at[0]))
        broken = sorted({name for at in occurrences for name in rows[at]["requirement_ids"] or ()})
        cause = Cause(way, rows[first]["contract"], tuple(sorted(occurrences)), exchanges[first], tuple(broken))
        earlier = together.setdefault(cause.occurrences, cause)
        if earlier is not cause:  # the same requests show both
            together[cause.occurrences] = replace(earlier, following=(*earlier.following, way))
    return _without_consequences(sorted(together.values(), key=lambda cause: cause.rank))


def _without_consequences(ordered: Sequence[Cause]) -> list[Cause]:
    """Return causes that do not occur only after a graver one."""
    kept: list[Cause] = []
    for cause in ordered:
        for place, graver in enumerate(kept):
            since = dict(reversed(graver.occurrences))
            if all(case in since and since[case] < step for case, step in cause.occurrences):
                kept[place] = replace(graver, following=(*graver.following, cause.way, *cause.following))
                break
        else:
            kept.append(cause)
    return kept


def curl_of(row: Row) -> str:
    """Return the command line of a request; empty if none was sent."""
    return evidence.exchange_of(row).curl() if row["url"] else ""


def status_of(row: Row) -> str:
    """Return the status of an answer, or how its step ended otherwise."""
    return str(row["http_status"]) if row["state"] == ANSWERED else NO_ANSWER if row["state"] == BROKEN else row["state"]


def _classes(contract: str, row: Row) -> dict[str, str]:
    if row["state"] == BROKEN:
        return dict.fromkeys(KINDS, "") | {"status": NO_ANSWER}
    return normalised(contract, evidence.exchange_of(row), row["pages"])


def _differ(seen: Mapping[str, Mapping[str, str]], kind: str) -> bool:
    return len({each[kind] for each in seen.values()}) > 1


def _said(seen: Mapping[str, Mapping[str, str]], kind: str) -> str:
    return ", ".join(f"{each[kind] or 'none'} ({target})" for target, each in seen.items())


def _two(contract: str, answers: Answers) -> tuple[Row, Row]:
    """Return the first answer, and the first one that differs from it."""
    (one, *others) = (answers[target] for target in sorted(answers))
    is_like = _classes(contract, one)
    return one, next((other for other in others if _classes(contract, other) != is_like), others[0])


def _lines(contract: str, row: Row) -> Iterator[str]:
    yield f"status {status_of(row)}"
    if row["state"] != ANSWERED:
        return
    exchange = evidence.exchange_of(row)
    yield f"content-type {exchange.media_type or 'none'}"
    yield f"etag {'present' if 'etag' in exchange.headers else 'none'}"
    yield from json.dumps(compared(contract, exchange, row["pages"]), indent=1, sort_keys=True, ensure_ascii=False).splitlines()


def _beside(one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """Yield the lines of two texts beside each other, without those that are far from a difference."""
    for group in difflib.SequenceMatcher(None, one, other, autojunk=False).get_grouped_opcodes(CONTEXT):
        for tag, start, end, other_start, other_end in group:
            for left, right in itertools.zip_longest(one[start:end], other[other_start:other_end], fillvalue=""):
                yield f"{' ' if tag == 'equal' else '!'} {_cut(left):<{WIDTH}} │ {_cut(right)}".rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _short(value: Any) -> str:
    text = shown(value)
    return text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}…"
