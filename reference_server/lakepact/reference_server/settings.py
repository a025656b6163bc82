"""The settings of a served contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from lakepact.extras import install

AUTH = (
    "none",
    "bearer",
    "oauth",
)  #: callers are not looked at, show a token of the server file, or also fetch tokens here
DURABILITIES = ("full", "normal")  #: a power failure, or the end of the process alone
MAX_BODY = (
    8 * 1024 * 1024
)  #: bytes of a request body that are read, unless the settings say otherwise
MAX_MANIFEST = 64 * 1024 * 1024  #: bytes of a manifest; a plan may have twice as many
#: Prefixes that are valid in the path of a URL, and that clients and proxies do not normalize away.
PREFIX = re.compile(r"(?!(?:.*/)?\.\.?(?:/|\Z))(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})+")
#: The setting without which a contract has nothing to serve; the others can always be served.
REQUIRED_SETTING: Mapping[str, str] = {"delta_sharing": "shares"}
#: Settings that only some contracts have a use for.
SETTING_CONTRACT: Mapping[str, tuple[str, ...]] = {
    "shares": ("delta_sharing",),
    "credentials": ("watsonx_data",),
    "config": ("iceberg_rest",),
    "auth": ("iceberg_rest",),
    "contract_version": ("iceberg_rest", "delta_sharing"),
}


class BadSetting(ValueError):
    """A setting that no server can be started with."""


def require_arrow(what: str) -> None:
    """Check that pyarrow is installed, without importing it.

    Raises:
        BadSetting: it is not; the message names the extra.
    """
    if find_spec("pyarrow") is None:
        raise BadSetting(
            f"{what} needs pyarrow, which is not installed: {install('arrow', 'server')}"
        )


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that a contract's service is built from.

    Raises:
        BadSetting: the prefix is not valid in a URL.
    """

    warehouse: str = "memory:"
    allowed_locations: tuple[str, ...] = ()  #: folders beside the warehouse that tables may lie in
    prefix: str | None = None
    max_body: int = MAX_BODY
    max_manifest: int = MAX_MANIFEST
    shares: Path | None = None  #: the file that says what is shared, and with whom
    credentials: Path | None = (
        None  #: the file that says who may enter, where a contract asks for it
    )
    config: Path | None = (
        None  #: the file that says which warehouses there are, and who may do what (`server_file`)
    )
    auth: str | None = (
        None  #: how callers are known, one of `AUTH`; None for what the file suggests
    )
    #: where the catalog is kept: `memory`, `file` for below the warehouse, or the path of a file
    store: str = "memory"
    durability: str = DURABILITIES[0]  #: what a file store survives, one of `DURABILITIES`
    contract_version: str | None = (
        None  #: the version of the contract that is served; None for the one that has models
    )

    def __post_init__(self) -> None:
        if self.durability not in DURABILITIES:
            raise BadSetting(
                f"the durability {self.durability!r} is not one of {', '.join(DURABILITIES)}"
            )
        if self.prefix is not None and not PREFIX.fullmatch(self.prefix):
            raise BadSetting(f"the prefix {self.prefix!r} is not a path as it stands in a URL")
