"""The fixture pack on the embedded server, with the settings that only that server needs."""

from __future__ import annotations

from pathlib import Path

from lakepact.conformance.evidence.exchanges import Document
from lakepact.conformance.evidence.shared_files import SharedFiles
from lakepact.conformance.running.embedded_target import EmbeddedTarget

ROOT = "/delta-sharing"
WITH_AUXILIARY = "url_and_dir"  #: the table that gets an auxiliary location


def launch_settings(folder: Path) -> EmbeddedTarget:
    """Return the fixture pack in `folder`, shared with a recipient who may read all of it."""
    # Only the embedded target needs this file.
    import yaml  # noqa: PLC0415

    from lakepact.conformance.fixtures.pack import write  # noqa: PLC0415

    pack = write(folder)
    shares = folder / "shares.at-home.yaml"
    document: Document = yaml.safe_load((folder / "shares.yaml").read_text(encoding="utf-8"))
    document["temporaryCredentials"] = {"rehearsal": True}  # keys that open nothing
    _add_auxiliary_location(document, folder / "auxiliary")
    shares.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    return EmbeddedTarget(
        settings={"shares": str(shares)},
        root=ROOT,
        headers={"Authorization": f"Bearer {pack.tokens['all']}"},
        parameters={"fixtures": str(folder), "fixtures-writable": "yes"},
        features={"fixtures": True},
        shared_files=SharedFiles(folder),
    )


def _add_auxiliary_location(document: Document, folder: Path) -> None:
    """Give one table an auxiliary location."""
    folder.mkdir()
    for share in document["shares"]:
        for schema in share["schemas"]:
            for table in schema["tables"]:
                if table["name"] == WITH_AUXILIARY:
                    table["auxiliaryLocations"] = [folder.as_uri()]
