"""The Iceberg REST catalog: what its operations do, and by which rules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

import orjson

from lakepact.generated.contract import Contract, UnknownVersion
from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.iceberg_rest import extensions, scan_planning
from lakepact.reference_server.iceberg_rest.commits import idempotency
from lakepact.reference_server.iceberg_rest.commits.commits import Commits
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS
from lakepact.reference_server.iceberg_rest.commits.transactions import Transactions
from lakepact.reference_server.iceberg_rest.configuration import Configuration
from lakepact.reference_server.iceberg_rest.extensions import added
from lakepact.reference_server.iceberg_rest.index_entries import CatalogIndex
from lakepact.reference_server.iceberg_rest.namespaces import Namespaces
from lakepact.reference_server.iceberg_rest.recovery import recovering
from lakepact.reference_server.iceberg_rest.rules import CatalogRules
from lakepact.reference_server.iceberg_rest.scan_planning import ScanPlanning
from lakepact.reference_server.iceberg_rest.tables import etags
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from lakepact.reference_server.iceberg_rest.tables.credentials import Credentials, CredentialsAgain
from lakepact.reference_server.iceberg_rest.tables.locations import Located
from lakepact.reference_server.iceberg_rest.tables.metrics import Metrics, Reports
from lakepact.reference_server.iceberg_rest.tables.remote_signing import RemoteSigning
from lakepact.reference_server.iceberg_rest.tables.tables import Tables
from lakepact.reference_server.iceberg_rest.updates import UPDATES
from lakepact.reference_server.iceberg_rest.views.commits import ViewCommits
from lakepact.reference_server.iceberg_rest.views.preconditions import VIEW_PRECONDITIONS
from lakepact.reference_server.iceberg_rest.views.updates import VIEW_UPDATES
from lakepact.reference_server.iceberg_rest.views.views import Views
from lakepact.reference_server.iceberg_rest.warehouses import handlers_of, served_warehouses, together
from lakepact.reference_server.service import BadSetting, Service, Settings
from lakepact.reference_server.service import Rules as ServiceRules
from lakepact.reference_server.storage.scoped_store import ScopedStore
from lakepact.reference_server.storage.setting import MEMORY, opened_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lakepact.reference_server.http.problems import Problem
    from lakepact.reference_server.iceberg_rest.access import Access
    from lakepact.reference_server.iceberg_rest.extensions import VersionExtension
    from lakepact.reference_server.iceberg_rest.warehouses import ServedWarehouse
    from lakepact.reference_server.server_file import ServerFile
    from lakepact.reference_server.storage.store import Store

#: Operations that return status 406, because this server does not have what they are about.
NOT_OFFERED = frozenset(
    {
        op.get_token,
    }
)

#: Operations whose answers may hold credentials.
WITH_CREDENTIALS = frozenset({op.create_table, op.load_table, op.register_table, op.load_credentials})
#: Operations that write files of the warehouse, read them or remove them.
WITH_FILES = frozenset(
    {
        *(op.create_table, op.register_table, op.update_table, op.drop_table, op.commit_transaction),
        *(op.create_view, op.register_view, op.replace_view),
    }
)

#: Error types of the contract, or in its manner, for what is refused before an operation sees it.
KINDS = {
    400: "BadRequestException",
    404: "NotFoundException",
    405: "MethodNotAllowedException",
    406: "UnsupportedOperationException",
    413: "PayloadTooLargeException",
    415: "UnsupportedMediaTypeException",
    500: "InternalServerError",
    503: "ServiceUnavailableException",
    507: "InsufficientStorageException",
}

#: Clients write null for what they leave out, although the contract's types do not have it.
NULLABLE = {
    op.create_namespace: frozenset({"properties"}),
    op.update_properties: frozenset({"removals", "updates"}),
    op.create_table: frozenset({"location", "partition-spec", "write-order", "properties"}),
    op.update_table: frozenset({"identifier"}),
    op.create_view: frozenset({"location"}),
    op.replace_view: frozenset({"identifier", "requirements"}),
}


def error_body(problem: Problem) -> bytes:
    """Return a problem in the contract's envelope."""
    return orjson.dumps({"error": {"message": problem.message, "type": problem.kind, "code": problem.status}})


def service(settings: Settings, beside: Mapping[str, Service]) -> Service:  # noqa: ARG001 - it needs no other service
    """Empty catalogs with their own store, one for each warehouse."""
    file = _server_file(settings)
    access = _access(settings, file)
    warehouses = served_warehouses(settings, file.warehouses if file else {})

    try:
        contract = Contract("iceberg_rest", settings.contract_version)
    except UnknownVersion as unknown:
        raise BadSetting(str(unknown)) from None
    newer = added(contract)

    def configuration(endpoints: Callable[[ServedWarehouse], list[str]]) -> Configuration:
        return Configuration(endpoints, warehouses, newer)

    return catalog_service(contract, settings, warehouses=warehouses, configuration=configuration, access=access)


