"""The packages of lakepact as one file, for machines of a cluster that run what this one runs."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from importlib import import_module
from pathlib import Path, PurePosixPath

ROOT = "lakepact"
SENT = (
    "extras",
    "generated",
    "reach",
    "formats",
    "conformance",
)  #: packages that workers import; they start no server
KINDS = frozenset({".py", ".json", ".yaml"})


def pack() -> str:
    """Return a ZIP file with the packages; it has the same name for the same content."""
    files = {
        f"{ROOT}/{name}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for name in SENT
        for folder in (Path(str(import_module(f"{ROOT}.{name}").__path__[0])),)
        for path in sorted(folder.rglob("*"))
        if path.suffix in KINDS
    }
    # In an archive, data is found in packages that say that they are ones.
    folders = {
        parent for name in files for parent in PurePosixPath(name).parents if len(parent.parts) > 1
    }
    files = {f"{folder}/__init__.py": b"" for folder in sorted(folders)} | files
    digest = hashlib.sha256(
        b"".join(name.encode() + content for name, content in files.items())
    ).hexdigest()[:16]
    archive = Path(tempfile.mkdtemp(prefix="lakepact-")) / f"lakepact_{digest}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(f"{ROOT}/", b"")  # else it is not found, having no module of its own
        for name, content in files.items():
            file.writestr(name, content)
    return str(archive)
