"""Folders of campaigns: local, or in an object store that all machines reach, whose paths have the
same methods.
"""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from lakepact.conformance.evidence.arrow import Schema, pq
from lakepact.extras import install

#: Libraries by scheme. In all of these stores a file appears whole or not at all, and every listing
#: has it at once.
STORES = {"s3": "s3fs", "s3a": "s3fs", "abfss": "adlfs", "gs": "gcsfs"}
ERRORS_OF = frozenset(
    {"aiobotocore", "aiohttp", "azure", "botocore", "gcsfs", "google"}
)  #: what they raise beside `OSError`


def locate(text: str) -> Path:
    """Return the path of a folder or file, which may be in an object store.

    Raises:
        LookupError: the store cannot be reached, or has no such bucket.
        ValueError: the scheme is unknown, or a library is missing.
    """
    scheme, separator, _ = text.partition("://")
    if not separator:
        return Path(text)
    if scheme not in STORES:
        raise ValueError(
            f"{scheme}:// is no known file system: name a local folder, or"
            f" {', '.join(f'{name}://…' for name in STORES)}"
        )
    path: Any = None
    try:
        path = import_module("upath").UPath(text, use_listings_cache=False)
        path.fs.ls(path.drive)
    except ImportError as missing:
        raise ValueError(
            f"{scheme}:// needs universal_pathlib and {STORES[scheme]}: {install('campaign-s3')}"
        ) from missing
    except FileNotFoundError as missing:
        raise LookupError(f"{text}: the store has no bucket {path.drive}; create it") from missing
    except Exception as wrong:
        raise LookupError(
            f"{text} cannot be reached: {str(wrong)[:300]}; look at the environment: credentials,"
            " endpoint"
        ) from wrong
    return path  # type: ignore[no-any-return]


class _Folder(click.Path):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" not in str(value):
            return super().convert(value, param, ctx)
        try:
            return locate(str(value))
        except (LookupError, ValueError) as wrong:
            self.fail(str(wrong), param, ctx)


#: A folder on the command line: local, or an address such as `s3://bucket/run`.
FOLDER = _Folder(path_type=Path, file_okay=False)
#: The same, which exists if it is local; in a store, only files do.
FOLDER_THERE = _Folder(path_type=Path, file_okay=False, exists=True)


def is_local(path: Path) -> bool:
    """Return whether files can be appended to, locked and renamed."""
    return not hasattr(path, "fs")  # of a path in a store


def parquet(path: Path) -> Any:
    """Return the reader of a Parquet file."""
    return pq.ParquetFile(getattr(path, "path", path), filesystem=getattr(path, "fs", None))


def parquet_writer(path: Path, schema: Schema) -> Any:
    """Return the writer of a Parquet file."""
    return pq.ParquetWriter(
        getattr(path, "path", path),
        schema,
        compression="zstd",
        filesystem=getattr(path, "fs", None),
    )


def remove(folder: Any) -> None:
    """Remove a folder with all that is in it, if it exists."""
    if is_local(folder):
        shutil.rmtree(folder, ignore_errors=True)
    elif folder.is_dir():
        folder.rmdir(recursive=True)


def move(folder: Any, target: Any) -> None:
    """Give a folder a name that none has; in an object store, the folder is there until all files
    are at the target.
    """
    if is_local(folder):
        folder.rename(target)
        return
    files = folder.fs.find(folder.path)
    folder.fs.copy(files, [target.path + file.removeprefix(folder.path) for file in files])
    remove(folder)
