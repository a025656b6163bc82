"""How the files of a table are opened: the ways that a caller knows, and which of the credentials
it is given are for which file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import LoadTableResult, StorageCredential

#: A way in which a server gives access to the files of a table.
Way: TypeAlias = Literal["vended-credentials", "remote-signing"]
#: One or several delegation mechanisms, of which the server uses at most one.
Delegation: TypeAlias = Way | Sequence[Way]

#: Keys of a table's config that open its storage; with the token of a catalog.
_OPENING = re.compile(
    r"s3\.(?:access-key-id|secret-access-key|session-token.*)|gcs\.oauth2\.token.*|adls\.(?:sas-token|auth\.shared-key).*"
)
_SECRET = re.compile(f"token|{_OPENING.pattern}")


def delegation(ways: Delegation | None) -> str | None:
    """Return the ways as the header has them."""
    if ways is None or isinstance(ways, str):
        return ways
    return ",".join(ways) or None


def storage_credential(
    credentials: Iterable[StorageCredential], location: str
) -> StorageCredential | None:
    """Return the credential whose prefix is the longest match of a location; None if no prefix
    matches.

    Args:
        credentials: The `storage_credentials` of a loaded table, or the result of
            `load_credentials`.
        location: The location of the file.
    """
    fitting = [credential for credential in credentials if location.startswith(credential.prefix)]
    return max(fitting, key=lambda credential: len(credential.prefix), default=None)


def storage_properties(table: LoadTableResult, location: str | None = None) -> dict[str, str]:
    """Return the storage properties for a file of a table: the table's config, overridden by the
    credential of the file.

    Args:
        table: The loaded table.
        location: The location of the file; by default the table's.
    """
    config = table.config
    credential = storage_credential(table.storage_credentials, location or table.metadata.location)
    if credential is None:
        return dict(config)
    # Keys of one credential are of no use with a part of another.
    return {
        **{key: value for key, value in config.items() if not _OPENING.fullmatch(key)},
        **credential.config,
    }


def holds_no_credentials(table: LoadTableResult) -> bool:
    """Return whether a loaded table opens nothing for whoever has it."""
    return not (table.storage_credentials or any(map(_SECRET.fullmatch, table.config)))
