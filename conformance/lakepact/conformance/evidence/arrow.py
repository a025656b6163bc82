"""pyarrow, imported at its first use, and aliases for its types: it has no annotations."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias


class _OnFirstUse:
    """Stands for a module, so that suites can be listed without pyarrow.

    Args:
        name: the module.
    """

    def __init__(self, name: str) -> None:
        self._module = name

    def __getattr__(self, name: str) -> Any:
        """Return a member of the module, and keep it.

        Raises:
            ModuleNotFoundError: pyarrow is not installed.
        """
        if name.startswith("__"):  # pickle and inspect look for hooks
            raise AttributeError(name)
        member = self.__dict__[name] = getattr(import_module(self._module), name)
        return member


pa: Any = _OnFirstUse("pyarrow")
pc: Any = _OnFirstUse("pyarrow.compute")
pq: Any = _OnFirstUse("pyarrow.parquet")

Table: TypeAlias = Any  #: a `pyarrow.Table`
Schema: TypeAlias = Any  #: a `pyarrow.Schema`
Array: TypeAlias = Any  #: a `pyarrow.Array` or `pyarrow.ChunkedArray`
