"""Documents as people write them (YAML) and as programs read them (JSON), and the pointers into
them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeGuard

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

Document = dict[str, Any]
LITERAL = frozenset(
    {"example", "examples", "default", "enum", "const", "mapping"}
)  #: keywords whose values are data, not schemas

LARGEST = 16 * 1024 * 1024  #: bytes of a document
DEEPEST = 100  #: objects and arrays inside each other
MOST = 1_000_000  #: values of a document, counted again where an alias repeats them
_LEVELS, _VALUES = "levels of objects and arrays", "values"
_LONGEST_NUMBER = 1024
_HALVES = re.compile("[\ud800-\udfff]")  #: of characters
_MERGE, _TEXT = "tag:yaml.org,2002:merge", "tag:yaml.org,2002:str"

NAMED = frozenset(
    {"properties", "patternProperties", "schemas", "parameters", "headers", "responses"}
)  #: keywords whose keys are names
PROSE = frozenset({"description", "example", "examples"})  #: keywords that say nothing to a program


class Broken(Exception):
    """An input file cannot become code; the message names the place and the reason."""


class _Loader(yaml.SafeLoader):
    """YAML without timestamps, so that a date stays the text it is, without keys that stand twice,
    and within limits.
    """

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self._depth = self._count = 0
        self._sizes: dict[yaml.Node, int] = {}  #: values in each complete node

    def compose_node(self, parent: yaml.Node | None, index: Any) -> Any:
        """Return the next node; an alias counts as all values that it repeats, because merge keys
        and copies repeat them too.
        """
        before, is_alias = self._count, self.check_event(yaml.AliasEvent)
        self._depth += 1
        within(self._depth, DEEPEST, _LEVELS)
        node: Any = super().compose_node(parent, index)
        self._depth -= 1
        if is_alias and node not in self._sizes:
            raise Broken(
                f"line {node.start_mark.line + 1}: an alias repeats the value that it is in"
            )
        self._count += self._sizes[node] if is_alias else 1
        within(self._count, MOST, _VALUES)
        self._sizes.setdefault(node, self._count - before)
        is_key = (
            index is None
            and isinstance(parent, yaml.MappingNode)
            and isinstance(node, yaml.ScalarNode)
        )
        if is_key and not is_alias and node.tag != _MERGE:
            node.tag = _TEXT  # a key: `on` and `1.10` are names of members
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002  # the signature of PyYAML
        keys = (key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, times in Counter(keys).items():
            if times > 1 and key != "<<":
                raise Broken(f"line {node.start_mark.line + 1}: {key} stands here twice")
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_yaml(path: Path) -> Any:
    """Return the document at `path`, every key a string: `200:` is a number in YAML, but a status
    in a contract.
    """
    return from_yaml(path.read_bytes())


def from_yaml(content: bytes) -> Any:
    """Return the JSON document that YAML means; keys are text as written.

    Raises:
        Broken: It means no JSON document, or exceeds a limit.
        yaml.YAMLError: It is not YAML.
        ValueError: A number has too many digits.
    """
    return _Copy().of(_load(content))


@lru_cache(maxsize=256)  # versions and profiles of a contract read the same files
def _load(content: bytes) -> Any:
    return yaml.load(content, _Loader)  # noqa: S506  # a SafeLoader


def from_json(content: bytes) -> Any:
    """Return a JSON document.

    Raises:
        Broken: It has a key twice, or exceeds a limit.
        ValueError: It is not JSON.
    """
    return _Copy().of(json.loads(content, object_pairs_hook=_members))


def within(number: int, limit: int, what: str) -> None:
    """See that a document does not exceed a limit.

    Raises:
        Broken: It does; the message gives the limit.
    """
    if number > limit:
        raise Broken(
            f"the document has more than {limit:,} {what}; generate code from a smaller one"
        )


def _members(pairs: list[tuple[str, Any]]) -> Document:
    no_twins("an object", (key for key, _ in pairs))
    return dict(pairs)


class _Copy:
    """Copies what JSON can express, within limits, and refuses other values."""

    def __init__(self) -> None:
        self._count = 0

    def of(self, node: Any, depth: int = 0) -> Any:
        self._count += 1
        within(self._count, MOST, _VALUES)
        within(depth, DEEPEST, _LEVELS)
        if is_object(node):
            return _members(
                [
                    (str(self.of(key, depth)), self.of(value, depth + 1))
                    for key, value in node.items()
                ]
            )
        if is_list(node):
            return [self.of(item, depth + 1) for item in node]
        if not _is_of_json(node):
            raise Broken(f"{node!a:.100} is no value of JSON; write one")
        return node


def _is_of_json(scalar: Any) -> bool:
    if isinstance(scalar, str):
        return scalar.isascii() or not _HALVES.search(scalar)
    if isinstance(scalar, int):
        within(scalar.bit_length(), _LONGEST_NUMBER, "bits in a number")
        return True
    return scalar is None or (isinstance(scalar, float) and isfinite(scalar))


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


def resolve(document: Document, node: Any) -> Any:
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
    """Return a copy of a document with `rewrite` applied to every object in it, the innermost
    first.

    Literal values are left alone, and so are objects whose keys are names: a property may be called
    like a keyword.
    """
    if is_object(node):
        inner = {
            key: value
            if key in LITERAL and not names
            else rewritten(value, rewrite, names=key in NAMED and not names)
            for key, value in node.items()
        }
        return inner if names else rewrite(inner)
    if is_list(node):
        return [rewritten(item, rewrite) for item in node]
    return node
