"""Bytes of a successful reply to the model that the contract names for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.client.wire import Reply

#: Places of a body that a complaint names.
_PLACES = 5


class Undecodable(Exception):
    """The body is not what the contract says; the message names places and reasons, never values: they may be credentials."""


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def decode(answers: Mapping[str, Any], reply: Reply) -> Any:
    """Return the body of a successful reply as its model; None where the contract has no body.

    A success status that the contract does not name is read like the one that it does name.

    Raises:
        Undecodable: The body is not what the contract says.
    """
    named = [status for status in answers if status.startswith("2")]
    status = str(reply.status) if str(reply.status) in named else next(iter(named), "")
    model = answers.get(status)
    return None if model is None else _decoded(model, reply)


def _decoded(model: Any, reply: Reply) -> Any:
    try:
        return _adapter(model).validate_json(reply.content)
    except ValidationError as error:
        reason = explained(error)
    # Raised out here so that the original, which quotes the body, is not carried along.
    raise Undecodable(reason)


def explained(error: ValidationError) -> str:
    """Return the first error in a document and its place, without its values."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    places = [f"{'/'.join(str(step) for step in problem['loc']) or 'the body'}: {problem['msg']}" for problem in problems[:_PLACES]]
    more = f" and {len(problems) - _PLACES} more" if len(problems) > _PLACES else ""
    return "; ".join(places) + more
