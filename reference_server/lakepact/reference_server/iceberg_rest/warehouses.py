"""The warehouses of one server: each a catalog of its own, below a prefix of its own, kept in the
store that all share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product, starmap
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.functions import FunctionsByNamespace, read_functions
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, bad_request
from lakepact.reference_server.iceberg_rest.tables.storage_credentials import (
    StorageAccess,
    read_storage_access,
)
from lakepact.reference_server.settings import PREFIX, BadSetting, require_arrow
from lakepact.reference_server.warehouse.local import MemoryWarehouse, Warehouse, overlap, warehouse
from lakepact.reference_server.warehouse.local import below as place_below
from lakepact.reference_server.warehouse.objects import SCHEME, ObjectWarehouse
from lakepact.reference_server.warehouse.vended_credentials.token_services import FakeSts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.generated.contract import Contract, OperationId
    from lakepact.reference_server.server_file import WarehouseEntry
    from lakepact.reference_server.settings import Settings

    Function = Callable[..., Any]  #: takes the arguments of a call by name

#: the setting that tells clients what joins the levels of a namespace in a path
ANNOUNCED = "namespace-separator"
CREATES_NAMESPACES = op.create_namespace


@dataclass(frozen=True, slots=True)
class ServedWarehouse:
    """One warehouse as it is served.

    Args:
        files: where its tables keep their files.
        name: how clients ask for it; None for the only one of a server without a file.
        prefix: the path segments that clients must put behind `/v1/`, empty if none.
        defaults: settings that clients start from.
        overrides: settings that clients must take.
        table_defaults: properties of every table that is created, unless its request has them.
        access: how its storage is opened.
        functions: the functions of its namespaces.
    """

    files: Warehouse
    name: str | None = None
    prefix: str = ""
    defaults: Mapping[str, str] = field(default_factory=dict[str, str])
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    table_defaults: Mapping[str, str] = field(default_factory=dict[str, str])
    access: StorageAccess = field(default_factory=StorageAccess)
    functions: FunctionsByNamespace = field(default_factory=dict[Any, Any])

    @property
    def is_remote(self) -> bool:
        """Whether files are written and read over a network, which takes a while."""
        return isinstance(self.files, ObjectWarehouse)

    @property
    def signs(self) -> bool:
        """Whether this server has keys with which it can sign requests to the store that the tables
        are in.
        """
        return self.access.keys is not None and SCHEME.match(self.files.root) is not None

    @property
    def separator(self) -> str:
        """Namespace separators that clients may use in paths in addition to the contract's."""
        return unquote(self.overrides.get(ANNOUNCED, self.defaults.get(ANNOUNCED, SEPARATOR)))


def warehouses_of(
    settings: Settings, entries: Mapping[str, WarehouseEntry]
) -> tuple[ServedWarehouse, ...]:
    """Return the warehouses of a server: those of its file, or the one that its other settings
    name.

    Raises:
        BadSetting: they cannot be served beside each other, or one of them not at all.
    """
    prefix = (settings.prefix or "").strip("/")
    if not entries:
        return (
            ServedWarehouse(
                warehouse(settings.warehouse, allowed=settings.allowed_locations), prefix=prefix
            ),
        )
    if len(entries) > 1 and prefix:
        raise BadSetting(
            "--prefix is for a server with one warehouse; with several, each has its prefix in the"
            " file of --config"
        )
    result = tuple(
        _warehouse_of(settings, entry, prefix if len(entries) == 1 else quote(entry.name, safe=""))
        for entry in entries.values()
    )
    for index, later in enumerate(result):
        for earlier in result[:index]:
            if unquote(later.prefix) == unquote(earlier.prefix):
                raise BadSetting(
                    f"the warehouses {earlier.name} and {later.name} have the same prefix,"
                    f" {later.prefix!r}"
                )
            if any(
                starmap(
                    overlap,
                    product(
                        later.files.places(later.files.root),
                        earlier.files.places(earlier.files.root),
                    ),
                )
            ):
                roots = f"{earlier.files.root} and {later.files.root}"
                raise BadSetting(
                    f"of the warehouses {earlier.name} and {later.name}, at {roots}, one lies in"
                    " the other"
                )
    return result


