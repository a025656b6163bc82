"""The settings of a target, from the command line and from a profile."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import click

from lakepact.conformance.evidence.limits import MAX_BODY, MAX_WAIT, MIB
from lakepact.conformance.evidence.shared_files import OPTION, READABLE_FILES, SharedFiles
from lakepact.conformance.evidence.target import Target, address
from lakepact.conformance.http import logins, routes
from lakepact.conformance.http.connections import NAME, VALUE
from lakepact.conformance.running.plan import alike
from lakepact.conformance.running.suite import Suite
from lakepact.reach.options import option, several
from lakepact.reach.settings import SETTINGS, AccessOptions, Settings

TEXTS = (
    "contract",
    "contract_version",
    "url",
    "version",
    "shared_files",
    *SETTINGS,
)  #: keys of a profile
#: Keys of a profile that are tables, with the type of their values.
TABLES: dict[str, tuple[type, str]] = {
    "headers": (str, "a string in quotes"),
    "parameters": (str, "a string in quotes"),
    "features": (bool, "true or false"),
}
KEYS = (*TEXTS, *TABLES, "timeout", "max_body", "max_wait")  #: of a profile
SECRET = re.compile(r"\$\{(\w+)\}")  #: reference to an environment variable in a header
DAY = 24 * 60 * 60
NOTHING: Mapping[str, Any] = MappingProxyType({})
TIMEOUT = 10.0  #: default seconds to wait for an answer


class NoSecret(LookupError):
    """An environment variable that must hold a secret is empty or not set."""


class Number(click.FloatRange):
    """A number within bounds; NaN is rejected."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):  # comparisons do not reject it
            self.fail(f"{value} is not a number.", param, ctx)
        return number


LARGEST_BODY = 4096  #: MiB
MIBS = Number(min=0, max=LARGEST_BODY, min_open=True)  #: allowed sizes of a body
SECONDS = Number(min=0, max=DAY, min_open=True)  #: allowed times to wait


@dataclass(frozen=True, kw_only=True)
class Caller(AccessOptions):
    """The options that say how requests get to a server, and through."""

    warehouse: str | None = option(
        "Which warehouse of the catalog; short for `--parameter warehouse=NAME`.", "NAME"
    )
    parameter: tuple[str, ...] = several(
        "A setting of the target; see `lakepact list --parameters`.", "NAME=VALUE"
    )

    @property
    def parameters(self) -> dict[str, str]:
        """The settings of the target by name."""
        own = {"warehouse": self.warehouse} if self.warehouse else {}
        return dict(pairs(self.parameter)) | own


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """The options that limit answers, and the time to wait for them."""

    timeout: float | None = option(
        f"Seconds to wait for a complete answer.  [default: {TIMEOUT:g}, or the profile's]",
        type=SECONDS,
    )
    max_body: float | None = option(
        f"Largest response body, encoded or decoded.  [default: {MAX_BODY // MIB}]",
        "MIB",
        type=MIBS,
    )
    max_wait: float | None = option(
        "Total seconds to spend on answers that exceed a limit, and to pause after 429 and 503. "
        f" [default: {MAX_WAIT:g}]",
        "SECONDS",
        type=SECONDS,
    )


NO_LIMITS = LimitOptions()


