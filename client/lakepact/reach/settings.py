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

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from lakepact.reach.sigv4 import SigV4
    from lakepact.reach.tokens import FetchedToken

#: The options that arguments come from, for errors.
_OPTION_OF = {"verify": "--ca-file", "cert": "--client-cert", "proxy": "--proxy"}


@dataclass(frozen=True)
class Settings:
    """Certificates, proxy and login of a server; none of them is a secret.

    Args:
        ca_file: Certificates to trust (PEM) instead of those that the environment names.
        client_cert: The certificate to present (PEM).
        client_key: Its key, if that is in another file.
        proxy: The address of a proxy; `none` ignores the proxies of the environment.
        api_key_env: The environment variable that holds `user:key` of watsonx.data, or an API key
            of IBM Cloud.
        credential_env: The environment variable that holds `id:secret` of a client of OAuth2.
        token_endpoint: Its token endpoint.
        scope: The scope of its tokens.
        sigv4: The service that requests are signed for, such as `glue`.
        region: The region of the signatures.
    """

    ca_file: str = ""
    client_cert: str = ""
    client_key: str = ""
    proxy: str = ""
    api_key_env: str = ""
    credential_env: str = ""
    token_endpoint: str = ""
    scope: str = "catalog"
    sigv4: str = ""
    region: str = ""

    @classmethod
    def of(cls, *layers: Mapping[str, Any]) -> Settings:
        """Return the settings of options and profiles; the first one that has a setting counts.

        Raises:
            ValueError: Some exclude each other, or need others; the message names the options.
        """
        values = {
            name: value
            for name in OPTIONS
            if (value := next(filter(None, (layer.get(name) for layer in layers)), None))
        }
        if len(values.keys() & set(LOGINS)) > 1:
            raise ValueError(f"{', '.join(map(_spelled, LOGINS))} exclude each other")
        for option, *needed in (
            ("client_key", "client_cert"),
            ("token_endpoint", "credential_env", "api_key_env"),
        ):
            if option in values and not values.keys() & set(needed):
                raise ValueError(f"{_spelled(option)} needs {' or '.join(map(_spelled, needed))}")
        values.pop("token_env", None)
        return cls(**values)

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
            return ClientCredentials(endpoint, name, secret, scope=self.scope)
        except ValueError:
            raise ValueError(
                "--token-endpoint: write http://HOST:PORT/PATH or https://HOST/PATH, without a user"
            ) from None


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
LOGINS = ("token_env", "api_key_env", "credential_env", "sigv4")  #: of which one says who asks
OPTIONS = ("token_env", *SETTINGS)  #: options of a command, which reads the token itself


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


def _spelled(setting: str) -> str:
    return f"--{setting.replace('_', '-')}"
