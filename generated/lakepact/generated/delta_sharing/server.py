# Made by codegen.server from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""The operations of Delta Sharing Protocol 2026-08 as a server implements them: for type checkers alone."""

from __future__ import annotations

from typing import Protocol, TypeVar

from lakepact.generated.delta_sharing.documents import (
    GetQueryInfoRequest,
    QueryTableRequest,
    TemporaryTableCredentialsRequest,
)

Caller_contra = TypeVar("Caller_contra", contravariant=True)
Reply_co = TypeVar("Reply_co", covariant=True)


class Handlers(Protocol[Caller_contra, Reply_co]):
    """One method for each operation.

    Arguments are parameters as their schemas say, and bodies as JSON documents that have passed theirs; parameters that were not
    sent are left out.
    """

    def list_shares(
        self, *, caller: Caller_contra, max_results: int = ..., page_token: str = ...
    ) -> Reply_co:
        """List the shares that the recipient may read.

        GET /shares
        """
        ...

    def get_share(self, *, caller: Caller_contra, share: str) -> Reply_co:
        """Describe one share.

        GET /shares/{share}
        """
        ...

    def list_schemas(
        self, *, caller: Caller_contra, share: str, max_results: int = ..., page_token: str = ...
    ) -> Reply_co:
        """List the schemas of a share.

        GET /shares/{share}/schemas
        """
        ...

    def list_tables(
        self,
        *,
        caller: Caller_contra,
        share: str,
        schema: str,
        max_results: int = ...,
        page_token: str = ...,
    ) -> Reply_co:
        """List the tables of a schema.

        GET /shares/{share}/schemas/{schema}/tables
        """
        ...

    def list_all_tables(
        self, *, caller: Caller_contra, share: str, max_results: int = ..., page_token: str = ...
    ) -> Reply_co:
        """List the tables of every schema of a share.

        GET /shares/{share}/all-tables
        """
        ...

    def head_table_version(
        self, *, caller: Caller_contra, share: str, schema: str, table: str
    ) -> Reply_co:
        """Ask for the current version of a table in the older way.

        HEAD /shares/{share}/schemas/{schema}/tables/{table}
        """
        ...

    def get_table_version(
        self,
        *,
        caller: Caller_contra,
        share: str,
        schema: str,
        table: str,
        starting_timestamp: str = ...,
    ) -> Reply_co:
        """Ask for the version of a table.

        GET /shares/{share}/schemas/{schema}/tables/{table}/version
        """
        ...

    def get_table_metadata(
        self,
        *,
        caller: Caller_contra,
        share: str,
        schema: str,
        table: str,
        delta_sharing_capabilities: str = ...,
        version: int = ...,
        timestamp: str = ...,
    ) -> Reply_co:
        """Read the protocol and the metadata of a table.

        GET /shares/{share}/schemas/{schema}/tables/{table}/metadata
        """
        ...

    def query_table(
        self,
        *,
        caller: Caller_contra,
        share: str,
        schema: str,
        table: str,
        delta_sharing_capabilities: str = ...,
        fileidhash: str = ...,
        body: QueryTableRequest = ...,
    ) -> Reply_co:
        """Read the files of a table, or the changes of its files since a version.

        POST /shares/{share}/schemas/{schema}/tables/{table}/query
        """
        ...

    def query_table_changes(
        self,
        *,
        caller: Caller_contra,
        share: str,
        schema: str,
        table: str,
        starting_version: int = ...,
        starting_timestamp: str = ...,
        ending_version: int = ...,
        ending_timestamp: str = ...,
        include_historical_metadata: bool = ...,
        delta_sharing_capabilities: str = ...,
        fileidhash: str = ...,
        include_historical_protocol: bool = ...,
        max_files: int = ...,
        page_token: str = ...,
    ) -> Reply_co:
        """Read the change data feed of a table.

        GET /shares/{share}/schemas/{schema}/tables/{table}/changes
        """
        ...

    def generate_temporary_table_credentials(
        self,
        *,
        caller: Caller_contra,
        share: str,
        schema: str,
        table: str,
        body: TemporaryTableCredentialsRequest = ...,
    ) -> Reply_co:
        """Get credentials that read a directory of a table.

        POST /shares/{share}/schemas/{schema}/tables/{table}/temporary-table-credentials
        """
        ...

    def get_query_info(
        self,
        *,
        caller: Caller_contra,
        share: str,
        schema: str,
        table: str,
        query_id: str,
        delta_sharing_capabilities: str = ...,
        body: GetQueryInfoRequest = ...,
    ) -> Reply_co:
        """Ask after a query that is run in the background.

        POST /shares/{share}/schemas/{schema}/tables/{table}/queries/{queryId}
        """
        ...
