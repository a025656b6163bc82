"""How a table is reached: by URLs of its files, or by credentials of its directory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from lakepact.client.errors import BadReply, Failure, OperationNotSupported

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lakepact.client.delta_sharing.lines import AccessMode
    from lakepact.generated.delta_sharing.models import TemporaryCredentials

OPERATION = "generateTemporaryTableCredentials"
_PREFERRED: tuple[Literal["url"], Literal["dir"]] = ("url", "dir")
#: Milliseconds before their end from which credentials are no longer given out.
_MARGIN = 60_000


def choose_mode(
    modes: Collection[AccessMode] | None, able: Sequence[AccessMode], *, operation: str
) -> AccessMode:
    """Return the way to the data for a reader that is able to go some; URLs where it may choose,
    and where the server says nothing.

    Raises:
        OperationNotSupported: The server offers none of them.
    """
    for mode in _PREFERRED:
        if mode in able and mode in (modes or ("url",)):
            return mode
    ways = {"url": "by URLs of its files", "dir": "by credentials of its directory"}
    only = " and ".join(ways.get(mode, f"in the mode {mode}") for mode in modes or ("url",))
    alternatives = " or ".join(ways[mode] for mode in able)
    hint = (
        "; credentials() gives those, and a Delta library can open its location with them"
        if "dir" not in able
        else ""
    )
    raise OperationNotSupported(
        Failure(
            operation=operation,
            message=f"the table is shared only {only}, and is wanted {alternatives}{hint}",
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryCredentials:
    """Temporary credentials of a directory; `repr()` shows no secret."""

    location: str
    #: When they run out, in milliseconds since 1970.
    expiration: int
    #: By the names that `deltalake`, `polars` and other users of `object_store` know.
    storage_options: dict[str, str] = field(repr=False)

    def are_good(self, now: float) -> bool:
        """Return whether they still last for a while, at a time in seconds since 1970."""
        return now * 1000 < self.expiration - _MARGIN


def read(credentials: TemporaryCredentials) -> DirectoryCredentials:
    """Return the credentials of a reply.

    Raises:
        BadReply: They are not of exactly one kind.
    """
    options: list[dict[str, Any]] = []
    if (aws := credentials.aws_temp_credentials) is not None:
        keys = {
            "aws_access_key_id": aws.access_key_id,
            "aws_secret_access_key": aws.secret_access_key,
        }
        options.append(keys | {"aws_session_token": aws.session_token})
    if (azure := credentials.azure_user_delegation_sas) is not None:
        options.append({"azure_storage_sas_token": azure.sas_token})
    if (gcp := credentials.gcp_oauth_token) is not None:
        options.append({"google_bearer_token": gcp.oauth_token})
    count = len(options)
    if count == 1:
        return DirectoryCredentials(
            location=credentials.location,
            expiration=credentials.expiration_time,
            storage_options=options[0],
        )
    raise BadReply(
        Failure(
            operation=OPERATION,
            message=f"the reply holds credentials of {count} kinds, and there is to be one",
        )
    )
