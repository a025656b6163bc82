"""Listings of tables that say what is not so."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import json_answer, refused
from lakepact.reference_server.faults import Install, fault, on_answer, on_call
from mutants.delta_sharing.operators.absent import absent_is_empty

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.generated.contract import OperationId
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler, Service

TABLES, ALL = op.list_tables, op.list_all_tables
LISTS = (TABLES, ALL)


def each_table(operations: OperationId | tuple[OperationId, ...], edit: Callable[[dict[str, Any]], Any]) -> Install:
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


def _one_less(document: dict[str, Any]) -> None:
    if "nextPageToken" not in document:
        document["items"] = document["items"][:-1]


def _refused(_: Handler, __: dict[str, Any]) -> Reply:
    raise refused(400, "this table cannot be read so")


@fault("DS-LTB-01")
def tables_without_schema() -> Install:
    """Tables do not say in which schema they are."""
    return each_table(TABLES, lambda t: t.pop("schema"))


@fault("DS-LAT-02")
def all_tables_without_share() -> Install:
    """In the listing of a share, tables do not name it."""
    return each_table(ALL, lambda t: t.pop("share"))


@fault("DS-LAT-02")
def all_tables_have_numbered_ids() -> Install:
    """In the listing of a share, ids are numbers."""
    return each_table(ALL, lambda t: t.update(id=1))


@fault("DS-LTB-02")
def tables_have_one_id() -> Install:
    """All tables have one id."""
    return each_table(LISTS, lambda t: t.update(id="one"))


@fault("DS-LTB-02")
def table_ids_change() -> Install:
    """Tables have another id each time."""
    return _new_ids("id")


@fault("DS-LTB-03")
def share_ids_of_tables_differ() -> Install:
    """Each table has a share id of its own."""
    return _new_ids("shareId")


@fault("DS-LTB-03")
def one_share_id_for_all() -> Install:
    """Tables of all shares have one share id."""
    return each_table(LISTS, lambda t: t.update(shareId="one"))


@fault("DS-LTB-04")
def location_is_the_log() -> Install:
    """The location of a table is its log."""
    return each_table(LISTS, _of_directories(lambda t: t.update(location=f"{t['location']}/_delta_log")))


@fault("DS-LTB-05")
def directories_without_location() -> Install:
    """Tables of directories have no location."""
    return each_table(LISTS, _of_directories(lambda t: t.pop("location")))


@fault("DS-LTB-10")
def empty_access_modes() -> Install:
    """The access modes of tables are an empty array."""
    return each_table(TABLES, lambda t: t.update(accessModes=[]))


@fault("DS-LTB-10")
def access_modes_in_capitals() -> Install:
    """Access modes are written in capitals."""
    return each_table(ALL, lambda t: t.update(accessModes=["URL"]))


@fault("DS-LTB-13", "DS-LAT-01", by=partial(on_answer, TABLES))
def tables_of_elsewhere_are_listed(document: dict[str, Any]) -> None:
    """A schema lists a table that it does not have."""
    if "nextPageToken" not in document:
        document["items"] += [{**table, "name": "of_elsewhere", "id": "0"} for table in document["items"][:1]]


@fault("DS-LTB-13", "DS-LAT-01")
def last_table_is_not_listed() -> Install:
    """A schema does not list its last table."""
    return on_answer(TABLES, _one_less)


@fault("DS-LAT-01")
def all_tables_lack_one() -> Install:
    """The last table of a share is missing among all."""
    return on_answer(ALL, _one_less)


@fault("DS-LAT-01")
def all_tables_end_at_an_empty_schema(service: Service) -> None:
    """The listing of a share ends at the first schema without tables."""
    schemas, tables = service.handlers[op.list_schemas], service.handlers[TABLES]

    def act(handler: Handler, arguments: dict[str, Any]) -> Reply:
        document = handler(**arguments).document
        of = {name: arguments[name] for name in ("caller", "share")}
        everything = {"max_results": None, "page_token": None}
        names = [schema["name"] for schema in schemas(**of, **everything).document["items"]]
        listed = itertools.takewhile(lambda name: tables(**of, schema=name, **everything).document["items"], names)
        kept = set(listed)
        return json_answer({**document, "items": [table for table in document["items"] if table["schema"] in kept]})

    on_call(ALL, act)(service)


@fault("DS-LTB-13")
def absent_schemas_are_empty() -> Install:
    """A schema that does not exist has no tables."""
    return on_call(TABLES, absent_is_empty)


@fault("DS-LTB-11")
def tables_by_url_cannot_be_queried() -> Install:
    """Queries of tables are refused that are read by URLs."""
    return on_call(op.query_table, _refused)


@fault("DS-LTB-07", by=partial(on_call, op.generate_temporary_table_credentials))
def auxiliary_locations_have_no_credentials(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Credentials are given for the main location of a table alone."""
    if (arguments.get("body") or {}).get("location"):
        raise refused(400, "credentials are given for the main location alone")
    return handler(**arguments)


@fault("DS-LTB-11")
def directories_have_no_credentials() -> Install:
    """There are no credentials for tables that are read by directory."""
    return on_call(op.generate_temporary_table_credentials, _refused)
