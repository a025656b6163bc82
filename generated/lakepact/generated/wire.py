# Made by codegen.generate from specs/codegen/templates/wire.py, sha256 521492ca6719d701. Do not edit: nox -s generate
"""A base class of generated models: it serializes a model and parses it back to an equal one.

Unknown members are kept. Absent members stay absent, and null stays null. Models are read-only:
`model_copy(update=…)` makes another.
"""

from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError

if TYPE_CHECKING:
    from collections.abc import Generator

SHOWN_TEXT = 60  #: characters of a text that a repr shows
SECRETS = (
    "token",
    "secret",
    "password",
    "credential",
)  #: parts of the names of members that a repr hides


class WireModel(BaseModel):
    """A JSON object of a contract."""

    model_config = ConfigDict(
        extra="allow", frozen=True, defer_build=True, validate_by_name=True, validate_by_alias=True
    )

    def __repr__(self) -> str:
        """Return one short line: scalar members, and the size of others; secrets are hidden."""
        members = ", ".join(
            f"{name}={_brief(name, value)}" for name, value in self if name in self.model_fields_set
        )
        return f"{type(self).__name__}({members})"

    __str__ = __repr__

    def to_wire(self) -> dict[str, Any]:
        """Return the object as a JSON document, once every item of its arrays is validated."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def to_json(self) -> bytes:
        """Return the object as JSON text in UTF-8, once every item of its arrays is validated."""
        return self.model_dump_json(by_alias=True, exclude_unset=True).encode()

    if not TYPE_CHECKING:  # the signatures are those of pydantic

        def model_dump(self, **options: Any) -> dict[str, Any]:
            """Return the members, once every item of its arrays is validated."""
            with _errors_of_items(self):
                return super().model_dump(**options)

        def model_dump_json(self, **options: Any) -> str:
            """Return the members as JSON text, once every item of its arrays is validated."""
            with _errors_of_items(self):
                return super().model_dump_json(**options)


@contextmanager
def _errors_of_items(model: BaseModel) -> Generator[None]:
    """Raise the error of an invalid item of a model in place of the error of the serializer, which
    wraps it.
    """
    try:
        yield
    except PydanticSerializationError:
        deepcopy(model)  # reads every item
        raise


def _brief(name: str, value: Any) -> str:
    if isinstance(value, BaseModel):
        return f"{type(value).__name__}(…)"
    if isinstance(value, dict | list) and value:
        return f"<{len(value)} items>"
    if isinstance(value, str) and any(secret in name for secret in SECRETS):
        return "<hidden>"
    return repr(
        value
        if not isinstance(value, str) or len(value) <= SHOWN_TEXT
        else value[:SHOWN_TEXT] + "…"
    )


class TaggedModel(WireModel):
    """One of several alternatives that a member with a fixed value tells apart; that member is
    always written.
    """

    _tags: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        constants = (
            name
            for name, field in cls.model_fields.items()
            if get_origin(field.annotation) is Literal and field.default is not None
        )
        cls._tags = frozenset(
            name for name in constants if not cls.model_fields[name].is_required()
        )

    def model_post_init(self, _: Any, /) -> None:
        """Count the tag as given, also where a caller relied on its default."""
        self.__pydantic_fields_set__.update(self._tags)
