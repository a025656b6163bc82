"""Recovery of a catalog's files when its store is opened after an unclean end.

A metadata file is written before its commit is acknowledged, but without waiting for the disk.
After a power failure, the file of a stored commit may be missing or torn. It is written again from
the store, so that every `metadata-location` is readable. A file with other valid content is left
alone.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence

import orjson

from lakepact.reference_server.iceberg_rest.identifiers import full_name
from lakepact.reference_server.iceberg_rest.tables.metadata_files import decode, encode
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.store import Key, Record
from lakepact.reference_server.warehouse.local import Outside, Unreadable, Unwritable, Warehouse

logger = logging.getLogger(__name__)


def recovering(warehouses: Sequence[Warehouse]) -> Callable[[Iterable[tuple[Key, Record]]], None]:
    """Return the function that restores missing metadata files of tables and views below one of the
    warehouses.
    """

    def recover(doubtful: Iterable[tuple[Key, Record]]) -> None:
        missing = [
            key
            for key, record in doubtful
            if record.kind in {"table", "view"} and _is_rewritten(warehouses, key, record)
        ]
        if missing:
            logger.warning("%d metadata files were written again from the store", len(missing))
            if hasattr(os, "sync"):
                os.sync()

    return recover


def _is_rewritten(warehouses: Sequence[Warehouse], key: Key, record: Record) -> bool:
    document = orjson.loads(record.body)  # not the record's own, which would stay in memory
    location: str = document["metadata-location"]
    for warehouse in warehouses:
        try:
            text = decode(location, warehouse.read(location))
        except Outside:
            continue
        except Unreadable:
            text = b""
        if _is_json(text):
            return False
        try:
            warehouse.write(location, encode(location, orjson.dumps(document["metadata"])))
        except (OSError, Unwritable) as error:
            raise BadSetting(
                f"{_record_name(key)}: its metadata file {location} is gone and cannot be written again:"
                f" {error}"
            ) from None
        return True
    raise BadSetting(
        f"{_record_name(key)} has its metadata at {location}, which is in no warehouse of this server;"
        " start it with the one it had"
    )


def _is_json(text: bytes) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def _record_name(key: Key) -> str:
    return f"{full_name(key.place, key.name)} in the store"
