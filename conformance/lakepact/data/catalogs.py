"""Iceberg catalogs and their tables, opened by the client: no answer of a server runs code or opens
a file of this machine.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from lakepact import client
from lakepact.client import LakepactError
from lakepact.client.iceberg_rest.profiles import constructor_arguments, profile_properties
from lakepact.client.watsonx_data.names import is_instance
from lakepact.conformance.evidence.escaping import plain
from lakepact.conformance.running.profiles import of_catalog
from lakepact.extras import install
from lakepact.reach.options import option, part, several
from lakepact.reach.settings import api_key

if TYPE_CHECKING:
    from lakepact.client import Auth, IcebergCatalog

RETRIES = client.Retries(tries=3, total=20)  #: of interactive verbs
LIMITS = client.Limits(listing=128 << 20)
LONGEST = 300  #: characters of an error


class CannotOpen(OSError):
    """A catalog does not answer, or refuses; the message says what to do."""


@dataclass(frozen=True)
class CatalogAddress:
    """The address of a catalog, or its name in the configuration of pyiceberg, with properties of
    pyiceberg.

    An API key is authorization of its own, which pyiceberg has no property for.
    """

    address: str
    properties: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    api_key: Auth | None = None

    def settings(self) -> dict[str, str]:
        """Return the properties with those of pyiceberg's configuration, the address as `uri`.

        Raises:
            ValueError: pyiceberg's configuration has no such catalog.
        """
        is_url = "://" in self.address
        settings = {"uri": self.address} if is_url else profile_properties(self.address)
        return {**settings, **self.properties}

    def connect(self) -> IcebergCatalog:
        """Return the client of the catalog.

        Raises:
            ValueError: pyiceberg's configuration has no such catalog, or a property is not
                supported.
        """
        own = self.settings()
        trusted = own.pop("trustedOrigins", "").replace(",", " ").split()
        url, arguments = constructor_arguments(own)
        if self.api_key:
            arguments = {**arguments, "auth": self.api_key}
        is_watsonx = "warehouse" in arguments and is_instance(url)
        kind: Any = client.WatsonxCatalog if is_watsonx else client.IcebergCatalog
        catalog: IcebergCatalog = kind(url, trusted_origins=trusted, retries=RETRIES, **arguments)
        return catalog

    @contextlib.contextmanager
    def open(self) -> Generator[IcebergCatalog]:
        """Yield the client of the catalog.

        Raises:
            CannotOpen: pyiceberg is not installed; or the catalog, or one of its tables, is not
                readable or writable.
        """
        try:
            refusals = table_errors()
        except ModuleNotFoundError as missing:
            raise CannotOpen(f"{missing.name} is not installed: {install('data')}") from missing
        try:
            with self.connect() as catalog:
                yield catalog
        except refusals as error:
            raise CannotOpen(
                f"the catalog at {self.address}: {type(error).__name__}: {plain(error)[:LONGEST]}"
            ) from error


def table_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that the client and pyiceberg raise for an unreadable table."""
    theirs = vars(import_module("pyiceberg.exceptions")).values()
    return (
        LakepactError,
        OSError,
        ValueError,
        LookupError,
        *(error for error in theirs if isinstance(error, type) and issubclass(error, Exception)),
    )


def batches(catalog: IcebergCatalog, table: Any, scan: Any) -> Iterator[Any]:
    """Yield the record batches of a scan of pyiceberg.

    Args:
        catalog: The catalog of the table.
        table: The table, as `pyiceberg_table` returns it.
        scan: A scan of it, without a filter.
    """
    # Imported here, because pyiceberg is an extra.
    from lakepact.client.iceberg_rest.rows.data_files import FileReader  # noqa: PLC0415
    from lakepact.client.iceberg_rest.rows.planning import plan_files  # noqa: PLC0415

    reader = FileReader.of(scan, table.io.properties, None, origins=catalog.trusted_origins)
    yield from reader.read(
        plan_files(scan, None),
        lambda: client.pyiceberg_table(catalog, table.name()).io.properties,
    )


@dataclass(frozen=True, kw_only=True)
class CatalogLogin:
    """The options that open a catalog which another option or argument names."""

    token_env: str | None = option(
        "Environment variable that holds a bearer token for {catalog}.", "NAME"
    )
    api_key_env: str | None = option(
        "Environment variable that holds `user:key` of watsonx.data, or an API key of IBM Cloud,"
        " for {catalog}.",
        "NAME",
    )
    warehouse: str | None = option("The warehouse to ask {catalog} for.", "NAME")

    @property
    def properties(self) -> dict[str, str]:
        """The properties of pyiceberg for token and warehouse."""
        return of_catalog(self.warehouse, self.token_env)

    @property
    def api_key(self) -> Auth | None:
        """The authorization by an API key in an environment variable; `None` without one."""
        if self.api_key_env and self.token_env:
            raise click.UsageError("--api-key-env and --token-env exclude each other")
        try:
            return api_key(self.api_key_env) if self.api_key_env else None
        except ValueError as wrong:
            raise click.UsageError(str(wrong)) from None


@dataclass(frozen=True, kw_only=True)
class CatalogOptions:
    """The options of a catalog; `{default}` says what happens without one."""

    catalog: str | None = option("Address of an Iceberg REST catalog.{default}", "URL")
    login: CatalogLogin = part(CatalogLogin, catalog="--catalog")
    trust_origin: tuple[str, ...] = several(
        "An origin to which --catalog may lead, or `file:` for files of this machine.", "ORIGIN"
    )

    @property
    def address(self) -> CatalogAddress | None:
        """The address of the catalog; `None` without one."""
        trusted = {"trustedOrigins": " ".join(self.trust_origin)}
        properties, key = {**self.login.properties, **trusted}, self.login.api_key
        return CatalogAddress(self.catalog, properties, key) if self.catalog else None