def _warehouse_of(settings: Settings, entry: WarehouseEntry, prefix: str) -> ServedWarehouse:
    at = f"the server file, at warehouses.{entry.name}"
    path = prefix if entry.prefix is None else entry.prefix.strip("/")
    if path and not PREFIX.fullmatch(path):
        raise BadSetting(f"{at}.prefix: {path!r} is not a path as it stands in a URL")
    if "prefix" in entry.overrides or "prefix" in entry.defaults:
        raise BadSetting(f"{at}: the prefix stands in `prefix`, not among the settings of clients")
    access = read_storage_access(entry)
    result = ServedWarehouse(
        _files(settings, entry, access),
        entry.name,
        path,
        defaults=entry.defaults,
        overrides=entry.overrides,
        table_defaults=entry.table_defaults,
        access=access,
        functions=read_functions(entry),
    )
    if not result.separator or result.separator == "/":
        raise BadSetting(
            f"{at}: {ANNOUNCED} is empty, or a slash, which stands between the segments of paths"
        )
    return result


def _files(settings: Settings, entry: WarehouseEntry, access: StorageAccess) -> Warehouse:
    location = entry.location or place_below(settings.warehouse, [entry.name])
    if not SCHEME.match(location):
        if access.is_remote:
            at = f"the server file, at warehouses.{entry.name}.credentials.sts"
            raise BadSetting(
                f"{at}: gives keys to what lies in a bucket; this warehouse is at {location}, one"
                " with keys lies at s3://bucket/path"
            )
        return warehouse(location, allowed=settings.allowed_locations)
    own = access.settings
    if isinstance(access.service, FakeSts):
        return MemoryWarehouse(location.rstrip("/"))  # its keys open no store
    require_arrow(f"the warehouse {entry.name}, at {location},")
    return ObjectWarehouse(
        location, keys=access.keys, region=own.get("client.region"), endpoint=own.get("s3.endpoint")
    )


def with_separators(
    handlers: Mapping[OperationId, Function], warehouse: ServedWarehouse
) -> Mapping[OperationId, Function]:
    """Return handlers that read the namespaces of one warehouse as its clients may spell them."""
    if warehouse.separator == SEPARATOR:
        return handlers
    return {
        operation: with_separator(handler, warehouse.separator, operation)
        for operation, handler in handlers.items()
    }


def together(
    contract: Contract,
    warehouses: Sequence[ServedWarehouse],
    handlers: Sequence[Mapping[OperationId, Function]],
) -> dict[OperationId, Function]:
    """Return the functions that answer for all warehouses: those of the only one, or of the one
    whose prefix stands in the path.

    Raises:
        BadSetting: there are several, and the prefix of one is not exactly one segment.
    """
    if len(warehouses) == 1:
        return dict(handlers[0])
    for entry in warehouses:
        if not entry.prefix or "/" in entry.prefix:
            raise BadSetting(
                f"the prefix of {entry.name} is {entry.prefix!r}; with several warehouses,"
                " each has one segment of the path"
            )
    prefixes = [unquote(entry.prefix) for entry in warehouses]
    return {
        operation: dispatch(
            {
                prefix: functions[operation]
                for prefix, functions in zip(prefixes, handlers, strict=True)
            }
        )
        if "{prefix}" in contract.operations[operation].path
        else handler
        for operation, handler in handlers[0].items()
    }


def with_separator(handler: Function, separator: str, operation: str) -> Function:
    """Return a handler that reads namespaces with this separator too; what holds the contract's own
    is read by that alone.
    """

    def answer(**arguments: Any) -> Any:
        for name in ("namespace", "parent"):
            value = arguments.get(name)
            if isinstance(value, str) and SEPARATOR not in value:
                arguments[name] = value.replace(separator, SEPARATOR)
        if operation == CREATES_NAMESPACES:
            _check_levels(arguments["body"]["namespace"], separator)
        return handler(**arguments)

    return answer


def _check_levels(levels: Sequence[str], separator: str) -> None:
    for index, level in enumerate(levels):
        if separator in level:
            raise bad_request(
                f"at /namespace/{index}: a level must not contain {separator!r}, which separates"
                " levels in paths"
            )


def dispatch(handlers: Mapping[str, Function]) -> Function:
    """Return a handler that asks the one of the warehouse whose prefix stands in the path."""

    def answer(*, prefix: str, **arguments: Any) -> Any:
        handler = handlers.get(prefix)
        if handler is None:
            raise no_such_prefix(prefix)
        return handler(**arguments)

    return answer


def no_such_prefix(prefix: str) -> Problem:
    """Return the refusal of an unknown prefix."""
    return Problem(
        404,
        "NotFoundException",
        f"no warehouse has the prefix {prefix[:200]!r}; GET /v1/config?warehouse=… tells that of"
        " each",
    )
