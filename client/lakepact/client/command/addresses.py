"""The meaning of ADDRESS: an Iceberg catalog or a Delta Sharing server, with its credentials."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import click

from lakepact.client import (
    BearerToken,
    IcebergCatalog,
    Limits,
    NoAuth,
    Profile,
    Retries,
    SharingClient,
    WatsonxCatalog,
)
from lakepact.client.command.failures import WrongUsage
from lakepact.client.watsonx_data.names import is_instance
from lakepact.reach.options import argument, option, part, several
from lakepact.reach.settings import LOGINS, AccessOptions, naming_options, secret_of
from lakepact.reach.urls import server_address

if TYPE_CHECKING:
    from collections.abc import Generator

    from lakepact.reach.auth import Auth

Client: TypeAlias = IcebergCatalog | SharingClient

ICEBERG, SHARING, WATSONX = "iceberg_rest", "delta_sharing", "watsonx_data"
VERSIONS = click.IntRange(min=0)  #: of shared tables
#: A user is waiting at the terminal.
_RETRIES = Retries(tries=3, total=20)
_LIMITS = Limits(listing=128 << 20, decoded=256 << 20)


@dataclass(frozen=True, kw_only=True)
class Address:
    """An address with its credentials; secrets are in environment variables of these names."""

    address: str = argument()
    contract: str | None = option(
        "Contract of a URL; by default Delta Sharing if its path has a segment `delta-sharing`,"
        " watsonx.data if it ends with `/mds/iceberg`, otherwise Iceberg REST.",
        type=click.Choice([ICEBERG, SHARING, WATSONX]),
    )
    warehouse: str | None = option("Which warehouse of the catalog.", "NAME")
    trust_origin: tuple[str, ...] = several(
        "An origin to which answers of a catalog may lead requests with credentials, or `file:`"
        " for files of this machine. May be given several times.",
        "ORIGIN",
    )
    access: AccessOptions = part(AccessOptions)


@contextmanager
def open_client(options: Address) -> Generator[Client]:
    """Yield the client of an address.

    Raises:
        WrongUsage: The options do not fit. The message repeats no address: people paste secrets
            into some.
        UpgradeNeeded: The profile is of a version that is not known here.
    """
    try:
        with naming_options():
            client = _client(options)
    except ValueError as error:
        raise WrongUsage(str(error)) from None
    with client:
        yield client


def _client(options: Address) -> Client:
    settings = options.access.with_profile({})
    access = settings.access
    arguments: dict[str, Any] = {
        "verify": access.verify,
        "cert": access.cert,
        "proxy": access.proxy,
        "headers": options.access.headers,
        "retries": _RETRIES,
        "limits": _LIMITS,
    }
    if _scheme(options.address) not in {"http", "https"}:
        return SharingClient(_profile(options), **arguments)
    try:
        address = server_address(options.address)
    except ValueError:
        raise WrongUsage(
            "ADDRESS is an http or https address without credentials, query and fragment, or the"
            " file of a profile"
        ) from None
    auth: Auth | None = (
        BearerToken(secret_of(settings.token_env, "--token-env"))
        if settings.token_env
        else settings.login(address)
    )
    contract = options.contract or _contract_of(address)
    if contract == WATSONX and not options.warehouse:
        raise WrongUsage("--warehouse NAME names the catalog of watsonx.data")
    if contract != SHARING:
        kind: Any = WatsonxCatalog if contract == WATSONX else IcebergCatalog
        catalog: IcebergCatalog = kind(
            address,
            warehouse=options.warehouse,
            auth=auth,
            trusted_origins=options.trust_origin,
            **arguments,
        )
        return catalog
    if options.warehouse or options.trust_origin:
        raise WrongUsage(
            "--warehouse and --trust-origin are for catalogs; a server of Delta Sharing gets"
            " neither"
        )
    return SharingClient(Profile(address, auth or NoAuth()), **arguments)


def _scheme(address: str) -> str:
    """Return the scheme of an address; empty where it has none, or is none."""
    try:
        return urlsplit(address).scheme
    except ValueError:
        return ""


def _contract_of(address: str) -> str:
    if is_instance(address):
        return WATSONX
    return SHARING if "delta-sharing" in urlsplit(address).path.split("/") else ICEBERG


def _profile(options: Address) -> Profile:
    path = Path(options.address)
    if not path.is_file():
        raise WrongUsage("ADDRESS is neither an http or https address nor a file")
    if options.contract not in {None, SHARING} or any(
        (
            options.warehouse,
            options.trust_origin,
            *(getattr(options.access, login) for login in LOGINS),
        )
    ):
        raise WrongUsage(
            "the file of a profile leads to a server of Delta Sharing, and holds the credentials"
        )
    try:
        return Profile.read(path)
    except (OSError, ValueError) as error:
        raise WrongUsage(f"the profile cannot be read: {_message_of(error)}") from None


def _message_of(error: OSError | ValueError) -> str:
    # An undecodable file is not shown.
    if isinstance(error, UnicodeError):
        return "it is not in UTF-8"
    return (error.strerror or "it cannot be opened") if isinstance(error, OSError) else str(error)