def _server_file(settings: Settings) -> ServerFile | None:
    """Return the content of the server file, if there is one."""
    if settings.config is None:
        return None
    from lakepact.reference_server.server_file import read_server_file  # noqa: PLC0415 - without such a file a server starts without

    return read_server_file(settings.config)


def _access(settings: Settings, file: ServerFile | None) -> Access | None:
    """Return the access control, if callers are authenticated."""
    if settings.auth == "none" or not ((file and file.principals) or settings.auth):
        return None
    if file is None or not file.principals:
        raise BadSetting(f"--auth {settings.auth} needs principals: name them in the file of --config")
    from lakepact.reference_server.iceberg_rest.access import Access, way_of  # noqa: PLC0415 - a server that is open to all starts without
    from lakepact.reference_server.iceberg_rest.access.rules import GuardedRules  # noqa: PLC0415

    return Access(file, GuardedRules(), issues_tokens=way_of(file, settings.auth) == "oauth")


def catalog_service(
    contract: Contract,
    settings: Settings,
    *,
    warehouses: Sequence[ServedWarehouse],
    configuration: Callable[[Callable[[ServedWarehouse], list[str]]], object],
    root: str = "",
    rules: CatalogRules | None = None,
    access: Access | None = None,
) -> Service:
    """Return empty catalogs of this contract or of a profile of it, one per warehouse.

    Args:
        contract: the contract; only its operations are served.
        settings: the settings of the service.
        warehouses: the warehouses; several are distinguished by their prefixes.
        configuration: returns the handler of the configuration operation for the offered endpoints.
        root: the path above all paths.
        rules: the rules of the catalogs; by default those of Iceberg REST.
        access: the access control; `None` allows everything.
    """
    newer = added(contract)
    rules = _ruled(rules or (access.rules if access else CatalogRules()), contract, newer)
    tables_of_changes = _tables_of_changes()
    reports = Reports()
    places = [kept.files for kept in warehouses]
    store = opened_store(settings, contract.name, places, recover=recovering(places))

    def endpoints(of: ServedWarehouse) -> list[str]:
        without = frozenset() if of.signs else extensions.SOMETIMES_OFFERED
        return [f"{operation.method.upper()} {operation.path}" for operation in served.offered() if operation.id not in without]

    catalog = partial(
        Catalog,
        rules=rules,
        updates=tables_of_changes["updates"],
        preconditions=tables_of_changes["preconditions"],
        validators=lambda: served.validators,
    )
    signs = op.sign_request in contract.operations and any(kept.signs for kept in warehouses)
    made = [_in_warehouse(kept, store, catalog, access=access, signs=signs) for kept in warehouses]
    for one in made:
        # Warehouses lie beside each other: only in folders that are open to all of them can files of one be in the way of another.
        one.located.others = [other.located for other in made if other is not one] if settings.allowed_locations else ()
    catalogs = [one.catalog for one in made]
    by_warehouse = [handlers_of(contract, _areas(one, reports, tables_of_changes), one.kept) for one in made]
    renewing = [handlers_of(contract, (CredentialsAgain(rules, one.credentials),), one.kept) for one in made]
    blocking = _blocking(warehouses)
    handlers = newer.handlers(
        together(contract, warehouses, by_warehouse),
        store,
        rules=rules,
        blocking=blocking,
        renewing=together(contract, warehouses, renewing),
    )
    served: Service = Service(
        contract,
        handlers={**handlers, **handlers_of(contract, (configuration(endpoints),))},
        not_offered=(NOT_OFFERED | (extensions.SOMETIMES_OFFERED - handlers.keys())) & contract.operations.keys(),
        error_body=error_body,
        kinds=KINDS,
        paths=_paths(warehouses),
        nullable=NULLABLE,
        rules=rules,
        tables=tables_of_changes,
        exports={
            "catalog": catalogs[0],
            "located": made[0].located if access else None,
            "catalogs": {unquote(one.prefix): kept for one, kept in zip(warehouses, catalogs, strict=True)},
            "warehouses": tuple(warehouses),
            "reports": reports,
        },
        root=root,
        pages={} if access else {f"{root}/metrics-reports": reports.told},
        max_body=settings.max_body,
        blocking=blocking & handlers.keys(),
        index=_index(root, warehouses, is_guarded=access is not None),
        authenticates=access is not None,
        about=_about(warehouses, is_guarded=access is not None, is_forgotten=settings.store == MEMORY),
        turn=store.turn,
        settled=None if settings.store == MEMORY else store.settled,
        close=store.close,
    )
    if access is not None:
        access.guard(served, warehouses, catalogs, lambda some: Configuration(endpoints, some, newer).get_config)
    return served


