"""Certificates, proxy and login of a server, as a command line or a profile names them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lakepact.reach.access import Access, WrongSetting
from lakepact.reach.auth import ZenApiKey
from lakepact.reach.client_credentials import ClientCredentials
from lakepact.reach.iam import IBM_CLOUD, IamApiKey
from lakepact.reach.options import option, several

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from lakepact.reach.sigv4 import SigV4
    from lakepact.reach.tokens import FetchedToken

#: The options that arguments come from, for errors.
_OPTION_OF = {"verify": "--ca-file", "cert": "--client-cert", "proxy": "--proxy"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Certificates, proxy and login of a server; none of them is a secret."""

    token_env: str = option("Environment variable that holds a bearer token.", "NAME", default="")
    api_key_env: str = option(
        "Environment variable that holds `user:key` of watsonx.data, or an API key of IBM Cloud.",
        "NAME",
        default="",
    )
    credential_env: str = option(
        "Environment variable that holds `id:secret` of a client of OAuth2.", "NAME", default=""
    )
    token_endpoint: str = option(
        "Token endpoint of --credential-env, or of --api-key-env.  "
        "[default: URL/v1/oauth/tokens, or that of IBM Cloud]",
        "URL",
        default="",
    )
    scope: str = option("Scope of its tokens.  [default: catalog]", "SCOPE", default="")
    sigv4: str = option(
        "Sign requests for a service of AWS, such as `glue` or `s3tables`.", "SERVICE", default=""
    )
    region: str = option(
        "Region of the signatures.  [default: that of the AWS configuration]", "REGION", default=""
    )
    ca_file: str = option(
        "Certificates to trust, in PEM.  [default: SSL_CERT_FILE, REQUESTS_CA_BUNDLE]",
        "FILE",
        default="",
    )
    client_cert: str = option(
        "Certificate to present, in PEM, with its key or with --client-key.", "FILE", default=""
    )
    client_key: str = option("Key of --client-cert, in PEM.", "FILE", default="")
    proxy: str = option(
        "Proxy, http://HOST:PORT or socks5://HOST:PORT, or `none`.  "
        "[default: HTTPS_PROXY, HTTP_PROXY, NO_PROXY]",
        "URL",
        default="",
    )

    def with_profile(self, profile: Mapping[str, Any]) -> Settings:
        """Return these settings, and those of a profile that they leave out.

        Raises:
            ValueError: Some exclude each other, or need others; the message names the options.
        """
        values = {
            name: value for name in SETTINGS if (value := getattr(self, name) or profile.get(name))
        }
        if len(values.keys() & set(LOGINS)) > 1:
            raise ValueError(f"{', '.join(map(_option_name, LOGINS))} exclude each other")
        for setting, *others in (
            ("client_key", "client_cert"),
            ("token_endpoint", "credential_env", "api_key_env"),
        ):
            if setting in values and not values.keys() & set(others):
                raise ValueError(
                    f"{_option_name(setting)} needs {' or '.join(map(_option_name, others))}"
                )
        return Settings(**values)

    @property
    def token_scope(self) -> str:
        """The scope of its tokens."""
        return self.scope or "catalog"

    @property
    def access(self) -> Access:
        """The certificates and the proxy."""
        cert = (self.client_cert, self.client_key) if self.client_key else self.client_cert
        return Access(self.ca_file or True, cert or None, self.proxy or None)

    def login(self, address: str) -> FetchedToken | SigV4 | ZenApiKey | None:
        """Return the login at the server of an address; None without one.

        Raises:
            ValueError: Something for it is missing; the message names the option.
        """
        if self.sigv4:
            try:
                from lakepact.reach.sigv4 import SigV4  # noqa: PLC0415 - it imports botocore
            except ImportError as missing:
                raise ValueError(f"--sigv4: {missing}") from missing
            return SigV4(self.sigv4, region=self.region or None)
        if self.api_key_env:
            return api_key(self.api_key_env, self.token_endpoint)
        if not self.credential_env:
            return None
        name, colon, secret = secret_of(self.credential_env, "--credential-env").partition(":")
        if not colon:
            raise ValueError(
                "the environment variable that --credential-env names does not hold id:secret"
            )
        endpoint = self.token_endpoint or f"{address}/v1/oauth/tokens"
        try:
            if urlsplit(endpoint).username is not None:
                raise ValueError  # noqa: TRY301 - answered below like other invalid addresses
            return ClientCredentials(endpoint, name, secret, scope=self.token_scope)
        except ValueError:
            raise ValueError(
                "--token-endpoint: write http://HOST:PORT/PATH or https://HOST/PATH, without a user"
            ) from None


@dataclass(frozen=True, kw_only=True)
class AccessOptions(Settings):
    """The settings with headers, which may be secrets."""

    header: tuple[str, ...] = several(
        "Send a header with every request; reports and profiles do not show its value.",
        "'NAME: VALUE'",
    )

    @property
    def headers(self) -> dict[str, str]:
        """The values of `--header` by name.

        Raises:
            ValueError: One has no colon; the message shows none, since some are secrets.
        """
        split = [line.partition(":") for line in self.header]
        if not all(colon for _, colon, _ in split):
            raise ValueError("--header: write 'NAME: VALUE'")
        return {name.strip(): value.strip() for name, _, value in split}


def api_key(variable: str, token_endpoint: str = "") -> IamApiKey | ZenApiKey:
    """Return the login of `user:key`, or of an API key of IBM Cloud, in an environment variable.

    Raises:
        ValueError: There is none, or it cannot be sent; the message names the option.
    """
    user, colon, key = (text := secret_of(variable, "--api-key-env")).partition(":")
    try:
        if colon:
            return ZenApiKey(user, key)
        return IamApiKey(text, token_endpoint=token_endpoint or IBM_CLOUD)
    except ValueError as error:
        raise ValueError(f"--api-key-env: {error}") from None


DIRECT = Settings()  #: no proxy but that of the environment, and no login
SETTINGS = tuple(setting.name for setting in fields(Settings))  #: keys of a profile
LOGINS = ("token_env", "api_key_env", "credential_env", "sigv4")  #: at most one of them is used


def secret_of(variable: str, option: str) -> str:
    """Return the secret in an environment variable that an option names.

    Raises:
        ValueError: It is not set. The message does not repeat its name, which may be the secret
            itself, in the wrong place.
    """
    secret = os.environ.get(variable, "").strip()
    if not secret:
        raise ValueError(f"the environment variable that {option} names is not set")
    return secret


@contextmanager
def naming_options() -> Generator[None]:
    """Name options instead of arguments in errors about wrong settings."""
    try:
        yield
    except WrongSetting as wrong:
        name, problem = wrong.args
        raise ValueError(f"{_OPTION_OF.get(name, name)}{problem}") from None


def _option_name(setting: str) -> str:
    return f"--{setting.replace('_', '-')}"
