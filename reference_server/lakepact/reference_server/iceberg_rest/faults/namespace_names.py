"""Names of namespaces that are stored or read wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, around, instead, on_call
from lakepact.reference_server.iceberg_rest.catalog import NAMESPACES, SEPARATOR
from lakepact.reference_server.iceberg_rest.faults.ways.requests import asked_for
from lakepact.reference_server.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document
    from lakepact.reference_server.replies import Reply
    from lakepact.reference_server.service import Handler
    from lakepact.reference_server.store import Place, Record, Transaction


def _joined(body: Document) -> Document:
    """Store the levels of a namespace as one dotted name."""
    return {**body, "namespace": [".".join(body["namespace"])]}


def _stripped(find: Callable[..., Record]) -> Callable[..., Record]:
    """Overlook levels that are empty."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, tuple(level for level in levels if level) or levels)

    return namespace_exists


def _split_at_dots(find: Callable[..., Record]) -> Callable[..., Record]:
    """Take a dot for a separator."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, tuple(part for level in levels for part in level.split(".")))

    return namespace_exists


def _folded(find: Callable[..., Record]) -> Callable[..., Record]:
    """Find namespaces in any case, although they are created in each."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        for name, record in transaction.under(NAMESPACES, levels[:-1]):
            if name.lower() == levels[-1].lower():
                return record
        return find(transaction, levels)

    return namespace_exists


def _cut_to_four(find: Callable[..., Record]) -> Callable[..., Record]:
    """Look at the first four levels of a path only."""

    def namespace_exists(transaction: Transaction, levels: Place) -> Record:
        return find(transaction, levels[:4])

    return namespace_exists


def _children_at_dots(handler: Handler, arguments: dict[str, Any]) -> Reply:
    """Take a dot in the parent for a separator."""
    parent = arguments.get("parent")
    return handler(**{**arguments, "parent": parent.replace(".", SEPARATOR)} if parent else arguments)


def _in_lower_case(body: Document) -> Document:
    return {**body, "namespace": [level.lower() for level in body["namespace"]]}


def _two_levels(levels: tuple[str, ...]) -> None:
    if len(levels) > 2 or not levels or not all(levels) or any(SEPARATOR in level for level in levels):
        raise Problem(400, "BadRequestException", "no more than two levels")


FAULTS = (
    Fault(
        "levels-stored-as-one",
        "Levels are joined when they are stored.",
        ("IRC-NS-ENC-001",),
        asked_for("createNamespace", _joined),
    ),
    Fault(
        "three-levels-at-most",
        "No more than three levels are nested.",
        ("IRC-NS-ENC-006",),
        instead("rules", "levels-are-addressable", _two_levels),
    ),
    Fault("dots-separate", "A dot in a path separates levels.", ("IRC-NS-ENC-002",), around("rules", "namespace-exists", _split_at_dots)),
    Fault(
        "empty-levels-overlooked",
        "Separators too many are overlooked.",
        ("IRC-NS-ENC-003",),
        around("rules", "namespace-exists", _stripped),
    ),
    Fault(
        "case-folded-at-load",
        "Case counts at creation, but not at loading.",
        ("IRC-NS-ENC-004",),
        around("rules", "namespace-exists", _folded),
    ),
    Fault(
        "levels-behind-the-fourth-overlooked",
        "Only four levels of a path are looked at.",
        ("IRC-NS-ENC-001",),
        around("rules", "namespace-exists", _cut_to_four),
    ),
    Fault(
        "dots-separate-parents", "A dot in a parent separates levels.", ("IRC-NS-ENC-002",), on_call("listNamespaces", _children_at_dots)
    ),
    Fault(
        "created-in-lower-case",
        "Names are stored in lower case, and looked for as they are.",
        ("IRC-NS-ENC-004",),
        asked_for("createNamespace", _in_lower_case),
    ),
)
