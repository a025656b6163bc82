"""The way to a server, as arguments name it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    import ssl


@dataclass(frozen=True, slots=True)
class Access:
    """Certificates and proxy, see the arguments of `IcebergCatalog`; `repr()` hides passwords."""

    verify: bool | str | os.PathLike[str] | ssl.SSLContext = True
    cert: str | tuple[str, ...] | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)


class WrongSetting(ValueError):
    """A setting by which a server is reached cannot be used.

    Args:
        name: The argument or variable that has it.
        problem: The rest of the message, to stand behind the name.
    """

    def __str__(self) -> str:
        return "".join(self.args)
