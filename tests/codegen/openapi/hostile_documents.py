"""OpenAPI documents whose strings are made to run as code."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any

#: Leaves a file where it runs.
EFFECT = "__import__('pathlib').Path('canary').touch()"
TEXTS = (
    f'"""\n{EFFECT}\n"""',
    f'a"""\n    {EFFECT}\n    """',
    f"'''\n{EFFECT}\n'''",
    f"\\\n{EFFECT}\n",
    f'\\"""\n{EFFECT}\n#',
    f"'\n{EFFECT}\n'",
    f'"\n{EFFECT}\n"',
    f'")\n{EFFECT}\n("',
    f"']\n{EFFECT}\n['",
    f'"] = {EFFECT}  #',
    f"x: Any = {EFFECT}",
    f"' + {EFFECT} + '",
    f'" if {EFFECT} else "',
    f"{{{EFFECT}}}",
    f"{{{{ {EFFECT} }}}}",
    f"{{% set x = {EFFECT} %}}",
    f"\r{EFFECT}\r",
    f"\x0c\n{EFFECT}",
    f"\x0b{EFFECT}",
    f"\x85{EFFECT}",
    f"\u2028{EFFECT}\u2029",
    f"a\n{EFFECT}\n# coding: utf-7",
    f"+AAo-{EFFECT}+AAo-",
    f"@{EFFECT}\ndef f(): ...",
    f"lambda: {EFFECT}",
    EFFECT,
    "\\",
    "\\\\",
    '"',
    "'",
    'ends with "',
    "ends with \\",
    'ends with \\"',
    "\\N{x}",
    "\\x4",
    "\\ud800",
    "\x00",
    "\x1b[31m",
    "\u202eesrever",
    "\ufeff",
    "# type: ignore",
    "",
    " ",
    "\n",
    "import os",
    "__init__",
    "__class__",
    "__import__",
    "model_config",
    "model_fields",
    "model_dump",
    "copy",
    "json",
    "class",
    "None",
    "self",
    "Any",
    "Field",
    "Literal",
    "str",
    "list",
    "dict",
    "body",
    "arguments",
    "ANSWERS",
    "Call",
    "é",
    "1",
    "a" * 3000,
)
PIECES = (
    *"\\\"'\n\r\x0c\x00(){}[]#%@:;,=+ \t",
    '"""',
    "'''",
    "{{",
    "}}",
    "{%",
    "%}",
    "\u2028",
    "\u202e",
    "é",
    "x",
    "lambda:",
    EFFECT,
)


