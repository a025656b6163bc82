"""Contract files describe all their parts, and the Iceberg contract has the published structure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml

SPECS = Path(__file__).parents[2] / "specs"
ICEBERG = "iceberg_rest/1.10.0"
SHARING = "delta_sharing/2026-02"

every_contract = pytest.mark.parametrize("name", [ICEBERG, SHARING])

#: Digest of the structure of Iceberg 1.10.0. It changes only with the version of the contract:
#: corrections are in the overlay.
STRUCTURE = "20bf6a1b5f4608f4d0ad1b0f11a5b7f91f6b330f6fa77131baed1fdfc2248e36"

PROSE = {"summary", "description"}
METHODS = {"get", "head", "post", "put", "patch", "delete"}

#: A place in the contract, in words or as a reference, and the node at that place.
Place = tuple[str, Any]


class Strict(yaml.SafeLoader):
    """A YAML loader that rejects duplicate keys of a mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        mapping = super().construct_mapping(node, deep)
        if len(mapping) != len(node.value):
            raise yaml.constructor.ConstructorError(
                None, None, "a key stands twice in one mapping", node.start_mark
            )
        return mapping


@cache
def contract(name: str) -> dict[str, Any]:
    return yaml.load((SPECS / name / "openapi.yaml").read_text(encoding="utf-8"), Strict)


def without_prose(node: Any, *, keys_are_names: bool = False) -> Any:
    """Return a document without summaries and descriptions, but with properties of these names."""
    if isinstance(node, list):
        return [without_prose(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: without_prose(value, keys_are_names=key == "properties" and not keys_are_names)
        for key, value in node.items()
        if keys_are_names or key not in PROSE
    }


def everything(node: Any, at: str = "#") -> Iterator[Place]:
    yield at, node
    members = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in members:
        yield from everything(value, f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}")


def operations(name: str) -> list[Place]:
    return [
        (f"{method} {path}", operation)
        for path, item in contract(name)["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]


def properties(at: str, schema: dict[str, Any]) -> Iterator[Place]:
    for name, member in schema.get("properties", {}).items():
        yield f"{at}.{name}", member
        yield from properties(f"{at}.{name}", member)
    for part in (*schema.get("allOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from properties(at, part)


def places_without_description(places: list[Place]) -> list[str]:
    return [
        at
        for at, node in places
        if "$ref" not in node and not str(node.get("description", "")).strip()
    ]


def test_structure_equals_that_of_iceberg_1_10_0() -> None:
    canonical = json.dumps(
        without_prose(contract(ICEBERG)), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )

    assert sha256(canonical.encode()).hexdigest() == STRUCTURE


def test_prose_is_not_part_of_the_structure() -> None:
    document = {
        "summary": "prose",
        "properties": {"summary": {"description": "prose", "type": "object"}},
    }

    assert without_prose(document) == {"properties": {"summary": {"type": "object"}}}


@every_contract
def test_every_reference_resolves(name: str) -> None:
    nodes = dict(everything(contract(name)))
    references = {at: node for at, node in nodes.items() if at.endswith("/$ref")}

    assert references
    assert {at: target for at, target in references.items() if target not in nodes} == {}


@every_contract
def test_every_discriminator_names_known_schemas(name: str) -> None:
    mappings = [
        node["mapping"]
        for _, node in everything(contract(name))
        if isinstance(node, dict) and "mapping" in node
    ]
    targets = {
        target.removeprefix("#/components/schemas/")
        for mapping in mappings
        for target in mapping.values()
    }

    assert targets - set(contract(name)["components"]["schemas"]) == set()


@every_contract
def test_every_operation_has_a_one_line_summary_and_a_description(name: str) -> None:
    wordless = [
        at
        for at, operation in operations(name)
        if not {"summary", "description"} <= operation.keys()
    ]
    rambling = [
        at
        for at, operation in operations(name)
        if "\n" in operation["summary"] or operation["summary"].endswith(".")
    ]

    assert (wordless, rambling) == ([], [])


@every_contract
def test_every_parameter_response_and_schema_is_described(name: str) -> None:
    components = contract(name)["components"]
    places = [
        place
        for kind in ("parameters", "responses", "schemas")
        for place in components[kind].items()
    ]
    places += [
        (f"{at} {each.get('name')}", each)
        for at, operation in operations(name)
        for each in operation.get("parameters", ())
    ]
    places += [
        (f"{at} {status}", answer)
        for at, operation in operations(name)
        for status, answer in operation["responses"].items()
    ]
    members = [
        place
        for schema, node in components["schemas"].items()
        for place in properties(schema, node)
    ]

    assert (
        places_without_description(
            [*places, *((at, member) for at, member in members if "const" not in member)]
        )
        == []
    )


def test_descriptions_of_times_and_sizes_name_the_unit() -> None:
    units = {"-ms": "milliseconds", "-in-bytes": "bytes", "expires_in": "seconds"}
    members = [
        place
        for schema, node in contract(ICEBERG)["components"]["schemas"].items()
        for place in properties(schema, node)
    ]
    unsaid = [
        at
        for at, member in members
        for suffix, unit in units.items()
        if at.endswith(suffix) and unit not in member["description"]
    ]

    assert unsaid == []


@every_contract
def test_contracts_hold_no_examples(name: str) -> None:
    examples = [at for at, _ in everything(contract(name)) if re.search(r"/examples?$", at)]

    assert examples == []
