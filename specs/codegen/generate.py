"""Everything that becomes of the contracts, written into one folder."""

from __future__ import annotations

import shutil
from importlib.metadata import version
from typing import TYPE_CHECKING

from codegen.bundles import bundled
from codegen.contracts import found
from codegen.documents import Broken, json_bytes, sha256
from codegen.endpoints import endpoints
from codegen.errors import errors
from codegen.manifest import NAME, manifest
from codegen.models import models
from codegen.operations import operations
from codegen.python_source import TEMPLATES, formatted, header, rendered, write, write_all
from codegen.registry import registry
from codegen.routing import routing
from codegen.server import server

if TYPE_CHECKING:
    from pathlib import Path

    from codegen.contracts import Source

PACKAGE = "lakepact/generated"
SHARED = ("contract.py", "wire.py", "calls.py")


def generate(into: Path, sources: tuple[Source, ...] | None = None) -> None:
    """Write the package `lakepact.generated` below `into`, in place of what is there.

    Raises:
        Broken: A contract is wrong, or a tool warned; the message says which.
    """
    sources = found() if sources is None else sources
    package = into / PACKAGE
    shutil.rmtree(package, ignore_errors=True)
    for name in SHARED:
        text = (TEMPLATES / name).read_text("utf-8")
        write(package / name, header("codegen.generate", f"specs/codegen/templates/{name}", sha256(text.encode())) + text)
    write(package / "py.typed", "")
    for source in sources:
        try:
            _generate(source, package / source.name)
        except Broken as broken:
            raise Broken(f"{source.name} {source.version}: {broken}") from None
    formatted(package)
    (package / NAME).write_bytes(json_bytes(manifest(sources, package)))


def _generate(source: Source, package: Path) -> None:
    bundle = bundled(source)
    bundle_bytes = json_bytes(bundle.verdicts)
    hashes = {"contract": sha256(bundle_bytes), "registry": sha256(json_bytes(source.inputs))}

    def first_line(maker: str, origin: str = "contract") -> str:
        return header(maker, f"the {origin} of {source.name} {source.version}", hashes[origin])

    named = {"title": source.title, "version": source.version}
    types = errors(source.folder / "errors.yaml", bundle.verdicts)
    table = operations(bundle.verdicts, types)
    demands = registry(source.folder, bundle, table)
    tools = {tool: f"{tool} {version(tool)}" for tool in ("datamodel-code-generator", "openapi-python-client")}
    calls = endpoints(source, bundle.verdicts, table, first_line(tools["openapi-python-client"]))
    lines = {name: first_line(f"codegen.{name}").rstrip() for name in ("operations", "errors", "server")}
    modules = {
        "__init__.py": f'{first_line("codegen.generate")}"""{source.title} {source.version}: its tables, models, endpoints and schemas."""\n',
        "operations.py": rendered("operations.py.jinja", header=lines["operations"], operations=table, **named),
        "errors.py": rendered("errors.py.jinja", header=lines["errors"], errors=types, **named),
        "server.py": server(bundle.verdicts, table, header=lines["server"], **named),
        "models.py": models(bundle.models, first_line(tools["datamodel-code-generator"])),
        "requirements.py": rendered(
            "requirements.py.jinja",
            header=first_line("codegen.registry", "registry").rstrip(),
            requirements=demands.requirements,
            features=demands.features,
            edits=demands.edits,
            **named,
        ),
        "endpoints/__init__.py": f'{first_line("codegen.generate")}"""One module for each operation, each with one pure function, `call`."""\n',
        **{f"endpoints/{name}": text for name, text in calls.items()},
    }
    write_all(package, modules)
    (package / "bundle.json").write_bytes(bundle_bytes)
    (package / "routing.json").write_bytes(json_bytes(routing(bundle.verdicts)))
