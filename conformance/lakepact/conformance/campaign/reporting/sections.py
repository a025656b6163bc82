"""The sections that both formats of a report have: a sentence, and tables of texts and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lakepact.conformance.campaign.reporting.causes import Cause, curl_of, status_of
from lakepact.conformance.campaign.reporting.facts import MOST, QUIET, Facts
from lakepact.conformance.report.looks import OF_CAMPAIGNS

Table = tuple[Sequence[str], Sequence[Sequence[object]]]

MOST_PLACES, MOST_FOLLOWING = 4, 6  #: of a cause that are shown


@dataclass(frozen=True, slots=True)
class Section:
    """One section.

    Args:
        anchor: its name in addresses.
        heading: its heading.
        lead: what it is about.
        tables: heads and rows.
    """

    anchor: str
    heading: str
    lead: str
    tables: tuple[Table, ...] = ()


def cause(entry: Cause) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the labels of a cause in reports, each with its lines."""
    (case, step), *_ = entry.occurrences
    yield "case", [f"{case}, step {step}"]
    yield "breaks", [", ".join(entry.requirements)] if entry.requirements else []
    yield "also", [way.title for way in entry.following[:MOST_FOLLOWING]]
    yield "differs", entry.places[:MOST_PLACES] if entry.way.kind == "body" else []
    yield "answers", entry.side_by_side
    for target, row in entry.answers.items():
        yield target, [curl_of(row)]
    for number, answers in enumerate(entry.reproduction, start=1):
        statuses = ", ".join(f"{status_of(row)} ({target})" for target, row in answers.items())
        row = next(iter(answers.values()))
        is_last = number == len(entry.reproduction)  # shown above
        yield (
            f"step {number}",
            [f"{row['operation_id']} returned {statuses}", *([] if is_last else [curl_of(row)])],
        )


def others(facts: Facts) -> list[Section]:
    """Return the changes since the other run if there is one, latencies, and the states of cases."""
    result = [_since(facts)] if facts.has_base else []
    latencies = [
        (r["operation_id"], r["target"], r["exchanges"], r["p50_us"], r["p95_us"], r["p99_us"])
        for r in facts.latencies
    ]
    head = ("operation", "target", "answers", "median", "95 %", "99 %")
    lead = (
        "Microseconds from the request to the end of the answer, one request on its way at a time."
        if latencies
        else QUIET
    )
    result.append(
        Section("latencies", "Latencies", lead, ((head, sorted(latencies)),) if latencies else ())
    )
    tables = counts(facts.states), counts(facts.statuses)
    return [
        *result,
        Section(
            "cases",
            "How far the cases came",
            "The states of all cases, and the answers by class of status.",
            tables,
        ),
    ]


def _since(facts: Facts) -> Section:
    rows = [
        (
            r["kind"],
            r["target"],
            r["requirement_id"],
            _change(r["before"], r["after"]),
            r["cases"],
            r["first_case_id"],
        )
        for r in facts.regressions[:MOST]
    ]
    more = len(facts.regressions) - MOST
    lead = (
        f"… and {more} more in the table regressions."
        if more > 0
        else ""
        if rows
        else "Nothing changed."
    )
    head = ("what", "target", "requirement", "before → after", "cases", "first")
    return Section("since", "Since the other run", lead, ((head, rows),) if rows else ())


def _change(before: str, after: str) -> str:
    return f"{OF_CAMPAIGNS[before].sign} {before} → {OF_CAMPAIGNS[after].sign} {after}"


def counts(by_target: Mapping[str, Mapping[str, int]], columns: tuple[str, ...] = ()) -> Table:
    """Return a table of counts by target; by default of all that is counted."""
    heads = columns or sorted(
        {column for row in by_target.values() for column in row},
        key=lambda name: (name != "answered", name),
    )
    return ("target", *heads), [
        (name, *(row.get(column, 0) for column in heads)) for name, row in by_target.items()
    ]
