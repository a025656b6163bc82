"""One contract and its overlay as one normative OpenAPI 3.1 document, and the views of it that
tools need.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from codegen import overlay, profiles
from codegen.contracts import Source
from codegen.overlay import Correction
from codegen.profiles import Written
from lakepact.codegen import passes, unions
from lakepact.codegen.documents import (
    Broken,
    Document,
    at,
    is_list,
    is_object,
    no_twins,
    read_yaml,
    resolve,
    rewritten,
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A contract, corrected."""

    source_document: Document  #: as its authors wrote it
    verdicts: Document  #: the normative document: what servers are held to
    models: Document  #: the same, shaped for classes
    corrections: tuple[Correction, ...]
    change_pointers: dict[
        str, tuple[str, ...]
    ]  #: by correction: where it changed the normative document
    adoptions: frozenset[
        str
    ]  #: corrections that its authors have made themselves, so that they are none of ours any more
    base: Bundle | None = None  #: of a profile: the contract that it is one of
    differences: tuple[Written, ...] = ()  #: of a profile: from that contract


def read_bundle(source: Source) -> Bundle:
    """Return the contract of a folder with its corrections applied.

    Raises:
        Broken: The contract or its overlay is wrong; the message says where.
    """
    if source.profile_of is not None:
        return _profile(source, read_bundle(source.profile_of))
    source_document = _source_document(source)
    if source_document["info"]["title"] != source.title:
        raise Broken(
            f"{source.name}: contract.yaml is about {source.title!r}, openapi.yaml about"
            f" {source_document['info']['title']!r}"
        )
    corrections = _corrections(source)
    verdicts, models = passes.prepare(source_document), passes.prepare(source_document)
    pointers = overlay.apply(verdicts, corrections, view="verdicts")
    overlay.apply(models, corrections, view="models")
    for document in (verdicts, models):
        _check_references(document)
        unions.check(document)
    return Bundle(
        source_document,
        passes.with_ranges(verdicts),
        _for_classes(models),
        corrections,
        pointers,
        _adoptions(source),
    )


def _profile(source: Source, base: Bundle) -> Bundle:
    """Return a profile: the other contract, corrected, with what differs in it."""
    differences = profiles.read(source.folder / "profile.yaml")
    source_document, verdicts, models = (
        profiles.with_differences(document, differences)
        for document in (base.source_document, base.verdicts, base.models)
    )
    if source_document["info"]["title"] != source.title:
        raise Broken(
            f"{source.name}: contract.yaml is about {source.title!r}, what profile.yaml makes about"
            f" {source_document['info']['title']!r}"
        )
    for document in (verdicts, models):
        _check_references(document)
        unions.check(document)
    return replace(
        base,
        source_document=source_document,
        verdicts=verdicts,
        models=models,
        base=base,
        differences=differences,
    )


def _source_document(source: Source) -> Document:
    """Return the contract as its authors wrote it, with what they added in each version since."""
    document: Document = (
        read_yaml(source.document) if source.extends is None else _source_document(source.extends)
    )
    return (
        document
        if source.extends is None
        else overlay.add_later_parts(document, source.folder / "additions.yaml")
    )


def _corrections(source: Source) -> tuple[Correction, ...]:
    """Return the corrections of a version: its own, and those of the one that it extends unless its
    authors have made them.
    """
    _upstream_corrections = _corrections(source.extends) if source.extends else ()
    unknown = sorted(
        set(source.adoptions) - {correction.id for correction in _upstream_corrections}
    )
    if unknown:
        raise Broken(f"contract.yaml speaks of corrections that do not exist: {', '.join(unknown)}")
    corrections = (
        *(
            correction
            for correction in _upstream_corrections
            if correction.id not in source.adoptions
        ),
        *overlay.read(source.folder / "overlay.yaml"),
    )
    no_twins("overlay.yaml", [correction.id for correction in corrections])
    return corrections


def _adoptions(source: Source) -> frozenset[str]:
    return frozenset(source.adoptions) | (
        _adoptions(source.extends) if source.extends else frozenset()
    )


def opaque(document: Document) -> Document:
    """Return the document with every component schema reduced to an object: for a tool that is to
    write endpoints and no models.
    """

    def plain_parameter(node: Document) -> Document:
        if not ("in" in node and is_object(node.get("schema"))):
            return node
        schema = resolve(document, node["schema"])
        # The tool refuses lists in headers, which are text with commas anyway, and makes values of
        # UUIDs, which are text too.
        is_text = node["in"] == "header" and (
            schema.get("type") == "array" or schema.get("format") == "uuid"
        )
        return {**node, "schema": {"type": "string"} if is_text else deepcopy(schema)}

    used = _schemas_used(document, document["paths"])
    view: Document = rewritten(document, plain_parameter)
    view["components"] = {
        **view["components"],
        "schemas": {
            name: {"type": "object"} for name in document["components"]["schemas"] if name in used
        },
    }
    return view


def _for_classes(document: Document) -> Document:
    # Examples would be copied into the code; a deprecated union cannot be marked as one; members of
    # their own beside typed others become code that no type checker follows.
    def plain(schema: Document) -> Document:
        removals = {"example", "examples"}
        if "oneOf" in schema or "anyOf" in schema:
            removals.add("deprecated")
        if "properties" in schema and is_object(schema.get("additionalProperties")):
            removals.add("additionalProperties")
        return {key: value for key, value in schema.items() if key not in removals}

    schemas: Document = rewritten(_with_open_enumerations(document), plain)
    return schemas


def _with_open_enumerations(document: Document) -> Document:
    """Return the document with enumerations that take values of later versions too, except those
    that tell alternatives apart.
    """
    tags = [
        part["properties"][union["discriminator"]["propertyName"]]
        for union in document["components"]["schemas"].values()
        if "discriminator" in union
        for member in union["oneOf"]
        for part in unions.parts(document, member)
        if union["discriminator"]["propertyName"] in part.get("properties", {})
    ]

    def with_open_enumeration(schema: Document) -> Document:
        if (
            schema.get("type") != "string" or len(schema.get("enum", ())) < 2 or schema in tags
        ):  # a single value is a constant
            return schema
        annotations: Document = {
            key: value for key, value in schema.items() if key in {"description", "default"}
        }
        return annotations | {
            "anyOf": [{"type": "string", "enum": schema["enum"]}, {"type": "string"}]
        }

    whole: Document = rewritten(document, with_open_enumeration)
    return whole


def _schemas_used(document: Document, node: Any) -> set[str]:
    """Return names of the component schemas that paths refer to, through shared parameters, bodies
    and responses.
    """
    members = list(node.values()) if is_object(node) else node if is_list(node) else []
    used = {name for member in members for name in _schemas_used(document, member)}
    reference = node.get("$ref") if is_object(node) else None
    if not isinstance(reference, str):
        return used
    if reference.startswith("#/components/schemas/"):
        return used | {reference.rsplit("/", 1)[-1]}
    return used | _schemas_used(document, resolve(document, node))


def _check_references(document: Document) -> None:
    def look(node: Document) -> Document:
        reference = node.get("$ref")
        if isinstance(reference, str):
            if not reference.startswith("#"):
                raise Broken(f"{reference} leads out of the document")
            at(document, reference[1:])
        return node

    rewritten(document, look)
