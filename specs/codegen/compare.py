"""Committed generated code against what the generator makes today."""

from __future__ import annotations

from pathlib import Path


def differences(present: Path, fresh: Path) -> list[str]:
    """Return the differences of a fresh output from the committed one, a line per file."""
    ours, theirs = _files(present), _files(fresh)
    verdicts = {
        name: _verdict(ours.get(name), theirs.get(name)) for name in sorted({*ours, *theirs})
    }
    return [f"{verdict:<9} {name}" for name, verdict in verdicts.items() if verdict]


def adopt(present: Path, fresh: Path) -> None:
    """Make the committed output equal to a fresh one; files that are the same are not touched."""
    ours, theirs = _files(present), _files(fresh)
    for name in ours.keys() - theirs.keys():
        (present / name).unlink()
    for name, content in theirs.items():
        if ours.get(name) != content:
            (present / name).parent.mkdir(parents=True, exist_ok=True)
            (present / name).write_bytes(content)


def _verdict(present: bytes | None, fresh: bytes | None) -> str:
    if present is None:
        return "missing"
    if fresh is None:
        return "added"
    return "" if present == fresh else "different"


def _files(folder: Path) -> dict[str, bytes]:
    paths = (
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
