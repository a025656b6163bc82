"""The handlers of shares: the area that answers each operation of the newest version."""

from __future__ import annotations

from lakepact.reference_server.delta_sharing.catalogue import Catalogue
from lakepact.reference_server.delta_sharing.credentials import Credentials
from lakepact.reference_server.delta_sharing.tables import Tables

AREAS = (Catalogue, Tables, Credentials)  #: the classes whose methods answer operations


class SharingHandlers:
    """The `Handlers` of the contract.

    A type checker reports a missing operation or parameter where they are used as such.
    """

    def __init__(self, catalogue: Catalogue, tables: Tables, credentials: Credentials) -> None:
        self.list_shares = catalogue.list_shares
        self.get_share = catalogue.get_share
        self.list_schemas = catalogue.list_schemas
        self.list_tables = catalogue.list_tables
        self.list_all_tables = catalogue.list_all_tables
        self.head_table_version = tables.head_table_version
        self.get_table_version = tables.get_table_version
        self.get_table_metadata = tables.get_table_metadata
        self.query_table = tables.query_table
        self.query_table_changes = tables.query_table_changes
        self.get_query_info = tables.get_query_info
        self.generate_temporary_table_credentials = credentials.generate_temporary_table_credentials
