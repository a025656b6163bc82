"""Wrong ways with requirements that name what was assigned last, or what is current."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lakepact.generated.iceberg_rest.documents import Schema
from lakepact.reference_server.faults import Install
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.tables.schemas import types_by_id
from mutants.iceberg_rest.operators.commits import conflict, forgetting, reordered
from mutants.iceberg_rest.operators.preconditions import (
    Assertion,
    always_holds,
    checked_by,
    never_holds,
)


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

    def skips_zero(
        self, assertion: Assertion, metadata: Document | None, requirement: Document, where: str
    ) -> None:
        """Check it unless the id is 0."""
        if requirement[self.member]:
            assertion(metadata, requirement, where)

    def refuses_zero(
        self, assertion: Assertion, metadata: Document | None, requirement: Document, where: str
    ) -> None:
        """Check it, and take 0 for no id at all."""
        if not requirement[self.member]:
            raise conflict(f"{self.member} is missing")
        assertion(metadata, requirement, where)

    def compares(
        self, found: Callable[[Document], Any], *, at_least: bool = False
    ) -> Callable[..., None]:
        """Compare with `found(metadata)`."""

        def act(
            _assertion: Assertion, metadata: Document | None, requirement: Document, _where: str
        ) -> None:
            expected, actual = requirement[self.member], found(metadata or {})
            if expected > actual if at_least else expected != actual:
                raise conflict(f"expected {expected}, found {actual}")

        return act

    def among(self, found: Callable[[Document], list[int]]) -> Callable[..., None]:
        """Hold for any of `found(metadata)`."""

        def act(
            _assertion: Assertion, metadata: Document | None, requirement: Document, _where: str
        ) -> None:
            if requirement[self.member] not in found(metadata or {}):
                raise conflict("there is no such id")

        return act


FIELD = Kind(
    "assert-last-assigned-field-id",
    "last-assigned-field-id",
    "IRC-REQ-020",
    "IRC-REQ-021",
    "IRC-REQ-023",
)
SCHEMA = Kind(
    "assert-current-schema-id", "current-schema-id", "IRC-REQ-024", "IRC-REQ-025", "IRC-REQ-026"
)
PARTITION = Kind(
    "assert-last-assigned-partition-id",
    "last-assigned-partition-id",
    "IRC-REQ-027",
    "IRC-REQ-028",
    "IRC-REQ-029",
)
SPEC = Kind(
    "assert-default-spec-id", "default-spec-id", "IRC-REQ-030", "IRC-REQ-031", "IRC-REQ-032"
)
ORDER = Kind(
    "assert-default-sort-order-id",
    "default-sort-order-id",
    "IRC-REQ-033",
    "IRC-REQ-034",
    "IRC-REQ-035",
)


def _each(kind: Kind) -> dict[str, Install]:
    also = " IRC-REQ-022" if kind is FIELD else ""
    refusing = (
        {}
        if kind in {FIELD, PARTITION}
        else {f"{kind.name}-refuses-0 {kind.holds}": checked_by(kind.name, kind.refuses_zero)}
    )
    return {
        f"{kind.name}-always-holds {kind.fails}{also}": always_holds(kind.name),
        f"{kind.name}-never-holds {kind.holds}{also}": never_holds(kind.name),
        f"{kind.name}-without-id-holds {kind.incomplete}": forgetting(
            "requirements", kind.lacks_id
        ),
        f"{kind.name}-skips-0 {kind.fails}": checked_by(kind.name, kind.skips_zero),
        **refusing,
    }


def _current(metadata: Document) -> Schema:
    schema: Schema = next(
        schema
        for schema in metadata["schemas"]
        if schema["schema-id"] == metadata["current-schema-id"]
    )
    return schema


def _highest_column(metadata: Document) -> int:
    ids: list[int] = [field["id"] for field in _current(metadata)["fields"]]
    return max(ids)


def _highest_in_use(metadata: Document) -> int:
    return max(types_by_id(_current(metadata)))


def _highest_known(metadata: Document) -> int:
    return max(max(types_by_id(schema)) for schema in metadata["schemas"])


def _as_number(
    convert: Callable[[Any], int], kinds: tuple[type, ...]
) -> Callable[[list[Document]], list[Document]]:
    def arrange(requirements: list[Document]) -> list[Document]:
        return [
            {**one, FIELD.member: convert(one[FIELD.member])}
            if isinstance(one.get(FIELD.member), kinds)
            else one
            for one in requirements
        ]

    return arrange


COLUMNS = {
    f"{FIELD.name}-holds-of-lower-ids IRC-REQ-021 IRC-REQ-022": checked_by(
        FIELD.name, FIELD.compares(lambda metadata: metadata["last-column-id"], at_least=True)
    ),
    f"{FIELD.name}-counts-columns-in-use IRC-REQ-022": checked_by(
        FIELD.name, FIELD.compares(_highest_in_use)
    ),
    f"{FIELD.name}-counts-columns-alone IRC-REQ-022": checked_by(
        FIELD.name, FIELD.compares(_highest_column)
    ),
    f"{FIELD.name}-counts-schemas-in-use IRC-REQ-022": checked_by(
        FIELD.name, FIELD.compares(_highest_known)
    ),
    f"{FIELD.name}-reads-texts IRC-REQ-023": reordered("requirements", _as_number(int, (str,))),
    f"{FIELD.name}-rounds IRC-REQ-023": reordered("requirements", _as_number(int, (float, bool))),
}


def _ids(of: str, member: str) -> Callable[[Document], list[int]]:
    return lambda metadata: [item[member] for item in metadata[of]]


def _latest(of: str, member: str) -> Callable[[Document], int]:
    return lambda metadata: max(_ids(of, member)(metadata))


def _chosen(kind: Kind, of: str, member: str) -> dict[str, Install]:
    return {
        f"{kind.name}-holds-of-any {kind.fails}": checked_by(
            kind.name, kind.among(_ids(of, member))
        ),
        f"{kind.name}-means-the-latest {kind.holds} {kind.fails}": checked_by(
            kind.name, kind.compares(_latest(of, member))
        ),
    }


def _last_of_default_spec(metadata: Document) -> int:
    spec = next(
        spec
        for spec in metadata["partition-specs"]
        if spec["spec-id"] == metadata["default-spec-id"]
    )
    return max((field["field-id"] for field in spec["fields"]), default=999)


def _zero_if_unpartitioned(metadata: Document) -> int:
    last: int = metadata["last-partition-id"]
    return last if last > 999 else 0


PARTITIONS = {
    f"{PARTITION.name}-counts-the-default-spec {PARTITION.holds} {PARTITION.fails}": checked_by(
        PARTITION.name, PARTITION.compares(_last_of_default_spec)
    ),
    f"{PARTITION.name}-is-0-at-first {PARTITION.holds} {PARTITION.fails}": checked_by(
        PARTITION.name, PARTITION.compares(_zero_if_unpartitioned)
    ),
    f"{PARTITION.name}-holds-of-lower-ids {PARTITION.fails}": checked_by(
        PARTITION.name,
        PARTITION.compares(lambda metadata: metadata["last-partition-id"], at_least=True),
    ),
}


FAULTS = {
    **{
        words: install
        for kind in (FIELD, SCHEMA, PARTITION, SPEC, ORDER)
        for words, install in _each(kind).items()
    },
    **COLUMNS,
    **PARTITIONS,
    **_chosen(SCHEMA, "schemas", "schema-id"),
    **_chosen(SPEC, "partition-specs", "spec-id"),
    **_chosen(ORDER, "sort-orders", "order-id"),
}
