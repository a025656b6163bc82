"""Shares and schemas that are not described as they are."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.answers import json_answer
from lakepact.reference_server.delta_sharing.faults.ways.absent import absent_is_empty
from lakepact.reference_server.faults import Fault, Install, anew, on_answer, on_call, on_status
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler

LIST, GET, SCHEMAS = "listShares", "getShare", "listSchemas"


def _said_of_shares(**members: Any) -> Install:
    """Have every share say something of itself."""

    def change(document: dict[str, Any]) -> None:
        for share in document.get("items", [document.get("share")]):
            share.update(members)

    return on_answer((LIST, GET), change)


def _last_without_name(document: dict[str, Any]) -> None:
    if document["items"]:
        del document["items"][-1]["name"]


def _new_ids() -> Install:
    """Give shares another id in every answer."""
    numbers = itertools.count()

    def change(document: dict[str, Any]) -> None:
        for share in document.get("items", [document.get("share")]):
            share["id"] = f"id-{next(numbers)}"

    return on_answer((LIST, GET), change)


def _one_id(document: dict[str, Any]) -> None:
    for share in document.get("items", [document.get("share")]):
        share["id"] = "one"


def _without_comment(document: dict[str, Any]) -> None:
    document["share"].pop("comment", None)


def _absent_is_described(handler: Handler, arguments: dict[str, Any]) -> Reply:
    try:
        return handler(**arguments)
    except Problem:
        return json_answer({"share": {"name": arguments["share"]}})


def _without(member: str) -> Install:
    def change(document: dict[str, Any]) -> None:
        for item in document["items"]:
            del item[member]

    return on_answer(SCHEMAS, change)


def _of_another_share(document: dict[str, Any]) -> None:
    for item in document["items"]:
        item["share"] = "another"


def _without_last_schema(document: dict[str, Any]) -> None:
    if "nextPageToken" not in document:
        document["items"] = document["items"][:-1]


FAULTS = (
    Fault("share-without-name", "The last share has no name.", ("DS-SHR-01",), on_answer(LIST, _last_without_name)),
    Fault("share-ids-change", "Shares have another id each time.", ("DS-SHR-02",), anew(_new_ids)),
    Fault("shares-have-one-id", "All shares have one id.", ("DS-SHR-02",), on_answer((LIST, GET), _one_id)),
    Fault("comments-are-too-long", "Comments of shares are longer than they may be.", ("DS-SHR-04",), _said_of_shares(comment="x" * 65537)),
    Fault("comments-are-numbers", "Comments of shares are numbers.", ("DS-SHR-04",), _said_of_shares(comment=1)),
    Fault("properties-are-numbers", "Properties of shares are numbers.", ("DS-SHR-05",), _said_of_shares(properties={"a": 1})),
    Fault(
        "properties-are-too-many", "Shares have 51 properties.", ("DS-SHR-05",), _said_of_shares(properties={str(n): "" for n in range(51)})
    ),
    Fault("bare-shares", "A share is answered without the member `share` around it.", ("DS-GSH-01",), on_answer(GET, lambda d: d["share"])),
    Fault("listed-shares-are-not-found", "Shares are listed, but not found by their names.", ("DS-GSH-01",), on_status(GET, {200: 404})),
    Fault(
        "shares-lose-their-comment",
        "A share that is asked for by its name has no comment.",
        ("DS-GSH-02",),
        on_answer(GET, _without_comment),
    ),
    Fault("absent-shares-are-described", "A share that does not exist is described.", ("DS-GSH-03",), on_call(GET, _absent_is_described)),
    Fault("absent-shares-are-malformed", "Asking for a share that does not exist is a 400.", ("DS-GSH-03",), on_status(GET, {404: 400})),
    Fault("schemas-without-share", "Schemas do not say to which share they belong.", ("DS-LSC-01",), _without("share")),
    Fault(
        "schemas-of-another-share", "Schemas say that they belong to another share.", ("DS-LSC-01",), on_answer(SCHEMAS, _of_another_share)
    ),
    Fault("last-schema-is-not-listed", "The last schema of a share is left out.", ("DS-LSC-01",), on_answer(SCHEMAS, _without_last_schema)),
    Fault(
        "absent-shares-have-no-schemas", "A share that does not exist has no schemas.", ("DS-LSC-02",), on_call(SCHEMAS, absent_is_empty)
    ),
)
