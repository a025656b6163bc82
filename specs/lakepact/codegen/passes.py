"""Changes made to every contract before and after its overlay: the general differences of OpenAPI
and JSON Schema.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from lakepact.codegen.documents import Broken, Document, at, is_list, is_object, resolve, rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = ("get", "put", "post", "delete", "head", "patch", "options", "trace")
_NARROWING = {
    "const",
    "enum",
    "minimum",
    "maximum",
    "pattern",
    "format",
    "type",
    "minLength",
    "maxLength",
}
_SCALARS = {"string", "integer", "number", "boolean"}
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


def prepare(document: Document) -> Document:
    """Return the contract as an overlay finds it: a 3.1 document in which every keyword means what
    its author meant.
    """
    plain: Document = rewritten(document, _null_as_a_type)
    plain_unions: Document = rewritten(plain, lambda schema: _narrow_in_place(plain, schema))
    whole: Document = rewritten(
        plain_unions, lambda response: _headers_as_headers(plain_unions, response)
    )
    return _head_without_body(whole)


def with_ranges(document: Document) -> Document:
    """Return the document with the range that each integer format stands for: a format alone
    refuses nothing.
    """
    document_with_ranges: Document = rewritten(document, _with_range)
    return document_with_ranges


def operations_of(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield every operation of a document, in its order: path, method, operation."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in METHODS:
                yield path, method, operation


def _null_as_a_type(schema: Document) -> Document:
    # `nullable` is a keyword of 3.0; a 3.1 document that says it means a type.
    nullable = schema.get("nullable")
    if not isinstance(nullable, bool):
        return schema
    if "type" not in schema:
        raise Broken(f"nullable says nothing of a schema without a type: {schema}")
    types = _types(schema)
    keywords = {key: value for key, value in schema.items() if key != "nullable"}
    return {**keywords, "type": [*types, "null"]} if nullable and "null" not in types else keywords


def _narrow_in_place(document: Document, schema: Document) -> Document:
    # A `$ref` to a scalar with a `const` or `enum` beside it: generators overlook what stands
    # beside a reference.
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    if not isinstance(schema.get("$ref"), str) or not _NARROWING & set(beside):
        return schema
    target = resolve(document, schema)
    if target.get("type") not in _SCALARS:
        return schema
    target_keywords = {
        key: deepcopy(value) for key, value in target.items() if key not in {"example", "examples"}
    }
    if "enum" in beside or "const" in beside:
        target_keywords.pop("enum", None)
    return target_keywords | beside


def _headers_as_headers(document: Document, response: Document) -> Document:
    # A response header that refers to a parameter: what it says is taken over without `name` and
    # `in`.
    headers = response.get("headers")
    if not is_object(headers):
        return response
    return response | {
        "headers": {name: _header(document, header) for name, header in headers.items()}
    }


def _header(document: Document, header: Any) -> Any:
    if not is_object(header) or not str(header.get("$ref", "")).startswith(
        "#/components/parameters/"
    ):
        return header
    parameter = at(document, header["$ref"].removeprefix("#"))
    return {
        key: deepcopy(parameter[key])
        for key in ("description", "required", "schema", "example")
        if key in parameter
    }


def _head_without_body(document: Document) -> Document:
    document = deepcopy(document)
    for _, method, operation in operations_of(document):
        if method == "head":
            answers = {
                status: resolve(document, answer)
                for status, answer in operation["responses"].items()
            }
            operation["responses"] = {
                status: {key: deepcopy(value) for key, value in answer.items() if key != "content"}
                for status, answer in answers.items()
            }
    return document


def _with_range(schema: Document) -> Document:
    low, high = _RANGES.get(str(schema.get("format")), (None, None))
    if low is None or "integer" not in _types(schema):
        return schema
    return {**schema, "minimum": schema.get("minimum", low), "maximum": schema.get("maximum", high)}


def _types(schema: Document) -> list[Any]:
    types = schema.get("type")
    return types if is_list(types) else [types]
