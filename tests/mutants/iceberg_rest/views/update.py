"""Wrong ways with the updates that views share with tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import (
    Install,
    accept,
    fault,
    on_call,
    replace_entry,
    wrap_entry,
)
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Arguments, Handler
from lakepact.reference_server.iceberg_rest.documents import Document, refusal
from lakepact.reference_server.iceberg_rest.updates import Draft

UPDATES = "view-updates"


def _on(update: str, wrapper: Callable[..., Any]) -> Install:
    return wrap_entry(UPDATES, update, wrapper)


@fault("IRC-GEN-020", by=partial(_on, "add-schema"))
def later_schemas_of_views_lose_docs(step: Callable[..., Any]) -> Callable[..., Any]:
    def act(draft: Draft, update: Document) -> None:
        fields = [
            {member: value for member, value in field.items() if member != "doc"}
            for field in update["schema"]["fields"]
        ]
        step(draft, {**update, "schema": {**update["schema"], "fields": fields}})

    return act


@fault("IRC-UPD-083", by=partial(_on, "add-schema"))
def later_schemas_of_views_are_turned(step: Callable[..., Any]) -> Callable[..., Any]:
    def act(draft: Draft, update: Document) -> None:
        step(
            draft,
            {**update, "schema": {**update["schema"], "fields": update["schema"]["fields"][::-1]}},
        )

    return act


@fault("IRC-VIEW-REPL-005", by=partial(on_call, op.replace_view))
def empty_replacements_check_nothing(handler: Handler, arguments: Arguments) -> Reply:
    body = arguments["body"]
    return (
        handler(**arguments)
        if body.get("updates")
        else handler(**{**arguments, "body": {**body, "requirements": []}})
    )


@fault("IRC-UPD-061", by=partial(_on, "set-properties"))
def forgets_empty_properties_of_views(step: Callable[..., Any]) -> Callable[..., Any]:
    return lambda draft, update: step(
        draft,
        {**update, "updates": {key: value for key, value in update["updates"].items() if value}},
    )


@fault("IRC-UPD-064", by=partial(_on, "remove-properties"))
def removes_known_properties_of_views_alone(step: Callable[..., Any]) -> Callable[..., Any]:
    def act(draft: Draft, update: Document) -> None:
        if set(update["removals"]) - set(draft.get("properties") or {}):
            raise refusal(f"{draft.where}/removals", "there is no such property")
        step(draft, update)

    return act


FAULTS = {
    "views-take-other-uuids IRC-META-018": replace_entry(
        UPDATES, "assign-uuid", lambda draft, update: draft.set("view-uuid", update["uuid"])
    ),
    "replaces-all-properties-of-views IRC-UPD-061": replace_entry(
        UPDATES,
        "set-properties",
        lambda draft, update: draft.set("properties", dict(update["updates"])),
    ),
    "views-keep-their-location IRC-UPD-059": replace_entry(UPDATES, "set-location", accept),
    "keeps-properties-of-views IRC-UPD-064": replace_entry(UPDATES, "remove-properties", accept),
}
