"""The command `lakepact store`."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.setting import SUFFIX
from lakepact.reference_server.warehouse.local import PRIVATE

if TYPE_CHECKING:
    from collections.abc import Generator

    from lakepact.reference_server.iceberg_rest.store_check import Checked

SOUND, UNSOUND, USAGE, INCOMPLETE = 0, 1, 2, 3  #: exit codes


@click.group()
def store() -> None:
    """Look after the files that `lakepact serve --store` keeps."""


@store.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def check(path: Path, *, as_json: bool) -> None:
    """Say whether a store is sound: PATH is the file, or the warehouse that it stands below.

    It checks whether all acknowledged changes are there, the file's integrity, each record by its
    schema, checksum and tag, the namespaces that tables are in, and the metadata files in the
    warehouse. Nothing is changed. The server must not be running on it.

    Exit codes: 0 sound, 1 not, 2 not a store, 3 it could not be looked at.

    Example: lakepact store check ./tables
    """
    from lakepact.reference_server.iceberg_rest.store_check import check_store  # noqa: PLC0415 - `--help` waits for no schemas

    with _refusals():
        results = [check_store(one) for one in _stores(path)]
    if as_json:
        click.echo(
            orjson.dumps(
                {
                    "sound": not any(result.findings for result in results),
                    "stores": list(map(_document, results)),
                }
            )
        )
    else:
        for one in results:
            _tell(one)
    sys.exit(UNSOUND if any(result.findings for result in results) else SOUND)


@store.command("accept-loss")
@click.argument("path", type=click.Path(path_type=Path))
def accept(path: Path) -> None:
    """Give up acknowledged changes that a store has lost: PATH is its file, or the warehouse that
    it stands below.

    A server does not start on a store that lacks changes which it acknowledged. If the missing
    files cannot be brought back, this takes what is there for all that there was. Records that are
    damaged themselves are not accepted.

    Exit codes: 0 accepted, or nothing is missing, 1 damaged, 2 not a store, 3 it could not be
    looked at.

    Example: lakepact store accept-loss ./tables/.lakepact/iceberg_rest.sqlite
    """
    from lakepact.reference_server.storage.content import Damaged  # noqa: PLC0415 - `--help` does not wait for it
    from lakepact.reference_server.storage.sqlite import accept_loss  # noqa: PLC0415

    with _refusals():
        for one in _stores(path):
            try:
                loss = accept_loss(one)
            except Damaged as damaged:
                raise click.ClickException(str(damaged)) from None
            click.echo(
                f"{one}: nothing is missing"
                if loss is None
                else f"{loss}\naccepted: the store starts with what is there"
            )


@contextlib.contextmanager
def _refusals() -> Generator[None]:
    from lakepact.reference_server.storage.content import Newer, Unavailable  # noqa: PLC0415
    from lakepact.reference_server.storage.lock import Locked  # noqa: PLC0415

    try:
        yield
    except (Locked, Newer, Unavailable) as error:
        raise _NotLookedAt(str(error)) from None
    except BadSetting as error:
        raise _NotAStore(str(error)) from None


def _stores(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    folders = [path / PRIVATE, *([path] if path.name == PRIVATE else [])]
    names = (SUFFIX, f"{SUFFIX}-wal", f"{SUFFIX}-mark")  # a store whose file is gone is one too
    stores = sorted(
        {
            file.with_suffix(SUFFIX)
            for folder in folders
            for name in names
            for file in folder.glob(f"*{name}")
        }
    )
    if not stores:
        raise BadSetting(
            f"there is no store below {path}: `lakepact serve --store file` keeps it in"
            f" {path / PRIVATE}"
        )
    return stores


class _NotAStore(click.ClickException):
    exit_code = USAGE


class _NotLookedAt(click.ClickException):
    exit_code = INCOMPLETE


def _document(result: Checked) -> dict[str, object]:
    return {**dataclasses.asdict(result), "path": str(result.path)}


def _tell(result: Checked) -> None:
    counts = (
        ", ".join(
            f"{count} {kind}{'s' if count != 1 else ''}"
            for kind, count in sorted(result.records.items())
        )
        or "no records"
    )
    files = f", {result.files} metadata files read" + (
        f", {result.unread} elsewhere not looked at" if result.unread else ""
    )
    click.echo(f"{result.path}: {result.contract}, {counts}{files}")
    for finding in result.findings:
        click.echo(f"  {finding.kind:14} {finding.where}: {finding.message}")
    click.echo("sound" if not result.findings else f"not sound: {len(result.findings)} findings")
