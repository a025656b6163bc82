"""Wrong ways with requirements that name what was assigned last, or what is current."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault
from lakepact.reference_server.iceberg_rest.tables.schemas import types_by_id
from mutants.iceberg_rest.operators.commits import conflict, forgetting, reordered
from mutants.iceberg_rest.operators.preconditions import Assertion, always_holds, checked_by, never_holds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.reference_server.iceberg_rest.documents import Document


@dataclass(frozen=True)
class Kind:
    """A kind of requirement that names an id, and the requirements on it."""

    name: str
    member: str
    holds: str
    fails: str
    incomplete: str

    def lacks_id(self, requirement: Document) -> bool:
        """Whether it is of this kind and names no id."""
        return requirement.get("type") == self.name and self.member not in requirement

    def skips_zero(self, assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
        """Check it unless the id is 0."""
        if requirement[self.member]:
            assertion(metadata, requirement, where)

    def refuses_zero(self, assertion: Assertion, metadata: Document | None, requirement: Document, where: str) -> None:
        """Check it, and take 0 for no id at all."""
        if not requirement[self.member]:
            raise conflict(f"{self.member} is missing")
        assertion(metadata, requirement, where)

    def compares(self, found: Callable[[Document], Any], *, at_least: bool = False) -> Callable[..., None]:
        """Compare with `found(metadata)`."""

        def act(_assertion: Assertion, metadata: Document | None, requirement: Document, _where: str) -> None:
            expected, actual = requirement[self.member], found(metadata or {})
            if expected > actual if at_least else expected != actual:
                raise conflict(f"expected {expected}, found {actual}")

        return act

    def among(self, found: Callable[[Document], list[int]]) -> Callable[..., None]:
        """Hold for any of `found(metadata)`."""

        def act(_assertion: Assertion, metadata: Document | None, requirement: Document, _where: str) -> None:
            if requirement[self.member] not in found(metadata or {}):
                raise conflict("there is no such id")

        return act


FIELD = Kind("assert-last-assigned-field-id", "last-assigned-field-id", "IRC-REQ-020", "IRC-REQ-021", "IRC-REQ-023")
SCHEMA = Kind("assert-current-schema-id", "current-schema-id", "IRC-REQ-024", "IRC-REQ-025", "IRC-REQ-026")
PARTITION = Kind("assert-last-assigned-partition-id", "last-assigned-partition-id", "IRC-REQ-027", "IRC-REQ-028", "IRC-REQ-029")
SPEC = Kind("assert-default-spec-id", "default-spec-id", "IRC-REQ-030", "IRC-REQ-031", "IRC-REQ-032")
ORDER = Kind("assert-default-sort-order-id", "default-sort-order-id", "IRC-REQ-033", "IRC-REQ-034", "IRC-REQ-035")


def _each(kind: Kind) -> Iterator[Fault]:
    also = (("IRC-REQ-022",) if kind is FIELD else (), ("IRC-REQ-022",) if kind is FIELD else ())
    yield Fault(f"{kind.name}-always-holds", f"{kind.name} is not checked.", (kind.fails, *also[0]), always_holds(kind.name))
    yield Fault(f"{kind.name}-never-holds", f"{kind.name} is always a conflict.", (kind.holds, *also[1]), never_holds(kind.name))
    yield Fault(
        f"{kind.name}-without-id-holds",
        f"{kind.name} holds without `{kind.member}`.",
        (kind.incomplete,),
        forgetting("requirements", kind.lacks_id),
    )
    yield Fault(f"{kind.name}-skips-0", f"{kind.name} is not checked for 0.", (kind.fails,), checked_by(kind.name, kind.skips_zero))
    if kind not in {FIELD, PARTITION}:
        yield Fault(
            f"{kind.name}-refuses-0",
            f"{kind.name} never holds for 0, the first id.",
            (kind.holds,),
            checked_by(kind.name, kind.refuses_zero),
        )


# -- columns ----------------------------------------------------------------------------------------------------------


def _current(metadata: Document) -> Document:
    schema: Document = next(schema for schema in metadata["schemas"] if schema["schema-id"] == metadata["current-schema-id"])
    return schema


def _highest_column(metadata: Document) -> int:
    ids: list[int] = [field["id"] for field in _current(metadata)["fields"]]
    return max(ids)


def _highest_in_use(metadata: Document) -> int:
    return max(types_by_id(_current(metadata)))


def _highest_known(metadata: Document) -> int:
    return max(max(types_by_id(schema)) for schema in metadata["schemas"])


def _as_number(convert: Callable[[Any], int], kinds: tuple[type, ...]) -> Callable[[list[Document]], list[Document]]:
    def arrange(requirements: list[Document]) -> list[Document]:
        return [
            {**one, FIELD.member: convert(one[FIELD.member])} if isinstance(one.get(FIELD.member), kinds) else one for one in requirements
        ]

    return arrange


def _field(name: str, sentence: str, breaks: tuple[str, ...], act: Callable[..., None]) -> Fault:
    return Fault(f"{FIELD.name}-{name}", sentence, breaks, checked_by(FIELD.name, act))


COLUMNS = (
    _field(
        "holds-of-lower-ids",
        "Any id that was assigned is the last one.",
        ("IRC-REQ-021", "IRC-REQ-022"),
        FIELD.compares(lambda metadata: metadata["last-column-id"], at_least=True),
    ),
    _field(
        "counts-columns-in-use",
        "The last column id is the highest of the current schema.",
        ("IRC-REQ-022",),
        FIELD.compares(_highest_in_use),
    ),
    _field(
        "counts-columns-alone", "Parts of columns do not count for the last column id.", ("IRC-REQ-022",), FIELD.compares(_highest_column)
    ),
    _field("counts-schemas-in-use", "The last column id is the highest of all schemas.", ("IRC-REQ-022",), FIELD.compares(_highest_known)),
    Fault(f"{FIELD.name}-reads-texts", "An id may be a text.", ("IRC-REQ-023",), reordered("requirements", _as_number(int, (str,)))),
    Fault(f"{FIELD.name}-rounds", "An id may be any number.", ("IRC-REQ-023",), reordered("requirements", _as_number(int, (float, bool)))),
)


# -- schemas, specs and orders ----------------------------------------------------------------------------------------


def _ids(of: str, member: str) -> Callable[[Document], list[int]]:
    return lambda metadata: [item[member] for item in metadata[of]]


def _latest(of: str, member: str) -> Callable[[Document], int]:
    return lambda metadata: max(_ids(of, member)(metadata))


def _chosen(kind: Kind, of: str, member: str) -> tuple[Fault, ...]:
    return (
        Fault(
            f"{kind.name}-holds-of-any",
            f"{kind.name} holds for all {of}.",
            (kind.fails,),
            checked_by(kind.name, kind.among(_ids(of, member))),
        ),
        Fault(
            f"{kind.name}-means-the-latest",
            f"{kind.name} looks at the {of} that were added last.",
            (kind.holds, kind.fails),
            checked_by(kind.name, kind.compares(_latest(of, member))),
        ),
    )


def _last_of_default_spec(metadata: Document) -> int:
    spec = next(spec for spec in metadata["partition-specs"] if spec["spec-id"] == metadata["default-spec-id"])
    return max((field["field-id"] for field in spec["fields"]), default=999)


def _zero_if_unpartitioned(metadata: Document) -> int:
    last: int = metadata["last-partition-id"]
    return last if last > 999 else 0


PARTITIONS = (
    Fault(
        f"{PARTITION.name}-counts-the-default-spec",
        "The last partition id is the highest of the default spec.",
        (PARTITION.holds, PARTITION.fails),
        checked_by(PARTITION.name, PARTITION.compares(_last_of_default_spec)),
    ),
    Fault(
        f"{PARTITION.name}-is-0-at-first",
        "The last partition id of a table that was never partitioned is 0.",
        (PARTITION.holds, PARTITION.fails),
        checked_by(PARTITION.name, PARTITION.compares(_zero_if_unpartitioned)),
    ),
    Fault(
        f"{PARTITION.name}-holds-of-lower-ids",
        "Any partition id that was assigned is the last one.",
        (PARTITION.fails,),
        checked_by(PARTITION.name, PARTITION.compares(lambda metadata: metadata["last-partition-id"], at_least=True)),
    ),
)


FAULTS: tuple[Fault, ...] = (
    *(fault for kind in (FIELD, SCHEMA, PARTITION, SPEC, ORDER) for fault in _each(kind)),
    *COLUMNS,
    *PARTITIONS,
    *_chosen(SCHEMA, "schemas", "schema-id"),
    *_chosen(SPEC, "partition-specs", "spec-id"),
    *_chosen(ORDER, "sort-orders", "order-id"),
)
