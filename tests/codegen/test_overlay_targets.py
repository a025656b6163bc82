"""A correction without its target raises Broken."""

from __future__ import annotations

from copy import deepcopy

import pytest

from codegen import overlay
from codegen.contracts import Source, all_sources
from lakepact.codegen.documents import Broken, Document, at, is_list, pointer_of, read_yaml, steps
from lakepact.codegen.passes import prepare


def without(document: Document, pointer: str) -> None:
    *above, last = steps(pointer)
    parent = at(document, pointer_of(above))
    del parent[int(last) if is_list(parent) else last]


@pytest.mark.parametrize("source", all_sources(), ids=lambda source: source.name)
def test_correction_without_its_target_raises_broken_with_its_id(source: Source) -> None:
    contract, corrections = (
        prepare(read_yaml(source.document)),
        overlay.read(source.folder / "overlay.yaml"),
    )
    for number, correction in enumerate(corrections):
        view: overlay.View = correction.only or "verdicts"
        document = deepcopy(contract)
        overlay.apply(document, corrections[:number], view=view)
        without(
            document, next(change["at"] for change in correction.changes if "add" not in change)
        )

        with pytest.raises(Broken, match=f"correction {correction.id} "):
            overlay.apply(document, [correction], view=view)
