"""An edit whose target is gone from the contract stops the generator."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import pytest

from codegen import overlay
from codegen.contracts import found
from codegen.documents import Broken, Document, at, is_list, pointer_of, read_yaml, steps
from codegen.passes import prepared

EDITS = {source.name: overlay.read(source.folder / "overlay.yaml") for source in found()}


@cache
def contract(name: str) -> Document:
    (source,) = (source for source in found() if source.name == name)
    return prepared(read_yaml(source.document))


def without(document: Document, pointer: str) -> None:
    *above, last = steps(pointer)
    parent = at(document, pointer_of(above))
    del parent[int(last) if is_list(parent) else last]


@pytest.mark.parametrize(("name", "edit"), [pytest.param(name, edit, id=f"{name}-{edit.id}") for name in EDITS for edit in EDITS[name]])
def test_an_edit_without_its_target_stops_the_generator_by_name(name: str, edit: overlay.Edit) -> None:
    view: overlay.View = edit.only or "verdicts"
    document = deepcopy(contract(name))
    overlay.apply(document, EDITS[name][: EDITS[name].index(edit)], view=view)
    target = next(change["at"] for change in edit.changes if "add" not in change)
    without(document, target)

    with pytest.raises(Broken, match=f"edit {edit.id} "):
        overlay.apply(document, [edit], view=view)
