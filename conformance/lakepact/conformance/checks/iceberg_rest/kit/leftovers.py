"""Leftovers of runs on a target: objects that a run created and did not drop, or that have its
names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    SEPARATOR,
    SEPARATOR_IN_PATHS,
    SEPARATOR_OF_TARGET,
    CatalogLab,
    Namespace,
)
from lakepact.conformance.evidence.exchanges import Document, Exchange, Reply
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

#: The operations that remove an object, whose path is that of the object.
DROPS = frozenset({op.drop_namespace, op.drop_table, op.drop_view})
#: The operations that create an object named in their body: the end of their path, and that of the
#: object's path before its name.
CREATES: dict[OperationId, tuple[str, str]] = {
    op.create_table: ("/tables", "/tables/"),
    op.register_table: ("/register", "/tables/"),
    op.create_view: ("/views", "/views/"),
}
#: The operations that rename an object, each with the operation that drops one of its kind.
RENAMES: dict[OperationId, OperationId] = {
    op.rename_table: op.drop_table,
    op.rename_view: op.drop_view,
}
#: The listings of a namespace, with the operation that drops an item and its parameter.
CONTENTS = {
    op.list_tables: (op.drop_table, "table"),
    op.list_views: (op.drop_view, "view"),
}
MOST_PAGES = 1000  #: of a listing


def leftovers(lab: CatalogLab, exchanges: Iterable[Exchange]) -> list[str]:
    """Return a line for each object that was created and not removed: its path, and what a request
    to drop it returned.

    Args:
        lab: a lab of the target, which knows its paths.
        exchanges: all exchanges of a run, in order.
    """
    remaining: dict[str, str] = {}
    separator = quote(lab.offer.results.get(SEPARATOR_OF_TARGET) or SEPARATOR, safe="")
    for exchange in exchanges:
        path, body = path_of(lab, exchange), exchange.json
        is_error = isinstance(body, dict) and "error" in body
        is_success = exchange.status // 100 == 2 and not is_error
        if (
            exchange.operation in DROPS and path not in remaining
        ):  # perhaps by the target's separator
            variants = (created.replace(SEPARATOR_IN_PATHS, separator) for created in remaining)
            path = dict(zip(variants, remaining, strict=True)).get(path, path)
        if exchange.operation in DROPS:
            if is_success or exchange.status == 404:
                remaining.pop(path, None)
            elif path in remaining:
                remaining[path] = f"DELETE returned {exchange.status or 'no answer'}"
        elif is_success:
            for former in _sources(lab, exchange):
                remaining.pop(former, None)
            remaining.update(
                dict.fromkeys(created_paths(lab, exchange, path), "no request to drop it was sent")
            )
    return [f"{path}: {reason}" for path, reason in remaining.items()]


def path_of(lab: CatalogLab, exchange: Exchange) -> str:
    """Return the path of a request below the base address."""
    return urlsplit(exchange.url.removeprefix(lab.target.url.rstrip("/"))).path


def body_of(exchange: Exchange) -> Document:
    """Return the JSON object of a request; empty if it sends none."""
    try:
        body = orjson.loads(exchange.request_body)
    except orjson.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {}


def created_paths(lab: CatalogLab, exchange: Exchange, path: str) -> Iterator[str]:
    """Yield the paths of the objects that an accepted request created."""
    body = body_of(exchange)
    if exchange.operation == op.create_namespace:
        levels = body.get("namespace")
        if isinstance(levels, list) and levels:
            yield lab.path(op.drop_namespace, namespace=[_text(level) for level in levels])
    elif (
        exchange.operation is not None
        and exchange.operation in CREATES
        and body.get("stage-create") is not True
        and isinstance(name := body.get("name"), str)
    ):
        end, before = CREATES[exchange.operation]
        yield path.removesuffix(end) + before + quote(name, safe="")
    elif exchange.operation == op.update_table and _asserts_create(body.get("requirements")):
        yield path
    elif exchange.operation in RENAMES:
        yield from rename_paths(lab, exchange, "destination")


def _text(name: object) -> str:
    return name if isinstance(name, str) else orjson.dumps(name).decode()


def _asserts_create(requirements: object) -> bool:
    """Return whether a commit creates its table; an accepted body need not fit the contract."""
    return isinstance(requirements, list) and any(
        isinstance(requirement, dict) and requirement.get("type") == "assert-create"
        for requirement in requirements
    )


def _sources(lab: CatalogLab, exchange: Exchange) -> Iterator[str]:
    return rename_paths(lab, exchange, "source") if exchange.operation in RENAMES else iter(())


def rename_paths(lab: CatalogLab, exchange: Exchange, end: str) -> Iterator[str]:
    """Yield the path of one end of a renaming."""
    identifier = body_of(exchange).get(end)
    operation = RENAMES[exchange.operation] if exchange.operation else None
    if (
        operation is not None
        and isinstance(identifier, dict)
        and isinstance(identifier.get("namespace"), list)
    ):
        kind = "table" if operation == op.drop_table else "view"
        levels = [str(level) for level in identifier["namespace"]]
        yield lab.path(operation, namespace=levels, **{kind: str(identifier.get("name"))})


def clean(lab: CatalogLab, prefix: str) -> Iterator[tuple[str, str]]:
    """Drop the objects whose names have a prefix, with their content; yield each path, and the
    answer unless it is 2xx or 404.

    Args:
        lab: a lab of the target, which knows its paths and its separator.
        prefix: of the names of namespaces, tables and views.

    Raises:
        Blocked: the target does not list its namespaces.
    """
    lab.separator = lab.offer.results.get(SEPARATOR_OF_TARGET) or SEPARATOR
    for levels in _namespaces(lab):
        if levels and levels[-1].startswith(prefix):
            yield from _drop(lab, levels)
        else:
            yield from _empty(lab, levels, prefix)


def _drop(lab: CatalogLab, namespace: Namespace) -> Iterator[tuple[str, str]]:
    for child in _namespaces(lab, parent=namespace):
        if len(child) > len(namespace):
            yield from _drop(lab, child)
    yield from _empty(lab, namespace, "")
    yield _outcome(lab, lab.send(op.drop_namespace, namespace=namespace))


def _empty(lab: CatalogLab, namespace: Namespace, prefix: str) -> Iterator[tuple[str, str]]:
    for listing, (drop, parameter) in CONTENTS.items():
        if not (lab.offers(listing) and lab.offers(drop)):
            continue
        for item in _items(lab, listing, namespace=namespace):
            name = str(item.get("name")) if isinstance(item, dict) else ""
            if name.startswith(prefix):
                at: Document = {"namespace": namespace, parameter: name}
                is_table = drop == op.drop_table
                reply = lab.try_drop_table(**at) if is_table else lab.send(drop, **at)
                yield _outcome(lab, reply)


def _outcome(lab: CatalogLab, reply: Reply) -> tuple[str, str]:
    is_absent = reply.status // 100 == 2 or reply.status == 404
    return path_of(lab, reply.exchange), "" if is_absent else f"DELETE returned {reply.summary}"


def _namespaces(lab: CatalogLab, **at: Any) -> list[Namespace]:
    lists = _items(lab, op.list_namespaces, **at)
    return [tuple(map(str, levels)) for levels in lists if isinstance(levels, list)]


def _items(lab: CatalogLab, operation: OperationId, **at: Any) -> list[Any]:
    """Return the items of a listing, on all its pages.

    Raises:
        Blocked: it is the listing of all namespaces, and the target refuses it.
    """
    items: list[Any] = []
    token: str | None = None
    tokens: set[object] = set()
    while token not in tokens and len(tokens) < MOST_PAGES:
        tokens.add(token)
        reply = lab.send(operation, page_token=token, **at)
        page = reply.exchange.json
        if reply.status != 200 or not isinstance(page, dict):
            if at:
                return items
            raise Blocked(f"listing namespaces returned {reply.summary}")
        items += page.get("namespaces") or page.get("identifiers") or []
        following = page.get("next-page-token")
        token = following if isinstance(following, str) and following else None
    return items
