"""A correction without its target raises Broken."""

from __future__ import annotations

from copy import deepcopy
from functools import cache

import pytest

from codegen import overlay
from codegen.contracts import all_sources
from lakepact.codegen.documents import Broken, Document, at, is_list, pointer_of, read_yaml, steps
from lakepact.codegen.passes import prepared

CORRECTIONS = {source.name: overlay.read(source.folder / "overlay.yaml") for source in all_sources()}


@cache
def contract(name: str) -> Document:
    (source,) = (source for source in all_sources() if source.name == name)
    return prepared(read_yaml(source.document))


def without(document: Document, pointer: str) -> None:
    *above, last = steps(pointer)
    parent = at(document, pointer_of(above))
    del parent[int(last) if is_list(parent) else last]


@pytest.mark.parametrize(
    ("name", "correction"),
    [pytest.param(name, correction, id=f"{name}-{correction.id}") for name in CORRECTIONS for correction in CORRECTIONS[name]],
)
def test_correction_without_its_target_raises_broken_with_its_id(name: str, correction: overlay.Correction) -> None:
    view: overlay.View = correction.only or "verdicts"
    document = deepcopy(contract(name))
    overlay.apply(document, CORRECTIONS[name][: CORRECTIONS[name].index(correction)], view=view)
    target = next(change["at"] for change in correction.changes if "add" not in change)
    without(document, target)

    with pytest.raises(Broken, match=f"correction {correction.id} "):
        overlay.apply(document, [correction], view=view)
