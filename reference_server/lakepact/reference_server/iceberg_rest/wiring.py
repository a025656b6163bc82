"""The catalogs of one service: their parts, put together."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.http.service import Rules, RulesByName, Service, handlers_of
from lakepact.reference_server.http.workers import among_scans, in_a_thread
from lakepact.reference_server.iceberg_rest import extensions, namespaces, offered, scan_planning
from lakepact.reference_server.iceberg_rest.commits import commits, idempotency, transactions
from lakepact.reference_server.iceberg_rest.commits.preconditions import PRECONDITIONS
from lakepact.reference_server.iceberg_rest.commits.stored_answers import StoredAnswers
from lakepact.reference_server.iceberg_rest.functions import Functions, create_their_namespaces
from lakepact.reference_server.iceberg_rest.handlers import CatalogHandlers
from lakepact.reference_server.iceberg_rest.index_entries import CatalogIndex
from lakepact.reference_server.iceberg_rest.places import Places
from lakepact.reference_server.iceberg_rest.recovery import recovering
from lakepact.reference_server.iceberg_rest.scan_planning import ScanPlanning
from lakepact.reference_server.iceberg_rest.scan_planning.rules import Rules as ScanRules
from lakepact.reference_server.iceberg_rest.tables import (
    catalog,
    credentials,
    etags,
    remote_signing,
    tables,
)
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from lakepact.reference_server.iceberg_rest.tables.credentials import Credentials
from lakepact.reference_server.iceberg_rest.tables.locations import Located
from lakepact.reference_server.iceberg_rest.tables.metrics import Metrics, Reports
from lakepact.reference_server.iceberg_rest.tables.remote_signing import RemoteSigning
from lakepact.reference_server.iceberg_rest.updates import UPDATES
from lakepact.reference_server.iceberg_rest.views import views
from lakepact.reference_server.iceberg_rest.views.commits import ViewCommits
from lakepact.reference_server.iceberg_rest.views.preconditions import VIEW_PRECONDITIONS
from lakepact.reference_server.iceberg_rest.views.updates import VIEW_UPDATES
from lakepact.reference_server.iceberg_rest.warehouses import together, with_separators
from lakepact.reference_server.storage.scoped_store import ScopedStore
from lakepact.reference_server.storage.setting import MEMORY, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.generated.contract import Contract, OperationId
    from lakepact.generated.iceberg_rest.server import Handlers
    from lakepact.reference_server.http.replies import Reply
    from lakepact.reference_server.http.service import Handler
    from lakepact.reference_server.iceberg_rest.access import Access
    from lakepact.reference_server.iceberg_rest.handlers import ConfigurationHandler
    from lakepact.reference_server.iceberg_rest.warehouses import ServedWarehouse
    from lakepact.reference_server.settings import Settings


SIGNING_CONFIG = "RemoteSigningConfig"  #: of the versions whose tables say how signers are used


@dataclass(slots=True, kw_only=True)
class CatalogService(Service):
    """Iceberg catalogs being served, one for each warehouse."""

    warehouses: Sequence[ServedWarehouse]
    catalogs: Sequence[Catalog]  #: in the order of their warehouses
    locations: (
        Located | None
    )  #: where the tables of the first one lie, for a service that reads them without their rights
    reports: Reports

    def endpoints(self, of: ServedWarehouse) -> list[str]:
        """Return the operations that are offered for one warehouse, as the contract spells them."""
        without = frozenset() if of.signs else extensions.SOMETIMES_OFFERED
        return [
            f"{operation.method.upper()} {operation.path}"
            for operation in self.operations()
            if operation.id not in without
        ]


@dataclass(frozen=True, slots=True)
class AreaRules:
    """The decisions of each area, which the catalogs of all warehouses share."""

    shared: catalog.Rules = field(default_factory=catalog.Rules)
    namespaces: namespaces.Rules = field(default_factory=namespaces.Rules)
    tables: tables.Rules = field(default_factory=tables.Rules)
    credentials: credentials.Rules = field(default_factory=credentials.Rules)
    signing: remote_signing.Rules = field(default_factory=remote_signing.Rules)
    commits: commits.Rules = field(default_factory=commits.Rules)
    transactions: transactions.Rules = field(default_factory=transactions.Rules)
    views: views.Rules = field(default_factory=views.Rules)
    scans: ScanRules = field(default_factory=ScanRules)


class InWarehouse(NamedTuple):
    """A warehouse, and the catalog that is kept in it."""

    warehouse: ServedWarehouse
    catalog: Catalog
    locations: Located
    credentials: Credentials
    signing: RemoteSigning


class Catalogs:
    """The catalogs of one service, and the parts that they share.

    Args:
        contract: the contract; only its operations are served.
        settings: the settings of the service.
        warehouses: the warehouses; several are distinguished by their prefixes.
        rules: further decisions that a fault may replace.
        access: the access control; `None` allows everything.
    """

    def __init__(
        self,
        contract: Contract,
        settings: Settings,
        warehouses: Sequence[ServedWarehouse],
        *,
        rules: Sequence[Rules],
        access: Access | None = None,
    ) -> None:
        self.contract, self.settings, self.warehouses, self.access = (
            contract,
            settings,
            warehouses,
            access,
        )
        self.newer = extensions.version_extension(contract)
        self.areas = AreaRules()
        self.keys = idempotency.Rules()
        self.changes = _tables_of_changes()
        self.rules = self._rules_by_name(rules)
        self.reports = Reports()
        places = [warehouse.files for warehouse in warehouses]
        self.store = open_store(settings, contract.name, places, recover=recovering(places))
        self.signs = op.sign_request in contract.operations and any(
            warehouse.signs for warehouse in warehouses
        )
        self.made = [self._in_warehouse(warehouse) for warehouse in warehouses]
        for one in self.made:
            create_their_namespaces(
                namespaces.Namespaces(one.catalog, self.areas.namespaces), one.warehouse.functions
            )
            # Warehouses lie beside each other: only in folders that are open to all of them can
            # files of one be in the way of another.
            one.locations.others = (
                [other.locations for other in self.made if other is not one]
                if settings.allowed_locations
                else ()
            )

    def _rules_by_name(self, further: Sequence[Rules]) -> RulesByName:
        """Return the rules as the version of the contract changes them."""
        areas = [getattr(self.areas, area.name) for area in fields(self.areas)]
        rules = RulesByName(
            *areas, *([self.keys] if self.newer.with_keys else []), *further, kinds=self.changes
        )
        if "If-None-Match" not in {
            parameter.name for parameter in self.contract.operations[op.load_table].parameters
        }:
            rules.replace("tag", etags.no_tag)
        if self.newer.with_keys:
            rules.replace("commit_tag", etags.tag_of_representation)
        return rules

    def _in_warehouse(self, warehouse: ServedWarehouse) -> InWarehouse:
        """Return the catalog of one warehouse, on collections of its own where it has a name, seen
        as its callers may see it.
        """
        locations = Located(
            self.store
            if warehouse.name is None
            else ScopedStore(self.store, f"warehouse {warehouse.name}"),
            warehouse.files,
        )
        result = Catalog(
            locations if self.access is None else self.access.store_for_caller(locations),
            warehouse.files
            if self.access is None
            else self.access.warehouse_for_caller(warehouse.files),
            locations,
            self.areas.shared,
            updates=self.changes["updates"],
            preconditions=self.changes["preconditions"],
            validators=lambda: self.served.validators,
            max_manifest=self.settings.max_manifest,
        )
        issuer = Credentials(
            result,
            self.areas.credentials,
            warehouse.access,
            prefix=warehouse.prefix,
            signs=self.signs and warehouse.signs,
            configures_signers=self.signs
            and SIGNING_CONFIG in self.contract.schemas["components"]["schemas"],
        )
        signing = RemoteSigning(
            result, self.areas.signing, warehouse.access, is_offered=warehouse.signs
        )
        return InWarehouse(warehouse, result, locations, issuer, signing)

    def _handlers(
        self, configuration: ConfigurationHandler, blocking: frozenset[str]
    ) -> dict[OperationId, Handler]:
        """Return the handlers of all operations."""
        handlers = self._together([self._of_catalog(one, configuration) for one in self.made])
        if not self.signs:
            handlers.pop(op.sign_request, None)
        return self.newer.handlers(
            handlers,
            self.store,
            rules=self.keys,
            blocking=blocking,
            renewing=self._together([_stored_answers(one) for one in self.made]),
        )

    def _together(self, areas: Sequence[object]) -> dict[OperationId, Callable[..., Any]]:
        """Return the methods of an object for each warehouse as functions that answer for all."""
        by_warehouse = [
            with_separators(handlers_of(self.contract, area), warehouse)
            for area, warehouse in zip(areas, self.warehouses, strict=True)
        ]
        return together(self.contract, self.warehouses, by_warehouse)

    def _of_catalog(self, one: InWarehouse, configuration: ConfigurationHandler) -> Handlers[Reply]:
        """Return the handlers of one catalog."""
        own, rules = one.catalog, self.areas
        committing = commits.Commits(own, rules.commits)
        return CatalogHandlers(
            configuration=configuration,
            namespaces=namespaces.Namespaces(own, rules.namespaces),
            tables=tables.Tables(
                own,
                rules.tables,
                credentials=one.credentials,
                defaults=one.warehouse.table_defaults,
            ),
            commits=committing,
            metrics=Metrics(own, self.reports),
            functions=Functions(own, one.warehouse.functions),
            transactions=transactions.Transactions(committing, rules.transactions),
            views=views.Views(own, rules.views),
            view_commits=ViewCommits(
                own,
                rules.views,
                updates=self.changes["view-updates"],
                preconditions=self.changes["view-preconditions"],
            ),
            scans=ScanPlanning(own, rules.scans),
            credentials=one.credentials,
            signing=one.signing,
        )

    def _endpoints(self, of: ServedWarehouse) -> list[str]:
        return self.served.endpoints(of)

    def serve(
        self,
        configuration: Callable[[Callable[[ServedWarehouse], list[str]]], ConfigurationHandler],
        root: str = "",
    ) -> CatalogService:
        """Return the service.

        Args:
            configuration: returns the handler of the configuration operation for the offered
                endpoints.
            root: the path above all paths.
        """
        blocking = _blocking(self.warehouses)
        handlers = self._handlers(configuration(self._endpoints), blocking)
        is_guarded, is_forgotten = self.access is not None, self.settings.store == MEMORY
        self.served = CatalogService(
            self.contract,
            handlers=handlers,
            unavailable=(offered.NOT_OFFERED | (extensions.SOMETIMES_OFFERED - handlers.keys()))
            & self.contract.operations.keys(),
            error_body=offered.error_body,
            kinds=offered.KINDS,
            paths=_paths(self.warehouses),
            nullable=offered.NULLABLE,
            rules=self.rules,
            warehouses=self.warehouses,
            catalogs=[one.catalog for one in self.made],
            locations=self.made[0].locations if is_guarded else None,
            reports=self.reports,
            root=root,
            pages={} if is_guarded else {f"{root}/metrics-reports": self.reports.as_json},
            max_body=self.settings.max_body,
            places={
                **self._together([Places(one.locations) for one in self.made]),
                **dict.fromkeys(blocking, in_a_thread),
                op.plan_table_scan: among_scans,
            },
            index=_index(root, self.warehouses, is_guarded=is_guarded),
            authenticates=is_guarded,
            about=_about(self.warehouses, is_guarded=is_guarded, is_forgotten=is_forgotten),
            turn=self.store.turn,
            pending=None if is_forgotten else self.store.pending,
            close=self.store.close,
        )
        return self.served


def _stored_answers(one: InWarehouse) -> StoredAnswers:
    # The server has chosen these files itself: the rights of callers to folders do not matter.
    return StoredAnswers(replace(one.catalog, warehouse=one.warehouse.files), one.credentials)


def _tables_of_changes() -> dict[str, dict[str, Any]]:
    """Return the function of each kind of update and requirement; a fault may replace one."""
    return {
        "updates": dict(UPDATES),
        "preconditions": dict(PRECONDITIONS),
        "view-updates": dict(VIEW_UPDATES),
        "view-preconditions": dict(VIEW_PRECONDITIONS),
    }


def _blocking(warehouses: Sequence[ServedWarehouse]) -> frozenset[OperationId]:
    """Return the operations that may block: on scan planning, credentials or remote files."""
    waiting = (
        offered.WITH_CREDENTIALS
        if any(warehouse.access.is_remote for warehouse in warehouses)
        else ()
    )
    writing = offered.WITH_FILES if any(warehouse.is_remote for warehouse in warehouses) else ()
    return scan_planning.BLOCKING.union(waiting, writing)


def _paths(warehouses: Sequence[ServedWarehouse]) -> Callable[[str], tuple[str, ...]]:
    if len(warehouses) > 1:
        return lambda template: (template,)
    prefix = warehouses[0].prefix
    return lambda template: (template.replace("/{prefix}", f"/{prefix}" if prefix else ""),)


def _index(root: str, warehouses: Sequence[ServedWarehouse], *, is_guarded: bool) -> CatalogIndex:
    """Return the entries of the index page; they name no warehouse that a caller might not see."""
    name = "WAREHOUSE" if is_guarded else warehouses[0].name or ""
    prefixes = [warehouse.prefix for warehouse in warehouses]
    return CatalogIndex(
        root, prefixes, warehouse=name if len(warehouses) > 1 else "", needs_token=is_guarded
    )


def _about(
    warehouses: Sequence[ServedWarehouse], *, is_guarded: bool, is_forgotten: bool
) -> tuple[str, ...]:
    lasts = (
        "The catalog is lost when the server ends."
        if is_forgotten
        else "The catalog is stored in a file."
    )
    if is_guarded:
        return (
            (
                "The --config file lists the principals; GET /v1/config returns each caller the"
                " warehouses that it may see."
            ),
            lasts,
        )
    if len(warehouses) == 1:
        return (f"Tables are kept below {warehouses[0].files.root}.", lasts)
    lines = (
        f"{warehouse.name}, below /v1/{warehouse.prefix}/, keeps its tables below"
        f" {warehouse.files.root}."
        for warehouse in warehouses
    )
    return (f"There are {len(warehouses)} warehouses, each a catalog of its own:", *lines, lasts)
