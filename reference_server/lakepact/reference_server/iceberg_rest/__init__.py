"""The Iceberg REST catalog: what its operations do, and by which rules."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.generated.contract import Contract
from lakepact.reference_server.json_text import read_json
from lakepact.reference_server.routes import segment
from lakepact.reference_server.server_file import ServerFile, read_server_file
from lakepact.reference_server.service import BadSetting, Service, Settings
from lakepact.reference_server.store import MemoryStore
from lakepact.reference_server.warehouse import warehouse

from . import commits, etags, namespaces, tables, transactions, view_commits, views
from .catalog import Catalog
from .commits import Commits
from .configuration import Configuration
from .metrics import Metrics, Reports
from .namespaces import Namespaces
from .preconditions import PRECONDITIONS
from .tables import Tables
from .transactions import Transactions
from .updates import UPDATES
from .view_commits import ViewCommits
from .view_preconditions import VIEW_PRECONDITIONS
from .view_updates import VIEW_UPDATES
from .views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.problems import Problem
    from lakepact.reference_server.service import Handler

#: Operations that are answered with status 406, because this server does not have what they are about.
NOT_OFFERED = frozenset(
    {
        "getToken",
        "planTableScan",
        "fetchPlanningResult",
        "cancelPlanning",
        "fetchScanTasks",
        "loadCredentials",
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
}

#: Clients write null for what they leave out, although the contract's types do not have it.
NULLABLE = {
    "createNamespace": frozenset({"properties"}),
    "updateProperties": frozenset({"removals", "updates"}),
    "createTable": frozenset({"location", "partition-spec", "write-order", "properties"}),
    "updateTable": frozenset({"identifier"}),
    "createView": frozenset({"location"}),
    "replaceView": frozenset({"identifier", "requirements"}),
}


def error_body(problem: Problem) -> bytes:
    """A problem in the contract's envelope."""
    return orjson.dumps({"error": {"message": problem.message, "type": problem.kind, "code": problem.status}})


def service(settings: Settings, beside: Mapping[str, Service]) -> Service:  # noqa: ARG001 - it needs nobody
    """An empty catalog with its own store and warehouse."""
    prefix = (settings.prefix or "").strip("/")
    file = read_server_file(settings.config) if settings.config else ServerFile()
    if settings.auth not in {None, "none"} and not file.principals:
        raise BadSetting(f"--auth {settings.auth} needs principals: name them in the file of --config")

    def configuration(endpoints: Callable[[], list[str]], root: str) -> Configuration:
        return Configuration(endpoints, warehouse=root, prefix=prefix)

    return catalog_service(Contract("iceberg_rest"), settings, prefix=prefix, configuration=configuration)


def catalog_service(
    contract: Contract,
    settings: Settings,
    *,
    prefix: str,
    configuration: Callable[[Callable[[], list[str]], str], object],
    root: str = "",
    other_rules: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> Service:
    """An empty catalog of this contract, or of a profile of it.

    Args:
        contract: what is served; operations that it lacks are not.
        settings: what it is built from.
        prefix: the path segments that clients must put behind `/v1/`, empty if none.
        configuration: makes what answers the configuration operation, from the endpoints that are offered and the warehouse's root.
        root: the path that all paths lie below.
        other_rules: rules in place of those of their names.
    """
    declared = {parameter.name for parameter in contract.operations["loadTable"].parameters}
    rules: dict[str, Callable[..., Any]] = {
        "read-json": read_json,
        "decode-segment": segment,
        **namespaces.RULES,
        **tables.RULES,
        **etags.RULES,
        **({} if "If-None-Match" in declared else {"tag": etags.no_tag}),
        **commits.RULES,
        **transactions.RULES,
        **views.RULES,
        **view_commits.RULES,
        **other_rules,
    }
    files = warehouse(settings.warehouse, allowed=settings.allowed_locations)
    updates, preconditions = dict(UPDATES), dict(PRECONDITIONS)
    view_updates, view_preconditions = dict(VIEW_UPDATES), dict(VIEW_PRECONDITIONS)
    reports = Reports()
    catalog = Catalog(MemoryStore(), files, rules, updates, preconditions, validators=lambda: served.validators)

    def endpoints() -> list[str]:
        return [f"{operation.method.upper()} {operation.path}" for operation in served.offered()]

    areas = (
        configuration(endpoints, files.root),
        Namespaces(catalog),
        Tables(catalog),
        Commits(catalog),
        Metrics(catalog, reports),
        Transactions(catalog),
        Views(catalog),
        ViewCommits(catalog, view_updates, view_preconditions),
    )
    served = Service(
        contract,
        handlers=_handlers(contract, areas),
        not_offered=NOT_OFFERED & contract.operations.keys(),
        error_body=error_body,
        kinds=KINDS,
        paths=_paths(prefix),
        nullable=NULLABLE,
        rules=rules,
        tables={
            "updates": updates,
            "preconditions": preconditions,
            "view-updates": view_updates,
            "view-preconditions": view_preconditions,
        },
        lends={"catalog": catalog, "reports": reports},
        root=root,
        max_body=settings.max_body,
        about=(f"Tables are kept below {files.root}.",),
    )
    return served


def _handlers(contract: Contract, areas: tuple[object, ...]) -> dict[str, Handler]:
    return {o.id: getattr(area, o.function) for o in contract.operations.values() for area in areas if hasattr(area, o.function)}


def _paths(prefix: str) -> Callable[[str], tuple[str, ...]]:
    def paths(template: str) -> tuple[str, ...]:
        return (template.replace("/{prefix}", f"/{prefix}" if prefix else ""),)

    return paths
