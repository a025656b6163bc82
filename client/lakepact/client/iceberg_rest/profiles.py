"""Catalogs as the configuration of pyiceberg describes them."""

from __future__ import annotations

from typing import Any

from lakepact.reach.auth import Auth, BasicAuth, BearerToken, NoAuth
from lakepact.reach.client_credentials import ClientCredentials


def profile_properties(name: str | None) -> dict[str, str]:
    """Return the properties of a catalog, with dotted names; see `IcebergCatalog.from_profile`."""
    try:
        from pyiceberg.utils.config import Config  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError as missing:
        raise ImportError(
            "profiles are read by pyiceberg: pip install pyiceberg", name=missing.name
        ) from missing
    config = Config()
    name = name or config.get_default_catalog_name()
    properties = config.get_catalog_config(name)
    if not properties:
        variable = f"PYICEBERG_CATALOG__{name.upper().replace('-', '_')}__URI"
        raise ValueError(
            f"no catalog {name!r}: neither .pyiceberg.yaml nor {variable} describes it"
        )
    return _flatten("", properties)


def _flatten(start: str, value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {start.removeprefix("."): str(value)}
    return {
        name: text
        for key, inner in value.items()
        for name, text in _flatten(f"{start}.{key}", inner).items()
    }


def constructor_arguments(properties: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """Return the address and the arguments of a catalog for properties of pyiceberg; those without
    a meaning here become its `properties`.

    Raises:
        ValueError: They describe another kind of catalog, or use a setting that is not supported.
    """
    left = dict(properties)
    if (kind := left.pop("type", "rest")) != "rest":
        raise ValueError(f"the type of the catalog is {kind!r}, and rest is supported")
    address = left.pop("uri", "").rstrip("/")
    cert, key = left.pop("ssl.client.cert", None), left.pop("ssl.client.key", None)
    arguments_ = {
        "warehouse": left.pop("warehouse", None),
        "auth": _auth(address, left),
        "verify": left.pop("ssl.cabundle", None),
        "cert": (cert, key) if cert and key else cert,
        "properties": left,
    }
    return address, {name: value for name, value in arguments_.items() if value is not None}


def _auth(address: str, left: dict[str, str]) -> Auth:
    """Return the authorization, and take its settings out of the properties."""
    kind = left.pop("auth.type", "noop")
    own = {
        name.rpartition(".")[2]: left.pop(name)
        for name in list(left)
        if name.startswith(f"auth.{kind}.")
    }
    if kind not in {"basic", "noop", "oauth2"} or left.keys() & {"audience", "resource"}:
        raise ValueError(
            "auth.type basic and oauth2 are supported, without audience and resource; give auth="
            " for others"
        )
    endpoint = left.pop("oauth2-server-uri", f"{address}/v1/oauth/tokens")
    token = left.pop("token", None)
    credential = left.pop("credential", None)
    scope = left.pop("scope", "catalog")
    if left.pop("rest.sigv4-enabled", "").lower() == "true":
        from lakepact.reach.sigv4 import SigV4  # noqa: PLC0415 - of an extra

        region = left.pop("rest.signing-region", None) or left.get("client.region")
        return SigV4(left.pop("rest.signing-name", "execute-api"), region=region)
    if kind == "basic":
        return BasicAuth(own.get("username", ""), own.get("password", ""))
    if kind == "oauth2":
        endpoint, scope = own.get("token_url", endpoint), own.get("scope", scope)
        credential = f"{own.get('client_id', '')}:{own.get('client_secret', '')}"
    if credential:
        client, secret = credential.split(":", 1) if ":" in credential else ("", credential)
        return ClientCredentials(
            endpoint, client, secret, scope=scope, in_form=True
        )  # in the form, as pyiceberg sends them
    return BearerToken(token) if token else NoAuth()
