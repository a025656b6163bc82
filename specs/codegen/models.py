"""The model set: one pydantic class or type alias for each component schema, made by datamodel-code-generator."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from codegen import unions
from codegen.documents import Broken, component, json_bytes

if TYPE_CHECKING:
    from codegen.documents import Document

FLAGS = [
    "--input-file-type=openapi",
    "--openapi-scopes=schemas",
    "--ignore-pyproject",
    "--output-model-type=pydantic_v2.BaseModel",
    "--target-python-version=3.11",
    "--target-pydantic-version=2.11",
    "--use-annotated",
    "--snake-case-field",
    "--use-standard-collections",
    "--use-union-operator",
    "--enum-field-as-literal=all",
    "--use-one-literal-as-default",
    "--use-type-alias-type",
    "--no-collapse-root-models",  # with it the string branch of a union of a string and an object is lost
    "--no-use-frozen-field",
    "--use-schema-description",
    "--use-field-description",
    "--use-single-line-docstring",
    "--use-typed-nullable-map-values",
    "--use-exact-imports",
    "--strict-refs",
    "--no-allow-remote-refs",
    "--disable-timestamp",
    "--formatters=builtin",
    "--use-double-quotes",
    "--base-class=lakepact.generated.wire.WireModel",
]
PREAMBLE = '''# An alternative narrows the tag that it has from the common part, which pyright does not allow of what can be assigned.
# pyright: reportIncompatibleVariableOverride=false
"""The JSON documents of the contract, one class or alias for each of its schemas."""'''
TAGGED = "lakepact.generated.wire.TaggedModel"


def models(document: Document, header: str) -> str:
    """The source of the module of models.

    Raises:
        Broken: The generator warned, or left out a schema.
    """
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        (there / "models.json").write_bytes(json_bytes(document))
        (there / "header.txt").write_text(header + PREAMBLE, "utf-8")
        files = [f"--input={there / 'models.json'}", f"--output={there / 'models.py'}", f"--custom-file-header-path={there / 'header.txt'}"]
        bases = json.dumps(dict.fromkeys(_tagged(document), TAGGED))
        command = [sys.executable, "-m", "datamodel_code_generator", *FLAGS, *files, f"--base-class-map={bases}"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode or ran.stderr.strip():
            raise Broken(f"datamodel-code-generator:\n{ran.stdout}{ran.stderr}")
        source = (there / "models.py").read_text("utf-8")
    left_out = sorted(set(document["components"]["schemas"]) - defined(source))
    if left_out:
        raise Broken(f"datamodel-code-generator made nothing of {', '.join(left_out)}")
    return source


def defined(source: str) -> set[str]:
    """The names that a module defines at its top."""
    nodes = ast.parse(source).body
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    targets = (target for node in nodes if isinstance(node, ast.Assign) for target in node.targets)
    return classes | {target.id for target in targets if isinstance(target, ast.Name)}


def _tagged(document: Document) -> list[str]:
    """Schemas that are alternatives of a union, and what they are made of: their tag has to be written, whoever sets it."""
    schemas = document["components"]["schemas"]
    names = [name for members in unions.tagged(document).values() for name in members]
    for name in names:  # grows while it is walked
        parts = (component(part["$ref"]) for part in schemas[name].get("allOf", ()) if "$ref" in part)
        names += [part for part in parts if part not in names]
    return sorted(set(names))
