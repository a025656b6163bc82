"""Lines of parquet format: invariants over every answer that is in it."""

from __future__ import annotations

from collections.abc import Iterable
from email.utils import parsedate_to_datetime

from lakepact.conformance.checks.delta_sharing.api import (
    Exchange,
    Kind,
    Placed,
    expect,
    invariant,
    ndjson,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import KINDS

FILES = ("file", "add", "cdf", "remove")
CHANGED = ("add", "cdf", "remove")
MODES = frozenset({"url", "dir"})
#: milliseconds by which the clock that signs URLs may differ from that of the Date header
A_MINUTE = 60_000


def metadata(exchange: Exchange) -> list[Placed]:
    """Return the metaData lines of an answer in parquet format."""
    return list(ndjson.objects(ndjson.in_form(exchange, ndjson.PARQUET), "metaData"))


def files(exchange: Exchange, *kinds: str) -> list[Placed]:
    """Return the lines of files of an answer in parquet format."""
    return list(
        ndjson.objects(
            ndjson.in_form(exchange, ndjson.PARQUET, ndjson.QUERY, ndjson.CHANGES),
            *(kinds or FILES),
        )
    )


@invariant("DS-WRP-01", traffic=ndjson.TOUR)
def lines_have_one_wrapper(exchange: Exchange) -> bool:
    """Each line in parquet format has exactly one of the seven wrappers, from `protocol` to
    `endStreamAction`.
    """
    lines = ndjson.in_form(exchange, ndjson.PARQUET)
    for line in lines or ():
        members = ", ".join(map(str, line)) or "an empty object"
        expect.true(
            ndjson.kind_of(line) != "",
            f"one of {', '.join(KINDS)} on each line",
            members,
            at=line.place(),
        )
    return bool(lines)


@invariant("DS-PRO-01", traffic=ndjson.TOUR)
def reader_version_is_one(exchange: Exchange) -> bool:
    """The `minReaderVersion` of the protocol line in parquet format is 1."""
    protocols = list(ndjson.objects(ndjson.in_form(exchange, ndjson.PARQUET), "protocol"))
    for protocol in protocols:
        expect.equal(
            1,
            protocol.get("minReaderVersion"),
            "minReaderVersion",
            at=protocol.place("minReaderVersion"),
        )
    return bool(protocols)


# -- metaData --------------------------------------------------------------------------------------


@invariant("DS-MDT-02", traffic=ndjson.TOUR)
def names_and_descriptions_are_texts(exchange: Exchange) -> bool:
    """`name` and `description` in metaData, if present, are strings."""
    values = ndjson.members(metadata(exchange), "name", "description")
    for at, value in values:
        expect.true(
            isinstance(value, str),
            "a string as name or description in metaData",
            value,
            at=at,
            kind=Kind.TYPE,
        )
    return bool(values)


@invariant("DS-MDT-04", traffic=ndjson.TOUR)
def auxiliary_locations_of_metadata_are_texts(exchange: Exchange) -> bool:
    """`auxiliaryLocations` in metaData, if present, is an array of strings."""
    return locations_are_texts(metadata(exchange))


@invariant("DS-MDT-05", traffic=ndjson.TOUR)
def access_modes_of_metadata_are_known(exchange: Exchange) -> bool:
    """`accessModes` in metaData, if present, holds url, dir or both."""
    return check_access_modes(metadata(exchange))


@invariant("DS-MDT-06", traffic=ndjson.TOUR)
def format_is_an_object(exchange: Exchange) -> bool:
    """`format` in metaData is an object."""
    lines = metadata(exchange)
    for line in lines:
        ndjson.required(line, "format", dict, "metaData")
    return bool(lines)


@invariant("DS-FMT-01", traffic=ndjson.TOUR)
def provider_is_parquet(exchange: Exchange) -> bool:
    """The `provider` in the `format` of metaData is parquet."""
    formats = list(ndjson.objects(metadata(exchange), "format"))
    for one in formats:
        expect.equal("parquet", one.get("provider"), "provider", at=one.place("provider"))
    return bool(formats)


@invariant("DS-MDT-07", traffic=ndjson.TOUR)
def schema_string_is_json(exchange: Exchange) -> bool:
    """`schemaString` in metaData is a string that holds a JSON object."""
    lines = metadata(exchange)
    for line in lines:
        text = ndjson.required(line, "schemaString", str, "metaData")
        is_object = isinstance(ndjson.json_of(text), dict)
        expect.true(
            is_object,
            "a JSON object in the string schemaString",
            text[:200],
            at=line.place("schemaString"),
        )
    return bool(lines)


@invariant("DS-MDT-08", traffic=ndjson.TOUR)
def partition_columns_are_columns(exchange: Exchange) -> bool:
    """`partitionColumns` in metaData is an array of names of columns of the schema."""
    lines = metadata(exchange)
    for line in lines:
        names = ndjson.required(line, "partitionColumns", list, "metaData")
        at = line.place("partitionColumns")
        expect.true(ndjson.texts(names), "an array of strings as partitionColumns", names, at=at)
        schema = ndjson.json_of(line.get("schemaString"))
        fields = schema.get("fields") if isinstance(schema, dict) else None
        if isinstance(fields, list):
            columns = [str(field.get("name")) for field in fields if isinstance(field, dict)]
            # Names of columns are case-insensitive.
            there = {name.lower() for name in names} <= {name.lower() for name in columns}
            expect.true(
                there, f"partitionColumns among the columns {', '.join(columns)}", names, at=at
            )
    return bool(lines)


@invariant("DS-MDT-09", traffic=ndjson.TOUR)
def configuration_holds_texts(exchange: Exchange) -> bool:
    """`configuration` in metaData, if present, is an object whose values are strings."""
    values = ndjson.members(metadata(exchange), "configuration")
    for at, one in values:
        holds = isinstance(one, dict) and all(isinstance(v, str) for v in one.values())
        expect.true(
            holds, "a configuration that is an object of strings", one, at=at, kind=Kind.TYPE
        )
    return bool(values)


# -- files of a snapshot ---------------------------------------------------------------------------


@invariant("DS-FIL-04", traffic=ndjson.TOUR)
def partition_values_are_of_the_partition_columns(exchange: Exchange) -> bool:
    """The names in the `partitionValues` of each file are exactly the `partitionColumns` of the
    table.
    """
    file_lines, heads = files(exchange, "file"), metadata(exchange)
    if not file_lines or not heads or not ndjson.texts(heads[0].get("partitionColumns")):
        return False
    columns = sorted(heads[0]["partitionColumns"])
    for file in file_lines:
        values = ndjson.required(file, "partitionValues", dict, "a file")
        expect.equal(
            columns, sorted(values), "names in partitionValues", at=file.place("partitionValues")
        )
    return True


@invariant("DS-FIL-05", traffic=ndjson.TOUR)
def sizes_are_whole_numbers(exchange: Exchange) -> bool:
    """The `size` of each file is an integer of at least 0."""
    for file in files(exchange, "file"):
        size = ndjson.required(file, "size", int, "a file")
        expect.true(size >= 0, "a size of at least 0", size, at=file.place("size"))
    return False  # `files_are_read_without_a_token` checks that it is the right number.


@invariant("DS-FIL-06", traffic=ndjson.TOUR)
def stats_are_json(exchange: Exchange) -> bool:
    """The `stats` of a file, if present, are a string that holds a valid statistics object."""
    values = ndjson.members(files(exchange, "file"), "stats")
    for at, value in values:
        expect.true(isinstance(value, str), "a string as stats", value, at=at, kind=Kind.TYPE)
        document = ndjson.json_of(value)
        expect.true(
            isinstance(document, dict), "a JSON object in the string stats", value[:200], at=at
        )
        ndjson.fits("FileStatistics", document, at)
    return bool(values)


@invariant("DS-FIL-09", traffic=ndjson.TOUR)
def urls_expire_in_the_future(exchange: Exchange) -> bool:
    """The `expirationTimestamp` of a file, if present, is in milliseconds and after the response's
    Date.
    """
    return expire_later(exchange, files(exchange))


def locations_are_texts(lines: Iterable[Placed]) -> bool:
    """Check `auxiliaryLocations` of metaData in either format, and return whether there are any."""
    values = ndjson.members(lines, "auxiliaryLocations")
    for at, value in values:
        expect.true(ndjson.texts(value), "an array of strings as auxiliaryLocations", value, at=at)
    return bool(values)


def check_access_modes(lines: Iterable[Placed]) -> bool:
    """Check `accessModes` of metaData in either format, and return whether there are any."""
    values = ndjson.members(lines, "accessModes")
    for at, value in values:
        expect.true(
            ndjson.texts(value) and bool(value) and set(value) <= MODES,
            "accessModes with url, dir or both",
            value,
            at=at,
        )
    return bool(values)


def expire_later(exchange: Exchange, file_lines: Iterable[Placed]) -> bool:
    """Return whether files have an `expirationTimestamp`; each is in milliseconds and after the
    answer's `Date`.

    The client's clock is not used: it may differ from the server's, and exchanges may be judged
    later.

    Raises:
        Unmet: an `expirationTimestamp` is in another unit, or in the past.
    """
    date = _date_of(exchange)
    expirations = ndjson.members(file_lines, "expirationTimestamp")
    for at, when in expirations:
        expect.true(
            ndjson.is_whole(when) and when > ndjson.IN_MILLISECONDS,
            "an expirationTimestamp in milliseconds since 1970",
            when,
            at=at,
        )
        if date is not None:
            expect.true(
                when > date - A_MINUTE,
                "an expirationTimestamp after the Date of the answer",
                when,
                at=at,
            )
    return bool(expirations)


def _date_of(exchange: Exchange) -> int | None:
    """Return the `Date` of an answer in milliseconds; None if it has no valid one."""
    try:
        return int(parsedate_to_datetime(exchange.headers.get("date", "")).timestamp() * 1000)
    except ValueError:
        return None


# -- changed files ---------------------------------------------------------------------------------


def _fit(exchange: Exchange, kind: str, component: str) -> bool:
    lines = [
        line
        for line in ndjson.in_form(exchange, ndjson.PARQUET, ndjson.QUERY, ndjson.CHANGES) or ()
        if line.get(kind) is not None
    ]
    for line in lines:
        ndjson.fits(component, {kind: line[kind]}, line.place())
    return bool(lines)


@invariant("DS-ADD-01", traffic=ndjson.TOUR)
def added_files_are_described(exchange: Exchange) -> bool:
    """Each add line has `url`, `id`, `partitionValues`, `size`, `timestamp` and `version`."""
    return _fit(exchange, "add", "ParquetAddLine")


@invariant("DS-CDC-01", traffic=ndjson.TOUR)
def files_of_changes_are_described(exchange: Exchange) -> bool:
    """Each cdf line has `url`, `id`, `partitionValues`, `size`, `timestamp` and `version`."""
    return _fit(exchange, "cdf", "ParquetCdfLine")


@invariant("DS-REM-01", traffic=ndjson.TOUR)
def removed_files_are_described(exchange: Exchange) -> bool:
    """Each remove line has `url`, `id`, `partitionValues`, `size`, `timestamp` and `version`."""
    return _fit(exchange, "remove", "ParquetRemoveLine")


@invariant("DS-QRY-05", traffic=ndjson.TOUR)
def changes_have_version_and_timestamp(exchange: Exchange) -> bool:
    """Each line of a changed file has an integer `version` and `timestamp`."""
    file_lines = files(exchange, *CHANGED)
    for file in file_lines:
        for member in ("version", "timestamp"):
            ndjson.required(file, member, int, "a changed file")
    return bool(file_lines)
