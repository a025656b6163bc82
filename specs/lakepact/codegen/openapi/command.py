"""`lakepact generate`: a typed client and server of any OpenAPI document."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from lakepact.codegen.documents import Broken
from lakepact.codegen.openapi.naming import argument_name
from lakepact.codegen.openapi.package import MADE, Package, package, time_limit, write_package
from lakepact.codegen.openapi.reading import lines
from lakepact.codegen.python_source import code_for

INCOMPLETE = 3


@click.command()
@click.argument(
    "contract",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CONTRACT.yaml",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    required=True,
    help="The folder of the package.",
)
@click.option("--force", is_flag=True, help="Replace DIR, if it is a generated package.")
@click.option(
    "--strict", is_flag=True, help="Write nothing if a construct of the document is not supported."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the result and the findings as one JSON document.",
)
def generate(contract: Path, *, out: Path, force: bool, strict: bool, as_json: bool) -> None:
    """Generate a Python package from an OpenAPI 3.0 or 3.1 document, YAML or JSON.

    DIR becomes an importable package: models (pydantic), endpoints and a client (httpx), the
    protocol of a server with a WSGI application (Werkzeug), and the table of operations.
    Unsupported constructs are printed with their line and JSON pointer. Exit
    code: 0 written, 1 --strict and something is not supported, 2 wrong usage or no OpenAPI
    document, 3 DIR cannot be written.

    Example: lakepact generate petstore.yaml --out petstore
    """
    _require("ruff", "datamodel_code_generator")
    _check_target(out, force=force)
    try:
        with time_limit():
            package_ = package(contract)
            refuse = strict and bool(package_.findings)
            if not refuse:
                write_package(package_, out.resolve())
    except Broken as wrong:
        raise click.UsageError(code_for(wrong, "comment")) from wrong
    except OSError as wrong:
        click.echo(
            f"lakepact generate: {out} cannot be written: {wrong.strerror or wrong}", err=True
        )
        sys.exit(INCOMPLETE)
    _tell(package_, out, writes=not refuse, as_json=as_json)
    sys.exit(1 if refuse else 0)


def _require(*libraries: str) -> None:
    for library in libraries:  # they run as processes of their own
        if find_spec(library) is None:
            raise ModuleNotFoundError(f"No module named {library!r}", name=library)


def _check_target(out: Path, *, force: bool) -> None:
    """Refuse a folder that is no package name, or holds anything but a generated package."""
    name = out.resolve().name
    if not name.isidentifier() or name != argument_name(name):
        raise click.BadParameter(
            f"{name!r} cannot be imported; take a name such as {argument_name(name)!r}",
            param_hint="--out",
        )
    if not out.exists() or not any(out.iterdir()):
        return
    if not force:
        raise click.BadParameter(
            f"{out} is not empty; --force replaces a generated package", param_hint="--out"
        )
    first = out / "__init__.py"
    if not first.exists() or not first.read_text("utf-8", errors="replace").startswith(MADE):
        raise click.BadParameter(
            f"{out} is no package that lakepact generate made, and is not replaced",
            param_hint="--out",
        )


def _tell(package_: Package, out: Path, *, writes: bool, as_json: bool) -> None:
    """Print the result and the findings, each on one line: texts of the document reach no terminal
    as they are.
    """
    places = (
        lines(package_.file, [finding.pointer for finding in package_.findings])
        if package_.findings
        else {}
    )
    if as_json:
        findings = [
            {"pointer": each.pointer, "line": places.get(each.pointer), "sentence": each.sentence}
            for each in package_.findings
        ]
        result = {
            "title": package_.title,
            "written": writes,
            "operations": package_.operations,
            "models": package_.models,
            "findings": findings,
        }
        click.echo(json.dumps(result, indent=1))
        return
    for finding in package_.findings:
        line = f":{places[finding.pointer]}" if finding.pointer in places else ""
        click.echo(
            code_for(
                f"{package_.file.path}{line}: #{finding.pointer} {finding.sentence}", "comment"
            ),
            err=True,
        )
    counts = f"{package_.title}: {package_.operations} operations, {package_.models} models"
    number = len(package_.findings)
    notes = (
        f"{number} construct{'s are' if number > 1 else ' is'} not supported or changed"
        if number
        else "everything is supported"
    )
    click.echo(
        code_for(
            f"{counts} in {out}; {notes}" if writes else f"{counts}; nothing is written: {notes}",
            "comment",
        )
    )
