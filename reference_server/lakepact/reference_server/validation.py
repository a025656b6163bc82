"""Documents held against the contract's schemas by jsonschema-rs, and what is wrong with them in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from .json_text import pointer_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BOUNDS = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
LONGEST = 300  #: characters of a message; documents may hold megabytes


class Invalid(ValueError):
    """A document does not follow its schema; the message says what is wrong, and where."""


class Validators:
    """One compiled validator for each component schema of a bundle, made when it is first asked for."""

    def __init__(self, bundle: Mapping[str, Any]) -> None:
        self._schemas: dict[str, Any] = bundle["components"]["schemas"]
        self._bounded: dict[str, Any] | None = None
        self._compiled: dict[str, jsonschema_rs.Draft202012Validator] = {}

    def __getitem__(self, schema: str) -> jsonschema_rs.Draft202012Validator:
        """The validator for the component `schema`."""
        try:
            return self._compiled[schema]
        except KeyError:
            if self._bounded is None:
                self._bounded = _bounded(self._schemas)
            whole = {"$ref": f"#/components/schemas/{schema}", "components": {"schemas": self._bounded}}
            return self._compiled.setdefault(schema, jsonschema_rs.Draft202012Validator(whole))

    def check(self, schema: str, document: Any) -> None:
        """Hold a document against a component schema.

        Raises:
            Invalid: it does not follow it.
        """
        validator = self[schema]
        if not validator.is_valid(document):
            raise Invalid(fault_of(validator.iter_errors(document)))


def _bounded(schema: Any) -> Any:
    # `format: int64` is an annotation to JSON Schema, but a number beyond it would be read back as another one.
    if isinstance(schema, dict):
        members: dict[str, Any] = schema
        copied = {key: _bounded(value) for key, value in members.items()}
        low, high = BOUNDS.get(str(copied.get("format")), (None, None))
        if copied.get("type") == "integer" and low is not None:
            copied.setdefault("minimum", low)
            copied.setdefault("maximum", high)
        return copied
    if isinstance(schema, list):
        items: list[Any] = schema
        return [_bounded(item) for item in items]
    return schema


def fault_of(errors: Iterable[jsonschema_rs.ValidationError]) -> str:
    """The one sentence that helps most: what is wrong at the deepest place that can be named."""
    error = min(map(_within, errors), key=_rank)
    return f"at {pointer_to(error.instance_path)}: {_worded(error)}"


def _rank(error: jsonschema_rs.ValidationError) -> tuple[int, int]:
    # What comes first in the document is what the caller reads first; a missing member is plainer than what follows from it.
    return (0 if error.kind.name == "required" else 1, len(error.instance_path))


def _within(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """The error in the alternative that was meant, where a value may be one of several things."""
    context: list[list[jsonschema_rs.ValidationError]] | None = getattr(error.kind, "context", None)
    if not context:
        return error
    depth = len(error.instance_path)
    meant = [branch for branch in context if branch and not any(_is_another(e, depth) for e in branch)]
    if len(meant) != 1:
        return error
    return _within(min(meant[0], key=_rank))


def _is_another(error: jsonschema_rs.ValidationError, depth: int) -> bool:
    """Whether an error says that this alternative was not meant: another tag, or another type altogether."""
    if error.kind.name in {"const", "enum"}:
        return len(error.instance_path) <= depth + 1
    return error.kind.name == "type" and len(error.instance_path) == depth


def _worded(error: jsonschema_rs.ValidationError) -> str:
    context: list[list[jsonschema_rs.ValidationError]] | None = getattr(error.kind, "context", None)
    if context and isinstance(error.instance, dict):
        tags = _tags(context, len(error.instance_path))
        if len(tags) == 1:
            (name, known), *_ = tags.items()
            if name not in error.instance:
                return f'"{name}" is required, one of {", ".join(known)}'
            return _cut(f'"{name}" is {error.instance[name]!r}, but must be one of {", ".join(known)}', 1200)
    return _cut(error.message, LONGEST)


def _tags(context: list[list[jsonschema_rs.ValidationError]], depth: int) -> dict[str, list[str]]:
    """The members that tell alternatives apart, each with the values that the alternatives want."""
    tags: dict[str, list[str]] = {}
    for error in (e for branch in context for e in branch):
        if error.kind.name == "const" and len(error.instance_path) == depth + 1:
            tags.setdefault(str(error.instance_path[-1]), []).append(str(error.kind.expected_value))  # type: ignore[attr-defined]  # of Constant
    return tags


def _cut(message: str, longest: int) -> str:
    return message if len(message) <= longest else message[: longest - 1] + "…"
