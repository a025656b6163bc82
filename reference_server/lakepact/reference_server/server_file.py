"""The server file: warehouses, principals and their rights, as TOML, read once at the start."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lakepact.reference_server.settings import BadSetting

ACCESS = ("read", "write", "admin")  #: what a grant may allow; each includes those before it
LIFETIME = 3600  #: seconds that an issued token holds, unless the file says otherwise
LONGEST = (
    10**9
)  #: seconds that a setting may name, thirty years; a time beyond the calendar would fail the request
MAX_AGE = (
    86_400  #: seconds after which a chain of exchanged tokens ends, unless the file says otherwise
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret as a hash: it can be compared, not read."""

    digest: bytes = field(repr=False)

    @classmethod
    def of(cls, text: str) -> Secret:
        """Return the secret that is spelled so."""
        return cls(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())

    def matches(self, text: str) -> bool:
        """Return whether it is this one; how long that takes says nothing about either."""
        return hmac.compare_digest(self.digest, Secret.of(text).digest)


@dataclass(frozen=True, slots=True)
class WarehouseEntry:
    """One warehouse.

    Args:
        name: how clients ask for it.
        location: where its tables keep their files; None for a folder of its own below the server's
            warehouse.
        prefix: the path segments that clients must put behind `/v1/`; None if the file says nothing
            of it.
        defaults: settings that clients start from.
        overrides: settings that clients must take.
        table_defaults: properties of every table that is created, unless its request has them.
        credentials: how its storage is opened, as the file has it.
        functions: the JSON file of its functions; a relative path is from the folder of the server
            file.
    """

    name: str
    location: str | None = None
    prefix: str | None = None
    defaults: Mapping[str, str] = field(default_factory=dict[str, str])
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])
    table_defaults: Mapping[str, str] = field(default_factory=dict[str, str], kw_only=True)
    credentials: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    functions: str | None = None


@dataclass(frozen=True, slots=True)
class Principal:
    """A principal.

    Args:
        name: its name in grants.
        token: its bearer token, if it has one.
        token_expires: the token's expiry; `None` for never.
        client_id: its OAuth2 client id, if it fetches tokens.
        client_secret: its OAuth2 client secret.
    """

    name: str
    token: Secret | None = None
    token_expires: datetime | None = None
    client_id: str | None = None
    client_secret: Secret | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """The access of one principal to a catalog, to a namespace and all below it, or to one table or
    view.

    Args:
        principal: the name of the principal.
        access: one of `ACCESS`.
        warehouse: the name of the warehouse; `None` for all.
        namespace: the levels of the namespace; empty for the whole catalog.
        table: the name of the table or view; `None` for the namespace.
    """

    principal: str
    access: str
    warehouse: str | None = None
    namespace: tuple[str, ...] = ()
    table: str | None = None


@dataclass(frozen=True, slots=True)
class ServerFile:
    """All that the file says; where there is none, nothing."""

    warehouses: Mapping[str, WarehouseEntry] = field(default_factory=dict[str, WarehouseEntry])
    principals: Mapping[str, Principal] = field(default_factory=dict[str, Principal])
    grants: tuple[Grant, ...] = ()
    token_lifetime: int = LIFETIME  #: seconds
    token_max_age: int = (
        MAX_AGE  #: seconds from the first token of a chain of exchanges to the end of its last
    )


def read_server_file(path: Path, environment: Mapping[str, str] | None = None) -> ServerFile:
    """Return the content of a server file.

    Args:
        path: the file.
        environment: source of `token-env` and `client-secret-env`; by default the process
            environment.

    Raises:
        BadSetting: it cannot be read or is invalid; the message names the place and repeats no
            secret.
    """
    # Only a server that has such a file pays for the parser.
    import tomllib  # noqa: PLC0415

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSetting(f"the server file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BadSetting(f"the server file {path} is not UTF-8 at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"the server file {path} is not TOML: {error}") from None
    try:
        return _server_file(
            document, path.parent, os.environ if environment is None else environment
        )
    except _Misread as error:
        raise BadSetting(f"the server file {path}, at {error}") from None


