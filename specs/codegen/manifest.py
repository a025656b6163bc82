"""The inputs, generators and outputs of generated code."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from codegen.contracts import Source
from lakepact.codegen.documents import sha256

NAME = "MANIFEST.json"
TOOLS = (
    "connexion",
    "datamodel-code-generator",
    "openapi-python-client",
    "jinja2",
    "pyyaml",
    "ruff",
)


def manifest(sources: tuple[Source, ...], folder: Path) -> dict[str, Any]:
    """Return the inputs, tools and outputs of everything below `folder`, each with its SHA-256 or
    version.
    """
    outputs = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != NAME)
    return {
        "tools": {tool: version(tool) for tool in TOOLS},
        "contracts": {source.name: _inputs(source) for source in sources},
        "outputs": {
            path.relative_to(folder).as_posix(): sha256(path.read_bytes()) for path in outputs
        },
    }


def _inputs(source: Source) -> dict[str, Any]:
    inputs = source.inputs
    others = {
        other.version: {path: digest for path, digest in other.inputs.items() if path not in inputs}
        for other in source.beside
    }
    profile = {"profile of": source.profile_of.name} if source.profile_of else {}
    tables = [other.version for other in source.beside if other.tables]
    models = [other.version for other in source.beside if other.models]
    beside: dict[str, Any] = {
        **({"beside": others} if others else {}),
        **({"tables": tables} if tables else {}),
        **({"models": models[-1]} if models else {}),
    }
    return {"title": source.title, "version": source.version, **profile, "inputs": inputs, **beside}
