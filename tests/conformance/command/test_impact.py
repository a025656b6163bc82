"""Reports say which published clients a cause hurts, and `--for` judges a server by what some clients need."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from lakepact.cli import main
from lakepact.conformance.report import (
    badge,
    compatibility,
    harm,
    html,
    junit,
    lines,
    markdown,
    matrices,
    text,
)
from lakepact.conformance.report.impact import Effect, Harm, Impact, impact_of, named, sentence
from lakepact.conformance.report.issue import issue

TITLES = {"snake": "Snake 1.0", "duck": "Duck 2.0", "bear": "Bear 3.0"}
REPORT = Path(__file__).parents[3] / "docs" / "matrix" / "nessie" / "report.jsonl.gz"
CLIENTS = impact_of("iceberg_rest").clients


def table(**outcomes: str) -> Impact:
    """Return measurements: by requirement, with `_` for `-`, the outcomes of snake, duck and bear, or fewer."""
    found = {
        requirement.replace("_", "-"): {
            client: Harm(
                Effect(outcome), requirement.replace("_", "-"), "read-rows", f"{outcome} <b>"
            )
            for client, outcome in zip(TITLES, listed.split(), strict=False)
        }
        for requirement, listed in outcomes.items()
    }
    return Impact("2026-11-27", "1.11.0", TITLES, found)


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
    verdict = {"check": "c", "outcome": outcome, "judged": 1, "expected": "1", "actual": "2"}
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
    return [header, *results, *found, footer]


def causes(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in found if line["line"] == "cause"]


def judged(found: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return harm.in_order(harm.annotated(found, names, impact=TABLE), renumber=True)


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
    (cause,) = causes(judged(report(["R-1", "R-2", "R-3", "R-9"])))

    assert {
        client: (found["outcome"], found["requirement"])
        for client, found in cause["clients"].items()
    } == {
        "snake": ("wrong", "R-3"),
        "duck": ("fails", "R-3"),
        "bear": ("works", "R-2"),
    }
    assert cause["unmeasured"] == ["R-9"]
    assert harm.terms({"clients": TITLES}, cause)["clients"].endswith(
        "works (measured with other faults; 1 of 4 requirements not)"
    )


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
            "returns or writes wrong data; Duck 2.0 fails without a clear error; Bear 3.0 works (measured with"
        )
        == 1
    )
    assert "<b>" not in forms["issue"]


def test_causes_of_one_severity_are_ordered_and_numbered_by_harm() -> None:
    grave = report(["R-1"], severity="data lost or corrupted")
    found = report(["R-1"], ["R-9"], ["R-2"], ["R-3"])
    ordered = judged(found)
    mixed = harm.in_order(
        harm.annotated([*found[:-1], *causes(grave), found[-1]], impact=TABLE), renumber=True
    )

    assert [(cause["number"], *cause["requirements"]) for cause in causes(ordered)] == [
        (1, "R-3"),
        (2, "R-2"),
        (3, "R-9"),
        (4, "R-1"),
    ]
    assert {line["requirement"]: line["cause"] for line in ordered if line["line"] == "result"} == {
        "R-3": 1,
        "R-2": 2,
        "R-9": 3,
        "R-1": 4,
    }
    assert causes(mixed)[0]["severity"] == "data lost or corrupted"


@pytest.mark.parametrize(
    ("requirements", "names", "expected"),
    [
        (["R-1", "R-2"], ["duck"], (0, "conformant")),
        (["R-1", "R-2"], ["duck", "snake"], (1, "not conformant")),
        (["R-1"], ["bear"], (0, "conformant")),
        (["R-9"], ["bear"], (1, "not conformant")),
        (["R-4"], ["duck"], (1, "not conformant")),
        (["R-4"], ["snake"], (0, "conformant")),
    ],
    ids=[
        "works",
        "refuses",
        "not called",
        "never measured",
        "not measured with the client",
        "measured with the client",
    ],
)
def test_verdict_for_clients_tolerates_causes_that_do_not_hurt_them(
    requirements: list[str], names: list[str], expected: tuple[int, str]
) -> None:
    footer = judged(report(requirements), *names)[-1]

    assert (footer["exit_code"], footer["verdict"]) == expected


@pytest.mark.parametrize(("name", "code"), [("duck", 1), ("bear", 0)], ids=["works", "not called"])
def test_cause_that_loses_data_counts_unless_it_is_not_called(name: str, code: int) -> None:
    assert judged(report(["R-1"], severity="data lost or corrupted"), name)[-1]["exit_code"] == code


def test_incomplete_run_stays_incomplete_for_any_client() -> None:
    assert judged(report(["R-1"], stopped="interrupted"), "duck")[-1]["verdict"] == "incomplete"


def test_tolerated_causes_come_last_with_the_reason() -> None:
    grave = judged(report(["R-1"], ["R-3"], ["R-9"]), "bear")

    assert [(*cause["requirements"], cause.get("tolerated")) for cause in causes(grave)] == [
        ("R-9", None),
        ("R-1", "does not hurt Bear 3.0"),
        ("R-3", "does not hurt Bear 3.0"),
    ]
    assert (
        "do not fail the run: 2. Causes that count because a requirement was never measured with them: 1."
        in harm.scope(grave)
    )


def test_formats_name_the_clients_and_count_no_tolerated_failure() -> None:
    found = judged(report(["R-1"]), "duck", "bear")
    page = html.html(found)

    assert "conformant for Duck 2.0 and Bear 3.0" in badge.svg(found)
    assert 'failures="0"' in junit.junit(found)
    assert 'message="does not hurt Duck 2.0 or Bear 3.0"' in junit.junit(found)
    assert "# API 1: conformant for Duck 2.0 and Bear 3.0" in markdown.markdown(found)
    assert (
        page.count('id="broken"'),
        page.count('id="tolerated"'),
        page.count('id="cause-1"'),
    ) == (0, 1, 1)


def test_report_with_its_clients_is_written_and_read_unchanged(tmp_path: Path) -> None:
    found = judged(report(["R-1"], ["R-3"], ["R-9"]), "bear")
    lines.write(found, tmp_path / "report.jsonl")

    assert harm.annotated(lines.read(tmp_path / "report.jsonl")) == found


def test_report_of_a_client_names_no_hurt_clients() -> None:
    header, *others = report(["R-3"])

    assert "clients" not in harm.annotated([header | {"side": "client"}, *others], impact=TABLE)[0]


def test_matrix_shows_the_causes_that_hurt_each_client(tmp_path: Path) -> None:
    servers = {"Good One": judged(report()), "bad": judged(report(["R-3"], ["R-2"], ["R-9"]))}
    made = compatibility.matrix(servers)
    page, written = matrices.html(made), matrices.markdown(made)

    assert compatibility.as_json(made)["reports"][1]["clients"] == {
        "Snake 1.0": {"wrong": [1], "refuses": [2]},
        "Duck 2.0": {"fails": [1]},
        "Bear 3.0": {},
    }
    assert "| Snake 1.0 | works | wrong [1](#bad-cause-1); refuses [2](#bad-cause-2) |" in written
    assert "| causes not fully measured | 0 | 1 |" in written
    assert [
        (f'href="#{anchor}"' in page, f'id="{anchor}"' in page, f'id="{anchor}"' in written)
        for anchor in ("bad-cause-1", "bad-cause-2")
    ] == [(True, True, True)] * 2


def called(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, [*words])
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize("verb", [["check"], ["report", str(REPORT)]], ids=["check", "report"])
@pytest.mark.parametrize("name", ["ghost", ""])
def test_unknown_client_exits_with_2_and_names_the_known_ones(verb: list[str], name: str) -> None:
    code, printed = called(*verb, "--for", name)

    assert (code, f'--for: unknown client "{name}"; ' in printed) == (2, True), printed
    assert all(client in printed for client in CLIENTS)


def test_contract_without_measurements_refuses_every_client() -> None:
    with pytest.raises(ValueError, match="no client was measured with delta_sharing"):
        named("delta_sharing", "pyiceberg")


def test_report_of_before_is_shown_with_the_installed_measurements() -> None:
    printed = CliRunner().invoke(main, ["report", str(REPORT)]).output

    assert ("\n      clients  " in printed, "CAUSE 1  " in printed) == (bool(CLIENTS), True)


@pytest.mark.skipif(not CLIENTS, reason="no client was measured")
def test_report_for_a_client_names_it_in_the_verdict() -> None:
    name, title = next(iter(CLIENTS.items()))

    code, printed = called("report", str(REPORT), "--for", f" {name.upper()} , {name}")

    assert (code, f"for {title} http" in printed) == (0, True), printed[-300:]


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
