"""The rights that each operation needs: the subjects in its arguments, and the right to each of
them.

Reading a table or view is not listed: unreadable objects are invisible. A caller without a required
right gets 403 if it sees the subject, and otherwise 404.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.iceberg_rest.access.rights import ADMIN, READ, WRITE, Rights, Subject
from lakepact.reference_server.iceberg_rest.identifiers import levels_of

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import CommitTableRequest, TableIdentifier

CATALOG = Subject(())


@dataclass(frozen=True, slots=True)
class Need:
    """Something that the caller must be allowed."""

    subject: Subject
    is_met: Callable[[Rights], bool]
    what: str  #: as a refusal says it


Needs = Callable[[Mapping[str, Any]], Iterable[Need]]


def _level(subject: Subject, level: int, what: str) -> Need:
    return Need(subject, lambda rights: rights.of(subject) >= level, what)


def _nothing(_: Mapping[str, Any]) -> Iterable[Need]:
    return ()


def _anything(_: Mapping[str, Any]) -> Iterable[Need]:
    return (Need(CATALOG, lambda rights: rights.sees_any, "do anything here"),)


def _namespace(arguments: Mapping[str, Any]) -> Subject:
    return Subject(levels_of(arguments["namespace"]))


def _identifier(arguments: Mapping[str, Any]) -> Subject:
    return Subject(
        levels_of(arguments["namespace"]),
        arguments["table"] if "table" in arguments else arguments["view"],
    )


def _subject_of(identifier: TableIdentifier) -> Subject:
    return Subject(tuple(identifier["namespace"]), identifier["name"])


def _within(level: int, what: str) -> Needs:
    return lambda arguments: (_level(_namespace(arguments), level, what),)


def _to_itself(level: int, what: str) -> Needs:
    return lambda arguments: (_level(_identifier(arguments), level, what),)


def _list_namespaces(arguments: Mapping[str, Any]) -> Iterable[Need]:
    parent = arguments.get("parent")
    levels = levels_of(parent) if parent else ()
    return (
        Need(Subject(levels), lambda rights: rights.lists_children(levels), "list namespaces here"),
    )


def _list_content(arguments: Mapping[str, Any]) -> Iterable[Need]:
    subject = _namespace(arguments)
    return (
        Need(
            subject,
            lambda rights: rights.lists_content(subject.levels),
            "list what is in this namespace",
        ),
    )


def _create_namespace(arguments: Mapping[str, Any]) -> Iterable[Need]:
    return (
        _level(
            Subject(tuple(arguments["body"]["namespace"][:-1])), ADMIN, "create namespaces here"
        ),
    )


def _drop(arguments: Mapping[str, Any]) -> Iterable[Need]:
    level, what = (
        (ADMIN, "purge this table")
        if arguments.get("purge_requested")
        else (WRITE, "drop this table")
    )
    return (_level(_identifier(arguments), level, what),)


def _rename(arguments: Mapping[str, Any]) -> Iterable[Need]:
    source, destination = arguments["body"]["source"], arguments["body"]["destination"]
    yield _level(_subject_of(source), WRITE, "rename this")
    yield _level(
        Subject(tuple(destination["namespace"])),
        WRITE,
        "give names in the namespace of the destination",
    )


def _sign(arguments: Mapping[str, Any]) -> Iterable[Need]:
    if arguments["body"].get("method", "").upper() in {"GET", "HEAD"}:
        return ()
    return (_level(_identifier(arguments), WRITE, "write files of this table"),)


def _commit_need(subject: Subject, change: CommitTableRequest) -> Need:
    if any(requirement.get("type") == "assert-create" for requirement in change["requirements"]):
        return _level(Subject(subject.levels), WRITE, "create tables in this namespace")
    return _level(subject, WRITE, "change this table")


def _commit(arguments: Mapping[str, Any]) -> Iterable[Need]:
    return (_commit_need(_identifier(arguments), arguments["body"]),)


def _commits(arguments: Mapping[str, Any]) -> Iterable[Need]:
    # A change that names no table is refused by the handler of transactions.
    changes = [
        change
        for change in arguments["body"]["table-changes"]
        if change.get("identifier") is not None
    ]
    return [_commit_need(_subject_of(change["identifier"]), change) for change in changes]


#: By operation. Every operation of the contract, and of its newer versions, stands here, or the
#: server does not start.
NEEDS: dict[str, Needs] = {
    op.get_config: _anything,
    op.get_token: _nothing,
    op.list_namespaces: _list_namespaces,
    op.create_namespace: _create_namespace,
    op.load_namespace_metadata: _within(READ, "read the properties of this namespace"),
    op.namespace_exists: _nothing,
    op.drop_namespace: _within(ADMIN, "drop this namespace"),
    op.update_properties: _within(ADMIN, "change the properties of this namespace"),
    op.list_tables: _list_content,
    op.create_table: _within(WRITE, "create tables in this namespace"),
    op.register_table: _within(WRITE, "register tables in this namespace"),
    op.load_table: _nothing,
    op.table_exists: _nothing,
    op.update_table: _commit,
    op.drop_table: _drop,
    op.rename_table: _rename,
    op.unregister_table: _to_itself(WRITE, "unregister this table"),
    op.list_functions: _list_content,
    op.load_function: _within(READ, "load functions of this namespace"),
    op.report_metrics: _nothing,
    op.commit_transaction: _commits,
    op.plan_table_scan: _nothing,
    op.fetch_planning_result: _nothing,
    op.cancel_planning: _nothing,
    op.fetch_scan_tasks: _nothing,
    op.load_credentials: _nothing,
    op.sign_request: _sign,
    op.list_views: _list_content,
    op.create_view: _within(WRITE, "create views in this namespace"),
    op.register_view: _within(WRITE, "register views in this namespace"),
    op.load_view: _nothing,
    op.view_exists: _nothing,
    op.replace_view: _to_itself(WRITE, "change this view"),
    op.drop_view: _to_itself(WRITE, "drop this view"),
    op.rename_view: _rename,
}

#: Operations that read files which the metadata of their table names.
READS_FILES = frozenset({op.plan_table_scan, op.fetch_planning_result, op.fetch_scan_tasks})
