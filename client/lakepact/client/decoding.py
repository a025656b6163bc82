"""Bytes of a successful reply to the model that the contract names for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from lakepact.generated.items import Reading
from lakepact.generated.light import light
from lakepact.reach.wire import WEB_PAGE, is_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lakepact.reach.wire import Reply

#: Places of a body that a complaint names.
_PLACES = 5


class Undecodable(Exception):
    """The body is not what the contract says; the message names places and reasons, never values:
    they may be credentials.
    """


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def decode(answers: Mapping[str, Any], reply: Reply, later: Callable[[str], Exception]) -> Any:
    """Return the body of a successful reply as its model; None where the contract has no body.

    A success status that the contract does not name is read like the one that it does name. The
    items of arrays are validated when they are first read.

    Args:
        answers: The models by status.
        reply: The reply.
        later: Makes the error of an invalid item, which is raised when the item is read, of a
            message.

    Raises:
        Undecodable: The body is not what the contract says.
    """
    try:
        model = answers[str(reply.status)]
    except KeyError:
        model = answers[next(status for status in answers if status.startswith("2"))]
    if model is None:
        return None
    body, reason = _read(model, reply, later)
    if reason:
        raise Undecodable(reason)
    return body


def _read(model: Any, reply: Reply, later: Callable[[str], Exception]) -> tuple[Any, str]:
    """Return the body as a model, or what is wrong with it.

    No error is raised here: tracebacks that show variables would show the body.
    """
    try:
        document = from_json(reply.content, cache_strings="keys")
    except ValueError as error:
        if is_page(reply.header("content-type") or "", reply.content):
            return None, WEB_PAGE
        return None, f"the body: Invalid JSON: {error}"
    reading = Reading(lambda error, array: later(explain(error, array)), light)
    try:
        return _adapter(model).validator.validate_python(
            document, context=reading, by_alias=True, by_name=False
        ), ""
    except ValidationError as error:
        return None, explain(error)


def explain(error: ValidationError, array: str = "") -> str:
    """Return the first errors in a document and their places, without its values.

    Args:
        error: The errors.
        array: The place of the document in a larger one.
    """
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    steps = [
        (array, *problem["loc"]) if array else problem["loc"] for problem in problems[:_PLACES]
    ]
    steps = [tuple(step for step in at if "[" not in str(step)) for at in steps]  # no unions
    places = [
        f"{'/'.join(map(str, at)) or 'the body'}: {problem['msg']}"
        for at, problem in zip(steps, problems, strict=False)
    ]
    more = f" and {len(problems) - _PLACES} more" if len(problems) > _PLACES else ""
    return "; ".join(places) + more
