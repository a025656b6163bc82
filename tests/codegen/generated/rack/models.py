# Made by datamodel-code-generator 0.89.0 from the contract of rack 2, sha256 07672c7b9d2d18f7. Do not edit: nox -s generate
# An alternative narrows the tag that it has from the common part, which pyright does not allow of what can be assigned.
# pyright: reportIncompatibleVariableOverride=false
"""The JSON documents of the contract, one class or alias for each of its schemas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from lakepact.generated.items import Items
from lakepact.generated.wire import TaggedModel, WireModel

PageToken = TypeAliasType("PageToken", str | None)


Kind = TypeAliasType("Kind", Literal["add", "remove"] | str)


class Refusal(WireModel):
    message: str
    type: str


class Book(WireModel):
    title: str
    book_id: Annotated[int | None, Field(alias="book-id")] = None
    shelved: str | None = None


class Books(WireModel):
    books: Items[Book]
    next_page_token: Annotated[PageToken | None, Field(alias="next-page-token")] = None


class AddBook(TaggedModel):
    kind: Literal["add"] = "add"
    book: Book


class RemoveBook(TaggedModel):
    kind: Literal["remove"] = "remove"
    title: str


Change = TypeAliasType("Change", Annotated[AddBook | RemoveBook, Field(discriminator="kind")])


class KeyRequest(WireModel):
    user: str


class Key(WireModel):
    key: str
