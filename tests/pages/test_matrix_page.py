"""The pages of the published matrices are made from the published reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clients_matrix.clients import CLIENTS
from clients_matrix.page import page as page_of_clients
from servers_matrix.__main__ import DOCS
from servers_matrix.issues import issues
from servers_matrix.page import page
from servers_matrix.servers import SERVERS

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_matrix_page_equals_its_reports() -> None:
    assert (DOCS / "servers.md").read_text("utf-8") == page(DOCS, SERVERS)


def test_page_of_clients_equals_its_reports() -> None:
    assert (DOCS / "clients.md").read_text("utf-8") == page_of_clients(DOCS / "clients", CLIENTS)


STATUS = {"expected": "status 409", "actual": "status 200", "expected_status": [409]}


def texts(failure: Mapping[str, Any] = STATUS, **replay: str) -> str:
    """Return the text of the issues of a report with one finding."""
    verdict = {"outcome": "fail", **failure, "exchanges": [1], "replay": replay}
    about = {"sentence": "It conflicts.", "clause": "c", "operations": ["updateTable"]}
    result = {"line": "result", "requirement": "IRC-X-1", "outcome": "fail", **about, "verdicts": [verdict]}
    exchange = {"line": "exchange", "number": 1, "operation": "updateTable", "curl": "curl 1", "response": {"status": 200}}
    cause = {"line": "cause", "outcome": "fail", "severity": "wrong effect", "requirements": ["IRC-X-1"]}
    return "\n".join(issues(SERVERS[0], [result, exchange, cause]))


def test_issue_title_says_what_the_server_returns() -> None:
    assert texts().startswith("# updateTable returns 200, expected 409: It conflicts\n")


def test_issue_title_of_a_wrong_effect_is_the_requirement() -> None:
    found = texts({"expected": "refs at /main 1", "actual": "2"})

    assert found.startswith('# updateTable breaks the contract: "It conflicts"\n')


def test_issue_of_an_unrepeatable_finding_runs_the_check() -> None:
    text = texts(why="the check reads files")

    assert ("lakepact check URL --only IRC-X-1" in text, "lakepact reproduce" in text) == (True, False), text
