"""Listings of tables that say what is not so."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.contract import OperationId
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import json_answer, refusal
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, per_server
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler, Service
from mutants.delta_sharing.operators.absent import absent_is_empty
from mutants.operators import refuse_calls

TABLES, ALL = op.list_tables, op.list_all_tables
LISTS = (TABLES, ALL)


def each_table(
    operations: OperationId | tuple[OperationId, ...], edit: Callable[[dict[str, Any]], Any]
) -> Install:
    """Change every table of listings."""

    def change(document: dict[str, Any]) -> None:
        for table in document["items"]:
            edit(table)

    return on_answer(operations, change)


def _of_directories(edit: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Change only tables that are read by directory."""
    return lambda table: edit(table) if "dir" in table.get("accessModes", []) else None


@per_server
def _new_ids(member: str) -> Install:
    """Give tables something else as one of their ids in every answer."""
    numbers = itertools.count()
    return each_table(LISTS, lambda table: table.update({member: f"id-{next(numbers)}"}))


def _one_less(document: dict[str, Any]) -> None:
    if "nextPageToken" not in document:
        document["items"] = document["items"][:-1]


def _refuse(_: Handler, __: dict[str, Any]) -> Reply:
    raise refusal(400, "this table cannot be read so")


@fault("DS-LTB-13", "DS-LAT-01", by=partial(on_answer, TABLES))
def tables_of_elsewhere_are_listed(document: dict[str, Any]) -> None:
    if "nextPageToken" not in document:
        document["items"] += [
            {**table, "name": "of_elsewhere", "id": "0"} for table in document["items"][:1]
        ]


@fault("DS-LAT-01")
def all_tables_end_at_an_empty_schema(service: Service) -> None:
    schemas, tables = service.handlers[op.list_schemas], service.handlers[TABLES]

    def act(handler: Handler, arguments: Arguments) -> Reply:
        document = handler(**arguments).document
        of = {name: arguments[name] for name in ("caller", "share")}
        everything = {"max_results": None, "page_token": None}
        names = [schema["name"] for schema in schemas(**of, **everything).document["items"]]
        listed = itertools.takewhile(
            lambda name: tables(**of, schema=name, **everything).document["items"], names
        )
        kept = set(listed)
        return json_answer(
            {**document, "items": [table for table in document["items"] if table["schema"] in kept]}
        )

    on_call(ALL, act)(service)


FAULTS = {
    "auxiliary-locations-have-no-credentials DS-LTB-07": refuse_calls(
        op.generate_temporary_table_credentials,
        lambda arguments: (arguments.get("body") or {}).get("location"),
        refusal(400, "credentials are given for the main location alone"),
    ),
    "tables-without-schema DS-LTB-01": each_table(TABLES, lambda t: t.pop("schema")),
    "all-tables-without-share DS-LAT-02": each_table(ALL, lambda t: t.pop("share")),
    "all-tables-have-numbered-ids DS-LAT-02": each_table(ALL, lambda t: t.update(id=1)),
    "tables-have-one-id DS-LTB-02": each_table(LISTS, lambda t: t.update(id="one")),
    "table-ids-change DS-LTB-02": _new_ids("id"),
    "share-ids-of-tables-differ DS-LTB-03": _new_ids("shareId"),
    "one-share-id-for-all DS-LTB-03": each_table(LISTS, lambda t: t.update(shareId="one")),
    "location-is-the-log DS-LTB-04": each_table(
        LISTS, _of_directories(lambda t: t.update(location=f"{t['location']}/_delta_log"))
    ),
    "directories-without-location DS-LTB-05": each_table(
        LISTS, _of_directories(lambda t: t.pop("location"))
    ),
    "empty-access-modes DS-LTB-10": each_table(TABLES, lambda t: t.update(accessModes=[])),
    "access-modes-in-capitals DS-LTB-10": each_table(ALL, lambda t: t.update(accessModes=["URL"])),
    "last-table-is-not-listed DS-LTB-13 DS-LAT-01": on_answer(TABLES, _one_less),
    "all-tables-lack-one DS-LAT-01": on_answer(ALL, _one_less),
    "absent-schemas-are-empty DS-LTB-13": on_call(TABLES, absent_is_empty),
    "tables-by-url-cannot-be-queried DS-LTB-11": on_call(op.query_table, _refuse),
    "directories-have-no-credentials DS-LTB-11": on_call(
        op.generate_temporary_table_credentials, _refuse
    ),
}
