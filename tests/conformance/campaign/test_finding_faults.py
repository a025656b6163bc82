"""A comparison of two servers finds faults of one of them, shows the cause first, and repeats it
with few requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from campaigns import Here
from faulty import mutants
from lakepact.conformance.campaign import plans
from lakepact.conformance.campaign.diff import compare
from lakepact.conformance.campaign.planning.generation import EFFECT
from lakepact.conformance.campaign.progress import Ticker
from lakepact.conformance.campaign.reporting.facts import Facts
from lakepact.conformance.campaign.targets import parse_targets
from lakepact.reference_server import running
from sampling import by_day

MOST_REQUESTS = 5


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a plan with cases of all operations."""
    folder = tmp_path_factory.mktemp("finding") / "plan"
    plans.plan("iceberg_rest", folder, seeds=range(1), modes=(EFFECT,))
    return folder


def differences(plan: Path, folder: Path, faults: Sequence[str], **options: str) -> Facts:
    """Return the differences between a sound server and one with faults."""
    with (
        running(warehouse="memory:") as left,
        running(**{"warehouse": "memory:", **options}, faults=mutants(faults)) as right,
    ):
        targets = parse_targets((f"left={left.url}", f"right={right.url}"), ("iceberg_rest",))
        return compare(plan, folder / "run", targets, engine=Here(), ticker=Ticker("cases"))


#: Faults, each with the beginning of the first line; the first ones are looked for in every run of
#: the tests.
FAULTS = {
    "listTables.last-page-lost": "listTables returned different content at /identifiers",
    "updateTable.not-persisted": "loadTable returned different content at /metadata/",
    "createTable.answers-503": "createTable returned 200 (left), 503 (right)",
    "loadNamespaceMetadata.drops-connection": "loadNamespaceMetadata returned an answer (left), no answer (right)",
    "listNamespaces.last-page-lost": "listNamespaces returned different content at /namespaces",
    "listViews.last-page-lost": "listViews returned different content at /identifiers",
    "createNamespace.not-persisted": "createTable returned 200 (left), 404 (right)",
    "createTable.not-persisted": "updateTable returned 200 (left), 404 (right)",
    "createView.not-persisted": "replaceView returned 200 (left), 404 (right)",
    # A write comes before a read, if the drawn cases have one of the dropped table.
    "dropTable.not-persisted": (
        "renameTable returned 404 (left), 204 (right)",
        "loadTable returned 404 (left), 200 (right)",
    ),
    "dropNamespace.not-persisted": "listNamespaces returned 404 (left), 200 (right)",
    "dropView.not-persisted": "loadView returned 404 (left), 200 (right)",
    "renameTable.not-persisted": "loadTable returned 404 (left), 200 (right)",
    "renameView.not-persisted": "loadView returned 404 (left), 200 (right)",
    "updateProperties.not-persisted": "loadNamespaceMetadata returned different content at /properties/*",
    "replaceView.not-persisted": "loadView returned different content at /metadata/",
    "commitTransaction.not-persisted": "loadTable returned different content at /metadata/",
    "registerTable.not-persisted": "listTables returned different content at /identifiers",
    "loadTable.empty-body": "loadTable returned",
    "loadView.not-json": "loadView returned",
    "commitTransaction.done-but-500": "commitTransaction returned 204 (left), 500 (right)",
    "tableExists.answers-404": "tableExists returned 204 (left), 404 (right)",
    "viewExists.answers-404": "viewExists returned 204 (left), 404 (right)",
    "namespaceExists.answers-404": "namespaceExists returned 204 (left), 404 (right)",
    "listTables.wrong-content-type": "listTables returned different media types",
    "createTable.bare-errors": "createTable returned errors of different types",
}


@pytest.mark.parametrize("fault", by_day(FAULTS, [*FAULTS][1:4]))
def test_first_line_names_the_fault_and_few_requests_repeat_it(
    fault: str, plan: Path, tmp_path: Path
) -> None:
    first, *others = differences(plan, tmp_path, [fault]).causes

    assert first.heading.startswith(FAULTS[fault])
    assert not any("no answer" in cause.heading for cause in others)
    assert 0 < len(first.reproduction) <= MOST_REQUESTS
    assert fault.partition(".")[0] in {
        row["operation_id"] for answers in first.reproduction for row in answers.values()
    }


def test_stores_of_one_server_have_no_causes(plan: Path, tmp_path: Path) -> None:
    assert (
        differences(plan, tmp_path, (), warehouse=str(tmp_path / "files"), store="file").causes
        == ()
    )
