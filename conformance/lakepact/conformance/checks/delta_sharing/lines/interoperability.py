"""Requirements of official clients beyond the text of the protocol."""

from __future__ import annotations

from collections.abc import Iterator

from lakepact.conformance.checks.delta_sharing.api import (
    Blocked,
    Exchange,
    NotOffered,
    Placed,
    Reply,
    SharingLab,
    check,
    expect,
    invariant,
    ndjson,
    reading,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.fixtures.manifest import PackTable

WITH_NULLS = ("partitioned", "partition_types")
LAID_OUT = (
    "times_in_commit",
    "checkpoint_v2",
    "checkpoint_v2_json",
)  #: tables whose log has an unusual layout

#: Characters other than the newline at which clients break lines.
BREAKS = ("\u2028", "\u2029", "\x85")

#: Features, and prefixes of settings, of the layout of the provider's log, in lower case.
LAYOUT_FEATURES = frozenset(
    {
        "v2checkpoint",
        "incommittimestamp",
        "vacuumprotocolcheck",
        "checkpointprotection",
        "catalogmanaged",
        "catalogowned",
    }
)
LAYOUT_SETTINGS = (
    "delta.enableincommittimestamps",
    "delta.incommittimestamp",
    "delta.checkpointpolicy",
    "delta.feature.v2checkpoint",
    "delta.feature.incommit",
)

#: Reader features that concern files: exactly those that the Python connector names.
OF_FILES = "deletionvectors,columnmapping,timestampntz"


def query(lab: SharingLab, table: PackTable, header: str) -> Reply:
    """Return the answer to a query of a table of the pack."""
    return lab.send(ndjson.QUERY, body={}, delta_sharing_capabilities=header, **table.address)


@check("DS-DF-02")
def null_partition_values_are_json_null(lab: SharingLab) -> None:
    """A null partition value is JSON `null` in both formats, not an empty string."""
    for name in lab.each(WITH_NULLS):
        table = lab.fixture(name)
        for form in lab.each(reading.formats(lab, table)):
            reply = lab.require(query(lab, table, ONE_FORMAT[form]), 200)
            if not any(ndjson.objects(reply.lines, "file")):
                raise Blocked(f"the answer about {name} has no file")
            with lab.judge("DS-DF-02"):
                values = [
                    (of_file.place(column), value)
                    for of_file in _partition_values(reply)
                    for column, value in of_file.items()
                ]
                empty = [at for at, value in values if value == ""]
                about = f"the null partition values of {name} in {form} format as null"
                actual = f"{len(empty)} of {len(values)} values are the empty string"
                expect.true(not empty, about, actual, at=empty[0] if empty else None)
                has_null = any(value is None for _, value in values)
                expect.true(
                    has_null, about, f"none of {len(values)} values is null", at=reply.place()
                )


def _partition_values(reply: Reply) -> Iterator[Placed]:
    for file in ndjson.objects(reply.lines, "file"):
        action = ndjson.action_of(file)[1] if "deltaSingleAction" in file else file
        values = action.get("partitionValues")
        if isinstance(values, Placed):
            yield values


@invariant("DS-DF-03", traffic=("lines.interoperability.line_separators_are_escaped",))
def responses_have_no_raw_line_separators(exchange: Exchange) -> bool:
    """Responses in lines contain U+2028, U+2029 and U+0085 only as JSON escapes."""
    if not ndjson.lines_of(exchange):
        return False
    text = exchange.body.decode("utf-8", "replace")
    separators = [f"U+{ord(character):04X}" for character in BREAKS if character in text]
    expect.true(
        not separators,
        "none of U+2028, U+2029 and U+0085, unless escaped",
        ", ".join(separators),
        at=Reply(exchange).place(),
    )
    return True


@check("DS-DF-03")
def line_separators_are_escaped(lab: SharingLab) -> None:
    """Responses for tables with U+2028, U+2029 or U+0085 in names and statistics contain them only
    as JSON escapes.
    """
    has_answer = False
    for table in lab.each(lab.manifest.tables.values()):
        reply = query(lab, table, f"responseformat=delta,parquet;readerfeatures={OF_FILES}")
        if ndjson.lines_of(reply.exchange):
            has_answer = True
            with lab.judge("DS-DF-03"):
                responses_have_no_raw_line_separators(reply.exchange)
    if not has_answer:
        raise NotOffered("no table of the pack is answered")


@check("DS-DF-18")
def log_layout_is_not_exposed(lab: SharingLab) -> None:
    """A wrapped `protocol` and `metaData` name no reader or writer feature and no setting of the
    provider's log layout.
    """
    for name in lab.each(LAID_OUT):
        reply = query(lab, lab.fixture(name), ONE_FORMAT[ndjson.DELTA])
        if reply.status != 200 or ndjson.form_of(reply.lines) != ndjson.DELTA:
            lab.skip("DS-DF-18", f"{name} is not answered in delta format")
            continue
        with lab.judge_each("DS-DF-18") as case:
            for protocol in ndjson.objects(reply.lines, "protocol"):
                with case():
                    inner = protocol.get("deltaProtocol") or {}
                    features = [
                        *(inner.get("readerFeatures") or ()),
                        *(inner.get("writerFeatures") or ()),
                    ]
                    layout = [
                        f
                        for f in features
                        if str(f).lower().removesuffix("-preview") in LAYOUT_FEATURES
                    ]
                    at = protocol.place("deltaProtocol")
                    expect.equal(
                        [],
                        layout,
                        f"features of {name} that concern only the layout of the log:",
                        at=at,
                    )
            for metadata in ndjson.objects(reply.lines, "metaData"):
                with case():
                    settings = (metadata.get("deltaMetadata") or {}).get("configuration") or {}
                    layout = [
                        key for key in settings if str(key).lower().startswith(LAYOUT_SETTINGS)
                    ]
                    at = metadata.place("deltaMetadata", "configuration", *layout[:1])
                    expect.equal(
                        [],
                        layout,
                        f"settings of {name} that concern only the layout of the log:",
                        at=at,
                    )


@check("DS-DF-19")
def log_features_are_not_required(lab: SharingLab) -> None:
    """A query that names only the reader features of a table's files returns 200, where one that
    names all features does.
    """
    with lab.judge_each("DS-DF-19", without="no table with reader features is answered") as case:
        for table in lab.manifest.tables.values():
            by_url = not table.access_modes or "url" in table.access_modes
            unusual = by_url and (table.name in LAID_OUT or table.features)
            if unusual and query(lab, table, ONE_FORMAT[ndjson.DELTA]).status == 200:
                with case():
                    header = f"responseformat=delta;readerfeatures={','.join(sorted(table.features)).lower() or OF_FILES}"
                    expect.status(
                        query(lab, table, header), 200, about=f"for {table.name} and `{header}`"
                    )
