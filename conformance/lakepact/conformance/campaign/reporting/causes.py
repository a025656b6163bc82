"""The causes of divergences: steps in which targets differ in the same way, the gravest first.

A status counts more than a body, and a write more than a read. A difference that occurs only after
a graver cause follows from it.
"""

from __future__ import annotations

import difflib
import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lakepact.conformance.campaign.execution import evidence
from lakepact.conformance.campaign.execution.sending import ANSWERED, BROKEN
from lakepact.conformance.campaign.judging.answers import (
    comparable_body,
    differences,
    generic,
    json_text,
    normalise,
    suite_of,
)
from lakepact.conformance.campaign.judging.members import place_of_answer
from lakepact.conformance.campaign.judging.verdicts import NO_ANSWER
from lakepact.conformance.campaign.planning.cases import READING
from lakepact.conformance.report.causes import plural

Row = dict[str, Any]
Answers = Mapping[str, Row]  #: rows of `exchanges` of one step, by target
At = tuple[str, int]  #: case and step

SHOWN_TEXT = 80  #: characters of a value
CONTEXT, SHOWN_LINES, WIDTH = 2, 24, 56  #: of answers side by side


#: Kinds of differences, the gravest first, and how they are told.
TITLES = {
    "status": "{operation} returned {what}",
    "error_type": "{operation} returned errors of different types: {what}",
    "body": "{operation} returned different content at {what}",
    "header": "{operation} returned different media types or ETags: {what}",
}


@dataclass(frozen=True, slots=True)
class Way:
    """The way in which the answers to a request differ."""

    operation: str
    is_read: bool  #: whether the request changes nothing
    kind: str  #: one of `TITLES`
    what: str  #: what each target answers, or the place in the body

    @property
    def title(self) -> str:
        """The difference in one line."""
        return TITLES[self.kind].format(operation=self.operation, what=self.what)


@dataclass(frozen=True)
class Cause:
    """One way in which targets differ, with the requests that show it."""

    way: Way
    contract: str
    occurrences: tuple[At, ...]
    answers: Answers  #: those of the last step of the reproduction, or else of the first occurrence
    requirements: tuple[str, ...] = ()  #: that a target breaks in these exchanges
    following: tuple[Way, ...] = ()  #: what occurs only after it
    reproduction: tuple[
        Answers, ...
    ] = ()  #: of each step of the smallest sequence that shows it, if one was looked for

    @property
    def rank(self) -> tuple[int, bool, int]:
        """Rank of the cause; the gravest has the lowest."""
        return list(TITLES).index(self.way.kind), self.way.is_read, -len(self.occurrences)

    @property
    def heading(self) -> str:
        """The cause in one line."""
        return f"{self.way.title}, in {plural(len({case for case, _ in self.occurrences}), 'case')}"

    @property
    def places(self) -> list[str]:
        """The places in the body where two of the answers differ, with both values."""
        bodies = _bodies(self.contract, self.answers, self.way.kind)
        return [f"{at}: {_short(a)} ≠ {_short(b)}" for at, a, b in differences(*bodies)]

    @property
    def side_by_side(self) -> list[str]:
        """The answer that fewest targets give beside the one that most give, line by line below the
        targets' names; `!` marks lines that differ.
        """
        two = _two(self.contract, self.answers, self.way.kind)
        lines = _beside(*(_lines(self.contract, row) for row in two.values()))
        return [f"  {_columns(*two)}", *itertools.islice(lines, SHOWN_LINES)]


def ways(contract: str, answers: Answers) -> list[Way]:
    """Return the ways in which targets answer a step differently, the gravest first."""
    rows = _comparable(answers)
    if len(rows) < 2:
        return []
    classes = {target: _classes(contract, row) for target, row in rows.items()}
    first = next(iter(rows.values()))
    different = [kind for kind in TITLES if len({each[kind] for each in classes.values()}) > 1]
    result = []
    for kind in different[:1] + [
        kind for kind in different[1:] if kind == "header" and different[0] != "status"
    ]:
        answers_of = {target: each[kind] or "none" for target, each in classes.items()}
        if NO_ANSWER in answers_of.values():  # one cause, whatever the others return
            answers_of = {
                target: answer if answer == NO_ANSWER else "an answer"
                for target, answer in answers_of.items()
            }
        what = [", ".join(f"{answer} ({target})" for target, answer in answers_of.items())]
        if kind == "body":
            place = place_of_answer(
                suite_of(contract).contract, first["operation_id"], first["http_status"]
            )
            places = differences(*_bodies(contract, rows, kind))
            what = list(dict.fromkeys(generic(at, place) for at, _, _ in places))
        result += [
            Way(first["operation_id"], first["method"] in READING, kind, each) for each in what
        ]
    return result