def _ruled(rules: CatalogRules, contract: Contract, newer: VersionExtension) -> CatalogRules:
    """Return the rules as a version of the contract changes them."""
    declared = {parameter.name for parameter in contract.operations[op.load_table].parameters}
    if "If-None-Match" not in declared:
        rules.replace("tag", etags.no_tag)
    if newer.keyed:
        rules.replace("commit_tag", etags.tag_of_representation)
    else:
        rules.idle = idempotency.Rules.names() - ServiceRules.names()
    return rules


def _tables_of_changes() -> dict[str, dict[str, Any]]:
    """Return the function of each kind of update and requirement; a fault may replace one."""
    return {
        "updates": dict(UPDATES),
        "preconditions": dict(PRECONDITIONS),
        "view-updates": dict(VIEW_UPDATES),
        "view-preconditions": dict(VIEW_PRECONDITIONS),
    }


class InWarehouse(NamedTuple):
    """A warehouse, and the catalog that is kept in it."""

    kept: ServedWarehouse
    catalog: Catalog
    located: Located
    credentials: Credentials
    signing: RemoteSigning | None


def _in_warehouse(
    kept: ServedWarehouse, store: Store, catalog: Callable[..., Catalog], *, access: Access | None, signs: bool
) -> InWarehouse:
    """Return the catalog of one warehouse, on collections of its own where it has a name, seen as its callers may see it."""
    located = Located(store if kept.name is None else ScopedStore(store, f"warehouse {kept.name}"), kept.files)
    if access is None:
        made = catalog(located, kept.files, located)
    else:
        made = catalog(access.seen_store(located), access.seen_warehouse(kept.files), located)
    credentials = Credentials(made, kept.access, kept.prefix, signs=signs and kept.signs)
    signing = RemoteSigning(made, kept.access, is_offered=kept.signs) if signs else None
    return InWarehouse(kept, made, located, credentials, signing)


def _areas(one: InWarehouse, reports: Reports, changes: Mapping[str, dict[str, Any]]) -> tuple[object, ...]:
    """Return the handlers of one catalog, area by area."""
    catalog = one.catalog
    return (
        Namespaces(catalog),
        Tables(catalog, one.credentials, defaults=one.kept.table_defaults),
        Commits(catalog),
        Metrics(catalog, reports),
        Transactions(catalog),
        Views(catalog),
        ViewCommits(catalog, changes["view-updates"], changes["view-preconditions"]),
        ScanPlanning(catalog),
        one.credentials,
        *([one.signing] if one.signing else ()),
    )


def _blocking(warehouses: Sequence[ServedWarehouse]) -> frozenset[str]:
    """Return the operations that may block: on scan planning, credentials or remote files."""
    waiting = WITH_CREDENTIALS if any(kept.access.is_remote for kept in warehouses) else frozenset[str]()
    writing = WITH_FILES if any(kept.is_remote for kept in warehouses) else frozenset[str]()
    return waiting | writing | scan_planning.BLOCKING


def _paths(warehouses: Sequence[ServedWarehouse]) -> Callable[[str], tuple[str, ...]]:
    if len(warehouses) > 1:
        return lambda template: (template,)
    prefix = warehouses[0].prefix
    return lambda template: (template.replace("/{prefix}", f"/{prefix}" if prefix else ""),)


def _index(root: str, warehouses: Sequence[ServedWarehouse], *, is_guarded: bool) -> CatalogIndex:
    """Return the entries of the index page; they name no warehouse that a caller might not see."""
    name = "WAREHOUSE" if is_guarded else warehouses[0].name or ""
    prefixes = [one.prefix for one in warehouses]
    return CatalogIndex(root, prefixes, warehouse=name if len(warehouses) > 1 else "", needs_token=is_guarded)


def _about(warehouses: Sequence[ServedWarehouse], *, is_guarded: bool, is_forgotten: bool) -> tuple[str, ...]:
    lasts = "The catalog is lost when the server ends." if is_forgotten else "The catalog is stored in a file."
    if is_guarded:
        return ("The --config file lists the principals; GET /v1/config returns each caller the warehouses that it may see.", lasts)
    if len(warehouses) == 1:
        return (f"Tables are kept below {warehouses[0].files.root}.", lasts)
    shown = (f"{one.name}, below /v1/{one.prefix}/, keeps its tables below {one.files.root}." for one in warehouses)
    return (f"There are {len(warehouses)} warehouses, each a catalog of its own:", *shown, lasts)
