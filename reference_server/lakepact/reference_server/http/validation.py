"""Validation of documents against the contract's schemas with jsonschema-rs, with readable
messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.http.json_text import pointer_to

if TYPE_CHECKING:
    from collections.abc import Iterable

    import jsonschema_rs

    from lakepact.generated.contract import Contract

LONGEST = 300  #: characters of a message; documents may hold megabytes
LONGEST_LIST = 1200  #: characters of a message that lists the allowed values


class Invalid(ValueError):
    """A document does not follow its schema; the message names the fault and its place."""


class Validators:
    """One compiled validator for each component schema of a contract, made when it is first asked
    for.

    The schemas and what compiles them are not loaded before that: no server needs them for its
    first answer.
    """

    _refusal: type[jsonschema_rs.ValidationError]  #: known once a validator is made

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._components: dict[str, Any] = {}
        self._compiled: dict[str, jsonschema_rs.Draft202012Validator] = {}

    def __getitem__(self, schema: str) -> jsonschema_rs.Draft202012Validator:
        """Return the validator for the component `schema`."""
        try:
            return self._compiled[schema]
        except KeyError:
            return self._compiled.setdefault(schema, self._make(schema))

    def _make(self, schema: str) -> jsonschema_rs.Draft202012Validator:
        from jsonschema_rs import Draft202012Validator, ValidationError  # noqa: PLC0415 - see above

        self._refusal = ValidationError
        self._components = self._components or {
            "schemas": self._contract.schemas["components"]["schemas"]
        }
        return Draft202012Validator(
            {"$ref": f"#/components/schemas/{schema}", "components": self._components}
        )

    def check(self, schema: str, document: Any) -> None:
        """Validate a document against a component schema.

        Raises:
            Invalid: it does not follow it.
        """
        validator = self[schema]
        try:
            validator.validate(
                document
            )  # stops at the first error: a hostile document may hold a million
        except self._refusal as error:
            raise Invalid(fault_of(error)) from None


def fault_of(error: jsonschema_rs.ValidationError) -> str:
    """Return the most helpful sentence: the fault at the deepest place that can be named."""
    error = _within(error)
    return f"at {pointer_to(error.instance_path)}: {_text_of(error)}"


def _within(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """Return the error in the alternative that was meant, where a value may be one of several
    things that no tag tells apart.
    """
    context: list[list[jsonschema_rs.ValidationError]] | None = getattr(error.kind, "context", None)
    if not context:
        return error
    depth = len(error.instance_path)
    branches = sorted(
        (branch for branch in context if branch and not any(_is_another(e, depth) for e in branch)),
        key=len,
    )
    if not branches or (
        len(branches) > 1 and len(branches[0]) == len(branches[1])
    ):  # equally close alternatives: the intended one is unknown
        return error
    return _within(min(branches[0], key=_rank))


def _rank(error: jsonschema_rs.ValidationError) -> tuple[int, int]:
    # A missing member comes before its consequences, and a shallow place before a deep one.
    return (0 if error.kind.name == "required" else 1, len(error.instance_path))


def _is_another(error: jsonschema_rs.ValidationError, depth: int) -> bool:
    """Return whether an error shows that another alternative was meant: it has another tag or
    type.
    """
    if error.kind.name in {"const", "enum"}:
        return len(error.instance_path) <= depth + 1
    return error.kind.name == "type" and len(error.instance_path) == depth


def _text_of(error: jsonschema_rs.ValidationError) -> str:
    options: Iterable[Any] | None = getattr(error.kind, "options", None)
    if options is not None:
        return _cut(
            f"{error.instance!r} is not one of {', '.join(map(str, options))}", LONGEST_LIST
        )
    return _cut(error.message, LONGEST)


def _cut(message: str, longest: int) -> str:
    return message if len(message) <= longest else message[: longest - 1] + "…"
