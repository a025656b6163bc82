"""Commits over HTTP: for the table in the path, one at a time, and only below the warehouse."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server import Server


def test_a_commit_that_changes_nothing_writes_nothing(send: Callable[..., Any], table: str) -> None:
    assert send("POST", table, {"requirements": [], "updates": []}).body == send("GET", table).body


def test_a_commit_for_another_table_is_400(send: Callable[..., Any], table: str) -> None:
    body = {"identifier": {"namespace": ["other"], "name": "t"}, "requirements": [], "updates": []}

    assert send("POST", table, body).error == (400, "BadRequestException", 400)


def test_one_of_sixteen_concurrent_commits_wins(
    server: Server, sending_to: Callable[[str], Any], table: str, send: Callable[..., Any]
) -> None:
    statuses: list[int] = []

    def commit(number: int) -> None:
        reference = {"ref-name": "main", "type": "branch", "snapshot-id": number}
        snapshot = {
            "snapshot-id": number,
            "sequence-number": 1,
            "timestamp-ms": 1_800_000_000_000,
            "manifest-list": "memory:/m.avro",
            "summary": {"operation": "append"},
            "schema-id": 0,
        }
        body = {
            "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}],
            "updates": [{"action": "add-snapshot", "snapshot": snapshot}, {"action": "set-snapshot-ref", **reference}],
        }
        with sending_to(server.url) as mine:
            statuses.append(mine("POST", table, body).status)

    threads = [threading.Thread(target=commit, args=[number]) for number in range(1, 17)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses) == [200] + [409] * 15
    assert len(send("GET", table).document["metadata"]["snapshots"]) == 1


def test_a_table_does_not_leave_the_warehouse_by_a_commit(send: Callable[..., Any], table: str) -> None:
    before = send("GET", table).body
    answer = send("POST", table, {"requirements": [], "updates": [{"action": "set-location", "location": "file:///etc"}]})

    assert answer.error == (400, "BadRequestException", 400)
    assert send("GET", table).body == before
