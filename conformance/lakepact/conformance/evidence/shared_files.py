"""Files of a target that the user shares with the suite; no other file that it names is opened."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path

from lakepact.conformance.evidence.limits import MAX_BODY
from lakepact.conformance.evidence.outcome import Blocked, NotOffered

READABLE_FILES = "readable-files"  #: of contracts whose servers keep files
OPTION = "--shared-files FOLDER"  #: of `check`; a profile has `shared_files`
HOW_TO_SHARE = f"; {OPTION} names a folder that holds its tables, if this machine has one"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO is opened at once
SHOWN = 200  #: characters of a location in a message


@dataclass(frozen=True)
class SharedFile:
    """A file below the folder that is shared; no symbolic link below the folder is followed."""

    folder: Path
    steps: tuple[str, ...]  #: names below the folder, the file's last
    largest: int = MAX_BODY  #: bytes that are read

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return self.steps[-1]

    @property
    def location(self) -> str:
        """The location of the file as a URI."""
        return f"file://{self.folder.joinpath(*self.steps)}"

    def beside(self, name: str) -> SharedFile:
        """Return the file of a name in the same folder."""
        return replace(self, steps=(*self.steps[:-1], name))

    def read(self) -> bytes:
        """Return the content of the file.

        Raises:
            NotOffered: there is none, it is no regular file, or it is too large.
        """
        try:
            with self._parent() as parent:
                handle = os.open(self.name, os.O_RDONLY | FILE, dir_fd=parent)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise NotOffered(f"the suite does not read {self.name}: it is no regular file")
                content = file.read(self.largest + 1)
        except OSError as wrong:
            raise NotOffered(f"the suite cannot read {self.name}: {wrong.strerror}") from wrong
        if len(content) > self.largest:
            raise NotOffered(
                f"the suite does not read {self.name}: "
                f"it has more than {self.largest} bytes (--max-body)"
            )
        return content

    def write(self, content: bytes) -> None:
        """Write a new file, and the folders above it.

        Raises:
            Blocked: it cannot be written, or it exists.
        """
        try:
            with self._parent(make=True) as parent:
                handle = os.open(
                    self.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FILE, 0o666, dir_fd=parent
                )
            with os.fdopen(handle, "wb") as file:
                file.write(content)
        except OSError as wrong:
            raise Blocked(
                f"the suite cannot write {self.name} into the folder of a table: {wrong.strerror}"
            ) from wrong

    def remove(self) -> None:
        """Remove the file if it exists.

        Raises:
            OSError: it cannot be removed.
        """
        with contextlib.suppress(FileNotFoundError), self._parent() as parent:
            os.unlink(self.name, dir_fd=parent)

    def can_have_others_beside_it(self) -> bool:
        """Return whether files can be written into its folder."""
        with contextlib.suppress(OSError), self._parent() as parent:
            return os.access(".", os.W_OK, dir_fd=parent)
        return False

    def exists(self) -> bool:
        """Return whether there is anything of this name."""
        return bool(self.mode())

    def files(self) -> set[SharedFile]:
        """Return the regular files below the folder of this name."""
        with contextlib.suppress(FileNotFoundError), self._parent() as parent:
            everything = {
                replace(self, steps=(*self.steps[:-1], *Path(folder, name).parts))
                for folder, _, names, _ in os.fwalk(self.name, dir_fd=parent)
                for name in names
            }
            return {file for file in everything if stat.S_ISREG(file.mode())}
        return set()

    def mode(self) -> int:
        """Return the mode of what has this name, as `os.stat` does; 0 if there is nothing.

        Raises:
            NotOffered: the suite may not look.
        """
        try:
            with self._parent() as parent:
                return os.stat(self.name, dir_fd=parent, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return 0
        except OSError as wrong:
            raise NotOffered(f"the suite cannot look at {self.name}: {wrong.strerror}") from wrong

    @contextlib.contextmanager
    def _parent(self, *, make: bool = False) -> Generator[int]:
        """Open the folder of the file, one step at a time, so that no link leads elsewhere."""
        parent = os.open(self.folder, FOLDER)
        try:
            for step in self.steps[:-1]:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(step, dir_fd=parent)
                inner = os.open(step, FOLDER | os.O_NOFOLLOW, dir_fd=parent)
                os.close(parent)
                parent = inner
            yield parent
        finally:
            os.close(parent)


@dataclass(frozen=True)
class SharedFiles:
    """The folder in which target and suite see the same files; without one none is opened."""

    folder: Path | None = None
    largest: int = MAX_BODY  #: bytes of a file that are read

    def at(self, location: object) -> SharedFile:
        """Return the file at a location: a path, or a URI with the scheme `file`.

        Raises:
            NotOffered: no folder is shared, or the location is not below it.
        """
        if self.folder is None:
            raise NotOffered(f"the suite looks at files of the target only with {OPTION}")
        scheme, colon, rest = str(location).partition(":")
        path = rest.removeprefix("//").removeprefix("localhost") if colon else scheme
        if (not colon or scheme == "file") and "\0" not in path:
            steps = Path(path).parts
            for folder in (self.folder.absolute(), self.folder.resolve()):
                above = len(folder.parts)
                if steps[:above] == folder.parts and ".." not in steps and steps[above:]:
                    return SharedFile(folder, steps[above:], self.largest)
        raise NotOffered(f"{str(location)[:SHOWN]} is not below the folder of --shared-files")


NO_FILES = SharedFiles()
