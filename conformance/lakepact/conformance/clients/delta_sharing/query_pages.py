"""Answers to queries in pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.delta_sharing.answers import END, WITH_END, asks_for
from lakepact.conformance.clients.delta_sharing.lab import are_rows
from lakepact.conformance.clients.delta_sharing.scripts import in_lines
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.listener import Answer
    from lakepact.conformance.clients.scripted_server import Forward, Request

    Line = dict[str, Any]

TOKEN = "page 2/é+="  # noqa: S105 - of a page


def halves(request: Request, forward: Forward) -> Answer:
    """Answer as a server that returns the files of a table on two pages."""
    document = request.document if isinstance(request.document, dict) else {}
    is_second = document.get("pageToken") == TOKEN

    def page(lines: list[Line]) -> list[Line]:
        files = [line for line in lines if "file" in line]
        half = files[len(files) // 2 :] if is_second else files[: len(files) // 2]
        kept = [line for line in lines if line in half or not ("file" in line or END in line)]
        return [*kept, {END: {} if is_second else {"nextPageToken": TOKEN}}]

    return in_lines(page, op.query_table, capabilities=WITH_END)(request, forward)


@check("DS-CLI-19")
def paged_queries(lab: SharingClientLab) -> None:
    """A client that gets a `nextPageToken` in an endStreamAction returns the rows of both pages, or reports an error."""
    table, rows = lab.reads()
    if not asks_for(lab.performs("read-table", table=table), "includeendstreamaction", "true", op.query_table):
        raise NotOffered(f"the client does not ask for an {END}")
    with lab.judge("DS-CLI-19"):
        done = lab.performs("read-table", halves, table=table)
        if done.ended.is_done:
            are_rows(done.result, rows, "whose files are on two pages")
