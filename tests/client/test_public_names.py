"""`lakepact.client` exports sorted names and loads heavy modules lazily."""

from __future__ import annotations

import subprocess
import sys

import pytest

import lakepact.client
from lakepact.client import errors


def test_public_names_are_sorted_constants_first():
    assert (
        sorted(lakepact.client.__all__, key=lambda name: (not name.isupper(), name))
        == lakepact.client.__all__
    )


def test_every_error_is_public():
    kinds = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.LakepactError)
    }

    assert kinds <= set(lakepact.client.__all__)


def test_dir_includes_lazily_loaded_names():
    assert set(lakepact.client.__all__) <= set(dir(lakepact.client))


def test_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = lakepact.client.nothing


BROKEN = "import sys, types; sys.modules['{0}'] = types.ModuleType('{0}'); from lakepact.client import IcebergCatalog"
MISSING = "import sys; sys.modules['{0}'] = None; from lakepact.client import IcebergCatalog"
MADE = "; IcebergCatalog('http://a.test')"  #: imports the HTTP library


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (BROKEN.format("logging"), "module 'logging' has no attribute"),
        (MISSING.format("logging"), "import of logging halted"),
        (BROKEN.format("httpcore") + MADE, "module 'httpcore' has no attribute"),
        (MISSING.format("httpcore") + MADE, "import of httpcore halted"),
    ],
    ids=["broken", "missing", "broken later", "missing later"],
)
def test_import_with_an_unusable_library_names_the_library(code, reason):
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert reason in process.stderr.splitlines()[-1]