class _Misread(Exception):
    """A value that is not understood, and where it stands."""

    def __init__(self, at: str, message: str) -> None:
        super().__init__(f"{at or 'the top'}: {message}")


def _server_file(
    document: dict[str, Any], folder: Path, environment: Mapping[str, str]
) -> ServerFile:
    _check_names(document, "", ("warehouses", "principals", "grants", "tokens"))
    warehouses = {
        name: _warehouse(name, table, folder)
        for name, table in _tables(document, "warehouses").items()
    }
    principals = {
        name: _principal(name, table, environment)
        for name, table in _tables(document, "principals").items()
    }
    _apart(principals)
    grant_list = document.get("grants", [])
    if not isinstance(grant_list, list):
        raise _Misread("grants", "is a list of tables, each below [[grants]]")
    grants = tuple(
        _grant(entry, f"grants[{index}]", warehouses, principals)
        for index, entry in enumerate(grant_list)
    )
    lifetime, max_age = _lifetimes(document)
    return ServerFile(
        MappingProxyType(warehouses), MappingProxyType(principals), grants, lifetime, max_age
    )


def _warehouse(name: str, table: dict[str, Any], folder: Path) -> WarehouseEntry:
    at = f"warehouses.{name}"
    functions = _optional(table, "functions", at)
    _check_names(
        table,
        at,
        (
            "location",
            "prefix",
            "defaults",
            "overrides",
            "table-defaults",
            "credentials",
            "functions",
        ),
    )
    return WarehouseEntry(
        name,
        location=_optional(table, "location", at),
        prefix=_optional(table, "prefix", at),
        defaults=_settings(table, "defaults", at),
        overrides=_settings(table, "overrides", at),
        table_defaults=_settings(table, "table-defaults", at),
        credentials=_plain(table, "credentials", at),
        functions=None if functions is None else str(folder / functions),
    )


def _principal(name: str, table: dict[str, Any], environment: Mapping[str, str]) -> Principal:
    at = f"principals.{name}"
    _check_names(
        table,
        at,
        ("token", "token-env", "token-expires", "client-id", "client-secret", "client-secret-env"),
    )
    token = _secret(table, "token", at, environment)
    secret = _secret(table, "client-secret", at, environment)
    client_id = _optional(table, "client-id", at)
    if (client_id is None) != (secret is None):
        raise _Misread(
            at,
            "client-id and client-secret (or client-secret-env) go together; one of them is"
            " missing",
        )
    if client_id is not None and ":" in client_id:
        raise _Misread(f"{at}.client-id", "must not hold a colon, which divides it from its secret")
    if token is None and client_id is None:
        raise _Misread(
            at,
            "has nothing to be known by: neither token (or token-env) nor client-id and"
            " client-secret",
        )
    return Principal(
        name,
        token=token,
        token_expires=_moment(table, at, token),
        client_id=client_id,
        client_secret=secret,
    )


def _grant(
    entry: object,
    at: str,
    warehouses: Mapping[str, WarehouseEntry],
    principals: Mapping[str, Principal],
) -> Grant:
    if not isinstance(entry, dict):
        raise _Misread(at, "is a table, below [[grants]]")
    grant: dict[str, Any] = entry
    _check_names(grant, at, ("principal", "warehouse", "namespace", "table", "access"))
    principal = _one_of(grant, "principal", at, tuple(principals))
    access = _one_of(grant, "access", at, ACCESS)
    warehouse = _one_of(grant, "warehouse", at, tuple(warehouses)) if "warehouse" in grant else None
    levels: Any = grant.get("namespace", [])
    if "namespace" in grant and not (
        isinstance(levels, list)
        and levels
        and all(isinstance(level, str) and level for level in levels)
    ):
        raise _Misread(
            f"{at}.namespace",
            "is the list of the namespace's levels, one text each; without it, the whole catalog is"
            " meant",
        )
    table = _optional(grant, "table", at)
    if table is not None and not levels:
        raise _Misread(f"{at}.table", "needs a namespace beside it")
    return Grant(principal, access, warehouse=warehouse, namespace=tuple(levels), table=table)


