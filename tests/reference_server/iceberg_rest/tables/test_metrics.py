"""Metrics reports of existing tables are accepted, and the newest are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server import Server
from lakepact.reference_server.iceberg_rest.tables.metrics import Report, Reports
from raw_requests import Sender, serving

COMMIT = {
    "report-type": "commit-report",
    "table-name": "t",
    "snapshot-id": 2**62,
    "sequence-number": 1,
    "operation": "append",
    "metrics": {},
}


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({}, "report-type"),
        (
            {**COMMIT, "metrics": {"a": {"unit": "count"}}},
            'at /metrics/a: "value" is a required property',
        ),
        (
            {key: value for key, value in COMMIT.items() if key != "operation"},
            'at the top: "operation" is a required property',
        ),
        ([COMMIT], "at the top: "),
    ],
)
def test_invalid_report_returns_400_and_is_not_kept(
    server: Server, send: Sender, table: str, report: Any, said: str
) -> None:
    before = server.service.reports.stored()

    answer = send("POST", f"{table}/metrics", report)

    assert answer.error == (400, "BadRequestException")
    assert said in answer.message
    assert server.service.reports.stored() == before


@given(st.lists(st.binary(max_size=12)))
def test_the_newest_reports_are_kept_and_never_more_than_is_allowed(texts: list[bytes]) -> None:
    reports = Reports(most=5, most_bytes=20)

    for text in texts:
        reports.keep(Report(("n",), "t", text))
        kept = [report.text for report in reports.stored()]
        assert kept[-1] == text
        assert len(kept) <= 5
        assert sum(map(len, kept)) <= 20

    assert [report.text for report in reports.stored()] == texts[
        len(texts) - len(reports.stored()) :
    ]


def test_a_report_larger_than_all_may_be_is_kept_alone() -> None:
    reports = Reports(most=5, most_bytes=20)
    small, large = Report(("n",), "t", b"small"), Report(("n",), "t", b"x" * 21)

    reports.keep(small)
    reports.keep(large)

    assert reports.stored() == (large,)


def test_a_report_is_shown_as_it_came(send: Sender, namespace: str, table: str) -> None:
    metrics = {"größe": {"unit": "bytes", "value": 2**53 + 1}}
    report = {**COMMIT, "metrics": metrics, "x-unknown": [1]}
    assert send("POST", f"{table}/metrics", report).status == 204

    shown = send("GET", "/metrics-reports").document[-1]
    assert shown == {"namespace": [namespace], "table": "t", "report": report}


def test_metrics_page_of_a_server_with_principals_returns_404(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text('[principals.a]\ntoken = "t"\n[[grants]]\nprincipal = "a"\naccess = "admin"\n')

    with serving(contract="iceberg_rest", config=file) as send:
        assert send("GET", "/metrics-reports").status == 404
