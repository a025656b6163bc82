"""Delta format: a Delta reader reads a log of the wrapped actions with exactly the rows of the
table.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Members,
    SharingLab,
    Unmet,
    check,
    expect,
    op,
    reading,
    target_tables,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.evidence.arrow import pa
from lakepact.conformance.rows import comparison, data_files, deletion_vectors
from lakepact.conformance.rows.lines import Answer, SharedFile

#: Tables whose log has an unusual layout; DS-DF-18 checks whether the answer names it.
LAID_OUT = frozenset({"times_in_commit", "checkpoint_v2", "checkpoint_v2_json"})

UNREADABLE = "typeWidening"  #: a reader feature that the engine lacks

#: Plain tables with equivalent content, left out because each replay takes time.
EQUIVALENT = ("times", "checkpoint_", "changes_", "streamed", "url_and_dir")

#: Tables whose log also starts with separately requested metadata: partitions, and mapped column
#: names.
BY_ITSELF = ("partitioned", "column_mapping_name")


@check("DS-DWP-02")
def delta_readers_read_the_actions(lab: SharingLab) -> None:
    """An independent Delta engine reads the wrapped actions of a query as a log with exactly the
    rows of the table.
    """
    for table in lab.each(target_tables.readable(lab, reading.DELTA)):
        if (
            table.name in LAID_OUT
            or UNREADABLE in table.features
            or (not table.features and table.name.startswith(EQUIVALENT))
        ):
            continue
        reply = reading.query(lab, table, form=reading.DELTA)
        if 400 <= reply.status < 500:
            lab.skip("DS-DWP-02", f"{table.name} is refused in delta format")
            continue
        with lab.judge("DS-DWP-02"):
            answer = reading.parse(reply, f"for {table.name} in delta format")
            expect.equal(
                reading.DELTA,
                answer.format,
                f"for {table.name} the format",
                at=reply.place(0, "protocol"),
            )
            with tempfile.TemporaryDirectory(prefix="lakepact-") as folder:
                comparison.same(
                    table.last.rows.to_pylist(),
                    replay(answer, reading.downloads(lab).fetch, Path(folder)),
                    f"the rows of {table.name}",
                )


@check("DS-DWP-02")
def metadata_and_files_make_a_log(lab: SharingLab) -> None:
    """A log of the protocol and metadata from getTableMetadata and the files of a query has exactly
    the rows of the table.
    """
    for name in lab.each(BY_ITSELF):
        table = lab.fixture(name)
        header = ONE_FORMAT[reading.DELTA]
        metadata = lab.send(
            op.get_table_metadata, delta_sharing_capabilities=header, **table.address
        )
        query = reading.query(lab, table, form=reading.DELTA)
        if metadata.status != 200 or query.status != 200:
            lab.skip("DS-DWP-02", f"{name} is refused in delta format")
            continue
        with lab.judge("DS-DWP-02"):
            head, files = reading.parse(metadata), reading.parse(query)
            expect.equal(
                reading.DELTA,
                head.format,
                f"for metadata of {name} the format",
                at=metadata.place(0, "protocol"),
            )
            with tempfile.TemporaryDirectory(prefix="lakepact-") as folder:
                answer = replace(files, protocol=head.protocol, metadata=head.metadata)
                what = f"the rows of {name}, whose log begins with the answer to getTableMetadata"
                rows = replay(answer, reading.downloads(lab).fetch, Path(folder))
                comparison.same(table.last.rows.to_pylist(), rows, what)


def replay(
    answer: Answer, fetch: Callable[[SharedFile, str], bytes], folder: Path
) -> list[Document]:
    """Return the rows that deltalake reads from a log of the actions of an answer.

    Args:
        answer: an answer in delta format.
        fetch: returns the content of a URL of a file.
        folder: an empty folder for the log and the files.

    Raises:
        Unmet: deltalake cannot read the log, or the suite cannot read a file.
    """
    import deltalake  # noqa: PLC0415 - suites are listed without it

    actions: list[Document] = [{"protocol": answer.protocol}, {"metaData": answer.metadata}]
    actions += [{"add": _local(folder, file, partial(fetch, file))} for file in answer.files]
    log = folder / "_delta_log"
    log.mkdir()
    (log / f"{0:020d}.json").write_bytes(
        b"".join(orjson.dumps(action) + b"\n" for action in actions)
    )
    try:
        table = deltalake.DeltaTable(folder)
        batches = (
            deltalake.QueryBuilder().register("t", table).execute("select * from t").read_all()
        )
    except Exception as error:  # The engine has many types of errors.
        raise Unmet(
            "a log that a Delta reader can read",
            f"{type(error).__name__}: {error}"[:300],
        ) from error
    rows: list[Document] = pa.table(batches).to_pylist()
    return rows


def _local(folder: Path, file: SharedFile, fetch: Callable[[str], bytes]) -> Document:
    """Return the action of a file that is downloaded to the folder.

    The engine has no limits and resolves paths: it gets files that the suite could read, by names
    of the suite.

    Raises:
        Unmet: the suite cannot read the file or its deletion vector.
    """
    action = dict(file.line["deltaSingleAction"]["add"])
    name, content = f"{uuid.uuid4()}.parquet", fetch(file.url)
    count = data_files.stored_table(content).num_rows
    (folder / name).write_bytes(content)
    action["path"] = name
    action["partitionValues"] = {
        column: value or None for column, value in action["partitionValues"].items()
    }  # D-05: an empty string is a null
    if vector := file.vector:
        rows = deletion_vectors.rows_of_vector(vector, fetch)
        if rows and rows.max() >= count:
            raise Unmet(f"a deletion vector of {count} rows", f"row {rows.max()} in it")
        if vector["storageType"] == "p":
            stored = folder / f"deletion_vector_{uuid.uuid4()}.bin"
            stored.write_bytes(fetch(vector["pathOrInlineDv"]))
            action["deletionVector"] = {**vector, "pathOrInlineDv": stored.as_uri()}
    return action


@check("DS-DFL-07")
def deletion_vectors_can_be_read(lab: SharingLab) -> None:
    """The deletion vectors of a table have their cardinality and size; stored ones can be read by
    URL, inline ones equal the log's.
    """
    for name in lab.each(("deletion_vectors", "column_mapping_deletion_vectors")):
        table = lab.fixture(name)
        reply = reading.query(lab, table, form=reading.DELTA)
        if 400 <= reply.status < 500:
            lab.skip("DS-DFL-07", f"{name} is refused")
            continue
        with lab.judge("DS-DFL-07"):
            answer = reading.parse(reply, f"for {name} in delta format")
            expected = [
                file["deletion_vector"] for file in table.last.files if "deletion_vector" in file
            ]
            actual = [file.vector for file in answer.files if file.vector]
            expect.equal(
                _measures(expected),
                _measures(actual),
                f"cardinality and size of the deletion vectors of {name}",
                at=reply.place(),
            )
            inline = sorted(
                vector["pathOrInlineDv"] for vector in expected if vector["storageType"] == "i"
            )
            actual_inline = sorted(
                str(v.get("pathOrInlineDv")) for v in actual if v.get("storageType") == "i"
            )
            expect.equal(inline, actual_inline, "inline vectors", at=reply.place())
            for file in answer.files:
                if file.vector:
                    deletion_vectors.rows_of_vector(
                        file.vector, partial(reading.downloads(lab).fetch, file)
                    )


def _measures(vectors: list[Members]) -> list[Any]:
    return sorted([vector.get("cardinality"), vector.get("sizeInBytes")] for vector in vectors)
