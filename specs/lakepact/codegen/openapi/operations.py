"""The operations of a document, with Python names and types; what cannot be sent or read is left
out and reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from lakepact.codegen.documents import Document, is_list, is_object
from lakepact.codegen.openapi.naming import Names, argument_name, function_names
from lakepact.codegen.openapi.runtime.contract import FORM, Body, Operation, Parameter, is_json
from lakepact.codegen.passes import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.codegen.openapi.findings import Findings, Path
    from lakepact.codegen.openapi.schemas import Schemas

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_LIST = "list["
_STYLES = {"path": "simple", "query": "form", "header": "simple"}
_WITHOUT_BODY = frozenset({"204", "205", "304"})
_IGNORED_HEADERS = frozenset(
    {"accept", "content-type", "authorization"}
)  #: OpenAPI: such parameters are ignored


@dataclass(frozen=True, slots=True)
class Described:
    """An operation as code is made of it."""

    operation: Operation
    arguments: Mapping[
        str, str
    ]  #: types by argument, required arguments first; those of others end with None
    returns: str
    sentence: str


class Omitted(Exception):
    """An operation cannot become code; the message says why."""


class Operations:
    """Translates the operations of one document.

    Args:
        document: The document.
        schemas: Translates its schemas.
        findings: The findings, to which it adds.
    """

    def __init__(self, document: Document, schemas: Schemas, findings: Findings) -> None:
        self._document = document
        self._schemas = schemas
        self._findings = findings
        self._functions = function_names()
        self._ids = Names(frozenset(self._operation_ids()))

    def all(self) -> Iterator[Described]:
        """Yield each operation that becomes code, in the order of the document."""
        for template, item in self._document["paths"].items():
            yield from self._of_path(template, item)

    def _of_path(self, template: str, item: Any) -> Iterator[Described]:
        path: Path = ("paths", template)
        reference = item.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            self._findings.add(
                (*path, "$ref"), f"{reference} is outside the document: the path is left out"
            )
            return
        item = self._schemas.resolve(item)
        if "servers" in item:
            self._findings.add((*path, "servers"), "is ignored: the client has one address")
        for method in METHODS:
            if method in item:
                try:
                    yield self._operation(template, method, item)
                except Omitted as omitted:
                    self._findings.add((*path, method), f"the operation is left out: {omitted}")

    def _operation(self, template: str, method: str, item: Document) -> Described:
        path: tuple[str, ...] = ("paths", template, method)
        operation_document: Document = item[method]
        if "callbacks" in operation_document:
            self._findings.add((*path, "callbacks"), "is left out")
        if "servers" in operation_document:
            self._findings.add((*path, "servers"), "is ignored: the client has one address")
        if "operationId" not in operation_document:
            name = self._ids.unique(argument_name(f"{method} {template}"))
            self._findings.add(path, f"has no operationId: it is called {name}")
        else:
            name = operation_document["operationId"]
        parameters, types = self._parameters(template, item, path)
        body, body_required, body_type = self._body(operation_document, path, name)
        answers = self._answers(operation_document, path, name, with_bodies=method != "head")
        success = _success(answers)
        function = self._functions.unique(argument_name(name))
        operation = Operation(
            id=name,
            function=function,
            method=method.upper(),
            path=template,
            parameters=parameters,
            body=body,
            body_required=body_required,
            answers=answers,
            success=success,
            tags=tuple(operation_document.get("tags", ())),
            deprecated=operation_document.get("deprecated", False),
        )
        required = {
            parameter.argument: types[parameter.argument]
            for parameter in parameters
            if parameter.required
        }
        optional = {p.argument: f"{types[p.argument]} | None" for p in parameters if not p.required}
        bodies = (
            {"body": body_type if body_required else f"{body_type} | None"} if body_type else {}
        )
        arguments = (
            {**required, **bodies, **optional}
            if body_required
            else {**required, **optional, **bodies}
        )
        results = [
            answer.model if answer else "None" for answer in (answers[status] for status in success)
        ]
        sentence = " ".join(
            str(operation_document.get("summary") or f"Call {name}").split()
        ).rstrip(".")
        return Described(
            operation, arguments, " | ".join(dict.fromkeys(results)) or "None", f"{sentence}."
        )

    def _parameters(
        self, template: str, item: Document, path: tuple[str, ...]
    ) -> tuple[tuple[Parameter, ...], dict[str, str]]:
        """Return the parameters of an operation, and the type of each argument."""
        parameters_by_place: dict[tuple[str, str], tuple[Document, Path]] = {}
        places: tuple[tuple[Document, Path], ...] = ((item, path[:2]), (item[path[-1]], path))
        for holder, place in places:  # those of the operation override those of its path
            for index, parameter_document in enumerate(holder.get("parameters", ())):
                here: Path = (*place, "parameters", index)
                reference = parameter_document.get("$ref")
                if isinstance(reference, str) and not reference.startswith("#"):
                    self._omit(here, f"{reference} is outside the document", required=False)
                    continue
                parameter: Document = self._schemas.resolve(parameter_document)
                parameters_by_place[parameter["name"], parameter["in"]] = parameter, here
        names, parameters, types = Names(), list[Parameter](), dict[str, str]()
        for parameter, here in parameters_by_place.values():
            if parameter["in"] == "header" and parameter["name"].lower() in _IGNORED_HEADERS:
                continue
            required = bool(parameter.get("required", False)) or parameter["in"] == "path"
            reason = _obstacle(parameter)
            kind = None if reason else self._parameter_type(parameter["schema"])
            if reason is not None or kind is None:
                self._omit(
                    here,
                    reason or "its schema is no scalar and no array of scalars",
                    required=required,
                )
                continue
            argument = names.unique(argument_name(parameter["name"]))
            types[argument] = kind
            many = kind.startswith(_LIST)
            explode = many and parameter["in"] == "query" and parameter.get("explode", True)
            parameters.append(
                Parameter(
                    parameter["name"],
                    argument,
                    parameter["in"],
                    required,
                    many=many,
                    explode=explode,
                )
            )
        lacking = [
            name
            for name in _template_names(template)
            if name not in {p.name for p in parameters if p.where == "path"}
        ]
        if lacking:
            raise Omitted(f"the path parameter {lacking[0]} is not described")
        orphans = [
            p.name
            for p in parameters
            if p.where == "path" and p.name not in _template_names(template)
        ]
        if orphans:
            raise Omitted(f"the path has no {{{orphans[0]}}}")
        return tuple(parameters), types

    def _omit(self, path: Path, reason: str, *, required: bool) -> None:
        if required:
            raise Omitted(f"a required parameter cannot be sent: {reason}")
        self._findings.add(path, f"the parameter is left out: {reason}")

    def _parameter_type(self, schema: Any) -> str | None:
        """Return the Python type of a parameter, or None if it cannot be written as text."""
        schema = self._schemas.resolve(schema)
        if not is_object(schema):
            return "str"
        for key in ("anyOf", "oneOf", "allOf"):
            if key in schema:
                types = [
                    self._parameter_type(each)
                    for each in schema[key]
                    if self._schemas.resolve(each).get("type") != "null"
                ]
                return None if None in types else _either({each for each in types if each})
        values = [
            value
            for value in schema.get("enum", [schema["const"]] if "const" in schema else [])
            if value is not None
        ]
        if values and all(isinstance(value, str) for value in values):
            return f"Literal[{', '.join(map(repr, values))}]"
        kinds = schema.get(
            "type",
            "array" if "items" in schema else "object" if "properties" in schema else "string",
        )
        kinds = [kind for kind in (kinds if is_list(kinds) else [kinds]) if kind != "null"]
        if kinds == ["array"]:
            item = self._parameter_type(schema.get("items", {}))
            return None if item is None or item.startswith(_LIST) else f"{_LIST}{item}]"
        return (
            " | ".join(_SCALARS[kind] for kind in kinds)
            if kinds and all(kind in _SCALARS for kind in kinds)
            else None
        )

    def _body(
        self, operation_document: Document, path: Path, name: str
    ) -> tuple[Body | None, bool, str | None]:
        """Return the body of a request, whether it has to be sent, and its type."""
        place: Path = (*path, "requestBody")
        body_document = operation_document.get("requestBody")
        if body_document is None:
            return None, False, None
        if str(body_document.get("$ref", "#")).startswith("#"):
            body_document = self._schemas.resolve(body_document)
            body = self._content(body_document.get("content", {}), place, f"{name} Body")
        else:
            body = None
        required = bool(body_document.get("required", False))
        if body is None and required:
            raise Omitted("its required body has no media type that can be sent")
        if body is None:
            self._findings.add(place, "is left out: no media type that can be sent")
            return None, False, None
        return body, required, body.model

    def _answers(
        self, operation_document: Document, path: Path, name: str, *, with_bodies: bool
    ) -> dict[str, Body | None]:
        answers: dict[str, Body | None] = {}
        success = _success(operation_document["responses"])
        for status, response in operation_document["responses"].items():
            if status.startswith("x-"):
                continue
            place: Path = (*path, "responses", status)
            if not str(response.get("$ref", "#")).startswith("#"):
                self._findings.add(
                    (*place, "$ref"),
                    f"{response['$ref']} is outside the document: the body is left out",
                )
                answers[status.upper() if status != "default" else status] = None
                continue
            answer = self._schemas.resolve(response)
            if "links" in answer:
                self._findings.add((*place, "links"), "is left out")
            suffix = "Response" if status in success[:1] else f"Response {status}"
            content = answer.get("content", {}) if with_bodies else {}
            if content and status in _WITHOUT_BODY:
                self._findings.add(
                    (*place, "content"), f"is left out: HTTP has no body in an answer {status}"
                )
                content = {}
            answers[status.upper() if status != "default" else status] = self._content(
                content, place, f"{name} {suffix}", answer=True
            )
        return answers

    def _content(
        self, content: Document, path: Path, name: str, *, answer: bool = False
    ) -> Body | None:
        """Return the body in the preferred one of its media types: JSON, a form, text, other
        bytes.
        """
        by_rank = sorted(content, key=_rank)
        first = by_rank[0] if by_rank and (answer or _rank(by_rank[0]) < _MULTIPART) else None
        others = [media_type for media_type in content if media_type != first]
        what = f"is left out: {first} is used" if first else "is not supported, and left out"
        self._findings.each((*path, "content"), others, what)
        if first is None:
            return None
        place: Path = (*path, "content", first)
        if is_json(first) or (first.startswith(FORM) and not answer):
            schema = content[first].get("schema", {})
            return Body(first, self._schemas.type_of(schema, (*place, "schema"), name))
        if _rank(first) >= _LINES:
            self._findings.add(place, "is not parsed: the body is bytes")
        return Body(first, "str" if first.startswith("text/") else "bytes")

    def _operation_ids(self) -> Iterator[str]:
        for item in self._document["paths"].values():
            yield from (
                item[method]["operationId"]
                for method in METHODS
                if method in item and "operationId" in item[method]
            )


_LINES, _MULTIPART = 4, 5


def _rank(media_type: str) -> int:
    if is_json(media_type):
        return 0 if media_type.startswith("application/json") else 1
    if media_type.startswith(FORM):
        return 2
    if any(
        part in media_type
        for part in ("ndjson", "jsonl", "json-seq", "event-stream", "xml", "yaml")
    ):
        return _LINES
    return _MULTIPART if media_type.startswith("multipart/") else 3


def _success(answers: Mapping[str, object]) -> tuple[str, ...]:
    """Return the statuses that a call returns: 2xx, or the default, or what there is below 400."""
    for is_success in (
        lambda s: s.startswith("2"),
        lambda s: s == "default",
        lambda s: s[0] in "13",
    ):
        statuses = tuple(status for status in answers if is_success(status))
        if statuses:
            return statuses
    return ()


def _either(types: set[str]) -> str | None:
    """Return the union of types of parameters; an array of one item is written as the item, so that
    it covers that too.
    """
    items = {kind.removeprefix(_LIST).removesuffix("]") for kind in types if kind.startswith(_LIST)}
    scalars = {kind for kind in types if not kind.startswith(_LIST)}
    union = " | ".join(sorted(items | scalars))
    return f"{_LIST}{union}]" if items else union or None


def _template_names(template: str) -> list[str]:
    return [part.partition("}")[0] for part in template.split("{")[1:]]


def _obstacle(parameter: Document) -> str | None:
    """Return why a parameter cannot be sent, if so."""
    where: Literal["path", "query", "header", "cookie"] = parameter["in"]
    if where == "cookie":
        return "it is a cookie"
    style = parameter.get("style", _STYLES[where])
    if style != _STYLES[where]:
        return f"its style is {style}"
    if "schema" not in parameter:
        return "it is described by a media type"
    return "it may hold reserved characters" if parameter.get("allowReserved") else None
