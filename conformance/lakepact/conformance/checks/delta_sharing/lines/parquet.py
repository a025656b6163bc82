"""Lines of parquet format: invariants over every answer that is in it."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.delta_sharing.kit.answers import KINDS
from lakepact.conformance.checks.delta_sharing.kit.lines import (
    CHANGES,
    IN_MILLISECONDS,
    PARQUET,
    QUERY,
    TOUR,
    fits,
    in_form,
    is_whole,
    json_of,
    kind_of,
    objects,
    required,
    texts,
)
from lakepact.conformance.checks.delta_sharing.suite import invariant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lakepact.conformance.exchanges import Exchange

FILES = ("file", "add", "cdf", "remove")
CHANGED = ("add", "cdf", "remove")
MODES = frozenset({"url", "dir"})
A_MINUTE = 60_000  #: by which the clock that signs URLs may differ from that of answers


def metadata(exchange: Exchange) -> list[dict[str, Any]]:
    """Return the metaData lines of an answer in parquet format."""
    return list(objects(in_form(exchange, PARQUET), "metaData"))


def files(exchange: Exchange, *kinds: str) -> list[dict[str, Any]]:
    """Return the lines of files of an answer in parquet format."""
    return list(objects(in_form(exchange, PARQUET, QUERY, CHANGES), *(kinds or FILES)))


@invariant("DS-WRP-01", traffic=TOUR)
def lines_have_one_wrapper(exchange: Exchange) -> bool:
    """Each line in parquet format has exactly one of the seven kinds of objects."""
    lines = in_form(exchange, PARQUET)
    for line in lines or ():
        expect.true(kind_of(line) != "", f"one of {', '.join(KINDS)} on each line", ", ".join(map(str, line)) or "an empty object")
    return bool(lines)


@invariant("DS-PRO-01", traffic=TOUR)
def reader_version_is_one(exchange: Exchange) -> bool:
    """The protocol in parquet format has the minReaderVersion 1."""
    found = list(objects(in_form(exchange, PARQUET), "protocol"))
    for protocol in found:
        expect.equal(1, protocol.get("minReaderVersion"), "minReaderVersion")
    return bool(found)


# -- metaData -----------------------------------------------------------------------------------------------------------------


@invariant("DS-MDT-02", traffic=TOUR)
def names_and_descriptions_are_texts(exchange: Exchange) -> bool:
    """A name and a description of a table are texts, where there are any."""
    values = [m[member] for m in metadata(exchange) for member in ("name", "description") if m.get(member) is not None]
    for value in values:
        expect.true(isinstance(value, str), "a text", value)
    return bool(values)


@invariant("DS-MDT-04", traffic=TOUR)
def auxiliary_locations_of_metadata_are_texts(exchange: Exchange) -> bool:
    """Auxiliary locations in metadata are an array of texts, where there are any."""
    values = [m["auxiliaryLocations"] for m in metadata(exchange) if m.get("auxiliaryLocations") is not None]
    for value in values:
        expect.true(texts(value), "an array of texts as auxiliaryLocations", value)
    return bool(values)


@invariant("DS-MDT-05", traffic=TOUR)
def access_modes_of_metadata_are_known(exchange: Exchange) -> bool:
    """Access modes in metadata are url, dir or both, where they are said."""
    values = [m["accessModes"] for m in metadata(exchange) if m.get("accessModes") is not None]
    for value in values:
        expect.true(texts(value) and bool(value) and set(value) <= MODES, "url, dir or both as accessModes", value)
    return bool(values)


@invariant("DS-MDT-06", traffic=TOUR)
def format_is_an_object(exchange: Exchange) -> bool:
    """The format of a table is an object."""
    found = metadata(exchange)
    for one in found:
        required(one, "format", dict, "metaData")
    return bool(found)


@invariant("DS-FMT-01", traffic=TOUR)
def provider_is_parquet(exchange: Exchange) -> bool:
    """The format of a table has the provider parquet."""
    found = [m["format"] for m in metadata(exchange) if isinstance(m.get("format"), dict)]
    for one in found:
        expect.equal("parquet", one.get("provider"), "provider")
    return bool(found)


@invariant("DS-MDT-07", traffic=TOUR)
def schema_string_is_json(exchange: Exchange) -> bool:
    """The schemaString of a table is the text of a JSON object."""
    found = metadata(exchange)
    for one in found:
        text = required(one, "schemaString", str, "metaData")
        expect.true(isinstance(json_of(text), dict), "a schemaString that is the text of a JSON object", text[:200])
    return bool(found)


@invariant("DS-MDT-08", traffic=TOUR)
def partition_columns_are_columns(exchange: Exchange) -> bool:
    """The partitionColumns are an array of names of columns of the schema."""
    found = metadata(exchange)
    for one in found:
        names = required(one, "partitionColumns", list, "metaData")
        expect.true(texts(names), "names as partitionColumns", names)
        schema = json_of(one.get("schemaString"))
        fields = schema.get("fields") if isinstance(schema, dict) else None
        if isinstance(fields, list):
            known = [str(field.get("name")) for field in fields if isinstance(field, dict)]
            # Names of columns count in any case.
            there = {name.lower() for name in names} <= {name.lower() for name in known}
            expect.true(there, f"partitionColumns among the columns {', '.join(known)}", names)
    return bool(found)


@invariant("DS-MDT-09", traffic=TOUR)
def configuration_holds_texts(exchange: Exchange) -> bool:
    """The configuration of a table holds texts by name, where there is one."""
    found = [m["configuration"] for m in metadata(exchange) if m.get("configuration") is not None]
    for one in found:
        expect.true(isinstance(one, dict) and all(isinstance(v, str) for v in one.values()), "texts by name as configuration", one)
    return bool(found)


# -- files of a snapshot ----------------------------------------------------------------------------------------------------


@invariant("DS-FIL-04", traffic=TOUR)
def partition_values_are_of_the_partition_columns(exchange: Exchange) -> bool:
    """The partitionValues of each file name exactly the partition columns of the table."""
    found, heads = files(exchange, "file"), metadata(exchange)
    if not found or not heads or not texts(heads[0].get("partitionColumns")):
        return False
    columns = sorted(heads[0]["partitionColumns"])
    for file in found:
        values = required(file, "partitionValues", dict, "a file")
        expect.equal(columns, sorted(values), "names in partitionValues")
    return True


@invariant("DS-FIL-05", traffic=TOUR)
def sizes_are_whole_numbers(exchange: Exchange) -> bool:
    """The size of each file is a number of bytes."""
    for file in files(exchange, "file"):
        size = required(file, "size", int, "a file")
        expect.true(size >= 0, "a size of at least 0", size)
    return False  # that it is the right number is judged where the file is read


@invariant("DS-FIL-06", traffic=TOUR)
def stats_are_json(exchange: Exchange) -> bool:
    """The stats of a file are the text of a statistics object, where there are any."""
    values = [file["stats"] for file in files(exchange, "file") if file.get("stats") is not None]
    for value in values:
        expect.true(isinstance(value, str), "a text as stats", value)
        document = json_of(value)
        expect.true(isinstance(document, dict), "stats that are the text of a JSON object", value[:200])
        fits("FileStatistics", document)
    return bool(values)


@invariant("DS-FIL-09", traffic=TOUR)
def urls_expire_in_the_future(exchange: Exchange) -> bool:
    """The expirationTimestamp of a file is a time in the future in milliseconds, where there is one."""
    return expire_later(exchange, files(exchange))


def expire_later(exchange: Exchange, described: Iterable[dict[str, Any]]) -> bool:
    """Return whether files have expiry times of their URLs, always in milliseconds and after the answer.

    The server's clock counts, as its `Date` header shows it: the client's may differ, and exchanges may be judged later.

    Raises:
        Unmet: one has another time.
    """
    answered = _date_of(exchange)
    found = [file["expirationTimestamp"] for file in described if file.get("expirationTimestamp") is not None]
    for when in found:
        expect.true(is_whole(when) and when > IN_MILLISECONDS, "an expirationTimestamp in milliseconds since 1970", when)
        if answered is not None:
            expect.true(when > answered - A_MINUTE, "an expirationTimestamp after the Date of the answer", when)
    return bool(found)


def _date_of(exchange: Exchange) -> int | None:
    """When an answer was given, in milliseconds, as far as it says so."""
    try:
        return int(parsedate_to_datetime(exchange.headers.get("date", "")).timestamp() * 1000)
    except ValueError:
        return None


# -- changed files --------------------------------------------------------------------------------------------------------------


def _fit(exchange: Exchange, kind: str, component: str) -> bool:
    lines = [line for line in in_form(exchange, PARQUET, QUERY, CHANGES) or () if line.get(kind) is not None]
    for line in lines:
        fits(component, {kind: line[kind]})
    return bool(lines)


@invariant("DS-ADD-01", traffic=TOUR)
def added_files_are_described(exchange: Exchange) -> bool:
    """Each add line has url, id, partitionValues, size, timestamp and version."""
    return _fit(exchange, "add", "ParquetAddLine")


@invariant("DS-CDC-01", traffic=TOUR)
def files_of_changes_are_described(exchange: Exchange) -> bool:
    """Each cdf line has url, id, partitionValues, size, timestamp and version."""
    return _fit(exchange, "cdf", "ParquetCdfLine")


@invariant("DS-REM-01", traffic=TOUR)
def removed_files_are_described(exchange: Exchange) -> bool:
    """Each remove line has url, id, partitionValues, size, timestamp and version."""
    return _fit(exchange, "remove", "ParquetRemoveLine")


@invariant("DS-QRY-05", traffic=TOUR)
def changes_have_version_and_timestamp(exchange: Exchange) -> bool:
    """Each line of a changed file has its own version and timestamp."""
    found = files(exchange, *CHANGED)
    for file in found:
        for member in ("version", "timestamp"):
            required(file, member, int, "a changed file")
    return bool(found)
