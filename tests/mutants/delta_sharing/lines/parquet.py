"""Lines in parquet format that are not as they should be."""

from __future__ import annotations

from collections.abc import Callable

from lakepact.reference_server.faults import Install
from mutants.delta_sharing.operators import wrapped


def _metadata(edit: Callable[[wrapped.Document], object]) -> Install:
    return wrapped.on_wrapped("metaData", edit, form=wrapped.PARQUET)


def _on_changes(kind: str, edit: Callable[[wrapped.Document], object]) -> Install:
    return wrapped.on_wrapped(kind, edit, form=wrapped.PARQUET, of=(wrapped.QUERY, wrapped.CHANGES))


FAULTS = {
    "sizes-are-texts DS-FIL-05": wrapped.on_wrapped(
        "file", wrapped.rewrite("size", str), form=wrapped.PARQUET
    ),
    "protocol-and-metadata-on-one-line DS-WRP-01": wrapped.on_all(
        lambda lines: [{**lines[0], **lines[1]}, *lines[2:]], form=wrapped.PARQUET
    ),
    "files-are-not-wrapped DS-WRP-01": wrapped.on_all(
        lambda lines: [line.get("file", line) for line in lines], form=wrapped.PARQUET
    ),
    "kinds-of-lines-are-a-member DS-WRP-01": wrapped.on_all(
        lambda lines: [
            {"kind": kind, "content": content} for line in lines for kind, content in line.items()
        ],
        form=wrapped.PARQUET,
    ),
    "reader-version-of-the-log DS-PRO-01": wrapped.on_wrapped(
        "protocol", wrapped.write(minReaderVersion=3), form=wrapped.PARQUET
    ),
    "reader-version-is-a-text DS-PRO-01": wrapped.on_wrapped(
        "protocol", wrapped.write(minReaderVersion="1"), form=wrapped.PARQUET
    ),
    "no-reader-version DS-PRO-01": wrapped.on_wrapped(
        "protocol", wrapped.leave_out("minReaderVersion"), form=wrapped.PARQUET
    ),
    "tables-have-no-format DS-MDT-06": _metadata(wrapped.leave_out("format")),
    "format-is-a-text DS-MDT-06": _metadata(wrapped.write(format="parquet")),
    "provider-is-delta DS-FMT-01": _metadata(wrapped.write(format={"provider": "delta"})),
    "format-without-provider DS-FMT-01": _metadata(wrapped.write(format={})),
    "tables-have-no-schema DS-MDT-07": _metadata(wrapped.leave_out("schemaString")),
    "schema-is-sql DS-MDT-07": _metadata(wrapped.write(schemaString="id bigint, word string")),
    "no-partition-columns-where-there-are-none DS-MDT-08": _metadata(
        lambda m: m["partitionColumns"] or m.pop("partitionColumns")
    ),
    "partition-columns-are-not-in-the-schema DS-MDT-08": _metadata(
        wrapped.rewrite("partitionColumns", lambda names: [f"{name}_" for name in names])
    ),
    "partition-columns-are-objects DS-MDT-08": _metadata(
        wrapped.rewrite("partitionColumns", lambda names: [{"name": name} for name in names])
    ),
    "files-without-partition-values DS-FIL-04": wrapped.on_wrapped(
        "file", lambda f: f["partitionValues"] or f.pop("partitionValues"), form=wrapped.PARQUET
    ),
    "partition-values-of-elsewhere DS-FIL-04": wrapped.on_wrapped(
        "file", lambda file: file["partitionValues"].update(elsewhere="1"), form=wrapped.PARQUET
    ),
    "first-partition-value-alone DS-FIL-04": wrapped.on_wrapped(
        "file",
        lambda file: file.update(partitionValues=dict(list(file["partitionValues"].items())[:1])),
        form=wrapped.PARQUET,
    ),
    "times-of-changes-are-texts DS-ADD-01 DS-CDC-01 DS-REM-01 DS-QRY-05": wrapped.on_wrapped(
        ("add", "cdf", "remove"), wrapped.rewrite("timestamp", str), form=wrapped.PARQUET
    ),
    "removed-files-have-no-url DS-REM-01": _on_changes("remove", wrapped.leave_out("url")),
    **{
        f"{kind}-without-{member} {requirement}": _on_changes(kind, wrapped.leave_out(member))
        for kind, requirement in (
            ("add", "DS-ADD-01"),
            ("cdf", "DS-CDC-01"),
            ("remove", "DS-REM-01"),
        )
        for member in ("id", "size", "timestamp", "partitionValues")
    },
    **{
        f"{kind}-without-version {requirement} DS-QRY-05": _on_changes(
            kind, wrapped.leave_out("version")
        )
        for kind, requirement in (
            ("add", "DS-ADD-01"),
            ("cdf", "DS-CDC-01"),
            ("remove", "DS-REM-01"),
        )
    },
}
