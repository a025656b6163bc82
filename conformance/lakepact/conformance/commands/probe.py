"""`lakepact probe`: detect what a server declares and implements, and write a profile for
`lakepact check`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import orjson
from rich import box
from rich.console import Console
from rich.table import Table

from lakepact.conformance.evidence.escaping import json, plain, terminal, toml
from lakepact.conformance.evidence.outcome import Blocked
from lakepact.conformance.evidence.target import Target
from lakepact.conformance.http.wire import Wire
from lakepact.conformance.report.screen import Screen
from lakepact.conformance.running import discovery, profiles, runner
from lakepact.conformance.running.discovery import ProbedOperation, ProbedServer
from lakepact.conformance.running.profiles import Caller
from lakepact.generated.contract import UnknownVersion, contracts
from lakepact.reach.options import OUTPUT_FILE, argument, flag, option, part, with_options
from lakepact.reach.settings import SETTINGS

DECLARED = {True: "yes", False: "no", None: ""}


@dataclass(frozen=True, kw_only=True)
class Probing:
    """The options of `lakepact probe`."""

    url: str = argument()
    contract: str | None = option(
        "Contract of the server. [default: detected, except watsonx_data]",
        type=click.Choice(contracts()),
    )
    contract_version: str | None = option(
        "A version of the contract. [default: the oldest with all declared operations]", "VERSION"
    )
    caller: Caller = part(Caller)
    timeout: float = option(
        "Seconds to wait for one answer.",
        default=profiles.TIMEOUT,
        type=profiles.SECONDS,
    )
    profile: Path | None = option(
        "Write a profile for `lakepact check --profile FILE`.",
        type=OUTPUT_FILE,
    )
    json: bool = flag("JSON instead of text.")


@click.command()
@with_options(Probing)
def probe(options: Probing) -> None:
    """Detect what the server at URL declares and implements. Sends only GET and HEAD requests.

    Exit code: 0 detected, 2 wrong usage, 3 not detected (no answer, no permission, or an unknown
    contract).

    Example: lakepact probe http://127.0.0.1:8181 --profile target.toml
    """
    try:
        target = replace(profiles.target(options.url, options.caller), timeout=options.timeout)
    except ValueError as wrong:
        raise click.UsageError(str(wrong)) from wrong
    with Wire(
        target.url,
        headers=target.headers,
        access=target.access,
        timeout=target.timeout,
        max_body=target.max_body,
    ) as wire:
        try:
            server = discovery.probe(
                wire,
                target,
                options.contract or discovery.detect_contract(wire, target),
                options.contract_version,
            )
        except UnknownVersion as wrong:
            raise click.UsageError(plain(wrong)) from wrong
        except Blocked as blocked:
            click.echo(f"lakepact probe: {plain(wire.redact(str(blocked)))}", err=True)
            sys.exit(runner.INCOMPLETE)
        document = orjson.loads(wire.redact(orjson.dumps(_document(server, target)).decode()))
    if options.json:
        click.echo(json(document, indent=True))
    else:
        _show(document, Screen())
    if options.profile:
        try:
            options.profile.parent.mkdir(parents=True, exist_ok=True)
            options.profile.write_text(
                "\n".join(_profile(server, target, options.caller)) + "\n", encoding="utf-8"
            )
        except OSError as wrong:
            click.echo(f"lakepact probe: the profile cannot be written: {wrong}", err=True)
            sys.exit(runner.INCOMPLETE)


def _document(server: ProbedServer, target: Target) -> dict[str, Any]:
    return {
        "target": target.url,
        "contract": server.contract,
        "version": server.version,
        "facts": dict(server.facts),
        "features": dict(server.features),
        "operations": [
            {
                "operation": one.operation,
                "declared": one.declared,
                "request": one.request,
                "status": one.status or None,
                "milliseconds": one.milliseconds if one.status else None,
                "remark": one.remark or _remark(one),
            }
            for one in server.operations
        ],
    }


def _remark(one: ProbedOperation) -> str:
    """Return neutral remarks about differences of declared and implemented operations."""
    if one.status in {401, 403}:
        return "not for this caller"
    if one.declared and one.status in {404, 405, 501}:
        return "declared, but not found"
    if one.declared is False and one.status < 400:
        return "not declared, but answered"
    return "it failed" if one.status >= 500 else ""


def _show(document: Mapping[str, Any], console: Console) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, how in (
        ("operation", "left"),
        ("declared", "left"),
        ("status", "right"),
        ("ms", "right"),
        ("remark", "left"),
    ):
        table.add_column(
            name, justify="right" if how == "right" else "left", no_wrap=name == "operation"
        )
    for one in document["operations"]:
        took = "" if one["milliseconds"] is None else f"{one['milliseconds']:.1f}"
        table.add_row(
            terminal(one["operation"]),
            DECLARED[one["declared"]],
            str(one["status"] or ""),
            took,
            terminal(one["remark"]),
        )
    console.print(
        f"[bold]{terminal(document['target'])}[/]  {terminal(document['contract'])}"
        f" {terminal(document['version'])}",
        highlight=False,
        soft_wrap=True,
    )
    for name, value in {**document["facts"], **_features(document["features"])}.items():
        console.print(
            f"  [dim]{terminal(name)}[/]  {terminal(value)}", highlight=False, soft_wrap=True
        )
    console.print(table)
    answers = [one for one in document["operations"] if one["status"] and one["status"] < 400]
    declares = any(one["declared"] is not None for one in document["operations"])
    declared = (
        f"{sum(bool(one['declared']) for one in document['operations'])} declared, "
        if declares
        else ""
    )
    console.print(
        f"{len(document['operations'])} operations: {declared}{len(answers)} seen to answer; each"
        " was asked once",
        highlight=False,
    )


def _features(features: Mapping[str, bool]) -> dict[str, str]:
    parts = {
        word: ", ".join(name for name, on in features.items() if on is state)
        for word, state in (("has", True), ("lacks", False))
    }
    return {word: text for word, text in parts.items() if text}


def _profile(server: ProbedServer, target: Target, caller: Caller) -> Iterator[str]:
    """Yield the lines of a profile; detected features are comments, so that `check` detects them
    again.
    """
    yield (
        f"# {plain(server.contract)} {plain(server.version)}, found by lakepact probe; lakepact check"
        " --profile reads this."
    )
    yield f"contract = {toml(server.contract)}"
    yield f"contract_version = {toml(server.version)}"
    yield f"url = {toml(target.url)}"
    yield from (f"{name} = {toml(value)}" for name in SETTINGS if (value := getattr(caller, name)))
    if caller.header or (target.headers and not caller.token_env):
        yield (
            "# Headers and credentials in the address are not stored here: pass them to lakepact"
            " check again."
        )
    if target.parameters:
        yield from (
            "",
            "[parameters]",
            *(f"{toml(name)} = {toml(text)}" for name, text in target.parameters.items()),
        )
    if server.features:
        yield from (
            "",
            "# lakepact check detects these; remove the # to override it.",
            "[features]",
        )
        yield from (f"# {toml(name)} = {str(on).lower()}" for name, on in server.features.items())
