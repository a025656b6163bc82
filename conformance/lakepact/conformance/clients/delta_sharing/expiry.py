"""URLs of files that expire while a table is read."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from lakepact.conformance.clients.delta_sharing.failures import FILES, moved
from lakepact.conformance.clients.delta_sharing.lab import same_rows
from lakepact.conformance.clients.delta_sharing.suite import check
from lakepact.conformance.clients.listener import Answer
from lakepact.generated.delta_sharing import op

if TYPE_CHECKING:
    from lakepact.conformance.clients.delta_sharing.lab import SharingClientLab
    from lakepact.conformance.clients.scripted_server import Forward, Request, Script

XML = (("content-type", "application/xml"),)
EXPIRED = Answer(403, headers=XML, body=b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
TIMES = frozenset({"expirationTimestamp", "minUrlExpirationTimestamp"})


def expired_once() -> Script:
    """Return a server whose URLs in the first answer to a query have expired; those in later answers have not."""
    queried = threading.Event()

    def script(request: Request, forward: Forward) -> Answer:
        if request.target.startswith(FILES):
            return EXPIRED
        answer = forward(request)
        if request.operation != op.query_table or answer.status != 200 or queried.is_set():
            return answer
        queried.set()
        return answer.with_lines(_until(moved(line, request.base + FILES), int(time.time() * 1000)) for line in answer.lines)

    return script


def _until(value: Any, milliseconds: int) -> Any:
    """Return a line whose URLs expire at a time."""
    if not isinstance(value, dict):
        return value
    return {name: milliseconds if name in TIMES and inner is not None else _until(inner, milliseconds) for name, inner in value.items()}


@check("DS-CLI-15")
def expired_urls(lab: SharingClientLab) -> None:
    """A client whose file URLs return 403 after they expired queries the table again and reads exactly its rows."""
    table, rows = lab.reads()
    with lab.judge("DS-CLI-15"):
        same_rows(lab.performs("read-table", expired_once(), table=table).ended, rows, "after the first URLs of its files returned 403")
