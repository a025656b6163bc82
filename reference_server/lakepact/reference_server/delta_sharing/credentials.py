"""Temporary credentials, with which a recipient reads the directory of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.access.recipients import Caller
from lakepact.reference_server.delta_sharing.answers import json_answer
from lakepact.reference_server.delta_sharing.catalogue import Catalogue
from lakepact.reference_server.delta_sharing.queries.queries import malformed
from lakepact.reference_server.delta_sharing.queries.versions import table_name
from lakepact.reference_server.delta_sharing.shares import SharedTable, Shares
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.http.service import Rules as ServiceRules
from lakepact.reference_server.warehouse.vended_credentials.policies import Unlimited
from lakepact.reference_server.warehouse.vended_credentials.token_services import (
    NoKeys,
    TemporaryKeys,
)

if TYPE_CHECKING:
    from lakepact.generated.delta_sharing.documents import TemporaryTableCredentialsRequest


def table_is_read_by_directory(table: SharedTable) -> None:
    """Check that a table is shared by its directory.

    Raises:
        Problem: 400, it is not.
    """
    if not table.by_directory:
        raise Problem(
            400,
            "UNSUPPORTED_OPERATION",
            f"{table_name(table)} is not shared by its directory; read it with a query",
        )


def location_of_table(table: SharedTable, choice: str | None) -> str:
    """Return the directory that credentials are for: the table's own, or the one that is asked for,
    if it is the table's.

    Raises:
        Problem: it is not.
    """
    locations = (table.location, *table.auxiliary_locations)
    if choice is None:
        return locations[0]
    for location in locations:
        if choice.rstrip("/") == location.rstrip("/"):
            return location
    raise malformed(f"location is none of {table_name(table)}; it has {' and '.join(locations)}")


def credentials_document(location: str, temporary: TemporaryKeys) -> dict[str, Any]:
    """Return the answer with the keys of a location."""
    keys = temporary.keys
    aws = {
        "accessKeyId": keys.access_key_id,
        "secretAccessKey": keys.secret_access_key,
        "sessionToken": keys.session_token,
    }
    return {
        "credentials": {
            "location": location,
            "awsTempCredentials": aws,
            "expirationTime": temporary.expires,
        }
    }


class Credentials:
    """The operation that gives credentials.

    Args:
        catalogue: the tables by their names.
        shares: where keys come from, and for how long they hold.
        rules: the decisions about credentials.
    """

    def __init__(self, catalogue: Catalogue, shares: Shares, rules: Rules) -> None:
        self._catalogue, self._shares, self._rules = catalogue, shares, rules

    def generate_temporary_table_credentials(
        self,
        *,
        caller: Caller,
        share: str,
        schema: str,
        table: str,
        body: TemporaryTableCredentialsRequest | None = None,
    ) -> Reply:
        """Return credentials that read a directory of a table."""
        entry = self._catalogue.table(caller, share, schema, table)
        self._rules.table_is_read_by_directory(entry)
        location = self._rules.location_of_table(entry, (body or {}).get("location"))
        service = self._shares.token_service
        if service is None:
            raise Problem(
                400,
                "UNSUPPORTED_OPERATION",
                f"this server has no credentials for {table_name(entry)}: its shares file says nothing"
                " under temporaryCredentials",
            )
        try:
            keys = service.keys(
                location, name=caller.recipient.name, seconds=self._shares.credential_seconds
            )
        except (NoKeys, Unlimited) as error:
            raise Problem(
                500,
                "INTERNAL_ERROR",
                f"there are no credentials for {table_name(entry)} now: {error}",
            ) from None
        return json_answer(credentials_document(location, keys))


class Rules(ServiceRules):
    """Decisions about credentials that a fault may replace."""

    table_is_read_by_directory = staticmethod(table_is_read_by_directory)
    location_of_table = staticmethod(location_of_table)
