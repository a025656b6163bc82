"""The model set and the types of plain documents: one class or type alias for each component
schema, made by datamodel-code-generator.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lakepact.codegen import unions
from lakepact.codegen.documents import Broken, component, json_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.codegen.documents import Document

FLAGS = [
    "--input-file-type=openapi",
    "--openapi-scopes=schemas",
    "--ignore-pyproject",
    "--target-python-version=3.11",
    "--use-standard-collections",
    "--use-union-operator",
    "--enum-field-as-literal=all",
    # with it the string branch of a union of a string and an object is lost
    "--no-collapse-root-models",
    "--use-schema-description",
    "--use-single-line-docstring",
    "--use-typed-nullable-map-values",
    "--use-exact-imports",
    "--strict-refs",
    "--no-allow-remote-refs",
    "--disable-timestamp",
    "--formatters=builtin",
    "--use-double-quotes",
]
OF_MODELS = [
    "--output-model-type=pydantic_v2.BaseModel",
    "--target-pydantic-version=2.11",
    "--use-annotated",
    "--snake-case-field",
    "--use-type-alias-type",
    "--use-one-literal-as-default",
    "--no-use-frozen-field",
    "--use-field-description",
]
#: Without `closed`, which mypy does not know.
OF_TYPED_DICTS = [
    "--output-model-type=typing.TypedDict",
    "--use-total-false-for-typed-dict",
    "--no-use-closed-typed-dict",
]
TYPED_DICTS_PREAMBLE = (
    '"""The JSON documents of the contract, for type checkers alone: import this module for'
    ' annotations."""'
)
PREAMBLE = '''# An alternative narrows the tag that it has from the common part, which pyright does not allow of what can be assigned.
# pyright: reportIncompatibleVariableOverride=false
"""The JSON documents of the contract, one class or alias for each of its schemas."""'''
_READ_ONLY = {b"list[": b"Items[", b"dict[str, ": b"Members["}
#: A name of an array or map.
_ALIAS = re.compile(
    r'(?m)^(?P<name>\w+) = TypeAliasType\("\w+", (?P<type>(?:Items|Members)\[.+\])\)$'
)
#: A member whose default is an empty array or map.
_EMPTY_BY_DEFAULT = re.compile(
    r"(?m)^    (?P<name>\w+): (?:Annotated\[\s*)?(?P<type>(?!Annotated)\w+(?:\[.+?\])?)(?: \|"
    r" None)?"
    r"(?:,\s*Field\((?P<alias>alias=[^,)]+)?(?:, )?(?:validate_default=True)?\),?\s*\])? ="
    r" (?:\[\]|\{\})$"
)


def models(
    document: Document, header: str, *, wire: str = "lakepact.generated.wire", lazy: bool = True
) -> str:
    """Return the source of the module of models.

    Args:
        document: The document with the schemas.
        header: The first line.
        wire: The module with the base classes.
        lazy: Whether arrays and maps are read-only, and made of models when they are first read,
            and required members with a default may be absent.

    Raises:
        Broken: The generator warned, or left out a schema.
    """
    tag_bases = json.dumps(dict.fromkeys(_tag_bases(document), f"{wire}.TaggedModel"))
    base_classes = [f"--base-class={wire}.WireModel", f"--base-class-map={tag_bases}"]
    source = _generate(
        document,
        header + PREAMBLE,
        [*FLAGS, *OF_MODELS, *(["--use-default"] if lazy else []), *base_classes],
    )
    # Models are built when they are first used, which is after the last of them is defined.
    source = re.sub(r"(?m)^\w+\.model_rebuild\(\)\n", "", source)
    return _read_only(source) if lazy else source


def typeddicts(document: Document, header: str) -> str:
    """Return the source of the module of `TypedDict`s: the types of plain documents.

    Raises:
        Broken: The generator warned, or left out a schema.
    """
    return _generate(document, header + TYPED_DICTS_PREAMBLE, [*FLAGS, *OF_TYPED_DICTS])


def _generate(document: Document, header: str, flags: Sequence[str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder)
        (there / "models.json").write_bytes(json_bytes(document))
        (there / "header.txt").write_text(header, "utf-8")
        files = [
            f"--input={there / 'models.json'}",
            f"--output={there / 'models.py'}",
            f"--custom-file-header-path={there / 'header.txt'}",
        ]
        command = [sys.executable, "-m", "datamodel_code_generator", *flags, *files]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode or ran.stderr.strip():
            raise Broken(f"datamodel-code-generator:\n{ran.stdout}{ran.stderr}")
        source = (there / "models.py").read_text("utf-8")
    left_out = sorted(set(document["components"]["schemas"]) - top_names(source))
    if left_out:
        raise Broken(f"datamodel-code-generator made nothing of {', '.join(left_out)}")
    return source


def _read_only(source: str) -> str:
    """Return the source of a module of models with the read-only arrays and maps of `items` in
    place of lists and dictionaries.
    """
    lines = source.encode().splitlines(keepends=True)
    subscripts = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Subscript)]
    for node in sorted(
        subscripts, key=lambda node: (node.lineno, node.col_offset), reverse=True
    ):  # from behind: places before stay right
        line, at = lines[node.lineno - 1], node.col_offset
        for plain, ours in _READ_ONLY.items():
            if line.startswith(plain, at):
                lines[node.lineno - 1] = line[:at] + ours + line[at + len(plain) :]
    first = next(
        node.lineno
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef | ast.Assign)
    )
    lines.insert(
        first - 1,
        b"from lakepact.generated.items import NO_ITEMS, NO_MEMBERS, Items, Members, OptionalItems,"
        b" OptionalMembers\n",
    )
    return _empty_by_default(b"".join(lines).decode())


def _empty_by_default(source: str) -> str:
    """Return the source of a module of models where members whose default is empty are not None,
    and share one empty value.
    """
    aliases = {match["name"]: match["type"] for match in _ALIAS.finditer(source)}

    def member(match: re.Match[str]) -> str:
        of = aliases.get(match["type"], match["type"])
        annotation = (
            f"Annotated[Optional{of}, Field({match['alias']})]"
            if match["alias"]
            else f"Optional{of}"
        )
        return f"    {match['name']}: {annotation} = NO_{of.partition('[')[0].upper()}"

    return _EMPTY_BY_DEFAULT.sub(member, source)


def top_names(source: str) -> set[str]:
    """Return the names that a module defines at its top."""
    nodes = ast.parse(source).body
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    targets = (
        target
        for node in nodes
        for target in getattr(node, "targets", [getattr(node, "target", None)])
    )
    return classes | {target.id for target in targets if isinstance(target, ast.Name)}


def _tag_bases(document: Document) -> list[str]:
    """Return schemas that are alternatives of a union, and what they are made of: their tag has to
    be written, whoever sets it.
    """
    schemas = document["components"]["schemas"]
    names = [name for members in unions.tag_values(document).values() for name in members]
    for name in names:  # grows while it is walked
        parts = (
            component(part["$ref"]) for part in schemas[name].get("allOf", ()) if "$ref" in part
        )
        names += [part for part in parts if part not in names]
    return sorted(set(names))
