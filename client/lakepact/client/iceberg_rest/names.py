"""Names of namespaces, tables and views, from what a caller writes to what stands in paths and bodies.

One rule holds everywhere: a string is split at its dots, and the parts of a tuple or list are taken as they are.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, cast, overload
from urllib.parse import unquote

from lakepact.client.urls import path_segment

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import TableIdentifier

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)

#: A namespace: "sales.emea", or its levels ("sales", "emea"), which may hold dots.
Levels: TypeAlias = str | Sequence[str]
#: A table or view: "sales.emea.orders", its parts ("sales", "emea", "orders"), its namespace and name (("sales", "emea"), "orders"), or
#: an item of a listing.
TableName: TypeAlias = "str | Sequence[str] | tuple[Sequence[str], str] | TableIdentifier"
#: The default separator of levels in paths and queries, URL-encoded as servers announce it.
DEFAULT_SEPARATOR = "%1F"


def levels(namespace: Levels) -> list[str]:
    """Return the levels of a namespace.

    Raises:
        ValueError: There is no level, or an empty one.
    """
    found = namespace.split(".") if isinstance(namespace, str) else list(namespace)
    if not found or not all(found):
        raise ValueError(f"a namespace has at least one level, and no empty one: {namespace!r}")
    return found


def encode_namespace(namespace: Levels, separator: str = DEFAULT_SEPARATOR) -> str:
    """Return the namespace as one path segment or query value, before it is percent-encoded.

    Raises:
        ValueError: A level holds the separator, or the namespace cannot stand in a path.
    """
    between = unquote(separator)
    found = levels(namespace)
    if any(between in level for level in found):
        raise ValueError(f"no level of a namespace can hold {between!r}, which joins levels in paths: {namespace!r}")
    return path_segment(between.join(found))


def addressable(namespace: Levels) -> list[str]:
    """Return the levels of a namespace that a path can address.

    Raises:
        ValueError: As for `encode_namespace`.
    """
    encode_namespace(namespace)
    return levels(namespace)


def encode_view_chain(views: Iterable[TableName], separator: str = DEFAULT_SEPARATOR) -> str | None:
    """Return views as the query `referenced-by` has them, before it is percent-encoded; None without any.

    Raises:
        ValueError: A name is not one of a view, or holds the separator.
    """
    chain: list[str] = []
    for view in views:
        namespace, name = table_identifier(view)
        chain.append(encode_namespace([*namespace, name], separator).replace(",", "%2C"))
    return ",".join(chain) or None


def table_identifier(table: TableName) -> tuple[list[str], str]:
    """Return the levels of the namespace and the name of a table or view that paths can address.

    Raises:
        ValueError: There are fewer than two parts or an empty one, or a part cannot stand in a path.
    """
    match table:
        case str():
            *namespace, name = table.split(".")
        case [list() | tuple() as namespace, str(name)]:
            namespace = list(namespace)
        case [*_, _]:
            *namespace, name = cast("Sequence[str]", table)
        case _:
            namespace, name = list(getattr(table, "namespace", ())), getattr(table, "name", "")
    if not namespace or not all(namespace) or not isinstance(name, str):
        raise ValueError(f'a table is named "namespace.name", or by a tuple if a part holds a dot, ("a.b", "name"): {table!r}')
    return addressable(namespace), path_segment(name)


class _Bound(Protocol[P, R_co]):
    """A method as it is called: with a table, or with its namespace and its name."""

    @overload
    def __call__(self, table: TableName, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, namespace: Levels, name: str, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class _OfTable(Protocol[S_contra, P, R_co]):
    """The same in its class."""

    def __get__(self, instance: S_contra, owner: type | None = None) -> _Bound[P, R_co]: ...


def of_table(method: Callable[Concatenate[S, TableName, P], R_co]) -> _OfTable[S, P, R_co]:
    """Let a method that takes a table take its namespace and name as two arguments too.

    Arguments of the method that may be left out are given by name, so that the number of the others shows which form it is.
    """
    following = [each.name for each in list(inspect.signature(method).parameters.values())[2:] if each.kind is each.POSITIONAL_OR_KEYWORD]

    def parts(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        if len(args) > 1 and len(args) + sum(each in kwargs for each in following) > 1 + len(following):
            namespace, name, *others = args
            return (levels(namespace), name), *others
        return args

    call: Callable[..., Any] = method

    @functools.wraps(method)
    def named(self: S, *args: Any, **kwargs: Any) -> Any:
        return call(self, *parts(args, kwargs), **kwargs)

    @functools.wraps(method)
    async def awaited(self: S, *args: Any, **kwargs: Any) -> Any:
        return await call(self, *parts(args, kwargs), **kwargs)

    return cast("_OfTable[S, P, R_co]", awaited if inspect.iscoroutinefunction(method) else named)
