"""Ids of files: each file has one id in every answer, and no other file has it."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from lakepact.conformance.checks.delta_sharing.api import (
    Document,
    Members,
    NotOffered,
    Reply,
    SharedTable,
    SharingLab,
    check,
    expect,
    op,
    target_tables,
)
from lakepact.conformance.checks.delta_sharing.kit.answers import version_of
from lakepact.conformance.checks.delta_sharing.kit.catalog import ONE_FORMAT
from lakepact.conformance.checks.delta_sharing.kit.lines import (
    DELTA,
    PARQUET,
    QUERY,
    form_of,
    objects,
    required,
)
from lakepact.conformance.checks.delta_sharing.kit.table_sampling import (
    Question,
    ask,
    by_url,
)
from lakepact.conformance.checks.delta_sharing.queries.changes import PLAIN

#: a table of the pack whose current version has the files of each earlier one
APPENDED = "streamed"
#: Tables of the pack without compactions, so that the answer has an add line for each removed file.
WITH_REMOVALS = ("emptied", "changes_partitioned", "partitioned")


def _query(lab: SharingLab, table: SharedTable, form: str, body: Document) -> Reply:
    return ask(lab, table, Question(QUERY, "a query", {"body": body}), ONE_FORMAT[form])


def _ids(reply: Reply) -> list[str]:
    return sorted(required(file, "id", str, "a file") for file in objects(reply.lines, "file"))


def _expect_stable_ids(lab: SharingLab, requirement: str, form: str) -> None:
    """Expect the same ids in repeated answers in a format, each of them once."""
    is_judged = False
    for table in lab.each(by_url(lab)):
        first, again = (_query(lab, table, form, {}) for _ in range(2))
        if (
            first.status != 200
            or again.status != 200
            or form_of(first.lines) != form
            or version_of(first) != version_of(again)
        ):
            continue
        if not _ids(first) and not _ids(again):
            continue  # Without files there is nothing to judge.
        is_judged = True
        with lab.judge(requirement):
            twice = [i for i, count in Counter(_ids(first)).items() if count > 1]
            expect.equal([], twice, f"ids of several files of {table.name}:", at=first.place())
            _expect_same_ids(first, again, f"ids of {table.name} in a second answer")
            earlier = _query(lab, table, form, {"version": version_of(first)})
            if earlier.status == 200 and version_of(earlier) == version_of(first):
                _expect_same_ids(first, earlier, f"ids of {table.name} as of its version")
    if not is_judged:
        raise NotOffered(f"no table is answered in {form} format")


def _expect_same_ids(first: Reply, again: Reply, what: str) -> None:
    differ = set(_ids(first)) ^ set(_ids(again))
    expect.true(
        not differ,
        f"the same {what}",
        f"{len(differ)} ids that only one of the two answers has",
        at=again.place(),
    )


@check("DS-FIL-03")
def file_ids_are_stable_in_parquet_format(lab: SharingLab) -> None:
    """In parquet format a file has the same unique `id` in repeated queries."""
    _expect_stable_ids(lab, "DS-FIL-03", PARQUET)


@check("DS-DFL-01")
def file_ids_are_stable_in_delta_format(lab: SharingLab) -> None:
    """In delta format a file has the same unique `id` in repeated queries."""
    _expect_stable_ids(lab, "DS-DFL-01", DELTA)


#: The requirements that a file has one id, by format.
SAME_IDS = ("DS-FIL-03", "DS-DFL-01")

#: Other requests for the files of a table.
OTHER_QUERIES: tuple[tuple[str, Document], ...] = (
    ("with predicateHints", {"predicateHints": ["1 = 1"]}),
    ("with limitHint", {"limitHint": 2**31 - 1}),
    ("since the first version", {"startingVersion": 0}),
)


@check("DS-FIL-03", "DS-DFL-01")
def file_ids_do_not_depend_on_the_query(lab: SharingLab) -> None:
    """A file has the same `id` in plain queries, in queries with hints, and as an added file since
    the first version.
    """
    for form, requirement in lab.each(((PARQUET, "DS-FIL-03"), (DELTA, "DS-DFL-01"))):
        for table in lab.each(by_url(lab)):
            plain = _query(lab, table, form, {})
            if plain.status != 200 or form_of(plain.lines) != form or not _ids(plain):
                continue
            for what, body in lab.each(OTHER_QUERIES):
                other = _query(lab, table, form, body)
                if other.status != 200 or (
                    version_of(other) != version_of(plain) and "startingVersion" not in body
                ):
                    continue  # Refused, which other requirements check, or changed in between.
                with lab.judge(requirement):
                    plain_ids, other_ids = (
                        _unique_ids(reply, by_place="startingVersion" in body)
                        for reply in (plain, other)
                    )
                    stray = [
                        what
                        for what in plain_ids.keys() & other_ids.keys()
                        if plain_ids[what] != other_ids[what]
                    ]
                    expected = (
                        f"the ids of {table.name} {what} in {form} format to be those without"
                    )
                    expect.true(
                        not stray, expected, f"other ids for {len(stray)} files", at=other.place()
                    )
        if not any(verdict.requirement == requirement for verdict in lab.verdicts):
            lab.skip(
                requirement, f"no table is answered in {form} format with hints or startingVersion"
            )


@check("DS-FIL-03", "DS-DFL-01")
def file_ids_do_not_depend_on_the_version(lab: SharingLab) -> None:
    """A file has the same `id` in queries of every version."""
    table = lab.fixture(APPENDED)
    for form, requirement in lab.each(((PARQUET, "DS-FIL-03"), (DELTA, "DS-DFL-01"))):
        common: Document = {"delta_sharing_capabilities": ONE_FORMAT[form], **table.address}
        now = lab.send(QUERY, body={}, **common)
        for version in lab.each(
            table.readable[:-1:2] if now.status == 200 and form_of(now.lines) == form else ()
        ):
            then = lab.send(QUERY, body={"version": version.version}, **common)
            if then.status == 200 and form_of(then.lines) == form and _ids(then):
                with lab.judge(requirement):
                    others = set(_ids(then)) - set(_ids(now))
                    what = (
                        f"the ids of {table.name} as of version {version.version} among those of"
                        f" the current one in {form} format"
                    )
                    expect.true(
                        not others, what, f"others for {len(others)} files", at=then.place()
                    )
        if not any(verdict.requirement == requirement for verdict in lab.verdicts):
            lab.skip(requirement, f"no earlier version is answered in {form} format")


@check("DS-FIL-03", "DS-DFL-01")
def changed_files_keep_their_ids(lab: SharingLab) -> None:
    """An added file has the same `id` in changes and in queries with `startingVersion`."""
    table = target_tables.with_changes(lab).table
    for form, requirement in lab.each(((PARQUET, "DS-FIL-03"), (DELTA, "DS-DFL-01"))):
        query = lab.send(
            QUERY,
            body={"startingVersion": 0},
            delta_sharing_capabilities=ONE_FORMAT[form],
            **table.address,
        )
        changes = lab.send(
            op.query_table_changes,
            starting_version=0,
            delta_sharing_capabilities=ONE_FORMAT[form],
            **table.address,
        )
        query_ids, change_ids = (
            _unique_ids(reply, by_place=True) if reply.status == 200 else {}
            for reply in (query, changes)
        )
        both = query_ids.keys() & change_ids.keys()
        if not both:
            lab.skip(
                requirement, "no file was found both among the changes and among the added files"
            )
            continue
        with lab.judge(requirement):
            stray = [what for what in both if query_ids[what] != change_ids[what]]
            what = f"the ids of files that were added to be the same in changes in {form} format"
            expect.true(not stray, what, f"others for {len(stray)}", at=changes.place())


def _unique_ids(reply: Reply, *, by_place: bool) -> dict[Any, str]:
    """Return the ids of the added files of an answer whose size no other file has.

    With `by_place`, files are identified by size and the path of their URL: among files of several
    versions, a compacted file may have the size of its predecessor.
    """
    ids_by_file: dict[Any, list[str]] = {}
    for kind in ("file", "add"):
        for file in objects(reply.lines, kind):
            single = file.get("deltaSingleAction")
            action = single.get("add") if isinstance(single, dict) else file
            if isinstance(action, dict):
                place = (
                    urlsplit(str(action.get("path", action.get("url")))).path if by_place else ""
                )
                ids_by_file.setdefault((action.get("size"), place), []).append(str(file.get("id")))
    return {what: ids[0] for what, ids in ids_by_file.items() if len(ids) == 1}


@check("DS-FIL-03", "DS-DFL-01")
def ids_do_not_depend_on_the_format(lab: SharingLab) -> None:
    """A file has the same `id` in both formats."""
    is_judged = False
    for table in by_url(lab):
        one, other = (_query(lab, table, form, {}) for form in (PARQUET, DELTA))
        if (
            one.status != 200
            or other.status != 200
            or form_of(other.lines) != DELTA
            or version_of(one) != version_of(other)
        ):
            continue
        is_judged = True
        stray = set(_ids(one)) ^ set(_ids(other))
        if stray:
            # A client of one format never sees the ids of the other, and the header fileidhash of
            # later versions selects one.
            expected = f"the ids of {table.name} in delta format to be those in parquet format"
            actual = f"{len(stray)} ids that only one of the two answers has"
            for requirement in SAME_IDS:
                lab.warn(requirement, expected=expected, actual=actual)
        else:
            for requirement in SAME_IDS:
                lab.note(requirement, "")
    if not is_judged:
        raise NotOffered("no table is answered in both formats")


@check("DS-DFL-02")
def deletion_vector_ids_are_stable(lab: SharingLab) -> None:
    """The `deletionVectorFileId` of a file, if present, is the same in repeated queries."""
    is_judged = False
    for table in lab.each(by_url(lab)):
        first, again = (_query(lab, table, DELTA, {}) for _ in range(2))
        if (
            "deletionVectors" in table.reader_features
            and first.status == again.status == 200
            and version_of(first) == version_of(again)
        ):
            ids, other = (
                sorted(
                    str(f["deletionVectorFileId"])
                    for f in objects(reply.lines, "file")
                    if f.get("deletionVectorFileId") is not None
                )
                for reply in (first, again)
            )
            if not ids and not other:
                continue
            is_judged = True
            with lab.judge("DS-DFL-02"):
                expect.equal(
                    ids,
                    other,
                    f"ids of deletion vectors of {table.name} in a second answer:",
                    at=again.place(),
                )
    if not is_judged:
        raise NotOffered("no file has a deletionVectorFileId")


@check("DS-DFL-02")
def deletion_vector_ids_are_unique(lab: SharingLab) -> None:
    """A deletion vector file has one `deletionVectorFileId` in all versions, and no other deletion
    vector or data file has it.
    """
    table = lab.fixture("deletion_vectors")
    by_file: dict[str, set[str]] = {}
    data_ids: set[str] = set()
    for version in table.readable:
        reply = lab.send(
            QUERY,
            body={"version": version.version},
            delta_sharing_capabilities=ONE_FORMAT[DELTA],
            **table.address,
        )
        if reply.status != 200:
            continue
        path_by_measures = {
            _measures(descriptor): str(descriptor["pathOrInlineDv"])
            for version_file in version.files
            if (descriptor := version_file.get("deletion_vector"))
            and descriptor["storageType"] != "i"
        }
        for file in objects(reply.lines, "file"):
            data_ids.add(str(file.get("id")))
            vector = ((file.get("deltaSingleAction") or {}).get("add") or {}).get("deletionVector")
            stored = (
                path_by_measures.get(_measures(vector))
                if isinstance(vector, dict) and vector.get("storageType") != "i"
                else None
            )
            if stored is not None and isinstance(file.get("deletionVectorFileId"), str):
                by_file.setdefault(stored, set()).add(file["deletionVectorFileId"])
    if not by_file:
        raise NotOffered("no file has a deletionVectorFileId")
    ids = [vector_id for file_ids in by_file.values() for vector_id in file_ids]
    lab.note("DS-DFL-02", "")
    if len(ids) != len(set(ids)):
        lab.warn(
            "DS-DFL-02",
            expected="a different id for each file of deletion vectors",
            actual="one id for several files",
        )
    if set(ids) & data_ids:
        lab.warn(
            "DS-DFL-02",
            expected="other ids for files of deletion vectors than for data files",
            actual="the id of a data file",
        )


def _measures(vector: Members) -> tuple[Any, ...]:
    """Return the identity of a deletion vector of the pack, independent of its storage."""
    return vector.get("sizeInBytes"), vector.get("cardinality"), vector.get("offset")


@check("DS-DFL-01")
def wrapped_change_files_have_unique_ids(lab: SharingLab) -> None:
    """In delta format, each `cdc` file has an `id` that no other file in the answer has."""
    table = lab.fixture(PLAIN)
    reply = lab.send(
        op.query_table_changes,
        starting_version=0,
        delta_sharing_capabilities=ONE_FORMAT[DELTA],
        **table.address,
    )
    if reply.status != 200 or form_of(reply.lines) != DELTA:
        raise NotOffered("changes are not answered in delta format")
    file_lines = list(objects(reply.lines, "file"))
    ids = [
        str(file.get("id"))
        for file in file_lines
        if (file.get("deltaSingleAction") or {}).get("cdc") is not None
    ]
    others = {
        str(file.get("id"))
        for file in file_lines
        if (file.get("deltaSingleAction") or {}).get("cdc") is None
    }
    if not ids:
        raise NotOffered("no change file is answered in delta format")
    with lab.judge("DS-DFL-01"):
        shared = [i for i, count in Counter(ids).items() if count > 1 or i in others]
        expect.equal(
            [],
            shared,
            f"ids of cdc files of {table.name} that other files have too:",
            at=reply.place(),
        )


@check("DS-CDC-01")
def change_files_have_unique_ids(lab: SharingLab) -> None:
    """In parquet format, each cdf file has an `id` that no other cdf file in the answer has."""
    table = lab.fixture(PLAIN)
    lab.needs_parquet()
    changes = lab.send(
        op.query_table_changes,
        starting_version=0,
        delta_sharing_capabilities=ONE_FORMAT[PARQUET],
        **table.address,
    )
    reply = lab.require(changes, 200)
    counts = Counter(str(file.get("id")) for file in objects(reply.lines, "cdf"))
    if not counts:
        raise NotOffered("no change file is answered in parquet format")
    with lab.judge("DS-CDC-01"):
        twice = [i for i, count in counts.items() if count > 1]
        expect.equal(
            [], twice, f"ids that several cdf files of {table.name} have:", at=reply.place()
        )


@check("DS-REM-02")
def removed_files_keep_their_ids(lab: SharingLab) -> None:
    """A file that was added and removed has the same `id` in its add line and its remove line."""
    is_judged = False
    for name in lab.each(WITH_REMOVALS):
        table = lab.fixture(name)
        reply = lab.send(
            QUERY,
            body={"startingVersion": 0},
            delta_sharing_capabilities=ONE_FORMAT[PARQUET],
            **table.address,
        )
        if reply.status != 200:
            continue
        add_ids = {str(file.get("id")) for file in objects(reply.lines, "add")}
        removed = [str(file.get("id")) for file in objects(reply.lines, "remove")]
        if removed:
            is_judged = True
            with lab.judge("DS-REM-02"):
                stray = [i for i in removed if i not in add_ids]
                expect.equal(
                    [],
                    stray,
                    f"ids of removed files of {name} that were never added:",
                    at=reply.place(),
                )
    if not is_judged:
        raise NotOffered("no table of the pack that was answered has removed files")
