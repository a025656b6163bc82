"""The lab for catalogs of watsonx.data: names within its limits, and the user's credentials."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from pathlib import Path

import orjson

from lakepact.conformance.checks.iceberg_rest.kit.lab import Namespace
from lakepact.conformance.checks.iceberg_rest.kit.refused_changes import ComparingLab
from lakepact.conformance.evidence.exchanges import Document
from lakepact.conformance.evidence.object_names import ALPHANUMERIC
from lakepact.conformance.evidence.target import Target

ODD = re.compile(r"[^A-Za-z0-9]")  #: characters that not every name may have


class WatsonxLab(ComparingLab):
    """The lab of one check of a catalog of watsonx.data."""

    divider = ALPHANUMERIC

    def name(self, stem: str = "") -> str:
        """Return an unused name of letters and digits."""
        return ODD.sub("", super().name(stem))

    def make_namespace(
        self,
        parent: Namespace = (),
        *,
        level: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> Namespace:
        """Return a new namespace; other characters in its name are replaced by letters and digits.

        Raises:
            Blocked: it cannot be created.
        """
        plain = ODD.sub(lambda odd: f"{ord(odd[0]):x}", level) if level else None
        return super().make_namespace(parent, level=plain, properties=properties)


def bearer_token(target: Target) -> str:
    """Return a valid bearer token; empty if none is known."""
    return (
        _header_credentials(target, "bearer")
        or _variable(target, "bearer-token")
        or next(iter(_file(target).get("tokens", ())), "")
    )


def user_and_key(target: Target) -> str:
    """Return a user's name, a colon and a valid API key; empty if none are known."""
    credentials = _header_credentials(target, "zenapikey")
    if credentials:
        return base64.b64decode(credentials).decode().removesuffix("\n")
    own = os.environ.get(target.access.api_key_env, "").strip()
    if ":" in own:
        return own
    keys = _file(target).get("api-keys", {})
    return _variable(target, "api-key") or next((f"{user}:{key}" for user, key in keys.items()), "")


def zen_api_key(text: str) -> str:
    """Return the Authorization of a text, normally of a user, a colon and an API key."""
    return f"ZenApiKey {base64.b64encode(text.encode()).decode()}"


def _header_credentials(target: Target, scheme: str) -> str:
    """Return the credentials in the Authorization header of the target, if it has this scheme."""
    header = next(
        (value for name, value in target.headers.items() if name.casefold() == "authorization"), ""
    )
    word, _, rest = header.partition(" ")
    return rest.strip() if word.casefold() == scheme else ""


def _variable(target: Target, name: str) -> str:
    variable = target.parameters.get(f"{name}-env")
    return os.environ.get(variable, "") if variable else ""


def _file(target: Target) -> Document:
    file = target.parameters.get("credentials")
    document: Document = orjson.loads(Path(file).read_bytes()) if file else {}
    return document
