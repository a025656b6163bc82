"""The meaning of ADDRESS: an Iceberg catalog or a Delta Sharing server, with its credentials."""

from __future__ import annotations

import functools
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

import click

from lakepact.client import (
    BearerToken,
    ClientCredentials,
    IcebergCatalog,
    NoAuth,
    Profile,
    Retries,
    SharingClient,
)
from lakepact.client.command.failures import WrongUsage
from lakepact.reach.urls import server_address

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lakepact.reach.auth import Auth

Client: TypeAlias = IcebergCatalog | SharingClient

ICEBERG = "iceberg_rest"
SHARING = "delta_sharing"
#: A user is waiting at the terminal.
_RETRIES = Retries(tries=3, total=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """An address with its credentials; secrets are in environment variables of these names."""

    address: str
    contract: str | None
    token_env: str | None
    credential_env: str | None
    token_endpoint: str | None
    scope: str
    warehouse: str | None
    trust_origin: tuple[str, ...]
    sigv4: str | None
    region: str | None
    ca_file: str | None
    client_cert: str | None
    client_key: str | None
    proxy: str | None


def asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument ADDRESS and its options to a command, as its first argument `asked`."""

    @functools.wraps(command)
    def given(*, address: str, **options: Any) -> Any:
        of_address = {name: options.pop(name) for name in _OPTION_NAMES}
        return command(Asking(address=address, **of_address), **options)

    for option in reversed(_OPTIONS):
        given = option(given)
    return given


_OPTIONS = (
    click.argument("address"),
    click.option("--contract", type=click.Choice([ICEBERG, SHARING]), help="Contract of a URL; by default Delta Sharing if "
                 "its path has a segment `delta-sharing`, otherwise Iceberg REST."),
    click.option("--warehouse", metavar="NAME", help="Which warehouse of the catalog."),
    click.option("--token-env", metavar="NAME", help="The environment variable that holds a bearer token."),
    click.option("--credential-env", metavar="NAME", help="The environment variable that holds `id:secret` of a client of OAuth2."),
    click.option("--token-endpoint", metavar="URL", help="Token endpoint. [default: ADDRESS/v1/oauth/tokens]"),
    click.option("--trust-origin", multiple=True, metavar="ORIGIN", help="An origin to which answers of a catalog may lead "
                 "requests with credentials, or `file:` for files of this machine. May be given several times."),
    click.option("--scope", metavar="SCOPE", default="catalog", show_default=True, help="Scope of the token."),
    click.option("--sigv4", metavar="SERVICE", help="Sign requests for a service of AWS, such as `glue` or `s3tables`."),
    click.option("--region", metavar="REGION", help="Region of the signatures. [default: that of the AWS configuration]"),
    click.option("--ca-file", metavar="FILE", help="Certificates to trust, in PEM. [default: SSL_CERT_FILE, REQUESTS_CA_BUNDLE]"),
    click.option("--client-cert", metavar="FILE", help="Certificate to present, in PEM, with its key or with --client-key."),
    click.option("--client-key", metavar="FILE", help="Key of --client-cert, in PEM."),
    click.option("--proxy", metavar="URL", help="Proxy, or `none`. [default: HTTPS_PROXY, HTTP_PROXY, NO_PROXY]"),
)  # fmt: skip
_OPTION_NAMES = tuple(field.name for field in fields(Asking) if field.name != "address")
#: The options that arguments of the client come from, for its errors.
_OPTION_OF = {"verify": "--ca-file", "cert": "--client-cert", "proxy": "--proxy"}


@contextmanager
def opened(asked: Asking) -> Generator[Client]:
    """Yield the client of what is asked, open for as long.

    Raises:
        WrongUsage: It cannot be asked so. The message repeats no secret, and no address: people paste some into those.
        UpgradeNeeded: The profile is of a version that is not known here.
    """
    try:
        client = _client(asked)
    except ValueError as error:
        argument = re.split(r"\W", str(error), maxsplit=1)[0]
        raise WrongUsage(
            str(error).replace(argument, _OPTION_OF.get(argument, argument), 1)
        ) from None
    with client:
        yield client


def _client(asked: Asking) -> Client:
    if asked.client_key and not asked.client_cert:
        raise WrongUsage("--client-key needs --client-cert")
    cert = (asked.client_cert, asked.client_key) if asked.client_key else asked.client_cert
    options: dict[str, Any] = {
        "verify": asked.ca_file or True,
        "cert": cert,
        "proxy": asked.proxy,
        "retries": _RETRIES,
    }
    if _scheme(asked.address) not in {"http", "https"}:
        return SharingClient(_profile(asked), **options)
    try:
        address = server_address(asked.address)
    except ValueError:
        raise WrongUsage(
            "ADDRESS is an http or https address without credentials, query and fragment, or the file of a profile"
        ) from None
    auth = _auth(asked, address)
    if (asked.contract or _spoken(address)) == ICEBERG:
        return IcebergCatalog(
            address,
            warehouse=asked.warehouse,
            auth=auth,
            trusted_origins=asked.trust_origin,
            **options,
        )
    if asked.warehouse or asked.trust_origin:
        raise WrongUsage(
            "--warehouse and --trust-origin are for catalogs; a server of Delta Sharing gets neither"
        )
    return SharingClient(Profile(address, auth), **options)


def _scheme(address: str) -> str:
    """Return the scheme of an address; empty where it has none, or is none."""
    try:
        return urlsplit(address).scheme
    except ValueError:
        return ""


def _spoken(address: str) -> str:
    return SHARING if "delta-sharing" in urlsplit(address).path.split("/") else ICEBERG


def _profile(asked: Asking) -> Profile:
    path = Path(asked.address)
    if not path.is_file():
        raise WrongUsage("ADDRESS is neither an http or https address nor a file")
    if asked.contract == ICEBERG or any(
        (asked.warehouse, asked.token_env, asked.credential_env, asked.trust_origin, asked.sigv4)
    ):
        raise WrongUsage(
            "the file of a profile leads to a server of Delta Sharing, and says itself who asks"
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


def _auth(asked: Asking, address: str) -> Auth:
    if sum(map(bool, (asked.token_env, asked.credential_env, asked.sigv4))) > 1:
        raise WrongUsage("--token-env, --credential-env and --sigv4 exclude each other")
    try:
        if asked.sigv4:
            from lakepact.reach.sigv4 import SigV4  # noqa: PLC0415 - of an extra

            return SigV4(asked.sigv4, region=asked.region)
        if asked.token_env:
            return BearerToken(_secret(asked.token_env, "--token-env"))
        if asked.credential_env:
            name, colon, secret = _secret(asked.credential_env, "--credential-env").partition(":")
            if not colon:
                raise WrongUsage(
                    "the environment variable that --credential-env names does not hold `id:secret`"
                )
            endpoint = asked.token_endpoint or f"{address}/v1/oauth/tokens"
            return ClientCredentials(endpoint, name, secret, scope=asked.scope or None)
    except ValueError as error:
        raise WrongUsage(str(error)) from None
    return NoAuth()


def _secret(name: str, option: str) -> str:
    secret = os.environ.get(name, "").strip()
    if not secret:
        # The name is not repeated: it may be the secret itself, given in the wrong place.
        raise WrongUsage(f"the environment variable that {option} names is not set")
    return secret