def pairs(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return names and values of options of the form NAME=VALUE."""
    for text in options:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"{text}: write NAME=VALUE")
        yield name, value


def switches(options: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Return names and values of options of the form NAME=on or NAME=off."""
    for name, value in pairs(options):
        if value not in {"on", "off"}:
            raise click.UsageError(f"{name}={value}: write {name}=on or {name}=off")
        yield name, value == "on"


def profile(path: Path | None) -> dict[str, Any]:
    """Read a profile; empty without one.

    Raises:
        ValueError: the file is not TOML, or a key or value is invalid; the message names file and
            key.
    """
    if path is None:
        return {}
    document = _toml(path)
    unknown = sorted(set(document) - set(KEYS))
    if unknown:
        raise ValueError(
            f"{path}: unknown key {', '.join(unknown)}; a profile has {', '.join(KEYS)}"
        )
    for misfit in _misfits(document):
        raise ValueError(f"{path}: {misfit}")
    return document


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise ValueError(f"{path} cannot be read: {wrong.strerror}") from wrong
    except UnicodeDecodeError as wrong:
        raise ValueError(f"{path} is not a text file in UTF-8") from wrong
    except (tomllib.TOMLDecodeError, RecursionError) as wrong:
        raise ValueError(f"{path} cannot be read: {wrong}") from wrong


def _misfits(document: Mapping[str, Any]) -> Iterator[str]:
    """Return the first invalid value of a profile, without repeating possible secrets."""
    for key in TEXTS:
        if not isinstance(document.get(key, ""), str):
            yield f"{key} must be a string in quotes"
    for key, (kind, expected) in TABLES.items():
        table = document.get(key, {})
        if not isinstance(table, dict):
            yield f"{key} must be a table: [{key}], followed by lines NAME = VALUE"
            continue
        for name, value in table.items():
            if not isinstance(value, kind):
                yield (
                    f"the feature {name} is {value!r}; write {expected}"
                    if kind is bool
                    else f"{key}.{name} must be {expected}"
                )
    for key, unit, most in (
        ("timeout", "seconds", DAY),
        ("max_wait", "seconds", DAY),
        ("max_body", "MiB", LARGEST_BODY),
    ):
        number = document.get(key, 1)
        if (
            isinstance(number, bool)
            or not isinstance(number, (int, float))
            or not 0 < number <= most
        ):
            yield f"{key} must be a number of {unit}, more than 0 and at most {most}"


def reject_unknown_names(
    suite: Suite[Any], *, features: Iterable[str], parameters: Iterable[str]
) -> None:
    """Reject features and parameters that the contract does not have, such as misspelled ones.

    Raises:
        ValueError: one is unknown; the message suggests similar names.
    """
    unknown = sorted(set(features) - set(suite.contract.features))
    if unknown:
        raise ValueError(
            f"unknown feature {', '.join(unknown)}; the contract has"
            f" {', '.join(suite.contract.features)}"
        )
    for name in sorted(set(parameters) - set(suite.parameters)):
        members = f"{suite.contract.name} has {', '.join(suite.parameters)}"
        hint = alike(name, suite.parameters) or members
        raise ValueError(f"unknown parameter {name}; {hint}")


def target(url: str, caller: Caller) -> Target:
    """Return the target at an address, without a profile.

    Raises:
        ValueError: the address or an option cannot be used; the message names it.
    """
    return Target(
        address(url),
        headers=headers(caller, {}),
        access=access(caller, {}, url),
        parameters=caller.parameters,
    )


def target_of(
    base: Target,
    keys: Mapping[str, Any],
    *,
    headers: Mapping[str, str],
    access: Settings,
    features: Mapping[str, bool] = NOTHING,
    parameters: Mapping[str, str] = NOTHING,
    limits: LimitOptions = NO_LIMITS,
    folder: Path | None = None,
) -> Target:
    """Return the target of a profile and the command line; the command line overrides the profile.

    Args:
        base: the target with only its address.
        keys: the keys of the profile.
        headers: the headers of both.
        access: certificates, proxy and login of both.
        features: features of the command line.
        parameters: parameters of the command line.
        limits: limits of the command line.
        folder: of both, whose files the suite may read and write.
    """
    body = int((limits.max_body or float(keys.get("max_body", MAX_BODY / MIB))) * MIB)
    return replace(
        base,
        headers={**base.headers, **headers},
        access=access,
        features={**base.features, **keys.get("features", {}), **features},
        parameters={**base.parameters, **keys.get("parameters", {}), **parameters},
        timeout=limits.timeout or timeout(keys),
        max_body=body,
        max_wait=limits.max_wait or float(keys.get("max_wait", MAX_WAIT)),
        shared_files=SharedFiles(folder or base.shared_files.folder, body),
    )


def shared_files(
    option: Path | None, keys: Mapping[str, Any], features: Mapping[str, bool] = NOTHING
) -> Path | None:
    """Return the folder of a profile or the command line that the suite may use.

    Raises:
        ValueError: it is not a folder, or a feature needs one; the message names the option.
    """
    folder = option or (Path(keys["shared_files"]) if "shared_files" in keys else None)
    if folder is None and {**keys.get("features", {}), **features}.get(READABLE_FILES):
        raise ValueError(f"the feature {READABLE_FILES} needs {OPTION}")
    if folder is not None and not folder.is_dir():
        raise ValueError(f"--shared-files: {folder} is not a folder")
    return folder


def timeout(keys: Mapping[str, Any]) -> float:
    """Return the seconds that a profile waits for an answer."""
    return float(keys.get("timeout", TIMEOUT))


def access(options: Settings, keys: Mapping[str, Any], url: str) -> Settings:
    """Return certificates, proxy and login of the command line and a profile; the command line
    overrides the profile.

    Raises:
        ValueError: one of them cannot be used; the message names the option.
    """
    settings = options.with_profile(keys)
    split = urlsplit(url)
    if split.scheme == "https" or settings.ca_file or settings.client_cert:
        routes.tls(settings)
    routes.proxy(settings, split)
    logins.login(settings, url, timeout=TIMEOUT)
    return settings


def headers(options: Caller, keys: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a profile, of the token variable and of `--header`; later ones override
    earlier ones.
    """
    variable = options.token_env or keys.get("token_env")
    token = {"Authorization": f"Bearer {token_of(variable)}"} if variable else {}
    try:
        result = {**sendable(keys.get("headers", {})), **token, **options.headers}
        _check_headers(result)
    except (NoSecret, ValueError) as wrong:
        raise click.UsageError(str(wrong)) from wrong
    return result


def token_of(variable: str) -> str:
    """Return the token in an environment variable."""
    if not os.environ.get(variable):
        raise click.UsageError(
            f"the environment variable {variable} is empty or not set; it must hold the token"
        )
    return os.environ[variable]


def of_catalog(warehouse: str | None, token_env: str | None) -> dict[str, str]:
    """Return the properties of pyiceberg for the options `--warehouse` and `--token-env`."""
    properties = {"warehouse": warehouse} if warehouse else {}
    return {**properties, "token": token_of(token_env)} if token_env else properties


def sendable(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a profile with `${NAME}` replaced by environment variables.

    Raises:
        NoSecret: a variable is empty or not set.
        ValueError: HTTP does not allow one of them.
    """
    result = {name: SECRET.sub(_secret, value) for name, value in headers.items()}
    _check_headers(result)
    return result


def _secret(match: re.Match[str]) -> str:
    value = os.environ.get(match[1], "")
    if not value:
        raise NoSecret(
            f"the environment variable {match[1]} is empty or not set; it must hold a secret of the"
            " target"
        )
    return value


def _check_headers(headers: Mapping[str, str]) -> None:
    """Reject headers that HTTP does not allow; the message does not repeat the value, which may be
    a secret.
    """
    for name, value in headers.items():
        if not NAME.fullmatch(name):
            raise ValueError(
                f"the header {name!r} has a name that HTTP does not allow; write letters, digits"
                " and hyphens"
            )
        if value and not VALUE.fullmatch(value):
            raise ValueError(
                f"the header {name} has a value that cannot be sent; use printable ASCII without"
                " surrounding spaces or line ends"
            )
