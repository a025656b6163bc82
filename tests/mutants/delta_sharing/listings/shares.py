"""Shares and schemas that are not described as they are."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing.answers import json_answer
from lakepact.reference_server.faults import Install, fault, on_answer, on_call, on_status
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from mutants.delta_sharing.operators.absent import absent_is_empty

LIST, GET, SCHEMAS = op.list_shares, op.get_share, op.list_schemas


def _said_of_shares(**members: Any) -> Install:
    """Have every share say something of itself."""

    def change(document: dict[str, Any]) -> None:
        for share in document.get("items", [document.get("share")]):
            share.update(members)

    return on_answer((LIST, GET), change)


def _without(member: str) -> Install:
    def change(document: dict[str, Any]) -> None:
        for item in document["items"]:
            del item[member]

    return on_answer(SCHEMAS, change)


@fault("DS-SHR-01", by=partial(on_answer, LIST))
def share_without_name(document: dict[str, Any]) -> None:
    if document["items"]:
        del document["items"][-1]["name"]


@fault("DS-SHR-02")
def share_ids_change() -> Install:
    numbers = itertools.count()

    def change(document: dict[str, Any]) -> None:
        for share in document.get("items", [document.get("share")]):
            share["id"] = f"id-{next(numbers)}"

    return on_answer((LIST, GET), change)


@fault("DS-SHR-02", by=partial(on_answer, (LIST, GET)))
def shares_have_one_id(document: dict[str, Any]) -> None:
    for share in document.get("items", [document.get("share")]):
        share["id"] = "one"


@fault("DS-GSH-02", by=partial(on_answer, GET))
def shares_lose_their_comment(document: dict[str, Any]) -> None:
    document["share"].pop("comment", None)


@fault("DS-GSH-03", by=partial(on_call, GET))
def absent_shares_are_described(handler: Handler, arguments: Arguments) -> Reply:
    try:
        return handler(**arguments)
    except Problem:
        return json_answer({"share": {"name": arguments["share"]}})


@fault("DS-LSC-01", by=partial(on_answer, SCHEMAS))
def schemas_of_another_share(document: dict[str, Any]) -> None:
    for item in document["items"]:
        item["share"] = "another"


@fault("DS-LSC-01", by=partial(on_answer, SCHEMAS))
def last_schema_is_not_listed(document: dict[str, Any]) -> None:
    if "nextPageToken" not in document:
        document["items"] = document["items"][:-1]


FAULTS = {
    "comments-are-too-long DS-SHR-04": _said_of_shares(comment="x" * 65537),
    "comments-are-numbers DS-SHR-04": _said_of_shares(comment=1),
    "properties-are-numbers DS-SHR-05": _said_of_shares(properties={"a": 1}),
    "properties-are-too-many DS-SHR-05": _said_of_shares(
        properties={str(n): "" for n in range(51)}
    ),
    "bare-shares DS-GSH-01": on_answer(GET, lambda d: d["share"]),
    "listed-shares-are-not-found DS-GSH-01": on_status(GET, {200: 404}),
    "absent-shares-are-malformed DS-GSH-03": on_status(GET, {404: 400}),
    "schemas-without-share DS-LSC-01": _without("share"),
    "absent-shares-have-no-schemas DS-LSC-02": on_call(SCHEMAS, absent_is_empty),
}
