"""Documents as people write them (YAML) and as programs read them (JSON), and the pointers into them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeGuard

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

Document = dict[str, Any]
LITERAL = frozenset({"example", "examples", "default", "enum", "const", "mapping"})  #: keywords whose values are data, not schemas

NAMED = frozenset({"properties", "patternProperties", "schemas", "parameters", "headers", "responses"})  #: keywords whose keys are names
PROSE = frozenset({"description", "example", "examples"})  #: keywords that say nothing to a program


class Broken(Exception):
    """An input file cannot become code; the message names the place and the reason."""


class _Loader(yaml.SafeLoader):
    """YAML without timestamps, so that a date stays the text it is, and without keys that stand twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # the signature of PyYAML
        keys: list[Any] = [key.value for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1 and key != "<<":
                raise Broken(f"{node.start_mark}: {key} stands here twice")
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_yaml(path: Path) -> Any:
    """Return the document at `path`, every key a string: `200:` is a number in YAML, but a status in a contract."""
    return _with_text_keys(yaml.load(path.read_bytes(), _Loader))  # noqa: S506  # a SafeLoader


def _with_text_keys(node: Any) -> Any:
    if is_object(node):
        return {str(key): _with_text_keys(value) for key, value in node.items()}
    if is_list(node):
        return [_with_text_keys(item) for item in node]
    return node


def is_object(node: Any) -> TypeGuard[Document]:
    """Return whether a part of a document is an object."""
    return isinstance(node, dict)


def is_list(node: Any) -> TypeGuard[list[Any]]:
    """Return whether a part of a document is a list."""
    return isinstance(node, list)


def json_bytes(document: Any) -> bytes:
    """Return the document as JSON, one member a line, in the order that it was written in."""
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def no_twins(what: str, names: Iterable[str]) -> None:
    """See that no name stands twice among `names`.

    Raises:
        Broken: Some do; the message names them.
    """
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise Broken(f"{what}: {', '.join(twice)} stand there twice")


def sha256(content: bytes) -> str:
    """Return the SHA-256 of `content` in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def steps(pointer: str) -> list[str]:
    """Return the steps of a JSON pointer, unescaped.

    Raises:
        Broken: It is not a JSON pointer.
    """
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise Broken(f"{pointer!r} is not a JSON pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def pointer_of(path: Iterable[str | int]) -> str:
    """Return the JSON pointer with these steps."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def at(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer.

    Raises:
        Broken: The pointer leads nowhere.
    """
    node = document
    for step in steps(pointer):
        try:
            node = node[int(step)] if is_list(node) else node[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Broken(f"{pointer} points to nothing: there is no {step!r}") from None
    return node


def resolved(document: Document, node: Any) -> Any:
    """Return the object that `node` stands for: itself, or what its `$ref` refers to."""
    while is_object(node) and "$ref" in node:
        node = at(document, str(node["$ref"]).removeprefix("#"))
    return node


def component(reference: str) -> str:
    """Return the name of the component schema that a `$ref` refers to.

    Raises:
        Broken: It refers to something else.
    """
    prefix = "#/components/schemas/"
    if not reference.startswith(prefix) or "/" in reference[len(prefix) :]:
        raise Broken(f"{reference} does not refer to a component schema")
    return reference[len(prefix) :]


def rewritten(node: Any, rewrite: Callable[[Document], Document], *, names: bool = False) -> Any:
    """Return a copy of a document with `rewrite` applied to every object in it, the innermost first.

    Literal values are left alone, and so are objects whose keys are names: a property may be called like a keyword.
    """
    if is_object(node):
        inner = {
            key: value if key in LITERAL and not names else rewritten(value, rewrite, names=key in NAMED and not names)
            for key, value in node.items()
        }
        return inner if names else rewrite(inner)
    if is_list(node):
        return [rewritten(item, rewrite) for item in node]
    return node
