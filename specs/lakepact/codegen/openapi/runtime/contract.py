"""The operations of an API as values, and calls of them: both ends of the wire read these."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar
from urllib.parse import parse_qsl, urlencode

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation."""

    name: str  #: on the wire
    argument: str  #: the same as a Python name
    where: Literal["path", "query", "header"]
    required: bool
    many: bool = False  #: an array
    explode: bool = (
        False  #: an array is written as one pair for each item, not as one value with commas
    )


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request or of an answer."""

    media_type: str
    model: str  #: its Python type


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation."""

    id: str
    function: str  #: the same as a Python name
    method: str
    path: str  #: the path template of the document
    parameters: tuple[Parameter, ...]
    body: Body | None
    body_required: bool
    answers: Mapping[str, Body | None]  #: by status: "200", "4XX" or "default"
    success: tuple[str, ...]  #: the statuses that a call returns; others are raised
    tags: tuple[str, ...] = ()
    deprecated: bool = False

    def answer(self, status: int) -> tuple[str, Body | None]:
        """Return the documented answer for a status and its key, exact before range before default;
        the key is empty if there is none.
        """
        key = next(
            (key for key in (str(status), f"{status // 100}XX", "default") if key in self.answers),
            "",
        )
        return key, self.answers.get(key)


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One call of an operation, with the types of its answers by status."""

    operation: Operation
    arguments: Mapping[str, Any]
    answers: Mapping[str, Any]
    body: Any = None
    body_type: Any = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """An answer of a server with a status other than the first documented success, or with
    headers.
    """

    body: T
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Problem(Exception):
    """A handler raises it to answer with an error.

    Args:
        status: The status of the answer.
        body: Its body, of the type that the operation documents for that status.
    """

    def __init__(self, status: int, body: Any = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body


def is_json(media_type: str) -> bool:
    """Return whether a body of a media type is a JSON document."""
    kind = media_type.partition(";")[0].strip().lower()
    return kind in {"application/json", "text/json"} or kind.endswith("+json")


@cache
def adapter(model: Any) -> TypeAdapter[Any]:
    """Return the validator and serializer of a type."""
    return TypeAdapter(model)


def encode_body(value: Any, body: Body, model: Any) -> bytes:
    """Return the value of a body as it is sent."""
    if is_json(body.media_type):
        return adapter(model).dump_json(value, by_alias=True, exclude_unset=True)
    if body.media_type.startswith(FORM):
        fields: dict[str, Any] = adapter(model).dump_python(
            value, mode="json", by_alias=True, exclude_unset=True
        )
        return urlencode(
            [(name, text(value)) for name, value in fields.items() if value is not None]
        ).encode()
    return value.encode() if isinstance(value, str) else bytes(value)


def read(content: bytes, body: Body, model: Any) -> Any:
    """Return the value of a received body.

    Raises:
        pydantic.ValidationError: It is not of its type.
        UnicodeDecodeError: It is not the text that it should be.
    """
    if is_json(body.media_type):
        return adapter(model).validate_json(content)
    if body.media_type.startswith(FORM):
        return adapter(model).validate_python(
            dict(parse_qsl(content.decode(), keep_blank_values=True))
        )
    return content.decode() if body.model == "str" else content


def text(value: Any) -> str:
    """Return a scalar as text in a path, query, header or form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
