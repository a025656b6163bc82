"""Everything that becomes of the contracts, written into one folder."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

from codegen import versions
from codegen.documents import Broken, json_bytes, sha256
from codegen.endpoints import endpoints
from codegen.manifest import NAME, manifest
from codegen.models import imported, models
from codegen.plan import plan
from codegen.profiles import shared
from codegen.python_source import TEMPLATES, formatted, header, rendered, write, write_all
from codegen.routing import routing
from codegen.server import server
from codegen.validation import validation

if TYPE_CHECKING:
    from pathlib import Path

    from codegen.contracts import Source
    from codegen.documents import Document
    from codegen.versions import Version

PACKAGE = "lakepact/generated"
SHARED = ("contract.py", "wire.py", "calls.py")
_CONTENTS = "its tables, models, endpoints and schemas."
_ENDPOINTS = "One module for each operation, each with one pure function, `call`."


def generate(into: Path, sources: tuple[Source, ...]) -> None:
    """Write the package `lakepact.generated` into an empty folder.

    Raises:
        Broken: A contract is wrong, or a tool warned; the message says which.
    """
    package = into / PACKAGE
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
    version = versions.read(source)
    bundle, table = version.bundle, version.operations
    bundle_bytes = json_bytes(bundle.verdicts)
    first_line = _FirstLines(source, sha256(bundle_bytes), sha256(json_bytes(source.inputs)))
    calls = endpoints(source, bundle.verdicts, table, first_line.of_tool("openapi-python-client"))
    modules = {
        "__init__.py": f'{first_line.of("generate")}"""{source.title} {source.version}: {_CONTENTS}"""\n',
        "models.py": _models(version, first_line.of_tool("datamodel-code-generator")),
        "endpoints/__init__.py": f'{first_line.of("generate")}"""{_ENDPOINTS}"""\n',
        **{f"endpoints/{name}": text for name, text in calls.items()},
        **_tables(version, first_line),
    }
    write_all(package, modules)
    (package / "bundle.json").write_bytes(bundle_bytes)
    paths = routing(bundle.verdicts)
    (package / "routing.json").write_bytes(json_bytes(paths))
    (package / "plan.json").write_bytes(json_bytes(plan(paths)))
    (package / "schemas.json").write_bytes(json_bytes(validation(bundle.verdicts)))
    for other in source.beside:
        write(package / "versions" / f"{other.version}.json", json_bytes(_compared(version, other)).decode())


def _models(version: Version, header: str) -> str:
    """The models of a contract; a profile has those that are equal from the contract that it is one of."""
    source, bundle = models(version.bundle.models, header), version.bundle
    if bundle.base is None or version.source.profile_of is None:
        return source
    return imported(source, shared(bundle.models, bundle.base.models), f"lakepact.generated.{version.source.profile_of.name}.models")


def _compared(version: Version, other: Source) -> Document:
    try:
        return versions.difference(version, versions.read(other))
    except Broken as broken:
        raise Broken(f"beside it, {other.version}: {broken}") from None


def _tables(version: Version, first_line: _FirstLines) -> dict[str, str]:
    """The modules that templates of ours make."""
    named = {"title": version.source.title, "version": version.source.version}
    demands, table = version.registry, version.operations
    demanded: dict[str, object] = {
        "requirements": demands.requirements,
        "features": demands.features,
        "edits": demands.edits,
        "prose": demands.prose,
        "differences": demands.differences,
    }
    return {
        "operations.py": rendered("operations.py.jinja", header=first_line.of("operations"), operations=table, **named),
        "errors.py": rendered("errors.py.jinja", header=first_line.of("errors"), errors=version.errors, **named),
        "server.py": server(version.bundle.verdicts, table, header=first_line.of("server"), **named),
        "requirements.py": rendered("requirements.py.jinja", header=first_line.of("registry", "registry"), **demanded, **named),
    }


@dataclass(frozen=True, slots=True)
class _FirstLines:
    """The first lines of the modules of one contract."""

    source: Source
    contract: str  #: SHA-256 of the normative document
    registry: str  #: SHA-256 of everything that people wrote

    def of(self, module: str, origin: Literal["contract", "registry"] = "contract") -> str:
        """The first line of what a module of the generator makes."""
        content = self.contract if origin == "contract" else self.registry
        return header(f"codegen.{module}", f"the {origin} of {self.source.name} {self.source.version}", content)

    def of_tool(self, tool: str) -> str:
        """The first line of what another tool makes."""
        return header(f"{tool} {version(tool)}", f"the contract of {self.source.name} {self.source.version}", self.contract)
