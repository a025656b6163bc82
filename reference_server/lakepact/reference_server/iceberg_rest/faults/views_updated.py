"""Wrong ways with the updates that views share with tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, accept, around, instead, on_call
from lakepact.reference_server.iceberg_rest.documents import refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler

UPDATES = "view-updates"


def _replace_all(draft: Draft, update: Document) -> None:
    draft.set("properties", dict(update["updates"]))


def _known_ones_only(step: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse to remove what is not there."""

    def act(draft: Draft, update: Document) -> None:
        if set(update["removals"]) - set(draft.get("properties") or {}):
            raise refused(f"{draft.where}/removals", "there is no such property")
        step(draft, update)

    return act


def _without_empty_ones(step: Callable[..., Any]) -> Callable[..., Any]:
    """Forget properties that are set to nothing."""
    return lambda draft, update: step(draft, {**update, "updates": {key: value for key, value in update["updates"].items() if value}})


def _on(update: str, wrapper: Callable[..., Any]) -> Install:
    return around(UPDATES, update, wrapper)


def _take_another_uuid(draft: Draft, update: Document) -> None:
    draft.set("view-uuid", update["uuid"])


def _without_docs(step: Callable[..., Any]) -> Callable[..., Any]:
    """Forget what is said of the columns of a schema that comes later."""

    def act(draft: Draft, update: Document) -> None:
        fields = [{member: value for member, value in field.items() if member != "doc"} for field in update["schema"]["fields"]]
        step(draft, {**update, "schema": {**update["schema"], "fields": fields}})

    return act


def _reversed(step: Callable[..., Any]) -> Callable[..., Any]:
    """Turn the columns of a schema that comes later around."""

    def act(draft: Draft, update: Document) -> None:
        step(draft, {**update, "schema": {**update["schema"], "fields": update["schema"]["fields"][::-1]}})

    return act


def _of_changes_alone(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Look at requirements only where something is to be updated."""
    body = arguments["body"]
    return handler(**arguments) if body.get("updates") else handler(**{**arguments, "body": {**body, "requirements": []}})


FAULTS = (
    Fault(
        "views-take-other-uuids", "Views can be given another UUID.", ("IRC-META-018",), instead(UPDATES, "assign-uuid", _take_another_uuid)
    ),
    Fault(
        "later-schemas-of-views-lose-docs",
        "Columns of later schemas of views lose what was said of them.",
        ("IRC-GEN-020",),
        _on("add-schema", _without_docs),
    ),
    Fault(
        "later-schemas-of-views-are-turned",
        "Columns of later schemas of views are turned around.",
        ("IRC-UPD-083",),
        _on("add-schema", _reversed),
    ),
    Fault(
        "empty-replacements-check-nothing",
        "Requirements of replacements without updates are not checked.",
        ("IRC-VIEW-REPL-005",),
        on_call("replaceView", _of_changes_alone),
    ),
    Fault("views-keep-their-location", "Views stay where they are.", ("IRC-UPD-059",), instead(UPDATES, "set-location", accept)),
    Fault(
        "replaces-all-properties-of-views",
        "Setting a property of a view removes all others.",
        ("IRC-UPD-061",),
        instead(UPDATES, "set-properties", _replace_all),
    ),
    Fault(
        "forgets-empty-properties-of-views",
        "Properties of views that are empty are not kept.",
        ("IRC-UPD-061",),
        _on("set-properties", _without_empty_ones),
    ),
    Fault(
        "keeps-properties-of-views", "No property of a view is removed.", ("IRC-UPD-064",), instead(UPDATES, "remove-properties", accept)
    ),
    Fault(
        "removes-known-properties-of-views-alone",
        "Removing what a view does not have is refused.",
        ("IRC-UPD-064",),
        _on("remove-properties", _known_ones_only),
    ),
)
