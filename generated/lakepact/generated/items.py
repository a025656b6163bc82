# Made by codegen.generate from specs/codegen/templates/items.py, sha256 c7f6bedb12be7ba9. Do not edit: nox -s generate
"""Arrays and maps of generated models: read-only, and made of models when they are first read.

A document that is validated with a `Reading` as its context keeps the objects of its arrays as they
came. The first access to an item validates that item; iterating, comparing or writing the array
validates all of them. Without that context everything is validated at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar, get_args, overload

from pydantic import TypeAdapter, ValidationError
from pydantic_core import core_schema
from typing_extensions import TypeAliasType

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler, ValidationInfo
    from pydantic_core import CoreSchema

T = TypeVar("T")
#: Types of items that are validated at once: they take no longer than to be kept.
_SCALARS = frozenset({str, int, float, bool})


@dataclass(frozen=True, slots=True)
class Reading:
    """How the arrays of a document are read later. The document then belongs to its models: its
    items are replaced by theirs.

    Args:
        error: Makes the error that is raised for an invalid item, of pydantic's error and the name
            of the array.
        light: Returns what makes light models of documents, for types that have some, see
            `lakepact.generated.light`.
    """

    error: Callable[[ValidationError, str], Exception]
    light: Callable[[Any], Callable[[list[Any]], list[Any] | None] | None] = lambda _: None


class ReadOnlyList(Sequence[T]):
    """A list that cannot be changed, equal to a list or tuple of the same items."""

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)

    def _all(self) -> list[T]:
        return self._items

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return ReadOnlyList(self._all()[index]) if isinstance(index, slice) else self._all()[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._all())

    def __contains__(self, value: object) -> bool:
        return value in self._all()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ReadOnlyList):
            return self._all() == other._all()
        return self._all() == list(other) if isinstance(other, list | tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __add__(self, other: Sequence[T]) -> Sequence[T]:
        return ReadOnlyList([*self, *other])

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[Callable[..., ReadOnlyList[T]], tuple[list[T]]]:
        return ReadOnlyList, (self._all(),)


class UnreadList(ReadOnlyList[T]):
    """A read-only list whose items are validated when they are read."""

    __slots__ = ("_name", "_of", "_reading")

    _name: str
    _of: Any
    #: None once every item is validated.
    _reading: Reading | None

    def _all(self) -> list[T]:
        reading = self._reading
        if reading is not None:
            make, problem = reading.light(self._of), None
            read = make(self._items) if make else None
            if read is None:
                read, problem = _read(_items(self._of), self._items, reading, self._name)
            if problem is not None:
                raise problem
            # Items first: another thread that still sees the reading validates models, which
            # changes nothing.
            self._items = read
            self._reading = None
        return self._items

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        reading = self._reading
        if reading is None or isinstance(index, slice):
            return super().__getitem__(index)
        item, problem = _read(
            _item(self._of), self._items[index], reading, f"{self._name}/{index % len(self._items)}"
        )
        if problem is not None:
            raise problem
        self._items[index] = item
        return self._items[index]

    def __repr__(self) -> str:
        try:
            return super().__repr__()
        except Exception:  # noqa: BLE001 - whatever the reading makes of an invalid item
            return f"<{len(self)} items>"


def read_only(items: list[T]) -> ReadOnlyList[T]:
    """Return a list that no caller changes as a read-only one."""
    view: ReadOnlyList[T] = object.__new__(ReadOnlyList)
    view._items = items  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it spares the constructor
    return view


def _read(
    adapter: TypeAdapter[Any], value: Any, reading: Reading, place: str
) -> tuple[Any, Exception | None]:
    """Return a validated value, or its error.

    The error is not raised here: tracebacks that show variables would show the value, and the
    original error quotes it. It may be secret.
    """
    try:
        # By the names of the contract alone, which is a tenth faster than to look for the names of
        # Python too.
        return adapter.validator.validate_python(
            value, context=reading, by_alias=True, by_name=False
        ), None
    except ValidationError as error:
        return None, reading.error(error, place)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError("what a server sent cannot be changed; dict(…) makes a copy that can")


_refuse_change: Any = _refuse


class ReadOnlyDict(dict[str, T]):
    """A dictionary that cannot be changed; `dict(…)` makes one that can."""

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = (
        _refuse_change
    )

    def __reduce__(self) -> tuple[Callable[..., ReadOnlyDict[T]], tuple[dict[str, T]]]:
        return ReadOnlyDict, (dict(self),)


class _NoItems(ReadOnlyList[Any]):
    __slots__ = ()
    __hash__ = object.__hash__  # type: ignore[assignment]  # pydantic copies defaults that have none


class _NoMembers(ReadOnlyDict[Any]):
    __hash__ = object.__hash__  # type: ignore[assignment]


NO_ITEMS: Any = _NoItems()
NO_MEMBERS: Any = _NoMembers()


@dataclass(frozen=True, slots=True)
class _AsList:
    may_be_absent: bool = False

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        (of,) = get_args(source)
        items = handler.generate_schema(GenericAlias(list, (of,)))
        name = handler.field_name or ""  # `info` has it since pydantic 2.12

        def eager(
            value: Any, validate: core_schema.ValidatorFunctionWrapHandler
        ) -> ReadOnlyList[Any]:
            if value is None and self.may_be_absent:
                return NO_ITEMS  # type: ignore[no-any-return]
            # `isinstance` of an abstract class takes a fifth of the time.
            return read_only(
                validate(
                    list(value)
                    if type(value) is not list and isinstance(value, ReadOnlyList)
                    else value
                )
            )

        def read(
            value: Any, validate: core_schema.ValidatorFunctionWrapHandler, info: ValidationInfo
        ) -> ReadOnlyList[Any]:
            if type(info.context) is Reading and type(value) is list:
                unread: Any = object.__new__(UnreadList)  # it spares the constructor
                unread._items, unread._of = value, of  # noqa: SLF001
                unread._reading, unread._name = info.context, info.field_name or name  # noqa: SLF001
                return unread  # type: ignore[no-any-return]
            return eager(value, validate)

        serializer = core_schema.wrap_serializer_function_ser_schema(_write_list, schema=items)
        if of in _SCALARS:
            return core_schema.no_info_wrap_validator_function(
                eager, items, serialization=serializer
            )
        return core_schema.with_info_wrap_validator_function(read, items, serialization=serializer)


@dataclass(frozen=True, slots=True)
class _AsDict:
    may_be_absent: bool = False

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        of = get_args(source)
        texts = core_schema.dict_schema(core_schema.str_schema(), _text())
        members = texts if of == (str, str) else handler.generate_schema(GenericAlias(dict, of))
        if self.may_be_absent:
            return core_schema.no_info_after_validator_function(
                _members, core_schema.nullable_schema(members)
            )
        return core_schema.no_info_after_validator_function(ReadOnlyDict, members)


def _text() -> CoreSchema:
    """Return the schema of a text; a number or boolean in its place becomes one, since some writers
    leave out quotes.
    """
    boolean = core_schema.no_info_after_validator_function(
        lambda value: str(value).lower(), core_schema.bool_schema(strict=True)
    )
    text = core_schema.str_schema(coerce_numbers_to_str=True)
    return core_schema.union_schema(
        [text, boolean], mode="left_to_right", custom_error_type="string_type"
    )


def _members(value: dict[str, Any] | None) -> ReadOnlyDict[Any]:
    return ReadOnlyDict(value) if value else NO_MEMBERS


def _write_list(value: Sequence[Any], write: core_schema.SerializerFunctionWrapHandler) -> Any:
    return write(list(value))


@cache
def _item(of: Any) -> TypeAdapter[Any]:
    return TypeAdapter(of)


@cache
def _items(of: Any) -> TypeAdapter[list[Any]]:
    items: Any = GenericAlias(list, (of,))
    return TypeAdapter(items)


Items = TypeAliasType("Items", Annotated[Sequence[T], _AsList()], type_params=(T,))
"""A JSON array: any sequence may be given, and a read-only list is returned."""

Members = TypeAliasType("Members", Annotated[Mapping[str, T], _AsDict()], type_params=(T,))
"""A JSON object with any names: any mapping may be given, and a read-only dictionary is returned."""

OptionalItems = TypeAliasType(
    "OptionalItems", Annotated[Sequence[T], _AsList(may_be_absent=True)], type_params=(T,)
)
"""A JSON array that may be absent or null, and is empty then."""

OptionalMembers = TypeAliasType(
    "OptionalMembers", Annotated[Mapping[str, T], _AsDict(may_be_absent=True)], type_params=(T,)
)
"""A JSON object with any names that may be absent or null, and is empty then."""