def causes(divergences: Iterable[Row], exchanges: Mapping[At, Answers]) -> list[Cause]:
    """Return the causes of divergences, the gravest first.

    Args:
        divergences: rows of that table.
        exchanges: by case and step.
    """
    by_way: dict[Way, list[At]] = defaultdict(list)
    rows = {(row["case_id"], row["step"]): row for row in divergences}
    for at, row in rows.items():
        for way in ways(row["contract"], exchanges.get(at, {})):
            by_way[way].append(at)
    together: dict[tuple[At, ...], Cause] = {}
    for way, occurrences in by_way.items():
        first = min(occurrences, key=lambda at: (at[1], at[0]))
        requirements = sorted(
            {name for at in occurrences for name in rows[at]["requirement_ids"] or ()}
        )
        cause = Cause(
            way,
            rows[first]["contract"],
            tuple(sorted(occurrences)),
            exchanges[first],
            tuple(requirements),
        )
        earlier = together.setdefault(cause.occurrences, cause)
        if earlier is not cause:  # the same requests show both
            together[cause.occurrences] = replace(earlier, following=(*earlier.following, way))
    return _without_consequences(sorted(together.values(), key=lambda cause: cause.rank))


def _without_consequences(candidates: Sequence[Cause]) -> list[Cause]:
    """Return causes that do not occur only after a graver one."""
    result: list[Cause] = []
    for cause in candidates:
        for place, graver in enumerate(result):
            since = dict(reversed(graver.occurrences))
            if all(case in since and since[case] < step for case, step in cause.occurrences):
                result[place] = replace(
                    graver, following=(*graver.following, cause.way, *cause.following)
                )
                break
        else:
            result.append(cause)
    return result


def curl_of(row: Row) -> str:
    """Return the command line of a request; empty if none was sent."""
    return evidence.exchange_of(row).curl() if row["url"] else ""


def status_of(row: Row) -> str:
    """Return the status of an answer, or how its step ended otherwise."""
    return (
        str(row["http_status"])
        if row["state"] == ANSWERED
        else NO_ANSWER
        if row["state"] == BROKEN
        else row["state"]
    )


def _classes(contract: str, row: Row) -> dict[str, str]:
    if row["state"] == BROKEN:
        return dict.fromkeys(TITLES, "") | {"status": NO_ANSWER}
    return normalise(contract, evidence.exchange_of(row), row["pages"])


def _comparable(answers: Answers) -> Answers:
    return {
        target: row for target, row in sorted(answers.items()) if row["state"] in {ANSWERED, BROKEN}
    }


def _two(contract: str, answers: Answers, kind: str) -> Answers:
    """Return an answer that fewest targets give and one that most give, in the order of targets."""
    classes = {
        target: _classes(contract, row)[kind] for target, row in _comparable(answers).items()
    }
    first = {each: target for target, each in reversed(classes.items())}
    (common, _), *others = Counter(classes.values()).most_common()
    two = {first[common], first[others[-1][0]] if others else [*classes][-1]}
    return {target: answers[target] for target in classes if target in two}


def _bodies(contract: str, answers: Answers, kind: str) -> list[Any]:
    return [_body(contract, row) for row in _two(contract, answers, kind).values()]


def _body(contract: str, row: Row) -> Any:
    return comparable_body(contract, evidence.exchange_of(row), row["pages"])


def _lines(contract: str, row: Row) -> list[str]:
    if row["state"] != ANSWERED:
        return [f"status {status_of(row)}"]
    headers = [f"status {status_of(row)}", _classes(contract, row)["header"]]
    return (
        headers
        + json.dumps(
            _body(contract, row), indent=1, sort_keys=True, ensure_ascii=False
        ).splitlines()
    )


def _beside(one: Sequence[str], other: Sequence[str]) -> Iterator[str]:
    """Yield the lines of two texts beside each other, without those that are far from a
    difference.
    """
    for group in difflib.SequenceMatcher(None, one, other, autojunk=False).get_grouped_opcodes(
        CONTEXT
    ):
        for tag, start, end, other_start, other_end in group:
            for left, right in itertools.zip_longest(
                one[start:end], other[other_start:other_end], fillvalue=""
            ):
                yield f"{' ' if tag == 'equal' else '!'} {_columns(left, right)}"


def _columns(left: str, right: str) -> str:
    return f"{_cut(left):<{WIDTH}} │ {_cut(right)}".rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _short(value: Any) -> str:
    text = json_text(value)
    return text if len(text) <= SHOWN_TEXT else f"{text[:SHOWN_TEXT]}…"
