"""A lock beside the file of a store, which names the process that holds it and ends with it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from pathlib import Path

from lakepact.reference_server.settings import BadSetting

try:
    import fcntl
except ImportError:  # where there is none, SQLite's own lock has to do
    fcntl = None  # type: ignore[assignment]


class Locked(BadSetting):
    """Another process has the store open."""


def lock_of(path: Path) -> Path:
    """Return the lock of a store, by a name that no other program gives."""
    return path.with_name(f".{path.name}.lakepact-lock")


@contextlib.contextmanager
def alone(path: Path) -> Generator[None]:
    """Keep every other process, and every other store of this one, from opening a file.

    Raises:
        Locked: another has it open.
        BadSetting: there can be no lock.
    """
    lock = lock_of(path)
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise BadSetting(f"the store {path} cannot be opened: {lock}: {error.strerror}") from None
    try:
        if fcntl is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                owner = os.pread(descriptor, 20, 0).decode(errors="replace").strip() or "unknown"
                which = (
                    "this process itself" if owner == str(os.getpid()) else f"the process {owner}"
                )
                raise Locked(
                    f"the store {path} is in use by {which}; end that one first, or name another"
                    " store"
                ) from None
        with contextlib.suppress(OSError):  # on a full disk the process id is missing
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
