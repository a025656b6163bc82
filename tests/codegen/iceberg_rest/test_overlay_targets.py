"""An edit whose target is gone from the contract stops the generator."""

from __future__ import annotations

from copy import deepcopy

import pytest

from codegen import overlay
from codegen.contracts import found
from codegen.documents import Broken, Document, at, is_list, pointer_of, read_yaml, steps
from codegen.passes import prepared

(SOURCE,) = (source for source in found() if source.name == "iceberg_rest")
CONTRACT = prepared(read_yaml(SOURCE.document))
EDITS = overlay.read(SOURCE.folder / "overlay.yaml")


def without(document: Document, pointer: str) -> None:
    *above, last = steps(pointer)
    parent = at(document, pointer_of(above))
    del parent[int(last) if is_list(parent) else last]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.id)
def test_an_edit_without_its_target_stops_the_generator_by_name(edit: overlay.Edit) -> None:
    view: overlay.View = edit.only or "verdicts"
    document = deepcopy(CONTRACT)
    overlay.apply(document, EDITS[: EDITS.index(edit)], view=view)
    target = next(change["at"] for change in edit.changes if "add" not in change)
    without(document, target)

    with pytest.raises(Broken, match=f"edit {edit.id} "):
        overlay.apply(document, [edit], view=view)
