"""Keywords of schemas: those that say nothing about values, and those that models do not check."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lakepact.codegen.documents import Document
    from lakepact.codegen.openapi.findings import Findings, Path

ANNOTATIONS = frozenset(
    {
        *("description", "title", "example", "examples", "default", "deprecated"),
        *("readOnly", "writeOnly", "xml", "externalDocs", "$comment"),
    }
)
UNCHECKED = (
    *("not", "if", "then", "else", "contains", "prefixItems", "patternProperties", "propertyNames"),
    *(
        "dependentSchemas",
        "dependentRequired",
        "unevaluatedProperties",
        "unevaluatedItems",
        "contentSchema",
        "$dynamicRef",
    ),
)


def drop_keywords(schema: Document, path: Path, findings: Findings) -> Document:
    """Return a schema without the keywords that models do not check, and report those."""
    findings.each(path, [key for key in UNCHECKED if key in schema], "is not checked")
    return {key: value for key, value in schema.items() if key not in UNCHECKED}
