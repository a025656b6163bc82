"""Optional members of lines: if present, they are correct."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Placed,
    Reply,
    SharingLab,
    check,
    expect,
    times,
)
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.lines import (
    DELTA,
    METADATA,
    PARQUET,
    QUERY,
    form_of,
    members,
    objects,
)
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    Question,
    ask,
    version,
)
from lakepact.conformance.fixtures.manifest import PackVersion

#: Tables of the pack that are enough.
TABLES = ("partitioned", "emptied", "changes", "times")

#: Requirement for each member, by format.
OF_METADATA = {
    PARQUET: {"version": "DS-MDT-10", "size": "DS-MDT-11", "numFiles": "DS-MDT-12"},
    DELTA: {"version": "DS-DMD-02", "size": "DS-DMD-03", "numFiles": "DS-DMD-04"},
}
OF_VERSIONS = {PARQUET: "DS-FIL-07", DELTA: "DS-DFL-03"}
OF_TIMES = {PARQUET: "DS-FIL-08", DELTA: "DS-DFL-04"}


@check(*(requirement for members in OF_METADATA.values() for requirement in members.values()))
def metadata_counts_match_the_response(lab: SharingLab) -> None:
    """`version`, `size` and `numFiles` in metaData, if present, are those of the returned version
    of the table.
    """
    for form, requirements in lab.each(OF_METADATA.items()):
        answers = list(_of_versions(lab, form))
        for member, requirement in lab.each(requirements.items()):
            present = [
                (metadata, truth[member], about)
                for about, metadata, truth in answers
                if metadata.get(member) is not None
            ]
            if not present:
                lab.skip(requirement, f"no metaData in {form} format has {member}")
            for metadata, true, about in lab.each(present):
                with lab.judge(requirement):
                    expect.equal(
                        true, metadata[member], f"{about} {member}", at=metadata.place(member)
                    )


def _of_versions(lab: SharingLab, form: str) -> Iterator[tuple[str, Placed, Document]]:
    """Yield the metaData of queries and metadata requests as of each version, with the correct
    values of its optional members.
    """
    for name in TABLES:
        table = lab.fixture(name)
        for pack_version in table.readable:
            at = {"version": pack_version.version}
            # A limit changes the files of the answer, not the metaData.
            with_limit = [{**at, "limitHint": 1}] if pack_version is table.last else []
            for body in (at, *with_limit):
                reply = lab.send(
                    QUERY, body=body, delta_sharing_capabilities=ONE_FORMAT[form], **table.address
                )
                yield from _metadata_of(
                    reply,
                    form,
                    f"for {expect.excerpt(body)} of {name} in {form} format",
                    _truth(pack_version),
                )
            # A server may ignore `version`; the header of the answer names the returned one.
            reply = lab.send(
                METADATA,
                delta_sharing_capabilities=ONE_FORMAT[form],
                version=pack_version.version,
                **table.address,
            )
            truths = {str(v.version): _truth(v) for v in table.versions}
            truth = truths.get(reply.headers.get("delta-table-version", ""))
            if truth is not None:
                yield from _metadata_of(
                    reply,
                    form,
                    f"for metadata of {name} with version={pack_version.version} in {form} format",
                    truth,
                )


def _truth(pack_version: PackVersion) -> Document:
    """Return the correct values of the optional members of metaData."""
    sizes = [file["size"] for file in pack_version.files]
    return {"version": pack_version.version, "size": sum(sizes), "numFiles": len(sizes)}


def _metadata_of(
    reply: Reply, form: str, about: str, truth: Document
) -> Iterator[tuple[str, Placed, Document]]:
    """Yield the metaData of an answer in a format, with its correct values."""
    if reply.status == 200 and form_of(reply.lines) == form:
        yield from ((about, metadata, truth) for metadata in objects(reply.lines, "metaData"))


@check("DS-FIL-07", "DS-DFL-03")
def files_have_the_requested_version(lab: SharingLab) -> None:
    """The `version` of each file in a response to a query with `version`, if present, is that
    version.
    """
    table = lab.with_history()
    first = version(lab, table, times.EPOCH)
    for form, requirement in lab.each(OF_VERSIONS.items()):
        reply = ask(
            lab, table, Question(QUERY, "a query", {"body": {"version": first}}), ONE_FORMAT[form]
        )
        _files_have(lab, requirement, reply, form=form, member="version", truth=first)


@check("DS-FIL-08", "DS-DFL-04")
def files_have_the_timestamp_of_the_version(lab: SharingLab) -> None:
    """The `timestamp` of each file in a response to a query with `version`, if present, is the time
    of that version.
    """
    table = lab.fixture("times")
    pack_version = table.readable[0]
    for form, requirement in lab.each(OF_TIMES.items()):
        reply = lab.send(
            QUERY,
            body={"version": pack_version.version},
            delta_sharing_capabilities=ONE_FORMAT[form],
            **table.address,
        )
        _files_have(
            lab, requirement, reply, form=form, member="timestamp", truth=pack_version.timestamp
        )


def _files_have(
    lab: SharingLab, requirement: str, reply: Reply, *, form: str, member: str, truth: Any
) -> None:
    """Check an optional member of file lines."""
    has_lines = reply.status == 200 and form_of(reply.lines) == form
    values = members(objects(reply.lines if has_lines else (), "file"), member)
    if not values:
        lab.skip(requirement, f"no file in {form} format has `{member}`")
    for at, value in lab.each(values):
        with lab.judge(requirement):
            expect.equal(truth, value, member, at=at)
