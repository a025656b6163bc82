"""Objects that a run leaves on the target, by its exchanges: created by an accepted request, and not removed by a later one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import CatalogLab
from lakepact.conformance.evidence.exchanges import Exchange
from lakepact.generated.contract import OperationId
from lakepact.generated.iceberg_rest import op

#: The operations that remove an object, whose path is that of the object.
DROPS = frozenset({op.drop_namespace, op.drop_table, op.drop_view})
#: The operations that create an object named in their body: the end of their path, and that of the object's path before its name.
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
GONE = 404


def leftovers(lab: CatalogLab, exchanges: Iterable[Exchange]) -> list[str]:
    """Return a line for each object that was created and not removed: its path, and what a request to drop it returned.

    Args:
        lab: a lab of the target, which knows its paths.
        exchanges: all exchanges of a run, in order.
    """
    there: dict[str, str] = {}
    for exchange in exchanges:
        path = _path(lab, exchange)
        if exchange.operation in DROPS:
            if exchange.status // 100 == 2 or exchange.status == GONE:
                there.pop(path, None)
            elif path in there:
                there[path] = f"DELETE returned {exchange.status or 'no answer'}"
        elif exchange.status // 100 == 2:
            for former in _moved_away(lab, exchange):
                there.pop(former, None)
            there.update(
                dict.fromkeys(_created(lab, exchange, path), "no request to drop it was sent")
            )
    return [f"{path}: {why}" for path, why in there.items()]


def _path(lab: CatalogLab, exchange: Exchange) -> str:
    return urlsplit(exchange.url.removeprefix(lab.target.url.rstrip("/"))).path


def _body(exchange: Exchange) -> dict[str, Any]:
    try:
        body = orjson.loads(exchange.request_body)
    except orjson.JSONDecodeError:
        return {}
    return body if isinstance(body, dict) else {}


def _created(lab: CatalogLab, exchange: Exchange, path: str) -> Iterator[str]:
    """Yield the paths of the objects that an accepted request created."""
    body = _body(exchange)
    if exchange.operation == op.create_namespace:
        levels = body.get("namespace")
        if isinstance(levels, list) and levels:
            yield lab.path(op.drop_namespace, namespace=[str(level) for level in levels])
    elif (
        exchange.operation is not None
        and exchange.operation in CREATES
        and body.get("stage-create") is not True
    ):
        end, before = CREATES[exchange.operation]
        yield path.removesuffix(end) + before + quote(str(body.get("name")), safe="")
    elif exchange.operation == op.update_table and _asserts_create(body.get("requirements")):
        yield path
    elif exchange.operation in RENAMES:
        yield from _named(lab, exchange, "destination")


def _asserts_create(requirements: object) -> bool:
    """Return whether a commit creates its table; an accepted body need not fit the contract."""
    return isinstance(requirements, list) and any(
        isinstance(each, dict) and each.get("type") == "assert-create" for each in requirements
    )


def _moved_away(lab: CatalogLab, exchange: Exchange) -> Iterator[str]:
    return _named(lab, exchange, "source") if exchange.operation in RENAMES else iter(())


def _named(lab: CatalogLab, exchange: Exchange, end: str) -> Iterator[str]:
    """Yield the path of one end of a renaming."""
    named = _body(exchange).get(end)
    operation = RENAMES[exchange.operation] if exchange.operation else None
    if (
        operation is not None
        and isinstance(named, dict)
        and isinstance(named.get("namespace"), list)
    ):
        kind = "table" if operation == op.drop_table else "view"
        levels = [str(level) for level in named["namespace"]]
        yield lab.path(operation, namespace=levels, **{kind: str(named.get("name"))})
