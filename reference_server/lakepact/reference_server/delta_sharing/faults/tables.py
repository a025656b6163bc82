"""Listings of tables that say what is not so."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import json_answer, refused
from lakepact.reference_server.delta_sharing.faults.ways.absent import absent_is_empty
from lakepact.reference_server.faults import Fault, Install, anew, on_answer, on_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler, Service

TABLES, ALL = "listTables", "listAllTables"
LISTS = (TABLES, ALL)


def each_table(operations: str | tuple[str, ...], edit: Callable[[dict[str, Any]], Any]) -> Install:
    """Change every table of listings."""

    def change(document: dict[str, Any]) -> None:
        for table in document["items"]:
            edit(table)

    return on_answer(operations, change)


def _of_directories(edit: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    """Change only tables that are read by directory."""
    return lambda table: edit(table) if "dir" in table.get("accessModes", []) else None


def _new_ids(member: str) -> Install:
    """Give tables something else as one of their ids in every answer."""
    numbers = itertools.count()
    return each_table(LISTS, lambda table: table.update({member: f"id-{next(numbers)}"}))


def _one_more(document: dict[str, Any]) -> None:
    if "nextPageToken" not in document:
        document["items"] += [{**table, "name": "of_elsewhere", "id": "0"} for table in document["items"][:1]]


def _one_less(document: dict[str, Any]) -> None:
    if "nextPageToken" not in document:
        document["items"] = document["items"][:-1]


def _up_to_an_empty_schema(service: Service) -> None:
    """List the tables of a share schema by schema, and stop at one that has none."""
    schemas, tables = service.handlers["listSchemas"], service.handlers[TABLES]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        document = handler(**arguments).document
        of = {name: arguments[name] for name in ("caller", "share")}
        everything = {"max_results": None, "page_token": None}
        names = [schema["name"] for schema in schemas(**of, **everything).document["items"]]
        listed = itertools.takewhile(lambda name: tables(**of, schema=name, **everything).document["items"], names)
        kept = set(listed)
        return json_answer({**document, "items": [table for table in document["items"] if table["schema"] in kept]})

    on_call(ALL, act)(service)


def _refused(_: Handler, __: dict[str, Any]) -> Reply:
    raise refused(400, "this table cannot be read so")


def _main_location_alone(handler: Handler, arguments: dict[str, Any]) -> Reply:
    if (arguments.get("body") or {}).get("location"):
        raise refused(400, "credentials are given for the main location alone")
    return handler(**arguments)


FAULTS = (
    Fault(
        "tables-without-schema",
        "Tables do not say in which schema they are.",
        ("DS-LTB-01",),
        each_table(TABLES, lambda t: t.pop("schema")),
    ),
    Fault(
        "all-tables-without-share",
        "In the listing of a share, tables do not name it.",
        ("DS-LAT-02",),
        each_table(ALL, lambda t: t.pop("share")),
    ),
    Fault(
        "all-tables-have-numbered-ids",
        "In the listing of a share, ids are numbers.",
        ("DS-LAT-02",),
        each_table(ALL, lambda t: t.update(id=1)),
    ),
    Fault("tables-have-one-id", "All tables have one id.", ("DS-LTB-02",), each_table(LISTS, lambda t: t.update(id="one"))),
    Fault("table-ids-change", "Tables have another id each time.", ("DS-LTB-02",), anew(partial(_new_ids, "id"))),
    Fault("share-ids-of-tables-differ", "Each table has a share id of its own.", ("DS-LTB-03",), anew(partial(_new_ids, "shareId"))),
    Fault(
        "one-share-id-for-all",
        "Tables of all shares have one share id.",
        ("DS-LTB-03",),
        each_table(LISTS, lambda t: t.update(shareId="one")),
    ),
    Fault(
        "location-is-the-log",
        "The location of a table is its log.",
        ("DS-LTB-04",),
        each_table(LISTS, _of_directories(lambda t: t.update(location=f"{t['location']}/_delta_log"))),
    ),
    Fault(
        "directories-without-location",
        "Tables of directories have no location.",
        ("DS-LTB-05",),
        each_table(LISTS, _of_directories(lambda t: t.pop("location"))),
    ),
    Fault(
        "empty-access-modes",
        "The access modes of tables are an empty array.",
        ("DS-LTB-10",),
        each_table(TABLES, lambda t: t.update(accessModes=[])),
    ),
    Fault(
        "access-modes-in-capitals",
        "Access modes are written in capitals.",
        ("DS-LTB-10",),
        each_table(ALL, lambda t: t.update(accessModes=["URL"])),
    ),
    Fault(
        "tables-of-elsewhere-are-listed",
        "A schema lists a table that it does not have.",
        ("DS-LTB-13", "DS-LAT-01"),
        on_answer(TABLES, _one_more),
    ),
    Fault("last-table-is-not-listed", "A schema does not list its last table.", ("DS-LTB-13", "DS-LAT-01"), on_answer(TABLES, _one_less)),
    Fault("all-tables-lack-one", "The last table of a share is missing among all.", ("DS-LAT-01",), on_answer(ALL, _one_less)),
    Fault(
        "all-tables-end-at-an-empty-schema",
        "The listing of a share ends at the first schema without tables.",
        ("DS-LAT-01",),
        _up_to_an_empty_schema,
    ),
    Fault("absent-schemas-are-empty", "A schema that does not exist has no tables.", ("DS-LTB-13",), on_call(TABLES, absent_is_empty)),
    Fault(
        "tables-by-url-cannot-be-queried",
        "Queries of tables are refused that are read by URLs.",
        ("DS-LTB-11",),
        on_call("queryTable", _refused),
    ),
    Fault(
        "auxiliary-locations-have-no-credentials",
        "Credentials are given for the main location of a table alone.",
        ("DS-LTB-07",),
        on_call("generateTemporaryTableCredentials", _main_location_alone),
    ),
    Fault(
        "directories-have-no-credentials",
        "There are no credentials for tables that are read by directory.",
        ("DS-LTB-11",),
        on_call("generateTemporaryTableCredentials", _refused),
    ),
)
