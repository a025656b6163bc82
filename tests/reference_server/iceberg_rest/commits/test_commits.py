"""Commits over HTTP: for the table in the path, one at a time, and only below the warehouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_commit_for_another_table_is_400(send: Callable[..., Any], table: str) -> None:
    body = {"identifier": {"namespace": ["other"], "name": "t"}, "requirements": [], "updates": []}

    assert send("POST", table, body).error == (400, "BadRequestException", 400)


def test_a_table_does_not_leave_the_warehouse_by_a_commit(send: Callable[..., Any], table: str) -> None:
    before = send("GET", table).body
    answer = send("POST", table, {"requirements": [], "updates": [{"action": "set-location", "location": "file:///etc"}]})

    assert answer.error == (400, "BadRequestException", 400)
    assert send("GET", table).body == before
