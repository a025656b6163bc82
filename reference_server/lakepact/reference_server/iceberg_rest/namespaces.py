"""Namespaces: created below a parent that exists, dropped when nothing is left in them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import orjson

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import NO_CONTENT, Reply, json_reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.iceberg_rest import identifiers
from lakepact.reference_server.storage.store import Record
from lakepact.reference_server.warehouse.local import below

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import (
        CreateNamespaceRequest,
        UpdateNamespacePropertiesRequest,
    )
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
    from lakepact.reference_server.storage.store import Place, Transaction


def parent_exists(transaction: Transaction, levels: Place) -> None:
    """Check that the parent of a new namespace exists.

    Raises:
        Problem: 404, it does not.
    """
    if len(levels) > 1 and transaction.get(identifiers.namespace_key(levels[:-1])) is None:
        raise identifiers.no_such_namespace(levels[:-1])


def namespace_is_free(transaction: Transaction, levels: Place) -> None:
    """Check that no namespace has a name.

    Raises:
        Problem: 409, the name is taken.
    """
    if transaction.get(identifiers.namespace_key(levels)) is not None:
        raise Problem(
            409,
            "AlreadyExistsException",
            f"Namespace already exists: {identifiers.full_name(levels)}",
        )


def namespace_is_empty(transaction: Transaction, levels: Place) -> None:
    """Check that a namespace holds no tables, views and child namespaces.

    Raises:
        Problem: 409, it holds one.
    """
    for collection in (identifiers.NAMESPACES, identifiers.IDENTIFIERS):
        for name, record in transaction.under(collection, levels):
            message = (
                f"the namespace {identifiers.full_name(levels)} is not empty: it holds the"
                f" {record.kind} {name}"
            )
            raise Problem(409, "NamespaceNotEmptyException", message)


def levels_are_addressable(levels: Sequence[str]) -> None:
    """Check that a namespace can be addressed in a path."""
    if not levels:
        raise identifiers.bad_request("at /namespace: a namespace has at least one level")
    for index, level in enumerate(levels):
        identifiers.check_name(level, f"at /namespace/{index}: the level of a namespace")
        if identifiers.SEPARATOR in level:
            raise identifiers.bad_request(
                f"at /namespace/{index}: a level must not contain U+001F, which separates levels in"
                " paths"
            )


def keys_are_disjoint(updates: Mapping[str, str], removals: Sequence[str]) -> None:
    """Check that no property is both set and removed."""
    both = sorted(set(updates) & set(removals))
    if both:
        raise Problem(
            422,
            "UnprocessableEntityException",
            f"these properties are to be set and removed at once: {', '.join(both)[:300]}",
        )


def locate_namespace(properties: dict[str, str], location: str) -> None:
    """Set `location` of a namespace that requests none."""
    properties.setdefault("location", location)


class Rules(ServiceRules):
    """Decisions about namespaces that a fault may replace."""

    parent_exists = staticmethod(parent_exists)
    namespace_is_free = staticmethod(namespace_is_free)
    namespace_is_empty = staticmethod(namespace_is_empty)
    levels_are_addressable = staticmethod(levels_are_addressable)
    keys_are_disjoint = staticmethod(keys_are_disjoint)
    locate_namespace = staticmethod(locate_namespace)


class Namespaces:
    """The namespace operations of the contract.

    Args:
        catalog: the catalog of the namespaces.
        rules: the decisions about namespaces.
    """

    def __init__(self, catalog: Catalog, rules: Rules) -> None:
        self._catalog, self._rules = catalog, rules

    def list_namespaces(
        self,
        *,
        parent: str | None = None,
        page_token: str | None = None,
        page_size: int | None = None,
    ) -> Reply:
        """Return the direct children of a namespace, or the top level."""
        levels = identifiers.levels_of(parent) if parent else ()
        with self._catalog.store.view() as view:
            if levels:
                self._catalog.rules.namespace_exists(view, levels)
            listing = f"namespaces{identifiers.SEPARATOR}{parent or ''}"
            page, following = self._catalog.page(
                partial(view.under, identifiers.NAMESPACES, levels), listing, page_token, page_size
            )
        return json_reply(
            {"namespaces": [[*levels, name] for name, _ in page], "next-page-token": following}
        )

    def create_namespace(self, *, body: CreateNamespaceRequest) -> Reply:
        """Return a new namespace with the properties that the caller gives it."""
        levels = tuple(body["namespace"])
        self._rules.levels_are_addressable(levels)
        properties = dict(body.get("properties") or {})
        self._rules.locate_namespace(properties, below(self._catalog.warehouse.root, levels))
        with self._catalog.store.begin() as transaction:
            self._rules.parent_exists(transaction, levels)
            self._rules.namespace_is_free(transaction, levels)
            record = _record(levels, properties)
            transaction.put(identifiers.namespace_key(levels), record)
        return Reply(200, record.body)

    def load_namespace_metadata(self, *, namespace: str) -> Reply:
        """Return a namespace and its properties."""
        return Reply(200, self._existing(namespace).body)

    def namespace_exists(self, *, namespace: str) -> Reply:
        """Return whether there is such a namespace, by status alone."""
        self._existing(namespace)
        return NO_CONTENT

    def drop_namespace(self, *, namespace: str) -> Reply:
        """Remove an empty namespace."""
        levels = identifiers.levels_of(namespace)
        with self._catalog.store.begin() as transaction:
            self._catalog.rules.namespace_exists(transaction, levels)
            self._rules.namespace_is_empty(transaction, levels)
            transaction.remove(identifiers.namespace_key(levels))
        return NO_CONTENT

    def update_properties(self, *, namespace: str, body: UpdateNamespacePropertiesRequest) -> Reply:
        """Set and remove properties of a namespace; others stay as they are."""
        levels = identifiers.levels_of(namespace)
        updates: dict[str, str] = body.get("updates") or {}
        removals: list[str] = body.get("removals") or []
        with self._catalog.store.begin() as transaction:
            properties = dict(
                self._catalog.rules.namespace_exists(transaction, levels).document["properties"]
            )
            self._rules.keys_are_disjoint(updates, removals)
            former = properties.copy()
            keys = list(dict.fromkeys(removals))
            removed = [key for key in keys if properties.pop(key, None) is not None]
            missing = [key for key in keys if key not in former]
            properties.update(updates)
            transaction.put(identifiers.namespace_key(levels), _record(levels, properties))
        return json_reply({"updated": list(updates), "removed": removed, "missing": missing})

    def _existing(self, namespace: str) -> Record:
        with self._catalog.store.view() as view:
            return self._catalog.rules.namespace_exists(view, identifiers.levels_of(namespace))


def _record(levels: Place, properties: dict[str, str]) -> Record:
    document = {"namespace": list(levels), "properties": properties}
    return Record("namespace", document, orjson.dumps(document))
