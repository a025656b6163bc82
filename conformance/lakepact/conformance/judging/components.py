"""The component schemas that a body consists of, and the violations of each one by itself.

A body is walked along the schema of its answer: every value behind a `$ref` is an *instance* of
that component. Each instance
is validated with the instances inside it assumed valid, so that only the innermost component fails:
a snapshot without a summary is an invalid `Snapshot`, but not an invalid `TableMetadata` or
`LoadTableResult`.

Of several alternatives, a value is *meant* as the one with its tag (the contract's discriminator)
or, without tags, with its JSON type; any scalar is meant as the alternative for scalars. A value
that is meant as none of them is an invalid instance of the component that lists them, and its
members are not validated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeAlias, cast

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind

from lakepact.conformance.evidence.differences import Difference, Kind, pointer
from lakepact.conformance.evidence.exchanges import Document
from lakepact.generated.contract import Contract

Schema: TypeAlias = "Document"
Steps: TypeAlias = "tuple[()] | tuple[str | int, Steps]"

CONTAINERS = frozenset({"object", "array"})
#: Keywords whose violation a script can see.
REPEATABLE = frozenset(
    {
        "type",
        "required",
        "enum",
        "const",
        "additionalProperties",
        "minimum",
        "maximum",
        "minLength",
        "minItems",
    }
)
SHOWN = 300  #: characters of a message that a report quotes


class Instance(NamedTuple):
    """A value in a body that must match a component."""

    component: str
    value: Any
    at: Steps  #: the steps to the value in the body, the last one first

    @property
    def pointer(self) -> str:
        """JSON pointer to the value in the body."""
        steps, at = list[str | int](), cast("Any", self.at)
        while at:
            step, at = at
            steps.append(step)
        return pointer(*reversed(steps))


class Components:
    """The component schemas of one contract, compiled on first use.

    Args:
        contract: the contract whose OpenAPI document defines them.
    """

    def __init__(self, contract: Contract) -> None:
        self._schemas: Mapping[str, Schema] = contract.bundle["components"]["schemas"]
        self._shape = cache(self._shape_of_component)
        self._validator = cache(self._validator_of_component)

    def instances(self, component: str, value: Any) -> list[Instance]:
        """Return all instances of components in a value that must be a `component`, outer ones
        first.
        """
        instances: list[Instance] = []
        self._walk(_Shape(component), value, (), instances)
        return instances

    def flaw(self, instance: Instance) -> str | None:
        """Return the first violation of an instance itself, with its place, in one line; `None` if
        it is valid.
        """
        validator = self._validator(instance.component)
        if validator.is_valid(instance.value):
            return None
        error = next(validator.iter_errors(instance.value))
        where = instance.pointer + pointer(*error.instance_path)
        text = f"{where or 'the body'}: {self._message(instance.component, error)}"
        return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"

    def difference(self, instance: Instance) -> Difference:
        """Return the place in the body of the first violation of an invalid instance, and its
        kind.
        """
        error = next(self._validator(instance.component).iter_errors(instance.value))
        at = instance.pointer + pointer(*error.instance_path)
        match error.kind:
            case ValidationErrorKind.Required(property=name):
                return Difference(f"{at}{pointer(name)}", Kind.MISSING)
            case ValidationErrorKind.AdditionalProperties(unexpected=names):
                return Difference(f"{at}{pointer(names[0])}", Kind.SURPLUS)
            case ValidationErrorKind.Type(types=types):
                is_number = isinstance(error.instance, str) and not {
                    "integer",
                    "number",
                }.isdisjoint(types)
                return Difference(at, Kind.SPELLING if is_number else Kind.TYPE)
            case _:
                return Difference(at, Kind.VALUE)

    def breach(self, instance: Instance) -> tuple[str, Schema] | None:
        """Return the place of the first violation within an instance, and the violated keyword as a
        schema.

        Args:
            instance: an invalid instance.

        Returns:
            `None` if the schema of the keyword does not suffice to see the violation.
        """
        error = next(self._validator(instance.component).iter_errors(instance.value))
        keyword = str(error.schema_path[-1]) if error.schema_path else ""
        if keyword not in REPEATABLE:
            return None
        schema = self._own(self._schemas[instance.component])
        for step in error.schema_path[:-1]:
            schema = schema[step]
        names: Schema = (
            {"properties": {name: {} for name in schema.get("properties", {})}}
            if keyword == "additionalProperties"
            else {}
        )
        return pointer(*error.instance_path), {keyword: schema[keyword], **names}

    def flaws(self, component: str, value: Any) -> dict[str, str | None]:
        """Return the components in a value that must be a `component`, each with its first
        violation or `None`.
        """
        flaws: dict[str, str | None] = {}
        for instance in self.instances(component, value):
            if flaws.get(instance.component) is None:
                flaws[instance.component] = self.flaw(instance)
        return flaws

    def _message(self, component: str, error: ValidationError) -> str:
        if error.schema_path != ["anyOf"]:
            return error.message
        value = error.message.rpartition(" is not valid under")[0]
        return f"{value} is none of {', '.join(self._names(self._schemas[component]))}"

    def _names(self, union: Schema) -> Iterator[str]:
        for alternative in _alternatives(union):
            name = _component(alternative)
            inner = self._schemas[name] if name else {}
            if _alternatives(inner):
                yield from self._names(inner)
            else:
                yield name or str(alternative.get("type"))

    # -- walking -----------------------------------------------------------------------------------

    def _walk(self, shape: _Shape, value: Any, at: Steps, instances: list[Instance]) -> None:
        if shape.component is not None:
            instances.append(Instance(shape.component, value, at))
            inside = self._shape(shape.component)
            if inside is not None:
                self._walk(inside, value, at, instances)
        for part in shape.parts:
            self._walk(part, value, at, instances)
        alternative = shape.select(value) if shape.alternatives else None
        if alternative is not None:
            self._walk(alternative, value, at, instances)
        if isinstance(value, dict) and (shape.members or shape.other_members):
            for name, member in value.items():
                inner = shape.members.get(name, shape.other_members)
                if inner is not None:
                    self._walk(inner, member, (name, at), instances)
        elif isinstance(value, list) and shape.items is not None:
            for index, item in enumerate(value):
                self._walk(shape.items, item, (index, at), instances)

    def _shape_of_component(self, component: str) -> _Shape | None:
        return self._shape_of(self._schemas[component])

    def _shape_of(self, schema: Any) -> _Shape | None:
        if not isinstance(schema, dict):
            return None
        shape = _Shape(
            component=_component(schema),
            parts=tuple(part for s in schema.get("allOf", ()) if (part := self._shape_of(s))),
            alternatives=tuple(
                _Alternative(
                    selector=Draft202012Validator(self._selector_schema(schema, alternative)),
                    fits=Draft202012Validator(self._own(self._resolve(alternative))),
                    shape=self._shape_of(alternative),
                )
                for alternative in _alternatives(schema)
            ),
            members={name: self._shape_of(s) for name, s in schema.get("properties", {}).items()},
            other_members=self._shape_of(schema.get("additionalProperties")),
            items=self._shape_of(schema.get("items")),
        )
        return shape if shape.leads_somewhere else None

    # -- validating one component ------------------------------------------------------------------

    def _validator_of_component(self, component: str) -> Draft202012Validator:
        return Draft202012Validator(self._own(self._schemas[component]))

    def _own(self, schema: Any) -> Any:
        """Return the schema with references assumed valid and unions resolved by what a value is
        meant as.
        """
        if not isinstance(schema, dict):
            return schema
        own = {key: value for key, value in schema.items() if key not in {"$ref", "discriminator"}}
        for key in {"items", "additionalProperties", "not"} & own.keys():
            own[key] = self._own(own[key])
        if "allOf" in own:
            own["allOf"] = [self._own(part) for part in own["allOf"]]
        if "properties" in own:
            own["properties"] = {
                name: self._own(inner) for name, inner in own["properties"].items()
            }
        alternatives = _alternatives(schema)
        if alternatives:
            own = {key: value for key, value in own.items() if key not in {"oneOf", "anyOf"}}
            own["anyOf"] = [
                self._selector_schema(schema, alternative) for alternative in alternatives
            ]
        return own

    def _selector_schema(self, union: Schema, alternative: Schema) -> Schema:
        """Return a schema that accepts the values meant as one alternative of a union, valid or
        not.
        """
        if "discriminator" in union:
            return _tag_schema(union["discriminator"], alternative)
        if _component(alternative) is None:
            own: Schema = self._own(alternative)
            return own
        schema = self._resolve(alternative)
        if _alternatives(schema):
            return {
                "anyOf": [self._selector_schema(schema, inner) for inner in _alternatives(schema)]
            }
        types = self._types(schema)
        if types and not types & CONTAINERS:
            return {"not": {"type": sorted(CONTAINERS)}}
        return {"type": sorted(types)} if types else {}

    def _types(self, schema: Schema) -> frozenset[str]:
        """Return the JSON types that a schema names."""
        declared = schema.get("type", ())
        types = frozenset([declared] if isinstance(declared, str) else declared)
        return types or frozenset[str]().union(
            *(self._types(self._resolve(part)) for part in schema.get("allOf", ()))
        )

    def _resolve(self, schema: Schema) -> Schema:
        name = _component(schema)
        return self._resolve(self._schemas[name]) if name else schema


@dataclass(frozen=True, slots=True)
class _Alternative:
    """One alternative of a union."""

    selector: Draft202012Validator  #: accepts values that are meant as it
    fits: Draft202012Validator  #: accepts values that match it
    shape: _Shape | None


@dataclass(frozen=True, slots=True)
class _Shape:
    """The places below a schema that hold instances of components."""

    component: str | None = None
    parts: tuple[_Shape, ...] = ()
    alternatives: tuple[_Alternative, ...] = ()
    members: Mapping[str, _Shape | None] = field(default_factory=dict)
    other_members: _Shape | None = None
    items: _Shape | None = None

    @property
    def leads_somewhere(self) -> bool:
        inside = [
            *self.parts,
            *(alternative.shape for alternative in self.alternatives),
            *self.members.values(),
        ]
        return self.component is not None or any([*inside, self.other_members, self.items])

    def select(self, value: Any) -> _Shape | None:
        """Return the alternative that a value is meant as; of several, the first that it
        matches.
        """
        candidates = [
            alternative for alternative in self.alternatives if alternative.selector.is_valid(value)
        ]
        if not candidates:
            return None
        return next(
            (alternative for alternative in candidates if alternative.fits.is_valid(value)),
            candidates[0],
        ).shape


def _component(schema: Schema) -> str | None:
    """Return the component of a reference."""
    reference: str = schema.get("$ref", "")
    return reference.rpartition("/")[2] or None


def _alternatives(schema: Schema) -> list[Schema]:
    alternatives: list[Schema] = schema.get("oneOf") or schema.get("anyOf") or []
    return alternatives


def _tag_schema(discriminator: Schema, alternative: Schema) -> Schema:
    """Return a schema of the objects that have a tag of an alternative."""
    name, member = _component(alternative), discriminator["propertyName"]
    tags = [
        tag
        for tag, reference in discriminator.get("mapping", {}).items()
        if reference.rpartition("/")[2] == name
    ] or [name]
    return {"type": "object", "required": [member], "properties": {member: {"enum": tags}}}
