"""What is said of a target beside its address: on the command line, and in a profile."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

KEYS = ("contract", "contract_version", "url", "token_env", "headers", "parameters", "features")  #: of a profile

SECONDS = click.FloatRange(min=0, min_open=True)  #: what a time to wait may be


def pairs(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The parts of options that are spelled NAME=VALUE."""
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise click.UsageError(f"{option}: write NAME=VALUE")
        yield name, value


def switches(options: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The parts of options that are spelled NAME=on or NAME=off."""
    for name, value in pairs(options):
        if value not in {"on", "off"}:
            raise click.UsageError(f"{name}={value}: write {name}=on or {name}=off")
        yield name, value == "on"


def profile(path: Path | None) -> dict[str, Any]:
    """What a profile says of a target; nothing without one.

    Raises:
        ValueError: it is not TOML, has a key that no profile has, or a feature that is neither true nor false.
    """
    if path is None:
        return {}
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    unknown = sorted(set(said) - set(KEYS))
    if unknown:
        raise ValueError(f"{path}: unknown key {', '.join(unknown)}; a profile has {', '.join(KEYS)}")
    undecided = [f"{name} is {on!r}" for name, on in said.get("features", {}).items() if not isinstance(on, bool)]
    if undecided:
        raise ValueError(f"{path}: the feature {', '.join(undecided)}; write true or false")
    return said


def headers(options: Sequence[str], token_env: str | None, given: dict[str, Any]) -> dict[str, str]:
    """The headers to send: of a profile, of the variable that holds a token, and of `--header`, the latter before the former."""
    found = dict(given.get("headers", {}))
    variable = token_env or given.get("token_env")
    if variable:
        if not os.environ.get(variable):
            raise click.UsageError(f"the environment variable {variable} is empty or not set; it has to hold the token")
        found["Authorization"] = f"Bearer {os.environ[variable]}"
    for option in options:
        name, colon, value = option.partition(":")
        if not colon:
            raise click.UsageError(f"--header {name}: write 'NAME: VALUE'")
        found[name.strip()] = value.strip()
    return found
