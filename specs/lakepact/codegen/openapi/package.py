"""One OpenAPI document as an importable package: models, endpoints, a client, a server and the
table of operations.
"""

from __future__ import annotations

import signal
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakepact.codegen import models
from lakepact.codegen.documents import Broken, sha256
from lakepact.codegen.openapi import allowed, reading
from lakepact.codegen.openapi.findings import Finding, Findings
from lakepact.codegen.openapi.operations import Operations
from lakepact.codegen.openapi.schemas import Schemas
from lakepact.codegen.python_source import Code, code_for, format_package, render, write_all

if TYPE_CHECKING:
    from collections.abc import Generator

    from lakepact.codegen.documents import Document
    from lakepact.codegen.openapi.operations import Described
    from lakepact.codegen.openapi.reading import File

MADE = "# Made by lakepact generate"
_HERE = Path(__file__).parent
_RUNTIME = ("client.py", "contract.py", "wsgi.py")
_MODULES = ("answers", "endpoints", "operations", "server")


LONGEST = 300  #: seconds of one generation


@contextmanager
def time_limit() -> Generator[None]:
    """Stop code in the main thread that generates for too long, or that a document leads into
    itself.

    Raises:
        Broken: It did.
    """

    def stop(*_: object) -> None:
        raise Broken(
            f"it takes longer than {LONGEST} s to generate code from the document; generate code"
            " from a smaller one"
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        yield
    except RecursionError:
        raise Broken(
            "schemas refer to each other too deeply, or to themselves inside allOf; describe fewer"
            " levels"
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True, slots=True)
class Package:
    """The code of one document, not written yet."""

    title: str
    file: File  #: of the document
    modules: dict[str, str]  #: by file name
    copies: dict[str, str]  #: those that are the same for every document, without their first line
    operations: int
    models: int
    findings: tuple[Finding, ...]


def package(path: Path) -> Package:
    """Return the code of the document in a file.

    Raises:
        Broken: The document is wrong; the message says where.
    """
    file = reading.read_file(path)
    document = reading.read(file)
    findings = Findings()
    findings.each((), [part for part in ("webhooks",) if part in document], "is left out")
    schemas = Schemas(document, findings)
    operations = list(Operations(document, schemas, findings).all())
    components = schemas.finish()
    title = " ".join(f"{document['info']['title']} {document['info']['version']}".split())
    header = Code(
        code_for(
            f"{MADE} from {path.name}, sha256 {sha256(file.content)[:16]}. Do not edit.", "comment"
        )
        + "\n"
    )
    copies = {name: (_HERE / "runtime" / name).read_text("utf-8") for name in _RUNTIME}
    copies["wire.py"] = (
        resources.files("lakepact.generated")
        .joinpath("wire.py")
        .read_text("utf-8")
        .partition("\n")[2]
    )
    modules = {
        "__init__.py": (
            f'{header}"""{code_for(title, "docstring")}: models, endpoints, a client and a'
            ' server."""\n'
        ),
        "py.typed": "",
        "models.py": _models(components, header),
        **{name: header + text for name, text in copies.items()},
        **{
            f"{name}.py": _render(name, operations, components, title=title, header=header)
            for name in _MODULES
        },
    }
    return Package(title, file, modules, copies, len(operations), len(components), findings.all())


def write_package(package_: Package, into: Path) -> None:
    """Write a package into a folder, which it replaces: either all of it is there afterwards, or
    what was there before.

    Raises:
        Broken: A module would hold what the generator does not mean.
        OSError: The folder cannot be written.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{into.name}-", dir=into.parent) as beside:
        fresh, before = Path(beside) / "fresh", Path(beside) / "before"
        write_all(fresh, package_.modules)
        allowed.check(fresh, package_.copies)
        format_package(fresh)
        if into.exists():
            into.rename(before)
        try:
            fresh.rename(into)
        except BaseException:
            if before.exists():
                before.rename(into)
            raise


def _models(components: dict[str, Document], header: str) -> str:
    if not components:
        return (
            f'{header}"""The document has no schemas."""\n\nfrom .wire import WireModel\n\n__all__'
            ' = ["WireModel"]\n'
        )
    info = {"title": "models", "version": "1"}
    document = {
        "openapi": "3.1.0",
        "info": info,
        "paths": {},
        "components": {"schemas": components},
    }
    return models.models(document, header, wire="wire", lazy=False).replace(
        "\nfrom wire import", "\nfrom .wire import"
    )


def _render(
    name: str, operations: list[Described], components: dict[str, Document], **values: Any
) -> str:
    bodies = [
        body
        for each in operations
        for body in (each.operation.body, *each.operation.answers.values())
        if body
    ]
    used = sorted({body.model for body in bodies} & components.keys())
    return render(
        _HERE / "templates" / f"{name}.py.jinja", operations=operations, models=used, **values
    )
