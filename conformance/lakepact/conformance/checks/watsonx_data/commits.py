"""Commits: unknown updates and requirements are refused and change nothing."""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    Document,
    Wrong,
    expect,
    op,
    set_properties,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.states import expect_no_change
from lakepact.conformance.checks.watsonx_data.lab import WatsonxLab
from lakepact.conformance.checks.watsonx_data.suite import check

HARMLESS = set_properties(**{"lakepact.harmless": "1"})
UNKNOWN_UPDATE = {"action": "lakepact-unknown"}
UNKNOWN_REQUIREMENT = {"type": "assert-lakepact-unknown"}


@check("WXD-COM-001", "WXD-COM-002")
def unknown_updates_and_requirements_are_refused(lab: WatsonxLab) -> None:
    """A commit with an unknown update or requirement returns 400 or 406 and changes nothing, alone
    and among others.
    """
    table = lab.make_table()
    before = lab.load(table)
    holds = {"type": "assert-table-uuid", "uuid": table.uuid}
    commits: list[Document] = [
        {"requirements": [holds], "updates": [UNKNOWN_UPDATE]},
        {"requirements": [holds], "updates": [HARMLESS, UNKNOWN_UPDATE]},
        {"requirements": [], "updates": [UNKNOWN_UPDATE, HARMLESS]},
        {"requirements": [UNKNOWN_REQUIREMENT], "updates": [HARMLESS]},
        {"requirements": [holds, UNKNOWN_REQUIREMENT], "updates": [HARMLESS]},
    ]
    for commit in lab.each(commits):
        reply = lab.send(op.update_table, body=commit, **table.at)
        wrong = Wrong.VALUE(
            "/updates/*/action" if UNKNOWN_UPDATE in commit["updates"] else "/requirements/*/type",
        )
        with lab.judge("WXD-COM-001"):
            expect.client_error(reply, mutation=wrong)
            expect_no_change(lab, before)
        with lab.judge("WXD-COM-002"):
            expect.status(reply, 400, 406, mutation=wrong)