@dataclass
class Hostile:
    """Gives a hostile string for each place of a document.

    Args:
        seed: Chooses the strings: each place gets each of them with one of the first seeds;
            combinations follow.
    """

    seed: int
    _random: random.Random = field(init=False)
    _count: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, prefix: str = "") -> str:
        """Return the next string."""
        self._count += 1
        if self.seed >= len(TEXTS):
            return prefix + "".join(self._random.choices(PIECES, k=self._random.randint(1, 12)))
        return prefix + TEXTS[(self._count * 29 + self.seed) % len(TEXTS)]

    def with_hostile_keys(self, value: Any, number: int = 2) -> dict[str, Any]:
        """Return an object with hostile keys."""
        return {self(): value for _ in range(number)}

    def document(self) -> dict[str, Any]:
        """Return a valid document with a hostile string wherever OpenAPI allows any string."""
        return {
            "openapi": "3.0.3" if self.seed % 2 else "3.1.0",
            "info": {
                "title": self(),
                "version": self(),
                "description": self(),
                "x-info": self(),
                "license": {"name": self()},
            },
            "servers": [
                {
                    "url": self("http://a/"),
                    "description": self(),
                    "variables": self.with_hostile_keys({"default": self(), "enum": [self()]}),
                }
            ],
            "tags": [
                {
                    "name": self(),
                    "description": self(),
                    "externalDocs": {"url": "http://a/", "description": self()},
                }
            ],
            "security": [self.with_hostile_keys([self()])],
            "x-root": self.with_hostile_keys(self()),
            "paths": {
                self("/"): self._item(),
                re.sub("[{}]", "", self("/")) + "/{name}": self._item("name"),
                self("x-"): self(),
            },
            "components": {
                "schemas": {
                    "Thing": self._object(),
                    "Text": self._text(),
                    "Union": self._union(),
                    "One": self._union_member(),
                    "Two": self._union_member(),
                    "Closed": {
                        "type": "object",
                        "properties": self._scalars(),
                        "additionalProperties": False,
                    },
                    "Either": {"anyOf": list(self._scalars().values())},
                },
                "securitySchemes": {
                    "key": {"type": "apiKey", "name": self(), "in": "header", "description": self()}
                },
                "examples": {
                    "example": {"summary": self(), "value": self.with_hostile_keys(self())}
                },
            },
        }

    def _item(self, *names: str) -> dict[str, Any]:
        parameters = [
            {"name": name, "in": "path", "required": True, "schema": self._text()} for name in names
        ]
        methods = {
            "get": self._operation(),
            "post": {**self._operation(), "requestBody": self._body()},
        }
        return {
            "summary": self(),
            "description": self(),
            "x-item": self(),
            "parameters": parameters,
            **methods,
        }

    def _operation(self) -> dict[str, Any]:
        headers = {
            f"X-{number}": {"description": self(), "schema": self._text()} for number in range(2)
        } | self.with_hostile_keys({"schema": {}})
        answer = {
            "description": self(),
            "headers": headers,
            "content": self._content(),
            "links": {"link": {"operationId": self()}},
        }
        return {
            "operationId": self(f"{self._count}"),
            "summary": self(),
            "description": self(),
            "tags": [self(), self()],
            "externalDocs": {"url": "http://a/", "description": self()},
            "parameters": [
                self._parameter("query"),
                self._parameter("query"),
                self._parameter("header"),
                self._parameter("cookie"),
            ],
            "responses": {
                "200": answer,
                "4XX": {"description": self(), "content": self._content()},
                "default": {"description": self()},
            },
            "security": [self.with_hostile_keys([self()])],
            "callbacks": {"called": self.with_hostile_keys({})},
            "x-operation": self.with_hostile_keys(self()),
        }

    def _parameter(self, where: str) -> dict[str, Any]:
        name = self(f"{self._count}")
        return {
            "name": name,
            "in": where,
            "required": where != "cookie",
            "description": self(),
            "schema": self._choice(),
            "example": self(),
        }

    def _body(self) -> dict[str, Any]:
        return {"description": self(), "required": True, "content": self._content()}

    def _content(self) -> dict[str, Any]:
        examples = {"one": {"summary": self(), "value": self()}}
        by_media_type = {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/Thing"},
                "examples": examples,
            }
        }
        return {
            self("application/"): {"schema": self._text()},
            **(
                by_media_type
                if self.seed % 3
                else {self("application/json;"): {"schema": self._object()}}
            ),
        }

    def _text(self) -> dict[str, Any]:
        return {
            "type": "string",
            "title": self(),
            "description": self(),
            "default": self(),
            "pattern": self._pattern(),
            "format": self(),
            "x-a": self(),
        }

    def _pattern(self) -> str:
        """Return a string that OpenAPI 3.0 accepts too, where it has to be a regular expression."""
        return self() if self.seed % 2 == 0 else re.sub(r"[\\()\[\]{}*+?|^$]", "", self())

    def _scalars(self) -> dict[str, Any]:
        """Return members of every type and format."""
        formats = [
            {"type": "string", "format": name}
            for name in ("date", "date-time", "uuid", "byte", "uri")
        ]
        numbers = [
            {"type": "integer", "minimum": -1, "maximum": 5, "format": "int32"},
            {"type": "number", "multipleOf": 0.5, "exclusiveMinimum": 0},
        ]
        lengths = [
            {"type": "string", "minLength": 1, "maxLength": 9},
            {"type": "boolean"},
            {"type": "integer", "enum": [1, -2]},
        ]
        numbers[1] = (
            {**numbers[1], "exclusiveMinimum": True, "minimum": 0} if self.seed % 2 else numbers[1]
        )
        return {
            f"{number}{self()}": scalar
            for number, scalar in enumerate([*formats, *numbers, *lengths])
        }

    def _choice(self) -> dict[str, Any]:
        return {
            "type": "string",
            "enum": list(dict.fromkeys([self(), self(), self()])),
            "default": self(),
        }

    def _object(self) -> dict[str, Any]:
        properties = {
            self(): {**self._text(), "example": self()},
            self(): self._choice(),
            self(): {"type": "object", "properties": self.with_hostile_keys({})},
        }
        return {
            "type": "object",
            "title": self(),
            "description": self(),
            "required": list(properties)[:1],
            "properties": {**properties, "text": {"$ref": "#/components/schemas/Text"}},
            "additionalProperties": {"type": "array", "items": self._choice()},
            "example": self.with_hostile_keys(self()),
            "xml": {"name": self(), "prefix": self()},
            "x-python-type": self(),
        }

    def _union(self) -> dict[str, Any]:
        references = {self(): f"#/components/schemas/{name}" for name in ("One", "Two")}
        alternatives = [{"$ref": "#/components/schemas/One"}, {"$ref": "#/components/schemas/Two"}]
        return {
            "description": self(),
            "oneOf": alternatives,
            "discriminator": {"propertyName": self._tag(), "mapping": references},
        }

    def _union_member(self) -> dict[str, Any]:
        return {
            "type": "object",
            "description": self(),
            "required": [self._tag()],
            "properties": {self._tag(): {"type": "string"}, self(): {}},
        }

    def _tag(self) -> str:
        return TEXTS[self.seed % len(TEXTS)]