def _lifetimes(document: dict[str, Any]) -> tuple[int, int]:
    """Return the lifetime and the maximum age of issued tokens, in seconds."""
    tokens = _plain(document, "tokens", "")
    _check_names(tokens, "tokens", ("lifetime", "max-age"))
    lifetime = _seconds(tokens, "lifetime", LIFETIME)
    max_age = _seconds(tokens, "max-age", max(MAX_AGE, lifetime))
    if max_age < lifetime:
        raise _Misread("tokens.max-age", f"must be at least tokens.lifetime, which is {lifetime}")
    return lifetime, max_age


def _seconds(tokens: Mapping[str, Any], name: str, default: int) -> int:
    seconds = tokens.get(name, default)
    if not isinstance(seconds, int) or isinstance(seconds, bool) or not 1 <= seconds <= LONGEST:
        raise _Misread(f"tokens.{name}", f"is a whole number of seconds, from 1 to {LONGEST}")
    return seconds


def _apart(principals: Mapping[str, Principal]) -> None:
    """No two principals can be taken for each other."""
    what: tuple[tuple[str, Callable[[Principal], object]], ...] = (
        ("token", lambda principal: principal.token),
        ("client-id", lambda principal: principal.client_id),
    )
    for member, value_of in what:
        names: dict[object, str] = {}
        for name, principal in principals.items():
            value = value_of(principal)
            if value is not None and names.setdefault(value, name) != name:
                raise _Misread(
                    f"principals.{name}.{member}", f"is that of principals.{names[value]} already"
                )


def _secret(
    table: dict[str, Any], name: str, at: str, environment: Mapping[str, str]
) -> Secret | None:
    """Return a secret that stands in the file, or in the environment under the name that stands
    there.
    """
    value, variable = _optional(table, name, at), _optional(table, f"{name}-env", at)
    if value is not None and variable is not None:
        raise _Misread(at, f"{name} and {name}-env are two places for one thing; keep one")
    if variable is not None:
        value = environment.get(variable)
        if not value:
            raise _Misread(
                f"{at}.{name}-env", f"the environment variable {variable} is not set, or empty"
            )
    return None if value is None else Secret.of(value)


def _moment(table: dict[str, Any], at: str, token: Secret | None) -> datetime | None:
    moment = table.get("token-expires")
    if moment is None:
        return None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise _Misread(f"{at}.token-expires", "is a time with its zone, like 2027-01-31T00:00:00Z")
    if token is None:
        raise _Misread(f"{at}.token-expires", "needs a token beside it")
    return moment.astimezone(UTC)


def _check_names(table: Mapping[str, Any], at: str, names: tuple[str, ...]) -> None:
    for name in table:
        if name not in names:
            raise _Misread(at, f"{name!r} is not known; known are {', '.join(names)}")


def _tables(document: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    tables = _plain(document, name, "")
    for key, table in tables.items():
        if not key:
            raise _Misread(name, "a name must not be empty")
        if not isinstance(table, dict):
            raise _Misread(f"{name}.{key}", "is a table")
    return dict(tables)


def _plain(table: Mapping[str, Any], name: str, at: str) -> Mapping[str, Any]:
    value = table.get(name, {})
    if not isinstance(value, dict):
        raise _Misread(f"{at}.{name}" if at else name, "is a table")
    return MappingProxyType(value)


def _settings(table: dict[str, Any], name: str, at: str) -> Mapping[str, str]:
    settings = _plain(table, name, at)
    for key, value in settings.items():
        if not isinstance(value, str):
            raise _Misread(
                f"{at}.{name}.{key}",
                "is a text: settings and properties are texts, also numbers and truth values",
            )
    return settings


def _optional(table: dict[str, Any], name: str, at: str) -> str | None:
    value = table.get(name)
    if value is not None and (not isinstance(value, str) or not value):
        raise _Misread(f"{at}.{name}", "is a text, and not empty")
    return value


def _one_of(table: dict[str, Any], name: str, at: str, names: tuple[str, ...]) -> str:
    value = _optional(table, name, at)
    if value is None:
        raise _Misread(at, f"{name} is missing")
    if value not in names:
        raise _Misread(
            f"{at}.{name}",
            f"{value!r} is not one of"
            f" {', '.join(names) or 'those named in this file: there are none'}",
        )
    return value
