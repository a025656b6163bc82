"""The code bundle of campaigns holds the packages that workers import."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import lakepact.conformance
from lakepact.conformance.campaign.engines import code_bundle

IMPORT = re.compile(r"^\s*(?:from|import) lakepact\.(\w+)", re.MULTILINE)


def test_bundle_holds_every_package_that_the_suite_imports() -> None:
    folder = Path(str(next(iter(lakepact.conformance.__path__))))
    imports = {
        name for file in folder.rglob("*.py") for name in IMPORT.findall(file.read_text("utf-8"))
    }
    with zipfile.ZipFile(code_bundle.pack()) as bundle:
        packages = {name.split("/")[1] for name in bundle.namelist() if name.count("/") > 1}

    assert imports <= packages
