"""Delta Sharing."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lakepact.generated.contract import Contract, UnknownVersion
from lakepact.generated.delta_sharing import op
from lakepact.reference_server.delta_sharing import catalogue, credentials, file_endpoint, files
from lakepact.reference_server.delta_sharing.access import recipients
from lakepact.reference_server.delta_sharing.access.recipients import Recipients
from lakepact.reference_server.delta_sharing.access.tokens import Tokens
from lakepact.reference_server.delta_sharing.answers import KINDS, error_body
from lakepact.reference_server.delta_sharing.catalogue import Catalogue
from lakepact.reference_server.delta_sharing.credentials import Credentials
from lakepact.reference_server.delta_sharing.extensions import version_extension
from lakepact.reference_server.delta_sharing.file_endpoint import FILES, FileEndpoint
from lakepact.reference_server.delta_sharing.files import Files
from lakepact.reference_server.delta_sharing.handlers import SharingHandlers
from lakepact.reference_server.delta_sharing.histories import delta_log
from lakepact.reference_server.delta_sharing.iceberg_tables import IcebergHistory
from lakepact.reference_server.delta_sharing.index_entries import SharesIndex
from lakepact.reference_server.delta_sharing.queries.background import KEYS
from lakepact.reference_server.delta_sharing.queries.queries import ASKED, HISTORICAL_PROTOCOL
from lakepact.reference_server.delta_sharing.shares_file import read_shares
from lakepact.reference_server.delta_sharing.snapshots import Snapshots
from lakepact.reference_server.delta_sharing.tables import TableRules, Tables
from lakepact.reference_server.http.service import RulesByName, Service, handlers_of
from lakepact.reference_server.http.workers import in_a_thread
from lakepact.reference_server.iceberg_rest.wiring import CatalogService
from lakepact.reference_server.settings import BadSetting, Settings, require_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lakepact.generated.delta_sharing.server import Handlers
    from lakepact.reference_server.delta_sharing.access.recipients import Caller
    from lakepact.reference_server.delta_sharing.histories import History, Source
    from lakepact.reference_server.delta_sharing.shares import Shares
    from lakepact.reference_server.http.replies import Reply

#: Clients write null for what they do not ask for.
NULLABLE = {
    op.query_table: frozenset(
        {
            *ASKED,
            HISTORICAL_PROTOCOL,
            *KEYS,
            "maxFiles",
            "pageToken",
            "includeRefreshToken",
            "refreshToken",
        }
    ),
    op.generate_temporary_table_credentials: frozenset({"location"}),
    op.get_query_info: frozenset({"maxFiles", "pageToken"}),
}

#: Operations that read the logs of tables, or wait for another service.
READING = frozenset(
    {
        op.head_table_version,
        op.get_table_version,
        op.get_table_metadata,
        op.query_table,
        op.query_table_changes,
        op.generate_temporary_table_credentials,
        op.get_query_info,
    }
)


@dataclass(slots=True, kw_only=True)
class SharingService(Service):
    """Shares being served."""

    files: Files  #: the URLs of data files


def service(settings: Settings, beside: Mapping[str, Service]) -> Service:
    """Return the shares of the shares file, and of the Iceberg catalog beside, where it says so.

    Raises:
        BadSetting: there is no shares file, or something is wrong with it.
    """
    if settings.shares is None:
        raise BadSetting(
            "delta_sharing needs a shares file, which says what is shared, and with whom"
        )
    require_arrow("delta_sharing")
    shares = read_shares(settings.shares, warehouse=_warehouse(beside))
    try:
        contract = Contract("delta_sharing", settings.contract_version)
    except UnknownVersion as unknown:
        raise BadSetting(str(unknown)) from None
    callers = recipients.Rules()
    listings = catalogue.Rules()
    urls_rules = files.Rules()
    parts = file_endpoint.Rules()
    about_tables, about_credentials = TableRules(), credentials.Rules()
    steps = [getattr(about_tables, step.name) for step in fields(about_tables)]
    who = Recipients(shares.recipients, root=shares.root, rules=callers)
    tokens = Tokens()
    urls = Files(shares, urls_rules)
    data = f"{shares.root}/files"
    catalog = Catalogue(shares, listings, tokens=tokens)
    snapshots = Snapshots(open_history=_opener(beside))
    tables = Tables(
        catalog,
        snapshots,
        urls,
        shares=shares,
        rules=about_tables,
        tokens=tokens,
        newer=version_extension(contract),
    )
    handlers: Handlers[Caller, Reply] = SharingHandlers(
        catalog, tables, Credentials(catalog, shares, about_credentials)
    )
    rules = RulesByName(callers, listings, urls_rules, parts, *steps, about_credentials)
    rules.replace(
        "authenticate",
        lambda operation, scope: {} if operation == FILES else {"caller": who.caller(scope)},
    )
    result = SharingService(
        contract,
        handlers=handlers_of(contract, handlers),
        unavailable=frozenset(),
        error_body=error_body,
        kinds=KINDS,
        paths=lambda template: (template,),
        rules=rules,
        nullable=NULLABLE,
        root=shares.root,
        places=dict.fromkeys(READING & contract.operations.keys(), in_a_thread),
        apps={data: FileEndpoint(urls, root=data, rules=parts, service=lambda: result)},
        max_body=settings.max_body,
        files=urls,
        profiles=partial(recipients.profiles, shares.recipients),
        about=tuple(_about(shares)),
        index=SharesIndex(shares.root),
        authenticates=True,
        close=tables.close,
    )
    return result


def _opener(beside: Mapping[str, Service]) -> Callable[[Source], History]:
    """Return the sources of versions of every shared table."""
    iceberg = beside.get("iceberg_rest")

    def open_history(source: Source) -> History:
        if not isinstance(iceberg, CatalogService) or not isinstance(source, tuple):
            return delta_log(source)
        return IcebergHistory(iceberg.catalogs[0], source, iceberg.locations)

    return open_history


def _warehouse(beside: Mapping[str, Service]) -> Path | None:
    """Return the folder of the Iceberg tables that are served beside, if there is one."""
    iceberg = beside.get("iceberg_rest")
    root = iceberg.catalogs[0].warehouse.root if isinstance(iceberg, CatalogService) else ""
    return Path(root.removeprefix("file://")) if root.startswith("file://") else None


def _about(shares: Shares) -> Iterable[str]:
    yield (
        f"It shares {len(list(shares.tables()))} tables with {len(shares.recipients)} recipients,"
        " each of whom needs a bearer token."
    )
    if shares.unused:
        yield f"Settings of the shares file that are of no use here: {', '.join(shares.unused)}."
