"""Lines in parquet format that are not as they should be."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.reference_server.faults import Install
from mutants.delta_sharing.operators.wrapped import (
    CHANGES,
    PARQUET,
    QUERY,
    Document,
    leave_out,
    on_all,
    on_wrapped,
    rewrite,
    write,
)


def _metadata(edit: Callable[[Document], object]) -> Install:
    return on_wrapped("metaData", edit, form=PARQUET)


def _on_changes(kind: str, edit: Callable[[Document], object]) -> Install:
    return on_wrapped(kind, edit, form=PARQUET, of=(QUERY, CHANGES))


FAULTS = {
    "sizes-are-texts DS-FIL-05": on_wrapped("file", rewrite("size", str), form=PARQUET),
    "protocol-and-metadata-on-one-line DS-WRP-01": on_all(lambda lines: [{**lines[0], **lines[1]}, *lines[2:]], form=PARQUET),
    "files-are-not-wrapped DS-WRP-01": on_all(lambda lines: [line.get("file", line) for line in lines], form=PARQUET),
    "kinds-of-lines-are-a-member DS-WRP-01": on_all(
        lambda lines: [{"kind": kind, "content": content} for line in lines for kind, content in line.items()], form=PARQUET
    ),
    "reader-version-of-the-log DS-PRO-01": on_wrapped("protocol", write(minReaderVersion=3), form=PARQUET),
    "reader-version-is-a-text DS-PRO-01": on_wrapped("protocol", write(minReaderVersion="1"), form=PARQUET),
    "no-reader-version DS-PRO-01": on_wrapped("protocol", leave_out("minReaderVersion"), form=PARQUET),
    "tables-have-no-format DS-MDT-06": _metadata(leave_out("format")),
    "format-is-a-text DS-MDT-06": _metadata(write(format="parquet")),
    "provider-is-delta DS-FMT-01": _metadata(write(format={"provider": "delta"})),
    "format-without-provider DS-FMT-01": _metadata(write(format={})),
    "tables-have-no-schema DS-MDT-07": _metadata(leave_out("schemaString")),
    "schema-is-sql DS-MDT-07": _metadata(write(schemaString="id bigint, word string")),
    "no-partition-columns-where-there-are-none DS-MDT-08": _metadata(lambda m: m["partitionColumns"] or m.pop("partitionColumns")),
    "partition-columns-are-not-in-the-schema DS-MDT-08": _metadata(
        rewrite("partitionColumns", lambda names: [f"{name}_" for name in names])
    ),
    "partition-columns-are-objects DS-MDT-08": _metadata(rewrite("partitionColumns", lambda names: [{"name": name} for name in names])),
    "files-without-partition-values DS-FIL-04": on_wrapped(
        "file", lambda f: f["partitionValues"] or f.pop("partitionValues"), form=PARQUET
    ),
    "partition-values-of-elsewhere DS-FIL-04": on_wrapped("file", lambda file: file["partitionValues"].update(elsewhere="1"), form=PARQUET),
    "first-partition-value-alone DS-FIL-04": on_wrapped(
        "file", lambda file: file.update(partitionValues=dict(list(file["partitionValues"].items())[:1])), form=PARQUET
    ),
    "times-of-changes-are-texts DS-ADD-01 DS-CDC-01 DS-REM-01 DS-QRY-05": on_wrapped(
        ("add", "cdf", "remove"), rewrite("timestamp", str), form=PARQUET
    ),
    "removed-files-have-no-url DS-REM-01": _on_changes("remove", leave_out("url")),
    **{
        f"{kind}-without-{member} {requirement}": _on_changes(kind, leave_out(member))
        for kind, requirement in (("add", "DS-ADD-01"), ("cdf", "DS-CDC-01"), ("remove", "DS-REM-01"))
        for member in ("id", "size", "timestamp", "partitionValues")
    },
    **{
        f"{kind}-without-version {requirement} DS-QRY-05": _on_changes(kind, leave_out("version"))
        for kind, requirement in (("add", "DS-ADD-01"), ("cdf", "DS-CDC-01"), ("remove", "DS-REM-01"))
    },
}
