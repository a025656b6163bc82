"""The settings with which the embedded reference server serves a contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakepact.conformance.evidence.shared_files import NO_FILES, SharedFiles
from lakepact.conformance.evidence.target import Target


@dataclass(frozen=True)
class EmbeddedTarget:
    """The settings of the embedded reference server, and how the suite reaches it.

    Args:
        settings: keyword arguments of `running`; with `--` in front they are options of
            `lakepact serve`.
        root: path of the contract below the server's address, without a trailing slash.
        headers: sent with every request.
        parameters: the target's parameters.
        features: features that are known without discovery.
        shared_files: the folder that the suite may read and write.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    root: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, bool] = field(default_factory=dict)
    shared_files: SharedFiles = NO_FILES

    @classmethod
    def with_tables(cls, folder: Path, **settings: Any) -> EmbeddedTarget:
        """Return a server that keeps its tables below a folder, and shares them with the suite."""
        tables = folder / "tables"
        return cls({"warehouse": str(tables), **settings}, shared_files=SharedFiles(tables))

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the settings as arguments of `lakepact serve`."""
        return tuple(
            word
            for name, value in self.settings.items()
            for word in (f"--{name.replace('_', '-')}", str(value))
        )

    def target(self, address: str) -> Target:
        """Return the target of the contract at a server's address."""
        return Target(
            address.rstrip("/") + self.root,
            headers=self.headers,
            features=self.features,
            parameters=self.parameters,
            shared_files=self.shared_files,
        )
