"""How the files of a table are opened: the ways that a caller knows, and which of the credentials it is given are for which file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.models import LoadTableResult, StorageCredential

#: A way to let a caller to the files of a table.
Way: TypeAlias = Literal["vended-credentials", "remote-signing"]
#: One way, or several, of which the server takes one, or none.
Delegation: TypeAlias = Way | Sequence[Way]

#: Keys of a table's config that open its storage.
_OPENING = re.compile(
    r"s3\.(?:access-key-id|secret-access-key|session-token.*)|gcs\.oauth2\.token.*|adls\.(?:sas-token|auth\.shared-key).*"
)


def delegation(ways: Delegation | None) -> str | None:
    """Return the ways as the header has them."""
    if ways is None or isinstance(ways, str):
        return ways
    return ",".join(ways) or None


def storage_credential(credentials: Iterable[StorageCredential] | None, location: str) -> StorageCredential | None:
    """Return the credential for a file: of those whose prefix its location begins with, the one with the longest; None where there is none.

    Args:
        credentials: What a table came with, its `storage_credentials`, or what `load_credentials` gave.
        location: Where the file lies.
    """
    fitting = [credential for credential in credentials or () if location.startswith(credential.prefix)]
    return max(fitting, key=lambda credential: len(credential.prefix), default=None)


def storage_properties(table: LoadTableResult, location: str | None = None) -> dict[str, str]:
    """What opens a file of a table: the table's config, and over it what the credential for the file says.

    Args:
        table: The table as it was loaded.
        location: Where the file lies; by default that of the table.
    """
    config = table.config or {}
    found = storage_credential(table.storage_credentials, location or table.metadata.location or table.metadata_location or "")
    if found is None:
        return dict(config)
    # Keys of one credential are of no use with a part of another.
    return {**{key: value for key, value in config.items() if not _OPENING.fullmatch(key)}, **found.config}


def holds_no_credentials(table: LoadTableResult) -> bool:
    """Return whether a loaded table opens nothing for whoever has it."""
    return not table.storage_credentials and not any(key == "token" or _OPENING.fullmatch(key) for key in table.config or {})
