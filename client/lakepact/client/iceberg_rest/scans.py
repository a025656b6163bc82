"""The plan of a scan: the files to read, their delete files, and the residual filter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lakepact.client.errors import BadReply, Failure, PlanningFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lakepact.generated.iceberg_rest.models import (
        DataFile,
        EqualityDeleteFile,
        ErrorModel,
        Expression,
        PositionDeleteFile,
        ScanTasks,
        StorageCredential,
    )

FIRST_PAUSE, LONGEST_PAUSE = (
    0.05,
    2.0,
)  #: seconds between two looks at a plan; each pause is twice the one before


@dataclass(frozen=True, slots=True)
class ScanTask:
    """One data file to read."""

    data_file: DataFile
    delete_files: tuple[PositionDeleteFile | EqualityDeleteFile, ...]  #: all that apply to it
    residual: (
        Expression | None
    )  #: what its rows are still to be tested for; None where that is the filter of the whole scan


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A scan that the server has planned."""

    plan_id: str | None  #: by which it can be cancelled, if the server keeps it
    tasks: tuple[ScanTask, ...]  #: those that came with the plan
    plan_tasks: tuple[str, ...]  #: what has to be exchanged for all others
    storage_credentials: Sequence[StorageCredential] = field(
        default=(), repr=False
    )  #: those for the files, from 1.11.0 on


def scan_tasks(answer: ScanTasks, operation: str) -> Iterator[ScanTask]:
    """Yield the tasks of an answer, each with its delete files.

    Raises:
        BadReply: A task refers to a delete file that did not come with it.
    """
    deletes = answer.delete_files or []
    for task in answer.file_scan_tasks or ():
        references = task.delete_file_references or []
        if any(not 0 <= reference < len(deletes) for reference in references):
            path = task.data_file.file_path
            message = (
                f"the task of {path} refers to delete files {references}, but only {len(deletes)}"
                " came"
            )
            raise BadReply(Failure(operation=operation, message=message, tries=1))
        yield ScanTask(
            task.data_file,
            tuple(deletes[reference] for reference in references),
            task.residual_filter,
        )


def failure(error: ErrorModel, operation: str) -> PlanningFailed:
    """Return the error for a plan that failed."""
    return PlanningFailed(
        Failure(
            operation=operation, message=error.message, status=error.code, type=error.type, tries=1
        )
    )


def unusable_plan(operation: str, why: str) -> PlanningFailed:
    """Return the error for a plan that came to nothing."""
    return PlanningFailed(Failure(operation=operation, message=why, tries=1))
