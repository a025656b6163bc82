"""Catalogs with additional members, another order or allowed refusals fail nothing."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from faulty_servers import judged
from lakepact.reference_server.faults import all_of, on_answer, on_call
from lakepact.reference_server.http.problems import Problem

if TYPE_CHECKING:
    from lakepact.reference_server.faults import Install
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.service import Handler

NAMES = (
    *("IRC-GEN-02*", "IRC-NS-ENC-*", "IRC-NS-LIST-*", "IRC-TBL-LIST-*", "IRC-TBL-REN-*", "IRC-TBL-REG-001"),
    *("IRC-VIEW-*", "IRC-UPD-02*", "IRC-UPD-059", "IRC-UPD-010"),
)
NOTE = {"said": ["more", None]}
FREE = frozenset({"properties", "config", "summary", "updates"})  #: objects with member names that a user chose


def say_more(value: Any) -> None:
    """Add a member to every object within an answer."""
    if isinstance(value, list):
        for item in value:
            say_more(item)
    elif isinstance(value, dict):
        for member, inner in [*value.items()]:
            if member == "refs":
                say_more([*inner.values()])
            elif member not in FREE:
                say_more(inner)
        value["x-lakepact-note"] = NOTE


def shuffled(document: dict[str, Any]) -> None:
    for member in ("identifiers", "namespaces"):
        random.shuffle(document.get(member, []))


def of_plain_names(name: str) -> None:
    if not re.fullmatch("[a-z0-9_]+", name):
        raise Problem(400, "BadRequestException", f"{name!r} is no name here")


def plain_names(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    for name in (*body.get("namespace", ()), body.get("name", "plain"), body.get("destination", {}).get("name", "plain")):
        of_plain_names(name)
    return handler(**arguments)


def stays_where_it_is(handler: Handler, arguments: dict[str, Any]) -> Reply:
    body = arguments["body"]
    creates = any(one.get("type") == "assert-create" for one in body.get("requirements", ()))
    if not creates and any(one.get("action") == "set-location" for one in body.get("updates", ())):
        raise Problem(403, "ForbiddenException", "nothing is moved here")
    return handler(**arguments)


def within_its_namespace(handler: Handler, arguments: dict[str, Any]) -> Reply:
    source, destination = (arguments["body"].get(side, {}).get("namespace") for side in ("source", "destination"))
    if source and destination and source != destination:
        raise Problem(406, "UnsupportedOperationException", "nothing is renamed into another namespace here")
    return handler(**arguments)


MADE = ("createNamespace", "createTable", "createView", "registerTable", "renameTable", "renameView")
UNUSUAL: dict[str, Install] = {
    "lists-say-more": on_answer(("listTables", "listViews"), say_more),
    "columns-and-orders-say-more": on_answer("updateTable", lambda answer: say_more(answer["metadata"]["sort-orders"])),
    "lists-are-shuffled": on_answer(("listNamespaces", "listTables", "listViews"), shuffled),
    "names-are-plain": on_call(MADE, plain_names),
    "nothing-is-moved": on_call(("updateTable", "replaceView"), stays_where_it_is),
    "renames-stay-within": all_of(on_call("renameTable", within_its_namespace), on_call("renameView", within_its_namespace)),
}


@pytest.mark.parametrize("unusual", UNUSUAL)
def test_unusual_catalog_fails_nothing(unusual: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged({unusual: UNUSUAL[unusual]}, *NAMES) == []
