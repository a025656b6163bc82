"""Checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .refusals import DamagedLog

if TYPE_CHECKING:
    from .actions import Document
    from .active_files import ActiveFiles
    from .listing import Checkpoint, LogFolder


def read_checkpoint(folder: LogFolder, checkpoint: Checkpoint, *, files: bool) -> tuple[Document, Document, ActiveFiles]:
    """What a checkpoint holds."""
    del folder, files
    raise DamagedLog(f"{checkpoint.names[0]} cannot be read")
