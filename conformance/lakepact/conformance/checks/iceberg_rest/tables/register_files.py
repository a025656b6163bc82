"""Checks of registering files that are no table metadata; the harness puts them beside those of a
table.
"""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path

import orjson

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Members,
    Table,
    Wrong,
    check,
    expect,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.files import metadata_file
from lakepact.conformance.checks.iceberg_rest.kit.tables.registration import (
    left_behind,
    location_of,
    register,
)


def write_beside(lab: CatalogLab, table: Table, content: bytes) -> str:
    """Return the location of a new file beside the metadata file of a table.

    Raises:
        NotOffered: the harness does not share the files of the target.
        Blocked: it cannot write there.
    """
    name = f"00009-{uuid.uuid4()}.metadata.json"
    file = metadata_file(lab, table).beside(name)
    file.write(content)
    lab.add_cleanup(file.remove)
    return f"{location_of(table).rpartition('/')[0]}/{name}"


def lacking(metadata: Members, member: str) -> Document:
    """Table metadata without one member."""
    return {key: value for key, value in metadata.items() if key != member}


def no_metadata(metadata: Members) -> dict[str, bytes]:
    """Return invalid metadata files by their defect; `metadata` is that of a table."""
    documents: Document = {
        "an empty object": {},
        "an empty list": [],
        "null": None,
        "a text": "metadata",
        "an object of something else": {"namespace": ["a"], "properties": {}},
        "metadata in a list": [metadata],
        "a format version of the future": {**metadata, "format-version": 99},
        "a format version that is a text": {**metadata, "format-version": "two"},
        "a UUID that is a number": {**metadata, "table-uuid": 7},
        "schemas that are an object": {**metadata, "schemas": {}},
        "no schema with the id of the current one": {**metadata, "current-schema-id": 999},
        **{
            f"no {member}": lacking(metadata, member)
            for member in ("format-version", "table-uuid", "location", "schemas")
        },
    }
    whole = orjson.dumps(metadata)
    return {
        "nothing": b"",
        "no JSON": b"PAR1 this is not table metadata PAR1",
        "the first half of it": whole[: len(whole) // 2],
        **{wrong: orjson.dumps(document) for wrong, document in documents.items()},
    }


@check("IRC-TBL-REG-011")
def invalid_metadata_files_return_400(lab: CatalogLab) -> None:
    """Registering a file without valid table metadata returns 400."""
    table = lab.make_table()
    last = lab.load(table)
    metadata = orjson.loads(metadata_file(lab, last).read())
    control = register(
        lab,
        table.namespace,
        lab.name(),
        write_beside(lab, left_behind(lab, table), orjson.dumps(metadata)),
    )
    lab.require(control, 200)

    for wrong, content in lab.each(no_metadata(metadata).items()):
        reply = register(lab, table.namespace, lab.name(), write_beside(lab, last, content))
        with lab.judge("IRC-TBL-REG-011"):
            expect.status(
                reply,
                400,
                about=f"for a file that holds {wrong}",
                mutation=Wrong.VALUE("metadata file"),
            )


@check("IRC-TBL-REG-013")
def files_outside_the_storage_return_400_or_403(lab: CatalogLab) -> None:
    """Registering a metadata file outside the server's storage returns 400 or 403."""
    table = lab.make_table()
    content = metadata_file(lab, table).read()
    last = left_behind(lab, table)
    with tempfile.TemporaryDirectory(prefix="lakepact-elsewhere-") as folder:
        elsewhere = Path(folder, "00000-elsewhere.metadata.json")
        elsewhere.write_bytes(content)
        inside = location_of(last).rpartition("/")[0]
        locations = (
            elsewhere.as_uri(),
            f"{inside}/{'../' * 12}{elsewhere.as_posix().lstrip('/')}",
            f"s3://{lab.name()}/00000.metadata.json",
        )
        for location in lab.each(locations):
            reply = register(lab, table.namespace, lab.name(), location)
            with lab.judge("IRC-TBL-REG-013"):
                expect.status(
                    reply,
                    400,
                    403,
                    about=f"for {location}",
                    mutation=Wrong.VALUE("/metadata-location"),
                )
