"""What lines may say beyond what they have to: where it is said, it is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.conformance import expect
from lakepact.conformance.checks.delta_sharing.line_answers import DELTA, PARQUET, QUERY, form_of, objects
from lakepact.conformance.checks.delta_sharing.suite import check
from lakepact.conformance.checks.delta_sharing.times import EPOCH
from lakepact.conformance.checks.delta_sharing.tour import ASKED_FOR, Question, ask, version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lakepact.conformance.checks.delta_sharing.lab import SharingLab
    from lakepact.conformance.exchanges import Reply

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
def metadata_tells_the_truth(lab: SharingLab) -> None:
    """The version, the size and the number of files in metadata are those of the answer, where they are said."""
    for form, members in OF_METADATA.items():
        seen = list(_of_versions(lab, form))
        for member, requirement in members.items():
            said = [(metadata[member], truth[member], about) for about, metadata, truth in seen if metadata.get(member) is not None]
            if not said:
                lab.skip(requirement, f"no metaData in {form} format says {member}")
            for found, true, about in said:
                with lab.judge(requirement):
                    expect.equal(true, found, f"{about} {member}")


def _of_versions(lab: SharingLab, form: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Metadata of queries with time travel, and what it may truly say."""
    for name in TABLES:
        table = lab.fixture(name)
        for known in table.readable:
            sizes = [file["size"] for file in known.files]
            truth = {"version": known.version, "size": sum(sizes), "numFiles": len(sizes)}
            for hints in ({}, {"limitHint": 1}):  # which change the answer, and not the table
                body = {"version": known.version, **hints}
                reply = lab.send(QUERY, body=body, delta_sharing_capabilities=ASKED_FOR[form], **table.address)
                if reply.status == 200 and form_of(reply.lines) == form:
                    for metadata in objects(reply.lines, "metaData"):
                        yield f"for {body} of {name} in {form} format", metadata, truth


@check("DS-FIL-07", "DS-DFL-03")
def files_say_the_version_that_was_asked_for(lab: SharingLab) -> None:
    """The version of a file in an answer with time travel is the one that was asked for, where it is said."""
    table = lab.with_history()
    first = version(lab, table, EPOCH)
    for form, requirement in OF_VERSIONS.items():
        reply = ask(lab, table, Question(QUERY, "a query", {"body": {"version": first}}), ASKED_FOR[form])
        _say(lab, requirement, reply, form=form, member="version", truth=first)


@check("DS-FIL-08", "DS-DFL-04")
def files_say_the_time_of_the_version(lab: SharingLab) -> None:
    """The timestamp of a file in an answer with time travel is that of the version, where it is said."""
    table = lab.fixture("times")
    known = table.readable[0]
    for form, requirement in OF_TIMES.items():
        reply = lab.send(QUERY, body={"version": known.version}, delta_sharing_capabilities=ASKED_FOR[form], **table.address)
        _say(lab, requirement, reply, form=form, member="timestamp", truth=known.timestamp)


def _say(lab: SharingLab, requirement: str, reply: Reply, *, form: str, member: str, truth: Any) -> None:
    """What the files of an answer say is true."""
    answered = reply.status == 200 and form_of(reply.lines) == form
    values = [file[member] for file in objects(reply.lines if answered else (), "file") if file.get(member) is not None]
    if not values:
        lab.skip(requirement, f"no file in {form} format says its {member}")
    for value in values:
        with lab.judge(requirement):
            expect.equal(truth, value, member)
