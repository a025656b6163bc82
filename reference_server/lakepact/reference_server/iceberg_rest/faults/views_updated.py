"""Wrong ways with the updates that views share with tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, accept, around, instead
from lakepact.reference_server.iceberg_rest.documents import refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.iceberg_rest.updates import Draft

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


FAULTS = (
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
