"""Reports say which published clients a fault hurts that was measured, and nothing of other
faults.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from lakepact.cli import main
from lakepact.conformance.report import (
    harm,
    html,
    lines,
    markdown,
    text,
)
from lakepact.conformance.report.grouping.cases import deviations
from lakepact.conformance.report.impact import Effect, Harm, Impact, impact_of, sentence
from lakepact.conformance.report.issue import issue
from lakepact.conformance.report.outline import Outline

#: The deviation of each requirement in `report`, of its check `c`.
SHOWN = "c loadTable: 404 NoSuchTableException, expected 200"
TITLES = {"snake": "Snake 1.0", "duck": "Duck 2.0", "bear": "Bear 3.0"}
REPORT = Path(__file__).parents[3] / "docs" / "matrix" / "nessie" / "report.jsonl.gz"
CLIENTS = impact_of("iceberg_rest").clients


ERROR = '{"error": {"message": "gone", "type": "NoSuchTableException", "code": 404}}'
EXCHANGE = {
    "line": "exchange",
    "number": 1,
    "check": "c",
    "operation": "loadTable",
    "request": {
        "method": "GET",
        "url": "http://t/v1/namespaces/n/tables/t",
        "headers": [],
        "body": "",
    },
    "error": {"type": "NoSuchTableException", "message": "gone"},
    "response": {"status": 404, "headers": [], "body": ERROR},
    "curl": "curl http://t",
    "milliseconds": 1,
}


def table(**outcomes: str) -> Impact:
    """Return measurements of faults that `report` shows.

    Args:
        outcomes: of snake, duck and bear, or fewer, by requirement with `_` for `-`.
    """
    found = {
        requirement.replace("_", "-"): {
            client: Harm(
                Effect(outcome), requirement.replace("_", "-"), "read-rows", f"{outcome} <b>"
            )
            for client, outcome in zip(TITLES, listed.split(), strict=False)
        }
        for requirement, listed in outcomes.items()
    }
    return Impact("2026-11-27", "1.11.0", TITLES, found, dict.fromkeys(found, (SHOWN,)))


TABLE = table(
    R_1="works works not-called", R_2="refuses works works", R_3="wrong fails works", R_4="works"
)


def report(
    *causes: Sequence[str], severity: str = "wrong effect", outcome: str = "fail", stopped: str = ""
) -> list[dict[str, Any]]:
    """Return a report whose causes break the given requirements."""
    header = {
        "line": "header",
        "contract": "iceberg_rest",
        "version": "1",
        "title": "API",
        "side": "server",
        "target": "http://t",
    }
    header |= {
        "report": 1,
        "lakepact": "0.1.0",
        "ended": "2026-11-27T00:00:00+00:00",
        "only": [],
        "strict": False,
        "facts": {},
    }
    header |= {"operations": [], "all_operations": 1, "features": {}, "authorized": False}
    about = {
        "level": "MUST",
        "area": "a",
        "operations": [],
        "sentence": "It holds.",
        "clause": "c",
        "basis": "text",
    }
    about |= {"interpretation": "", "corrections": []}
    failure = {
        "expected": "status 200",
        "actual": "status 404",
        "expected_status": [200],
        "exchange": 1,
    }
    verdict = {
        "check": "c",
        "outcome": outcome,
        "judged": 1,
        "exchanges": [1],
        "failures": [failure],
    }
    verdict |= {"failed": 1, "expected": "1", "actual": "2"}
    results = [
        {
            "line": "result",
            "requirement": requirement,
            "outcome": outcome,
            **about,
            "cause": number,
            "verdicts": [verdict],
        }
        for number, cause in enumerate(causes, start=1)
        for requirement in cause
    ]
    found = [
        {
            "line": "cause",
            "number": number,
            "severity": severity,
            "outcome": outcome,
            "title": f"cause {cause}",
            "requirements": [*cause],
        }
        for number, cause in enumerate(causes, start=1)
    ]
    counts = {"fail": len(results), "unexpected-pass": 0, "known-fail": 0}
    footer = {
        "line": "footer",
        "counts": counts,
        "causes": {severity: len(causes)},
        "requests": 1,
        "checks": 1,
        "invariants": 0,
    }
    footer |= {"verdict": "not conformant", "exit_code": 1, "seconds": 1.0, "leftovers": []} | (
        {"stopped": stopped} if stopped else {}
    )
    return [header, *results, *found, EXCHANGE, footer]


def causes(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in found if line["line"] == "cause"]


def judged(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return harm.with_clients(found, impact=TABLE)


def with_exchange(found: list[dict[str, Any]], **changes: Any) -> list[dict[str, Any]]:
    return [line | changes if line["line"] == "exchange" else line for line in found]


def with_failure(found: list[dict[str, Any]], **changes: Any) -> list[dict[str, Any]]:
    """Return a report whose results show another failure."""
    lines = deepcopy(found)
    for line in lines:
        if line["line"] == "result":
            line["verdicts"][0]["failures"][0] |= changes
    return lines


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ("wrong wrong works", "Snake 1.0 and Duck 2.0 return or write wrong data; Bear 3.0 works"),
        (
            "works fails refuses",
            "Duck 2.0 fails without a clear error; Bear 3.0 refuses; Snake 1.0 works",
        ),
        ("refuses works works", "Snake 1.0 refuses; 2 others work"),
        ("works works works", "3 clients work"),
        ("not-called works works", "2 clients work; Snake 1.0 sends no such request"),
        ("", ""),
    ],
)
def test_clients_of_a_cause_are_one_line_by_outcome(outcomes: str, expected: str) -> None:
    assert sentence(TITLES, dict(zip(TITLES, outcomes.split(), strict=False))) == expected


def test_cause_of_several_requirements_has_each_clients_worst_outcome() -> None:
    annotated = judged(report(["R-1", "R-2", "R-3", "R-9"]))
    (cause,) = causes(annotated)

    assert {
        client: (found["outcome"], found["requirement"])
        for client, found in cause["clients"].items()
    } == {
        "snake": ("wrong", "R-3"),
        "duck": ("fails", "R-3"),
    }
    assert Outline.of(annotated).groups[0].clients == (
        "Snake 1.0 returns or writes wrong data; Duck 2.0 fails without a clear error"
        " (measured with this fault)"
    )


ANOTHER = {"type": "ForbiddenException", "message": "gone"}


@pytest.mark.parametrize(
    "other",
    [
        with_exchange(report(["R-3"]), operation="tableExists"),
        with_exchange(report(["R-3"]), error=ANOTHER),
        with_failure(report(["R-3"]), expected_status=[204]),
        with_failure(report(["R-3"]), mutation={"kind": "absent", "at": "table"}),
        with_failure(
            report(["R-3"]), expected_status=[], difference={"at": "/error", "kind": "missing"}
        ),
        with_failure(
            report(["R-3"]), expected_status=[], difference={"at": "", "kind": "lost change"}
        ),
        with_failure(report(["R-3"]), expected_status=[]),
        report(["R-1"], ["R-9"]),
    ],
    ids=[
        "operation",
        "error type",
        "status",
        "mistake",
        "place",
        "race",
        "no answer alone",
        "harmless",
    ],
)
def test_cause_with_another_fault_than_the_measured_one_names_no_client(
    other: list[dict[str, Any]],
) -> None:
    annotated = harm.with_clients(other, impact=TABLE)

    assert {group.clients for group in Outline.of(annotated).groups} == {""}


def test_fault_with_further_deviations_than_the_report_shows_names_no_client() -> None:
    wider = replace(TABLE, deviations={"R-3": (SHOWN, SHOWN.replace("load", "drop"))})

    assert causes(harm.with_clients(report(["R-3"]), impact=wider))[0]["clients"] == {}


@pytest.mark.parametrize(
    ("kind", "names"),
    [("another type", ["duck", "snake"]), ("another value", []), ("missing", [])],
)
def test_fault_at_a_place_is_the_measured_one_only_if_its_type_says_so(
    kind: str, names: list[str]
) -> None:
    difference = {"at": "/metadata/refs", "kind": kind}
    found = with_failure(report(["R-3"]), expected_status=[], difference=difference)
    found = with_exchange(found, response={"status": 200, "headers": [], "body": '{"a": 1}'})
    (shown,) = deviations(found)["R-3"]
    measured = replace(TABLE, deviations={"R-3": (shown,)})

    assert sorted(causes(harm.with_clients(found, impact=measured))[0]["clients"]) == names


def test_clients_of_a_report_of_before_are_measured_again() -> None:
    before = [
        line | {"clients": {"snake": {"outcome": "wrong"}}} if line["line"] == "cause" else line
        for line in report(["R-9"])
    ]

    assert causes(harm.with_clients(before, impact=TABLE))[0]["clients"] == {}


@pytest.mark.parametrize("form", ["text", "html", "md", "issue"])
def test_every_format_shows_the_clients_of_measured_causes(form: str) -> None:
    found = judged(report(["R-3"], ["R-9"]))
    console = Console(file=io.StringIO(), width=200)
    text.show(found, console)
    forms = {
        "text": console.file.getvalue(),
        "html": html.html(found),
        "md": markdown.markdown(found),
    }  # type: ignore[attr-defined]
    forms["issue"] = issue(found, causes(found)[0])

    assert (
        forms[form].count(
            "returns or writes wrong data; Duck 2.0 fails without a clear error (measured with this fault)"
        )
        == 1
    )
    assert "<b>" not in forms["issue"]


def test_report_with_its_clients_is_written_and_read_unchanged(tmp_path: Path) -> None:
    found = judged(report(["R-1"], ["R-3"], ["R-9"]))
    lines.write(found, tmp_path / "report.jsonl")

    assert harm.with_clients(lines.read(tmp_path / "report.jsonl"), impact=TABLE) == found


def test_report_of_a_client_names_no_hurt_clients() -> None:
    header, *others = report(["R-3"])

    assert (
        "clients" not in harm.with_clients([header | {"side": "client"}, *others], impact=TABLE)[0]
    )


def called(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, [*words])
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.skipif(not CLIENTS, reason="no client was measured")
def test_explain_shows_the_detail_of_each_client() -> None:
    requirement, harms = next(
        (id_, each)
        for id_, each in impact_of("iceberg_rest").requirements.items()
        if any(h.detail for h in each.values())
    )

    code, printed = called("explain", requirement)

    assert code == 0
    assert [
        each.outcome in printed and " ".join(each.detail.split()) in printed
        for each in harms.values()
    ] == [True] * len(harms)
