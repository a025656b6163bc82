"""Tables over HTTP: creation, staging, renaming and commits."""

from __future__ import annotations

import pytest

from raw_requests import Sender
from sample_tables.schemas import SCHEMA


def test_an_existing_table_is_not_staged(send: Sender, tables: str, table: str) -> None:
    answer = send("POST", tables, {"name": "t", "schema": SCHEMA, "stage-create": True})

    assert answer.error == (409, "AlreadyExistsException")


@pytest.mark.parametrize(
    "location", ["s3://bucket/t", "file:///etc/t", "memory:/../t", "memory:", ""]
)
def test_a_table_outside_the_warehouse_is_400(send: Sender, namespace: str, location: str) -> None:
    answer = send(
        "POST",
        f"/v1/namespaces/{namespace}/tables",
        {"name": "t", "schema": SCHEMA, "location": location},
    )

    assert answer.error == (400, "BadRequestException")


def test_renaming_a_table_to_itself_changes_nothing(
    send: Sender, table: str, namespace: str
) -> None:
    name = {"namespace": [namespace], "name": "t"}

    assert send("POST", "/v1/tables/rename", {"source": name, "destination": name}).status == 204
    assert send("HEAD", table).status == 204


def test_a_commit_for_another_table_is_400(send: Sender, table: str) -> None:
    body = {"identifier": {"namespace": ["other"], "name": "t"}, "requirements": [], "updates": []}

    assert send("POST", table, body).error == (400, "BadRequestException")


def test_a_table_does_not_leave_the_warehouse_by_a_commit(send: Sender, table: str) -> None:
    before = send("GET", table).body
    answer = send(
        "POST",
        table,
        {"requirements": [], "updates": [{"action": "set-location", "location": "file:///etc"}]},
    )

    assert answer.error == (400, "BadRequestException")
    assert send("GET", table).body == before


def test_rename_to_an_empty_name_is_400(send: Sender, table: str, namespace: str) -> None:
    names = {
        "source": {"namespace": [namespace], "name": "t"},
        "destination": {"namespace": [namespace], "name": ""},
    }

    assert send("POST", "/v1/tables/rename", names).error == (400, "BadRequestException")
    assert send("HEAD", table).status == 204
