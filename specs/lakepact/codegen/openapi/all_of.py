"""`allOf`: one schema with the members of all its parts, so that every model stands on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.codegen.documents import Broken, Document, at, is_object, steps
from lakepact.codegen.openapi.keywords import ANNOTATIONS, drop_keywords

if TYPE_CHECKING:
    from lakepact.codegen.openapi.findings import Findings, Path

_UNION = ("oneOf", "anyOf")


def merge(document: Document, schema: Document, path: Path, findings: Findings) -> Document:
    """Return a schema with the schemas of its `allOf` in it; of a single part that is a reference,
    the reference.

    Raises:
        Broken: An `allOf` leads back to itself.
    """
    own = {key: value for key, value in schema.items() if key != "allOf"}
    parts = schema["allOf"]
    if (
        len(parts) == 1
        and is_object(parts[0])
        and "$ref" in parts[0]
        and not own.keys() - ANNOTATIONS - {"nullable"}
    ):
        return {**own, **parts[0]}
    return _Merge(document, findings).of(schema, path, ())


class _Merge:
    def __init__(self, document: Document, findings: Findings) -> None:
        self._document = document
        self._findings = findings

    def of(self, schema: Document, path: Path, above: tuple[str, ...]) -> Document:
        own = {key: value for key, value in schema.items() if key != "allOf"}
        parts: list[tuple[Path, Document]] = []
        for index, part in enumerate(schema["allOf"]):
            place: Path = (*path, "allOf", index)
            parts.append((place, self._flat(part, place, above)))
        whole: Document = {}
        for place, part in [*parts, (path, own)]:
            self._add(whole, part, place)
        for key in _UNION:
            if "properties" in whole and key in whole:
                del whole[key]
                self._findings.add((*path, "allOf"), f"{key} is not checked beside properties")
        return whole

    def _add(self, whole: Document, part: Document, place: Path) -> None:
        for key, value in part.items():
            if key == "properties":
                whole[key] = {**whole.get(key, {}), **value}
            elif key == "required":
                whole[key] = list(dict.fromkeys([*whole.get(key, ()), *value]))
            elif key in _UNION and key in whole:
                self._findings.add((*place, key), "is not checked beside another one")
            else:
                whole[key] = value

    def _flat(self, schema: Any, path: Path, above: tuple[str, ...]) -> Document:
        """Return a part with its references followed and its own `allOf` merged."""
        if not is_object(schema):
            return {}
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference in above:
            raise Broken(f"{reference}: allOf leads back to itself")
        if isinstance(reference, str) and reference.startswith("#"):
            target = self._flat(
                at(self._document, reference[1:]), tuple(steps(reference[1:])), (*above, reference)
            )
            # A discriminator tells apart the schemas that extend its own one; they have none.
            return {
                key: value
                for key, value in target.items()
                if key not in {"description", "discriminator"}
            }
        if isinstance(reference, str):
            self._findings.add(
                (*path, "$ref"), f"{reference} is outside the document, and left out"
            )
            return {}
        checkable = drop_keywords(schema, path, self._findings)
        return self.of(checkable, path, above) if "allOf" in checkable else checkable
