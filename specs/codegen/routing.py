"""The view of a contract that connexion reads: OpenAPI 3.0, paths and parameters only.

Bodies carry the name of their schema in `x-schema-ref`; the schema itself is a 3.1 one, which
connexion cannot read.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from lakepact.codegen.documents import PROSE, Document, is_list, resolve
from lakepact.codegen.passes import METHODS

_SERVER_ERRORS = ("500", "501", "502", "503", "504")


def routing(document: Document) -> Document:
    """Return the routing view of a normative document."""
    components = document["components"]
    return {
        "openapi": "3.0.3",
        "info": {"title": document["info"]["title"], "version": document["info"]["version"]},
        "paths": {path: _item(document, item) for path, item in document["paths"].items()},
        "components": {"securitySchemes": deepcopy(components["securitySchemes"])}
        if "securitySchemes" in components
        else {},
        **({"security": deepcopy(document["security"])} if "security" in document else {}),
    }


def _item(document: Document, item: Document) -> Document:
    # Frameworks let a GET route answer HEAD, so that a HEAD operation has to be registered before
    # it.
    methods = sorted(
        (method for method in METHODS if method in item), key=lambda method: method != "head"
    )
    return {
        method: _operation(document, item[method], item.get("parameters", [])) for method in methods
    }


def _operation(document: Document, operation: Document, of_path: list[Document]) -> Document:
    # connexion 3.3 appends the parameters of a path to those of its operations again and again;
    # here they are the operation's own.
    plain_operation: Document = {"operationId": operation["operationId"]}
    plain_operation |= {
        key: deepcopy(operation[key])
        for key in ("tags", "summary", "deprecated", "security")
        if key in operation
    }
    plain_operation["parameters"] = [
        _parameter(document, parameter)
        for parameter in [*of_path, *operation.get("parameters", [])]
    ]
    if "requestBody" in operation:
        body = resolve(document, operation["requestBody"])
        plain_operation["requestBody"] = {
            "required": body.get("required", False),
            "content": _content(body["content"], {"type": "object"}),
        }
    answers = {
        status: _answer(document, answer) for status, answer in operation["responses"].items()
    }
    if "5XX" in answers:  # connexion looks for the very status, then for `default`
        every = answers.pop("5XX")
        answers = {
            **answers,
            **{status: deepcopy(every) for status in _SERVER_ERRORS if status not in answers},
        }
    return {**plain_operation, "responses": answers}


def _parameter(document: Document, parameter: Document) -> Document:
    parameter = {
        key: deepcopy(value)
        for key, value in resolve(document, parameter).items()
        if key not in PROSE
    }
    schema = _schema_30(resolve(document, parameter["schema"]))
    # connexion does not split lists in headers.
    parameter["schema"] = (
        {"type": "string"}
        if parameter["in"] == "header" and schema.get("type") == "array"
        else schema
    )
    return parameter


def _schema_30(schema: Document) -> Document:
    """Return a parameter's schema in the words of OpenAPI 3.0."""
    plain_schema: dict[str, Any] = {
        key: deepcopy(value) for key, value in schema.items() if key not in PROSE
    }
    if is_list(plain_schema.get("type")):
        plain_schema["nullable"] = "null" in plain_schema["type"]
        plain_schema["type"] = next(kind for kind in plain_schema["type"] if kind != "null")
    if "const" in plain_schema:
        plain_schema["enum"] = [plain_schema.pop("const")]
    return plain_schema


def _content(content: Document, schema: Document) -> Document:
    # An empty schema would be taken for none; forms are read as lists unless the schema says
    # object.
    return {
        media: {"schema": {**schema, "x-schema-ref": media_document["schema"]["$ref"]}}
        for media, media_document in content.items()
    }


def _answer(document: Document, answer: Document) -> Document:
    answer = resolve(document, answer)
    plain_answer: Document = {"description": answer.get("description", "")}
    if "content" in answer:
        plain_answer["content"] = _content(answer["content"], {})
    return plain_answer
