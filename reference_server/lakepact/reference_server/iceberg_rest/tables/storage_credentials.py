"""Storage credentials of a warehouse: `[warehouses.<name>.credentials]` of the server file, and the
part that a table gets.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.warehouse.vended_credentials.policies import Unlimited
from lakepact.reference_server.warehouse.vended_credentials.remembered import Remembered
from lakepact.reference_server.warehouse.vended_credentials.signing import Keys
from lakepact.reference_server.warehouse.vended_credentials.token_services import (
    LONGEST,
    SHORTEST,
    FakeSts,
    NoKeys,
    SecurityTokenService,
    fake_keys,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.generated.iceberg_rest.documents import StorageCredential
    from lakepact.reference_server.server_file import WarehouseEntry
    from lakepact.reference_server.warehouse.vended_credentials.token_services import TokenService

SECONDS = 3600  #: for which keys hold, unless the file says otherwise
DELEGATION = "vended-credentials"  #: how callers ask for credentials
SIGNING = "remote-signing"  #: how callers ask for signatures
REGION = "us-east-1"  #: of stores whose settings name none
#: Settings of the storage that are no secrets, and that clients need to address it.
ADDRESS = ("s3.endpoint", "s3.path-style-access", "s3.force-virtual-addressing")
MEMBERS = (
    *("config", "config-env", "rehearsal", "sts", "region", "role", "seconds"),
    *("access-key-id-env", "secret-access-key-env", "session-token-env"),
)


@dataclass(frozen=True, slots=True)
class StorageAccess:
    """How the storage of one warehouse is opened.

    Args:
        settings: what every credential holds, whatever it is for.
        service: where keys come from that open one table; None where there are none.
        seconds: for how long they hold.
        is_remote: whether keys are fetched over a network, which takes a while.
        keys: this server's own of the storage, if it has any.
    """

    settings: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    service: TokenService | None = None
    seconds: int = SECONDS
    is_remote: bool = False
    keys: Keys | None = field(default=None, repr=False)

    @property
    def is_configured(self) -> bool:
        """Whether there is anything to hand out."""
        return bool(self.settings) or self.service is not None

    @property
    def region(self) -> str:
        """The region of the storage."""
        return self.settings.get("client.region") or self.settings.get("s3.region") or REGION

    def credentials(
        self, location: str, *, name: str, is_writable: bool
    ) -> list[StorageCredential]:
        """Return the credentials of the table at a location, as the contract has them.

        Args:
            location: where the table keeps its files.
            name: for whom; it stands in the logs of the storage.
            is_writable: whether they let write.

        Raises:
            Problem: they cannot be had now.
        """
        if not self.is_configured:
            return []
        config = dict(self.settings)
        if self.service is not None:
            try:
                temporary = self.service.keys(
                    location, name=name, seconds=self.seconds, is_writable=is_writable
                )
            except Unlimited as error:
                raise Problem(
                    400, "BadRequestException", f"there are no credentials for this table: {error}"
                ) from None
            except NoKeys as error:
                raise Problem(
                    503,
                    "ServiceUnavailableException",
                    f"there are no credentials for this table now: {error}",
                ) from None
            config |= s3_config(temporary.keys, temporary.expires)
        return [{"prefix": location, "config": config}]


def s3_config(keys: Keys, expires: int) -> dict[str, str]:
    """Temporary keys as clients of tables read them."""
    config = {
        "s3.access-key-id": keys.access_key_id,
        "s3.secret-access-key": keys.secret_access_key,
    }
    if keys.session_token is not None:
        config["s3.session-token"] = keys.session_token
    return {**config, "s3.session-token-expires-at-ms": str(expires)}


def storage_credentials(
    access: StorageAccess, location: str, *, name: str, is_writable: bool
) -> list[StorageCredential]:
    """Return the credentials of the table at a location; none where the warehouse has none."""
    return access.credentials(location, name=name, is_writable=is_writable)


def wants_credentials(delegation: Sequence[str]) -> bool:
    """Return whether a caller who names these ways of access wants credentials."""
    return DELEGATION in delegation


def path_of(action: str, prefix: str, levels: Sequence[str], name: str) -> str:
    """Return the path of an operation of a table, such as `credentials`, below the catalog's
    address.
    """
    namespace = quote(SEPARATOR.join(levels), safe="")
    return f"v1/{prefix}{'/' if prefix else ''}namespaces/{namespace}/tables/{quote(name, safe='')}/{action}"


# -- the server file -------------------------------------------------------------------------------


def read_storage_access(
    entry: WarehouseEntry, environment: Mapping[str, str] | None = None
) -> StorageAccess:
    """Return how the storage of a warehouse is opened, as the server file says.

    Args:
        entry: what the file says of the warehouse.
        environment: where names of variables are looked up; by default the process's own.

    Raises:
        BadSetting: something of it is not understood, or missing; the message says where, and
            repeats no secret.
    """
    reader = _Said(
        f"warehouses.{entry.name}.credentials",
        entry.credentials,
        os.environ if environment is None else environment,
    )
    if not entry.credentials:
        return StorageAccess()
    reader.check_names()
    settings = {**reader.settings("config"), **reader.settings_of_variables()}
    if reader.truth("rehearsal"):
        if "sts" in entry.credentials:
            raise reader.wrong(
                "rehearsal", "is for keys that open nothing, and sts is for keys that do; keep one"
            )
        return StorageAccess(settings, FakeSts(), reader.seconds(shortest=1), keys=fake_keys())
    own = reader.keys()
    if "sts" not in entry.credentials:
        for name in ("role", "region", "seconds"):
            if name in entry.credentials:
                raise reader.wrong(name, "is of use with sts alone, the address of a token service")
        return StorageAccess(settings, keys=own)
    if own is None:
        raise reader.wrong(
            "access-key-id-env",
            "is missing: the name of the variable with the key that this server signs with",
        )
    region = reader.text("region") or "us-east-1"
    service = SecurityTokenService(reader.address("sts"), region, own, reader.text("role"))
    return StorageAccess(
        {"client.region": region, **settings},
        Remembered(service),
        reader.seconds(),
        is_remote=True,
        keys=own,
    )


class _Said:
    """One table of the file, and how to complain about it."""

    def __init__(self, at: str, table: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        self._at = at
        self._table = table
        self._environment = environment

    def wrong(self, name: str, message: str) -> BadSetting:
        return BadSetting(f"the server file, at {self._at}.{name}: {message}")

    def check_names(self) -> None:
        for name in self._table:
            if name not in MEMBERS:
                raise BadSetting(
                    f"the server file, at {self._at}: {name!r} is not known; known are"
                    f" {', '.join(MEMBERS)}"
                )

    def text(self, name: str) -> str | None:
        value = self._table.get(name)
        if value is not None and (not isinstance(value, str) or not value):
            raise self.wrong(name, "is a text, and not empty")
        return value

    def truth(self, name: str) -> bool:
        value = self._table.get(name, False)
        if not isinstance(value, bool):
            raise self.wrong(name, "is true or false")
        return value

    def seconds(self, *, shortest: int = SHORTEST) -> int:
        value = self._table.get("seconds", SECONDS)
        if (
            not isinstance(value, int)
            or isinstance(value, bool)
            or not shortest <= value <= LONGEST
        ):
            raise self.wrong("seconds", f"is a whole number from {shortest} to {LONGEST}")
        return value

    def address(self, name: str) -> str:
        address = self.text(name) or ""
        parts = urlsplit(address)
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or parts.query
            or parts.fragment
            or "@" in parts.netloc
        ):
            raise self.wrong(
                name,
                "is the http or https address of a token service, without a query and without"
                " credentials",
            )
        return address

    def keys(self) -> Keys | None:
        access_key_id = self._variable("access-key-id-env")
        secret_access_key = self._variable("secret-access-key-env")
        session_token = self._variable("session-token-env")
        if access_key_id is None and secret_access_key is None and session_token is None:
            return None
        if access_key_id is None or secret_access_key is None:
            missing = "access-key-id-env" if access_key_id is None else "secret-access-key-env"
            raise self.wrong(
                missing,
                "is missing: the names of the variables with both parts of the key go together",
            )
        return Keys(access_key_id, secret_access_key, session_token)

    def _variable(self, name: str) -> str | None:
        variable = self.text(name)
        return None if variable is None else self._value_of(variable, name)

    def settings(self, name: str) -> dict[str, str]:
        table = self._table.get(name, {})
        if not isinstance(table, dict) or not all(
            isinstance(value, str) for value in table.values()
        ):
            raise self.wrong(
                name,
                "is a table of texts: settings of clients are texts, also numbers and truth values",
            )
        return table

    def settings_of_variables(self) -> dict[str, str]:
        return {
            key: self._value_of(variable, f"config-env.{key}")
            for key, variable in self.settings("config-env").items()
        }

    def _value_of(self, variable: str, name: str) -> str:
        value = self._environment.get(variable)
        if not value:
            # The value may be the secret itself: the message does not repeat it.
            raise self.wrong(name, "names an environment variable that is not set, or empty")
        return value


def signer_config(access: StorageAccess, path: str) -> dict[str, str]:
    """Return the settings with which clients let requests be signed.

    Args:
        access: how the storage is opened.
        path: the path of the operation, below the catalog's address.
    """
    return {
        **{name: access.settings[name] for name in ADDRESS if name in access.settings},
        "client.region": access.region,
        "s3.remote-signing-enabled": "true",
        "signer.endpoint": path,
        # Before 1.11.0, and in pyiceberg, which signs in fsspec alone.
        "s3.signer.endpoint": path,
        "s3.signer": "S3V4RestSigner",
        "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
    }
