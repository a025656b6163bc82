"""Functions come from a JSON file of the warehouse; a wrong one is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.iceberg_rest.functions import read_functions
from lakepact.reference_server.server_file import WarehouseEntry
from lakepact.reference_server.settings import BadSetting

ONE = {"namespace": ["a", "b"], "name": "f", "metadata": {"format-version": 1}}


def reading(folder: Path, content: Any) -> Any:
    file = folder / "functions.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_functions(WarehouseEntry("w", functions=str(file)))


def test_functions_are_read_by_namespace_and_name(tmp_path: Path) -> None:
    assert reading(tmp_path, [ONE]) == {("a", "b"): {"f": {"metadata": {"format-version": 1}}}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[", "cannot be read"),
        ({"f": 1}, "at /0: a function has the members namespace"),
        ([ONE, {**ONE, "name": 5}], "at /1: a function has the members"),
        ([ONE, ONE], "at /1: a.b.f is there twice"),
    ],
)
def test_wrong_file_of_functions_is_refused(tmp_path: Path, content: Any, why: str) -> None:
    with pytest.raises(BadSetting, match=r"warehouses\.w\.functions") as refused:
        reading(tmp_path, content)
    assert why in str(refused.value)
