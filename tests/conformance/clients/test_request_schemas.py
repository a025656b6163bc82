"""Requests of clients are checked against the contract's schemas."""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from lakepact.conformance.clients.command import check_client
from lakepact.conformance.clients.iceberg_rest.kit.lab import view_request
from lakepact.conformance.clients.iceberg_rest.protocol.requests import REQUESTS
from lakepact.conformance.report import lines

MINIATURE = str(Path(__file__).parent / "miniature_catalog_client.py")


def flaw(**change: object) -> str | None:
    """Return the flaw of a request for a view with these members; None leaves a member out."""
    members = {
        name: value for name, value in {**view_request("v"), **change}.items() if value is not None
    }
    return REQUESTS.flaws("CreateViewRequest", orjson.dumps(members))["CreateViewRequest"]


def test_view_request_needs_a_name_and_no_properties() -> None:
    assert (flaw(properties=None), flaw(name=None)) == (
        None,
        'the body: "name" is a required property',
    )


def test_failed_schema_shows_the_exchange_with_the_request(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAKEPACT_FAULT", "renames-to-a-target")
    report = tmp_path / "report.jsonl"
    only, command = ("--only", "IRC-SCH-RenameTableRequest"), ("--", sys.executable, MINIATURE)
    CliRunner().invoke(
        check_client, [*only, "--report", f"jsonl={report}", *command], catch_exceptions=False
    )

    report_lines = lines.read(report)
    (result,) = [line for line in report_lines if line["line"] == "result"]
    operations = {
        line["number"]: line["operation"] for line in report_lines if line["line"] == "exchange"
    }
    assert [operations[number] for number in result["verdicts"][0]["exchanges"]] == ["renameTable"]
