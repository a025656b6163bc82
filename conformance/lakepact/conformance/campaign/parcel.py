"""The packages of lakepact as one file, for machines of a cluster that run what this one runs."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from importlib import import_module
from pathlib import Path

ROOT = "lakepact"
SENT = ("generated", "conformance")  #: what lanes need; they start no server
KINDS = frozenset({".py", ".json", ".yaml"})


def packed() -> str:
    """A ZIP file with the packages; it has the same name for the same content."""
    files = {
        f"{ROOT}/{name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for name in SENT
        for folder in (Path(str(import_module(f"{ROOT}.{name}").__path__[0])),)
        for path in sorted(folder.rglob("*"))
        if path.suffix in KINDS
    }
    said = hashlib.sha256(b"".join(name.encode() + content for name, content in files.items())).hexdigest()[:16]
    archive = Path(tempfile.mkdtemp(prefix="lakepact-")) / f"lakepact_{said}.zip"
    folders = {f"{parent.as_posix()}/" for name in files for parent in Path(name).parents if parent.name}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for folder in sorted(folders):
            file.writestr(folder, b"")  # else a package without a module of its own is not found in it
        for name, content in files.items():
            file.writestr(name, content)
    return str(archive)
