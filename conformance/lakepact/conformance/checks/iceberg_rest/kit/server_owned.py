"""Properties that the server adds to namespaces, tables and views by itself, such as the id of its
last commit.

They may change at any time, so comparisons leave them out. They are looked for only once two states
differ.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Generator
from typing import Any
from weakref import WeakKeyDictionary

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.evidence.exchanges import Members
from lakepact.conformance.evidence.outcome import Blocked, NotOffered, Unmet
from lakepact.conformance.http.wire import Wire
from lakepact.generated.iceberg_rest import op

_by_wire: WeakKeyDictionary[Wire, frozenset[str]] = WeakKeyDictionary()


@contextlib.contextmanager
def no_evidence(lab: CatalogLab) -> Generator[None]:
    """Keep the requests of the block out of the trails of verdicts, and end it early if one
    fails.
    """
    before = list(lab.sent)
    try:
        with contextlib.suppress(Blocked, NotOffered, Unmet):
            yield
    finally:
        lab.sent[:] = before


def properties_of_server(lab: CatalogLab) -> frozenset[str]:
    """Return the names of properties that new namespaces, tables and views have although no request
    set them.
    """
    cached = _by_wire.get(lab.wire)
    if cached is None:
        names: set[str] = set()
        with no_evidence(lab):
            namespace = lab.make_namespace()
            names |= _properties(lab.send(op.load_namespace_metadata, namespace=namespace).document)
            if lab.offers(op.create_table):
                names |= _properties(lab.load(lab.make_table(namespace)).metadata)
            if lab.offers(op.create_view):
                view = lab.make_view(namespace)
                names |= _properties(
                    lab.send(op.load_view, namespace=namespace, view=view).document.get("metadata")
                )
        cached = _by_wire[lab.wire] = frozenset(names)
    return cached


def without_properties(document: Any, names: Collection[str]) -> Any:
    """Return a copy of a JSON document without properties of these names in any `properties`
    object.
    """
    if isinstance(document, list):
        return [without_properties(item, names) for item in document]
    if not isinstance(document, dict):
        return document
    return {
        member: _without(value, names)
        if member == "properties"
        else without_properties(value, names)
        for member, value in document.items()
    }


def same_except_server_properties(lab: CatalogLab, before: Any, after: Any) -> bool:
    """Return whether two JSON documents are equal, except for properties that the server owns."""
    if before == after:
        return True
    names = properties_of_server(lab)
    return bool(names) and without_properties(before, names) == without_properties(after, names)


def _properties(holder: Any) -> set[str]:
    properties = holder.get("properties") if isinstance(holder, dict) else None
    return set(properties) if isinstance(properties, dict) else set()


def _without(properties: Members | Any, names: Collection[str]) -> Any:
    if not isinstance(properties, dict):
        return properties
    return {name: value for name, value in properties.items() if name not in names}
