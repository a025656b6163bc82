"""Which store a server has: the setting `--store`, from its spelling to the store itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from lakepact.reference_server.settings import BadSetting, Settings
from lakepact.reference_server.storage.store import Key, MemoryStore, Record, WholeStore
from lakepact.reference_server.warehouse.local import (
    PRIVATE,
    MemoryWarehouse,
    Outside,
    Warehouse,
    local,
)

MEMORY, FILE = "memory", "file"  #: spellings of `--store` that are not the path of a file
SUFFIX = ".sqlite"


def store_path(settings: Settings, contract: str) -> Path | None:
    """Return the path of a contract's store; `None` for memory.

    Raises:
        BadSetting: the store would be below a warehouse that is not a local folder.
    """
    if settings.store == MEMORY:
        return None
    if settings.store != FILE:
        return Path(settings.store).expanduser().absolute()
    try:
        folder = Path(local(settings.warehouse)).expanduser()
    except Outside:
        raise BadSetting(
            f"--store file keeps the catalog below a folder, and {settings.warehouse} is none; name"
            " a file instead"
        ) from None
    return folder.absolute() / PRIVATE / f"{contract}{SUFFIX}"


def open_store(
    settings: Settings,
    contract: str,
    warehouses: Sequence[Warehouse],
    *,
    recover: Callable[[Iterable[tuple[Key, Record]]], None],
) -> WholeStore:
    """Return the store that the settings ask for; the caller closes it.

    Args:
        settings: where it is kept, and how well.
        contract: whose records it has.
        warehouses: where it must not lie.
        recover: called with the records whose files may have been lost when the store was last in
            use.

    Raises:
        BadSetting: it cannot be had; the message says why.
    """
    path = store_path(settings, contract)
    if path is None:
        return MemoryStore()
    for warehouse in warehouses:
        try:
            warehouse.check_location(path.as_uri())
        except Outside:
            continue
        raise BadSetting(
            f"the store {path} would lie where tables may lie, below {warehouse.root}, and go with them;"
            f" put it elsewhere, or into a folder named {PRIVATE}"
        )
    # Only servers with a file store spend the time of these imports.
    from lakepact.reference_server.storage.group_commit import FileStore  # noqa: PLC0415 - only a file store needs SQLite
    from lakepact.reference_server.storage.sqlite import StoreFile  # noqa: PLC0415

    with ExitStack() as undo:
        file = StoreFile(path, contract=contract, durability=settings.durability)
        undo.callback(file.close)
        # A memory store is lost at every end of the server.
        recover(
            file.doubtful(
                every=any(isinstance(warehouse, MemoryWarehouse) for warehouse in warehouses)
            )
        )
        file.trust()
        undo.pop_all()
    return FileStore(file)
