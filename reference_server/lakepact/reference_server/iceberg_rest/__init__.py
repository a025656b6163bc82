"""The Iceberg REST catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.generated.contract import Contract, UnknownVersion
from lakepact.reference_server.iceberg_rest.configuration import Configuration
from lakepact.reference_server.iceberg_rest.extensions import version_extension
from lakepact.reference_server.iceberg_rest.warehouses import warehouses_of
from lakepact.reference_server.iceberg_rest.wiring import Catalogs
from lakepact.reference_server.settings import BadSetting, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reference_server.http.service import Service
    from lakepact.reference_server.iceberg_rest.access import Access
    from lakepact.reference_server.iceberg_rest.warehouses import ServedWarehouse
    from lakepact.reference_server.server_file import ServerFile


def service(settings: Settings, beside: Mapping[str, Service]) -> Service:  # noqa: ARG001 - it needs no other service
    """Return empty catalogs with their own store, one for each warehouse."""
    file = _server_file(settings)
    access = _access(settings, file)
    warehouses = warehouses_of(settings, file.warehouses if file else {})

    try:
        contract = Contract("iceberg_rest", settings.contract_version)
    except UnknownVersion as unknown:
        raise BadSetting(str(unknown)) from None
    newer = version_extension(contract)

    def configuration(endpoints: Callable[[ServedWarehouse], list[str]]) -> Configuration:
        return Configuration(endpoints, warehouses, newer)

    rules = access.rules if access else ()
    result = Catalogs(contract, settings, warehouses, rules=rules, access=access).serve(
        configuration
    )
    if access is not None:
        access.guard(
            result,
            warehouses,
            result.catalogs,
            lambda some: Configuration(result.endpoints, some, newer).get_config,
        )
    return result


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
        raise BadSetting(
            f"--auth {settings.auth} needs principals: name them in the file of --config"
        )
    from lakepact.reference_server.iceberg_rest.access import Access, way_of  # noqa: PLC0415 - a server that is open to all starts without

    return Access(file, issues_tokens=way_of(file, settings.auth) == "oauth")
