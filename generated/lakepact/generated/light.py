# Made by codegen.generate from specs/codegen/templates/light.py, sha256 7d47d994b73aa420. Do not edit: nox -s generate
"""Light models: they read their fields from their document, and the whole model, made when it is
needed, does everything else.

A light model is an instance of a subclass of its class. It costs a third of a whole one, since its
document is checked and not copied. The models of a class are light if it has no validators, and if
its members are scalars, arrays of texts and such models. Documents with a member of another type,
such as a number in quotes, are validated, which converts or refuses it.
"""

from __future__ import annotations

from collections import deque
from functools import cache, partial
from itertools import chain, repeat
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypeAliasType

from lakepact.generated.items import Items, ReadOnlyList, read_only
from lakepact.generated.summaries import Entries
from lakepact.generated.wire import WireModel

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Makes what is kept of a list of values; None if one of them has to be validated.
    Make: TypeAlias = Callable[[list[Any]], list[Any] | None]

_SCALARS = {str, int, float, bool, NoneType}
#: Methods of Python that the whole model has, and attributes of it that pydantic reads.
_METHODS = ("__hash__", "__copy__", "__deepcopy__")
_ATTRIBUTES = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__")
#: Keeps the document, and later the whole model, where other models have private attributes, of
#: which these have none.
_keep = BaseModel.__dict__["__pydantic_private__"].__set__


class _Absent:
    """The type of what stands for absent members."""


_ABSENT = _Absent()


@cache
def light(model: Any) -> Make | None:
    """Return the function that makes light models of documents, for a class that has some."""
    if not isinstance(model, type) or model.__bases__ not in ((WireModel,), (Entries,)):
        return None
    of_wire: type[WireModel] = model
    of_wire.model_rebuild()
    columns: list[tuple[str, set[type], Make | None]] = []
    for name, field in of_wire.model_fields.items():
        types, make = _types_and_maker(field.annotation)
        if field.metadata or not (types or make):
            return None
        columns.append(
            (field.alias or name, types if field.is_required() else types | {_Absent}, make)
        )
    return partial(_make_light, _subclass(of_wire), columns)


def _make_light(
    kind: type[WireModel], columns: list[tuple[str, set[type], Make | None]], documents: list[Any]
) -> list[Any] | None:
    """Return the light models of documents; None if one has to be validated."""
    # Each step is a loop in C over all documents: in Python they would take as long as validation.
    if {*map(type, documents)} != {dict}:
        return None
    for name, types, make in columns:
        values, others = [*map(dict.get, documents, repeat(name), repeat(_ABSENT))], documents
        kinds = {*map(type, values)}
        if kinds <= types:
            continue
        if kinds & types:
            others = [
                document
                for document, value in zip(documents, values, strict=True)
                if type(value) not in types
            ]
            values = [value for value in values if type(value) not in types]
        replacements = make(values) if make else None
        if replacements is None:
            return None
        deque(map(dict.__setitem__, others, repeat(name), replacements), maxlen=0)
    models = [*map(object.__new__, repeat(kind, len(documents)))]
    deque(map(_keep, models, documents), maxlen=0)
    return models


def _types_and_maker(annotation: Any) -> tuple[set[type], Make | None]:
    """Return the types of values that a field keeps, and the function that makes what is kept of
    others; neither if it is unknown.
    """
    if isinstance(annotation, TypeAliasType):
        return _types_and_maker(annotation.__value__)
    if annotation in _SCALARS:
        return {annotation}, None
    if annotation == Items[str]:
        return {ReadOnlyList}, _texts
    if get_origin(annotation) in {Union, UnionType}:
        # A literal beside other texts accepts nothing more.
        parts = [
            part
            for part in get_args(annotation)
            if get_origin(part) is not Literal or str not in get_args(annotation)
        ]
        alternatives = [_types_and_maker(part) for part in parts]
        makes = [make for _, make in alternatives if make]
        if all(types or make for types, make in alternatives) and len(makes) <= 1:
            return {kind for types, _ in alternatives for kind in types}, makes[
                0
            ] if makes else None
    return set(), light(annotation)


def _texts(arrays: list[Any]) -> list[ReadOnlyList[str]] | None:
    if {*map(type, arrays)} != {list} or not {*map(type, chain.from_iterable(arrays))} <= {str}:
        return None
    # Nearly always they are one namespace.
    return (
        [read_only(arrays[0])] * len(arrays)
        if arrays.count(arrays[0]) == len(arrays)
        else [*map(read_only, arrays)]
    )


def _itself(model: Any) -> Any:
    return model


def _subclass(model: type[WireModel]) -> type[WireModel]:
    """Return the class of the light models of a class."""
    adapter = TypeAdapter(model)

    def whole(one: Any) -> Any:
        private = one.__pydantic_private__
        if type(private) is dict:
            private = adapter.validator.validate_python(private, by_alias=True, by_name=False)
            _keep(one, private)
        return private

    def method(name: str) -> Any:
        return lambda self, *arguments: getattr(whole(self), name)(*arguments)

    def attribute(name: str) -> Any:
        return property(lambda self: getattr(whole(self), name))

    def field(name: str, alias: str, default: Any) -> Any:
        def read(self: Any) -> Any:
            private = self.__pydantic_private__
            return private.get(alias, default) if type(private) is dict else getattr(private, name)

        return property(read)

    members: dict[str, Any] = {
        "__module__": model.__module__,
        "__qualname__": model.__qualname__,
        "__slots__": (),
    }
    members |= {name: method(name) for name in _METHODS} | {
        name: attribute(name) for name in _ATTRIBUTES
    }
    members["__reduce__"] = lambda self: (_itself, (whole(self),))
    members["__eq__"] = lambda self, other: (
        whole(self) == (whole(other) if type(other) is kind else other)
    )
    metaclass: Any = type(model)
    kind: type[WireModel] = metaclass(model.__name__, (model,), members)
    for (
        name,
        model_field,
    ) in model.model_fields.items():  # afterwards: pydantic would take them for defaults
        setattr(kind, name, field(name, model_field.alias or name, model_field.default))
    return kind
