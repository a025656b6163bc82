"""Default values of columns: each is in the JSON form that the type of its column prescribes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Place,
    Reply,
    check,
    expect,
    op,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.contract_schemas import COMPONENTS
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import (
    extend_schema,
    field,
    request_creation,
)
from lakepact.conformance.judging.components import Instance

SINCE = 3  #: the first format version with default values
DATE = re.compile(r"[+-]?[0-9]{4,}-[0-9]{2}-[0-9]{2}")


class Defaults(NamedTuple):
    """A type of columns, and two values in its form."""

    kind: str
    initial: Any
    write: Any


#: By the component that says what the form is.
FORMS = {
    "BooleanTypeValue": Defaults("boolean", initial=True, write=False),
    "IntegerTypeValue": Defaults("int", 5, -2147483648),
    "LongTypeValue": Defaults("long", 5, 9007199254740993),
    "FloatTypeValue": Defaults("float", 1.5, -0.25),
    "DoubleTypeValue": Defaults("double", 1.5, -0.25),
    "DecimalTypeValue": Defaults("decimal(9, 2)", "12.50", "-0.01"),
    "StringTypeValue": Defaults("string", "before", "5"),
    "UUIDTypeValue": Defaults(
        "uuid", "0190d6b4-7ad0-7c3f-8f0e-6d2f1f0c9a51", "00000000-0000-4000-8000-000000000000"
    ),
    "DateTypeValue": Defaults("date", "2024-02-29", "1969-12-31"),
    "TimeTypeValue": Defaults("time", "22:31:08.123456", "00:00:00.000001"),
    "TimestampTypeValue": Defaults(
        "timestamp", "2017-11-16T22:31:08.123456", "1969-12-31T23:59:59.999999"
    ),
    "TimestampTzTypeValue": Defaults(
        "timestamptz", "2017-11-16T22:31:08.123456+00:00", "1969-12-31T23:59:59.999999+00:00"
    ),
    "TimestampNanoTypeValue": Defaults(
        "timestamp_ns", "2017-11-16T22:31:08.123456789", "1969-12-31T23:59:59.999999999"
    ),
    "TimestampTzNanoTypeValue": Defaults(
        "timestamptz_ns",
        "2017-11-16T22:31:08.123456789+00:00",
        "1969-12-31T23:59:59.999999999+00:00",
    ),
    "FixedTypeValue": Defaults("fixed[4]", "000102FF", "00000000"),
    "BinaryTypeValue": Defaults("binary", "000102FF", "00"),
}


@check(*(f"IRC-SCH-{component}" for component in FORMS))
def column_defaults_have_the_form_of_their_type(lab: CatalogLab) -> None:
    """Default values of a column have the JSON form of its type."""
    home = upd.table_of_version(lab, SINCE).namespace
    for component, (kind, initial, write) in lab.each(FORMS.items()):
        column = field(1, "with_default", kind, initial_default=initial, write_default=write)
        name = lab.name()
        reply = request_creation(
            lab,
            home,
            name,
            schema=extend_schema(fields=[column]),
            properties={"format-version": str(SINCE)},
        )
        instances = [
            (value, answer)
            for answer in _answers(lab, reply, namespace=home, table=name)
            for value in _values(answer, component)
        ]
        if not instances:
            lab.skip(
                f"IRC-SCH-{component}",
                f"no answer of the target shows the default value of a column of the type {kind}",
            )
            continue
        with lab.judge(f"IRC-SCH-{component}"):
            for instance, answer in instances:
                _expect_form(instance, answer)


def _answers(lab: CatalogLab, created: Reply, **at: Any) -> Iterator[Reply]:
    """Yield those that show the table, if it was created."""
    if created.status == 200:
        yield created
        yield lab.require(lab.send(op.load_table, **at), 200)


def _values(reply: Reply, component: str) -> Iterator[Instance]:
    """Yield the default values in an answer that shows a table."""
    for instance in COMPONENTS.instances("LoadTableResult", reply.document):
        if instance.component == "StructField" and isinstance(instance.value, dict):
            for member in ("initial-default", "write-default"):
                if instance.value.get(member) is not None:
                    yield Instance(component, instance.value[member], (member, instance.at))


def _expect_form(instance: Instance, reply: Reply) -> None:
    """A value of an answer is what its component says.

    Raises:
        Unmet: it is not.
    """
    flaw, at = COMPONENTS.flaw(instance), Place(reply.exchange, f"/body{instance.pointer}")
    if flaw is not None:
        raise expect.unmet(f"every {instance.component} to fit its schema", flaw, at=at)
    if instance.component == "DateTypeValue":
        expect.true(
            DATE.fullmatch(instance.value) is not None,
            f"an ISO 8601 date at {instance.pointer}",
            instance.value,
            at=at,
        )
