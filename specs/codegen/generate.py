"""Everything that becomes of the contracts, written into one folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from codegen import versions
from codegen.contracts import SPECS, TEMPLATES, Source
from codegen.endpoints import endpoints
from codegen.manifest import NAME, manifest
from codegen.plan import plan
from codegen.routing import routing
from codegen.server import server
from codegen.validation import validation
from codegen.versions import Version
from lakepact.codegen.documents import Broken, Document, json_bytes, rewritten, sha256
from lakepact.codegen.models import models, typeddicts
from lakepact.codegen.names import snake
from lakepact.codegen.openapi.all_of import merge
from lakepact.codegen.openapi.findings import Findings
from lakepact.codegen.python_source import format_package, header, render, write, write_all

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PACKAGE = "lakepact/generated"
SHARED = (
    "contract.py",
    "items.py",
    "light.py",
    "wire.py",
    "calls.py",
    "format_version_1.py",
    "current_parts.py",
    "summaries.py",
)
_read = cache(
    versions.read
)  #: for one run: several versions ask for the one that they extend, and reading is most of the time
_CONTENTS = "its tables, models, endpoints and schemas."
TYPES = "datamodel-code-generator"
REPORT = "conformance/lakepact/conformance/report/report.schema.json"  #: the lines of reports
_ENDPOINTS = "One module for each operation, each with one pure function, `call`."


def generate(into: Path, sources: tuple[Source, ...]) -> None:
    """Write the package `lakepact.generated` into an empty folder.

    Raises:
        Broken: A contract is wrong, or a tool warned; the message says which.
    """
    _read.cache_clear()
    package = into / PACKAGE
    for name in SHARED:
        text = (TEMPLATES / name).read_text("utf-8")
        write(
            package / name,
            header("codegen.generate", f"specs/codegen/templates/{name}", sha256(text.encode()))
            + text,
        )
    write(package / "py.typed", "")
    write(package / "report.py", _report())
    for source in sources:
        try:
            _generate(source, package / source.name)
        except Broken as broken:
            raise Broken(f"{source.name} {source.version}: {broken}") from None
    format_package(package)
    (package / NAME).write_bytes(json_bytes(manifest(sources, package)))


def _report() -> str:
    """Return the module with the types of the lines of reports."""
    text = (SPECS.parent / REPORT).read_bytes()
    schema = json.loads(text.replace(b"#/$defs/", b"#/components/schemas/"))
    schemas = rewritten(
        {**schema["$defs"], "Line": {"oneOf": schema["oneOf"]}}, _without_conditions, names=True
    )
    document = {"openapi": "3.1.0", "info": {}, "paths": {}, "components": {"schemas": schemas}}
    first_line = header(f"datamodel-code-generator {version(TYPES)}", REPORT, sha256(text))
    return typeddicts(document, first_line)


def _without_conditions(schema: Document) -> Document:
    """Return a schema whose type says no more than kinds of values and names of members."""
    if "enum" in schema:
        return {"type": "string" if isinstance(schema["enum"][0], str) else "integer"}
    is_object = "properties" in schema
    return {name: value for name, value in schema.items() if name != "anyOf" or not is_object}


def _generate(source: Source, package: Path) -> None:
    version = _read(source)
    first_line = _FirstLines.of_version(version)
    later = [_beside(other) for other in source.beside]
    modules = {
        "__init__.py": (
            f'{first_line.of("generate")}"""{source.title} {source.version}: {_CONTENTS}"""\n'
        ),
        "op.py": _constants(
            [version, *(other for other in later if other.source.tables)], first_line.of("generate")
        ),
    }
    if source.profile_of is None:  # the client and the server of a profile are those of its base
        newest = [version, *later]
        modules |= _of_client(next(v for v in reversed(newest) if v.source.models or v is version))
        modules |= _of_server(next(v for v in reversed(newest) if v.source.tables or v is version))
    write_all(package, modules)
    _write_documents(version, package)
    for other in later:
        _generate_beside(version, other, package)


def _generate_beside(version: Version, later: Version, package: Path) -> None:
    """Write how another version differs from the one that becomes code and, if it is served and
    checked, its tables.
    """
    other = later.source
    write(
        package / "versions" / f"{other.version}.json",
        json_bytes(versions.difference(version, later)).decode(),
    )
    if other.tables:
        if other.extends is not None and other.extends.tables:
            difference = versions.difference(_read(other.extends), later)
            write(
                package / "versions" / f"{other.extends.version}-{other.version}.json",
                json_bytes(difference).decode(),
            )
        first_line = _FirstLines.of_version(later)
        docstring = f'"""{other.title} {other.version}: its tables and schemas."""'
        folder = package / "versions" / snake(f"v{other.version}")
        write(folder / "__init__.py", f"{first_line.of('generate')}{docstring}\n")
        _write_documents(later, folder)


def _of_client(version: Version) -> dict[str, str]:
    """Return the modules of the client, by their names in the package of a contract."""
    line = _FirstLines.of_version(version)
    calls = endpoints(
        version.source,
        version.bundle.verdicts,
        version.operations,
        line.of_tool("openapi-python-client"),
    )
    return {
        "models.py": models(version.bundle.models, line.of_tool(TYPES)),
        "endpoints/__init__.py": f'{line.of("generate")}"""{_ENDPOINTS}"""\n',
        **{f"endpoints/{name}": text for name, text in calls.items()},
    }


def _of_server(version: Version) -> dict[str, str]:
    """Return the modules with the types of the server, of the newest version that it serves."""
    line = _FirstLines.of_version(version)
    return {
        "documents.py": typeddicts(_plain(version.bundle.models), line.of_tool(TYPES)),
        "server.py": server(
            version.source, version.bundle.verdicts, version.operations, line.of("server")
        ),
    }


def _constants(tables: Sequence[Version], header: str) -> str:
    """Return the module `op`: a constant for each operation of any of these versions of one
    contract.
    """
    operation_ids = {
        operation.function: operation.id
        for version in tables
        for operation in version.operations.values()
    }
    return render(
        TEMPLATES / "op.py.jinja",
        header=header,
        title=tables[0].source.title,
        operations=operation_ids,
    )


def _write_documents(version: Version, folder: Path) -> None:
    """Write the JSON documents of a contract: the normative one, variants of it for tools, and the
    registry.
    """
    verdicts = version.bundle.verdicts
    paths = routing(verdicts)
    (folder / "bundle.json").write_bytes(json_bytes(verdicts))
    (folder / "routing.json").write_bytes(json_bytes(paths))
    (folder / "plan.json").write_bytes(json_bytes(plan(paths)))
    (folder / "schemas.json").write_bytes(json_bytes(validation(verdicts)))
    operations = _lines({}, {"operations": version.operations.values()})
    (folder / "operations.json").write_text(operations, "utf-8")
    (folder / "requirements.json").write_text(_requirements(version), "utf-8")


def _requirements(version: Version) -> str:
    """Return the registry as JSON, an entry a line; a version or profile holds what differs from
    the contract that it extends.
    """
    base, ours = version.source.extends, version.registry
    theirs = {r.id: r for r in _read(base).registry.requirements} if base else {}
    entries: dict[str, Iterable[object]] = {
        "requirements": [
            requirement
            for requirement in ours.requirements
            if theirs.get(requirement.id) != requirement
        ],
        "features": ours.features,
        "corrections": ours.corrections,
        "differences": ours.differences,
    }
    members = {
        "extends": _package(base) if base else None,
        "without": sorted(theirs.keys() - {requirement.id for requirement in ours.requirements}),
        "prose": asdict(ours.prose) if ours.prose else None,
    }
    return _lines(members, entries)


def _lines(members: Mapping[str, object], entries: Mapping[str, Iterable[object]]) -> str:
    """Return a JSON object with plain members, and with lists of entries, an entry a line."""
    lines = [
        f" {json.dumps(name)}: {json.dumps(member, ensure_ascii=False)}"
        for name, member in members.items()
    ]
    for name, values in entries.items():
        listing = ",".join(
            f"\n  {json.dumps(entry, ensure_ascii=False, default=_members)}" for entry in values
        )
        lines.append(f" {json.dumps(name)}: [{listing}]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _package(source: Source) -> str:
    """Return the package that holds the tables of a version."""
    return f"lakepact.generated.{source.name}" + (
        f".versions.{snake(f'v{source.version}')}" if source.tables else ""
    )


def _members(entry: DataclassInstance) -> dict[str, object]:
    """Return the members of an entry that differ from their defaults."""
    return {
        field.name: value
        for field in fields(entry)
        if (value := getattr(entry, field.name)) != field.default
    }


def _plain(document: Document) -> Document:
    """Return the document for its `TypedDict`s: they cannot narrow a tag, so `allOf` is merged, and
    only tags are required.
    """

    def plain(schema: Document) -> Document:
        whole = merge(document, schema, (), Findings()) if "allOf" in schema else schema
        whole = {name: value for name, value in whole.items() if name != "customBasePath"}
        constants = [
            name
            for name in whole.get("required", ())
            if "const" in whole.get("properties", {}).get(name, {})
        ]
        return {**whole, "required": constants} if "required" in whole else whole

    schemas = rewritten(document["components"]["schemas"], plain, names=True)
    return {**document, "components": {**document["components"], "schemas": schemas}}


def _beside(other: Source) -> Version:
    try:
        return _read(other)
    except Broken as broken:
        raise Broken(f"beside it, {other.version}: {broken}") from None


@dataclass(frozen=True, slots=True)
class _FirstLines:
    """The first lines of the modules of one contract."""

    source: Source
    contract: str  #: SHA-256 of the normative document

    @classmethod
    def of_version(cls, version: Version) -> _FirstLines:
        """Return the first lines of what is made from a version."""
        return cls(version.source, sha256(json_bytes(version.bundle.verdicts)))

    def of(self, module: str) -> str:
        """Return the first line of what a module of the generator makes."""
        return header(
            f"codegen.{module}",
            f"the contract of {self.source.name} {self.source.version}",
            self.contract,
        )

    def of_tool(self, tool: str) -> str:
        """Return the first line of what another tool makes."""
        return header(
            f"{tool} {version(tool)}",
            f"the contract of {self.source.name} {self.source.version}",
            self.contract,
        )
