# Made by codegen.server from the contract of delta_sharing 2026-08, sha256 2846358f7d6092c6. Do not edit: nox -s generate
"""The operations of Delta Sharing Protocol 2026-08 as a server implements them."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

Reply_co = TypeVar("Reply_co", covariant=True)


class Handlers(Protocol[Reply_co]):
    """One method for each operation.

    Arguments are parameters as their schemas say, and bodies as JSON documents that have passed theirs; parameters that were not
    sent are left out.
    """

    def list_shares(
        self, *, max_results: int | None = None, page_token: str | None = None
    ) -> Reply_co:
        """List the shares that the recipient may read.

        GET /shares

        Answers:
            200: ListSharesResponse. A page of shares.
            400, 401, 403, 500: as for every operation.
        """
        ...

    def get_share(self, *, share: str) -> Reply_co:
        """Describe one share.

        GET /shares/{share}

        Answers:
            200: GetShareResponse. The share.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def list_schemas(
        self, *, share: str, max_results: int | None = None, page_token: str | None = None
    ) -> Reply_co:
        """List the schemas of a share.

        GET /shares/{share}/schemas

        Answers:
            200: ListSchemasResponse. A page of schemas.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def list_tables(
        self,
        *,
        share: str,
        schema: str,
        max_results: int | None = None,
        page_token: str | None = None,
    ) -> Reply_co:
        """List the tables of a schema.

        GET /shares/{share}/schemas/{schema}/tables

        Answers:
            200: ListTablesResponse. A page of tables.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def list_all_tables(
        self, *, share: str, max_results: int | None = None, page_token: str | None = None
    ) -> Reply_co:
        """List the tables of every schema of a share.

        GET /shares/{share}/all-tables

        Answers:
            200: ListTablesResponse. A page of tables.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def head_table_version(self, *, share: str, schema: str, table: str) -> Reply_co:
        """Ask for the current version of a table in the older way.

        HEAD /shares/{share}/schemas/{schema}/tables/{table}

        Answers:
            200: no body. The version is in a header.
            400: no body. The request is malformed.
            401: no body. The bearer token is missing or incorrect.
            403: no body. The request is understood, and the recipient may not do this.
            404: no body. There is no such share, schema or table.
            500: no body. The server failed.
        """
        ...

    def get_table_version(
        self, *, share: str, schema: str, table: str, starting_timestamp: str | None = None
    ) -> Reply_co:
        """Ask for the version of a table.

        GET /shares/{share}/schemas/{schema}/tables/{table}/version

        Answers:
            200: no body. The version is in a header; there is no body.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def get_table_metadata(
        self,
        *,
        share: str,
        schema: str,
        table: str,
        delta_sharing_capabilities: str | None = None,
        version: int | None = None,
        timestamp: str | None = None,
    ) -> Reply_co:
        """Read the protocol and the metadata of a table.

        GET /shares/{share}/schemas/{schema}/tables/{table}/metadata

        Answers:
            200: lines, each a ResponseLine. Lines of JSON; first the protocol, then the
                metadata, then everything else in any order.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def query_table(
        self,
        *,
        share: str,
        schema: str,
        table: str,
        delta_sharing_capabilities: str | None = None,
        fileidhash: str | None = None,
        body: dict[str, Any] | None = None,
    ) -> Reply_co:
        """Read the files of a table, or the changes of its files since a version.

        POST /shares/{share}/schemas/{schema}/tables/{table}/query

        Body: QueryTableRequest.

        Answers:
            200: lines, each a ResponseLine. Lines of JSON; first the protocol, then the
                metadata, then everything else in any order.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def query_table_changes(
        self,
        *,
        share: str,
        schema: str,
        table: str,
        starting_version: int | None = None,
        starting_timestamp: str | None = None,
        ending_version: int | None = None,
        ending_timestamp: str | None = None,
        include_historical_metadata: bool | None = None,
        delta_sharing_capabilities: str | None = None,
        fileidhash: str | None = None,
        include_historical_protocol: bool | None = None,
        max_files: int | None = None,
        page_token: str | None = None,
    ) -> Reply_co:
        """Read the change data feed of a table.

        GET /shares/{share}/schemas/{schema}/tables/{table}/changes

        Answers:
            200: lines, each a ResponseLine. Lines of JSON; first the protocol, then the
                metadata, then everything else in any order.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def generate_temporary_table_credentials(
        self, *, share: str, schema: str, table: str, body: dict[str, Any] | None = None
    ) -> Reply_co:
        """Get credentials that read a directory of a table.

        POST /shares/{share}/schemas/{schema}/tables/{table}/temporary-table-credentials

        Body: TemporaryTableCredentialsRequest.

        Answers:
            200: TemporaryTableCredentialsResponse. The credentials.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...

    def get_query_info(
        self,
        *,
        share: str,
        schema: str,
        table: str,
        query_id: str,
        delta_sharing_capabilities: str | None = None,
        body: dict[str, Any] | None = None,
    ) -> Reply_co:
        """Ask after a query that is run in the background.

        POST /shares/{share}/schemas/{schema}/tables/{table}/queries/{queryId}

        Body: GetQueryInfoRequest.

        Answers:
            200: lines, each a ResponseLine. Lines of JSON; first the protocol, then the
                metadata, then everything else in any order.
            400, 401, 403, 404, 500: as for every operation.
        """
        ...
