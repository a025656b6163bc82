# Made by codegen.generate from specs/codegen/templates/summaries.py, sha256 3162c207828c3fd7. Do not edit: nox -s generate
"""The base class of the summaries of snapshots: their entries by name."""

from __future__ import annotations

from lakepact.generated.wire import WireModel


class Entries(WireModel):
    """Members that the contract does not name, all of them texts."""

    def __getitem__(self, name: str) -> str:
        """Return an entry, such as that of `total-records`.

        Raises:
            KeyError: There is no such entry.
        """
        entry: str = {**(self.model_extra or {}), **self.__dict__}[name]
        return entry
