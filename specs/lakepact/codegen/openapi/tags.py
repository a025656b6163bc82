"""Discriminators: the member that tells alternatives apart becomes a fixed value of each of
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.codegen.documents import Document, component, is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.codegen.openapi.findings import Findings, Path

_PREFIX = "#/components/schemas/"


class Tags:
    """Reads the discriminators of a document.

    Args:
        written: The component schemas of the document.
        findings: The findings, to which it adds.
    """

    def __init__(self, schemas: Mapping[str, Any], findings: Findings) -> None:
        self._written = schemas
        self._findings = findings

    def extensions(self, schema: Document, path: Path) -> dict[str, str]:
        """Return the schemas that extend this one, by the value of its discriminator; without a
        mapping, all that name it in `allOf`.
        """
        mapping = self._mapping(schema, path)
        own = f"{_PREFIX}{path[-1]}"
        extending = {name: f"{_PREFIX}{name}" for name in self._extending(own)}
        if not mapping and not extending:
            self._findings.add(
                (*path, "discriminator"), "no schema extends this one: it is read as it stands"
            )
        return mapping or extending

    def alternatives_of(self, schema: Document, key: str, path: Path) -> dict[str, str]:
        """Return the alternatives of a union by the value of its discriminator; empty if it has
        none that can be used.
        """
        if "discriminator" not in schema:
            return {}
        mapping = self._mapping(schema, path)
        alternatives = [
            each for each in schema[key] if is_object(each) and each.get("type") != "null"
        ]
        references = [str(each["$ref"]) for each in alternatives if "$ref" in each]
        if len(references) < len(alternatives) or not set(mapping.values()) <= set(references):
            self._findings.add(
                (*path, "discriminator"), "does not name the alternatives: they are tried in turn"
            )
            return {}
        rest = [reference for reference in references if reference not in mapping.values()]
        return {**mapping, **{reference.rpartition("/")[2]: reference for reference in rest}}

    def _mapping(self, schema: Document, path: Path) -> dict[str, str]:
        """Return a discriminator's mapping with a reference for each value; values may be given the
        names of schemas.
        """
        mapping: dict[str, str] = {}
        for value, target in schema["discriminator"].get("mapping", {}).items():
            reference = f"{_PREFIX}{target}" if target in self._written else target
            if reference.startswith("#"):
                mapping[str(value)] = reference
            else:
                self._findings.add(
                    (*path, "discriminator", "mapping", value),
                    f"{target} is outside the document, and left out",
                )
        return mapping

    def _extending(self, reference: str) -> list[str]:
        """Return the schemas that name another one in `allOf`, or that name one that does."""
        references = additions = {reference}
        while additions:
            additions = {
                f"{_PREFIX}{name}"
                for name, schema in self._written.items()
                if references & _parts(schema)
            } - references
            references = references | additions
        return [name for name in self._written if f"{_PREFIX}{name}" in references - {reference}]


def _parts(schema: Any) -> set[str]:
    parts = schema.get("allOf", ()) if is_object(schema) else ()
    return {part["$ref"] for part in parts if is_object(part) and "$ref" in part}


def with_tags(components: dict[str, Document], findings: Findings) -> dict[str, Document]:
    """Return components whose alternatives each require the value that tells them apart.

    A union of anything but objects loses its discriminator, which is reported.
    """
    results = {name: dict(schema) for name, schema in components.items()}
    tag_values: dict[
        tuple[str, str], list[str]
    ] = {}  # an alternative of several unions has the values of all of them
    for name, schema in results.items():
        if "discriminator" not in schema:
            continue
        path = schema.pop("x-path")
        values: dict[str, list[str]] = {}
        for value, reference in schema["discriminator"]["mapping"].items():
            values.setdefault(component(reference), []).append(value)
        tag = schema["discriminator"]["propertyName"]
        if tag and all("properties" in results[alternative] for alternative in values):
            for alternative, its_values in values.items():
                alternative_values = tag_values.setdefault((alternative, tag), [])
                alternative_values += [
                    value for value in its_values if value not in alternative_values
                ]
                results[alternative] = _with_tag(results[alternative], tag, alternative_values)
        else:
            findings.add(
                path, "has no name, or an alternative is not an object: they are tried in turn"
            )
            results[name] = {
                "anyOf": schema["oneOf"],
                **{key: schema[key] for key in ("description",) if key in schema},
            }
    return results


def _with_tag(schema: Document, tag: str, values: list[str]) -> Document:
    member = schema["properties"].get(tag, {})
    annotations = {"description": member["description"]} if "description" in member else {}
    tag_schema = {"type": "string", "enum": values, **annotations}
    required = [*schema.get("required", ()), *([] if tag in schema.get("required", ()) else [tag])]
    return {**schema, "properties": {**schema["properties"], tag: tag_schema}, "required": required}
