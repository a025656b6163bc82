"""The handlers of one catalog: the area that answers each operation of the newest version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lakepact.reference_server.iceberg_rest.access.token_endpoint import TokenEndpoint
from lakepact.reference_server.iceberg_rest.commits.commits import Commits
from lakepact.reference_server.iceberg_rest.commits.transactions import Transactions
from lakepact.reference_server.iceberg_rest.functions import Functions
from lakepact.reference_server.iceberg_rest.namespaces import Namespaces
from lakepact.reference_server.iceberg_rest.scan_planning import ScanPlanning
from lakepact.reference_server.iceberg_rest.tables.credentials import Credentials
from lakepact.reference_server.iceberg_rest.tables.metrics import Metrics
from lakepact.reference_server.iceberg_rest.tables.remote_signing import RemoteSigning
from lakepact.reference_server.iceberg_rest.tables.tables import Tables
from lakepact.reference_server.iceberg_rest.views.commits import ViewCommits
from lakepact.reference_server.iceberg_rest.views.views import Views

if TYPE_CHECKING:
    from lakepact.reference_server.http.replies import Reply


class ConfigurationHandler(Protocol):
    """The handler of getConfig, which answers for all catalogs of a service."""

    def get_config(self, *, warehouse: str | None = None) -> Reply:
        """Return defaults and overrides."""
        ...


#: The classes whose methods answer operations.
AREAS = (
    ConfigurationHandler,
    TokenEndpoint,
    Namespaces,
    Tables,
    Commits,
    Metrics,
    Functions,
    Transactions,
    Views,
    ViewCommits,
    ScanPlanning,
    Credentials,
    RemoteSigning,
)


class CatalogHandlers:
    """The `Handlers` of the contract.

    A type checker reports a missing operation or parameter where they are used as such.
    """

    def __init__(
        self,
        *,
        configuration: ConfigurationHandler,
        namespaces: Namespaces,
        tables: Tables,
        commits: Commits,
        metrics: Metrics,
        functions: Functions,
        transactions: Transactions,
        views: Views,
        view_commits: ViewCommits,
        scans: ScanPlanning,
        credentials: Credentials,
        signing: RemoteSigning,
    ) -> None:
        self.get_config = configuration.get_config
        self.list_namespaces = namespaces.list_namespaces
        self.create_namespace = namespaces.create_namespace
        self.load_namespace_metadata = namespaces.load_namespace_metadata
        self.namespace_exists = namespaces.namespace_exists
        self.drop_namespace = namespaces.drop_namespace
        self.update_properties = namespaces.update_properties
        self.list_tables = tables.list_tables
        self.create_table = tables.create_table
        self.register_table = tables.register_table
        self.load_table = tables.load_table
        self.table_exists = tables.table_exists
        self.drop_table = tables.drop_table
        self.unregister_table = tables.unregister_table
        self.rename_table = tables.rename_table
        self.update_table = commits.update_table
        self.report_metrics = metrics.report_metrics
        self.list_functions = functions.list_functions
        self.load_function = functions.load_function
        self.commit_transaction = transactions.commit_transaction
        self.list_views = views.list_views
        self.create_view = views.create_view
        self.register_view = views.register_view
        self.load_view = views.load_view
        self.view_exists = views.view_exists
        self.drop_view = views.drop_view
        self.rename_view = views.rename_view
        self.replace_view = view_commits.replace_view
        self.plan_table_scan = scans.plan_table_scan
        self.fetch_planning_result = scans.fetch_planning_result
        self.cancel_planning = scans.cancel_planning
        self.fetch_scan_tasks = scans.fetch_scan_tasks
        self.load_credentials = credentials.load_credentials
        self.sign_request = signing.sign_request
