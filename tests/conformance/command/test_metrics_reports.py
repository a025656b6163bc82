"""`lakepact metrics` shows the metrics reports that clients sent to a server."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
from click.testing import CliRunner

from lakepact.cli import main
from lakepact.reference_server import running
from miniatures import miniature

SCAN = {
    "report-type": "scan-report",
    "table-name": "a.t",
    "snapshot-id": 7,
    "filter": True,
    "schema-id": 0,
    "projected-field-ids": [1],
    "projected-field-names": ["id"],
    "metrics": {
        "total-planning-duration": {"count": 1, "time-unit": "nanoseconds", "total-duration": 42},
        "result-data-files": {"unit": "count", "value": 3},
    },
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(contract="iceberg_rest", warehouse="memory:") as server:
        schema = {"type": "struct", "fields": []}
        for path, body in (
            ("", {"namespace": ["a"]}),
            ("/a/tables", {"name": "t", "schema": schema}),
            ("/a/tables/t/metrics", SCAN),
        ):
            assert httpx.post(f"{server.url}/v1/namespaces{path}", json=body).status_code < 300
        yield server.url


def test_reports_are_shown_with_their_main_figures(url: str) -> None:
    shown = CliRunner().invoke(main, ["metrics", url], env={"COLUMNS": "200"})

    assert shown.exit_code == 0
    assert "a.t" in shown.output
    assert "total-planning-duration 42 nanoseconds, result-data-files 3" in shown.output


def test_json_option_prints_reports_as_sent(url: str) -> None:
    shown = CliRunner().invoke(main, ["metrics", url, "--json"])

    assert [json.loads(line) for line in shown.output.splitlines()] == [
        {"namespace": ["a"], "table": "t", "report": SCAN}
    ]


def test_other_server_and_unreachable_server_have_distinct_messages(url: str) -> None:
    other = CliRunner().invoke(main, ["metrics", f"{url}/v1"])
    absent = CliRunner().invoke(main, ["metrics", "http://127.0.0.1:9"])

    assert (other.exit_code, absent.exit_code) == (3, 3)
    assert (
        "returned 404 for /metrics-reports: it is not a lakepact reference server" in other.output
    )
    assert absent.output.startswith("lakepact metrics: http://127.0.0.1:9: ")


@pytest.mark.parametrize(
    "body",
    [
        "null",
        "7",
        "{}",
        '{"report": {}}',
        "[1]",
        "[{}]",
        '[{"report": 7, "namespace": [], "table": "t"}]',
    ],
)
def test_other_json_exits_with_3(body: str) -> None:
    with miniature(lambda *_: (200, {}, body.encode())) as url:
        shown = CliRunner().invoke(main, ["metrics", url])

    assert (
        shown.exit_code,
        "it is not a lakepact reference server" in shown.output,
        shown.output.count("\n"),
    ) == (3, True, 1)
