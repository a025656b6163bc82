"""The corrections of a contract, as data: what is wrong, why we say so, what it does to verdicts,
and the changes themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from codegen import changes
from lakepact.codegen.documents import Broken, Document, no_twins, read_yaml

Effect = Literal["none", "corrects", "widens", "narrows"]
View = Literal["verdicts", "models"]


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction."""

    id: str
    sentence: str
    why: str
    effect: Effect
    only: View | None  #: the view that it is confined to, if it is
    changes: tuple[dict[str, Any], ...]


def read(path: Path) -> tuple[Correction, ...]:
    """Return the corrections in an overlay file, in its order.

    Raises:
        Broken: One of them lacks something, claims too much, or stands there twice.
    """
    entries: list[dict[str, Any]] = read_yaml(path)["corrections"] if path.exists() else []
    corrections = tuple(_correction(entry) for entry in entries)
    no_twins(path.name, [correction.id for correction in corrections])
    return corrections


def add_later_parts(document: Document, path: Path) -> Document:
    """Return the document with what its authors added in a later version, as a file of additions
    says it.

    Raises:
        Broken: An addition lacks something, or does not find what it expects.
    """
    later = deepcopy(document)
    for entry in read_yaml(path)["additions"]:
        if set(entry) != {"sentence", "since", "changes"}:
            raise Broken(
                f"an addition has sentence, since and changes, but this one has {', '.join(entry)}"
            )
        try:
            for change in entry["changes"]:
                changes.apply(later, change)
        except Broken as broken:
            raise Broken(f"addition ({entry['sentence']}): {broken}") from None
    return later


def sentences_of_additions(path: Path) -> list[str]:
    """Return the additions of a later version, from its file of additions."""
    return [entry["sentence"] for entry in read_yaml(path)["additions"]]


def apply(
    document: Document, corrections: Iterable[Correction], *, view: View
) -> dict[str, tuple[str, ...]]:
    """Correct a document in place, for one view of it; return the pointers that each correction
    touched.

    Raises:
        Broken: A correction does not find what it expects; the message names the correction.
    """
    by_correction: dict[str, tuple[str, ...]] = {}
    for correction in corrections:
        if correction.only in {None, view}:
            try:
                pointers = [
                    pointer
                    for change in correction.changes
                    for pointer in changes.apply(document, change)
                ]
            except Broken as broken:
                raise Broken(
                    f"correction {correction.id} ({correction.sentence}): {broken}"
                ) from None
            by_correction[correction.id] = tuple(dict.fromkeys(pointers))
    return by_correction


def _correction(entry: dict[str, Any]) -> Correction:
    name = entry.get("id", entry)
    lacking = {"id", "sentence", "why", "effect", "changes"} - set(entry)
    if lacking or set(entry) - {"id", "sentence", "why", "effect", "only", "changes"}:
        raise Broken(
            f"correction {name}: a correction has id, sentence, why, effect, changes and perhaps"
            f" only, but this one has {', '.join(entry)}"
        )
    if entry["effect"] not in get_args(Effect) or entry.get("only") not in {None, *get_args(View)}:
        raise Broken(
            f"correction {name}: effect is one of {get_args(Effect)}, only is one of"
            f" {get_args(View)}"
        )
    if entry.get("only") == "models" and entry["effect"] != "none":
        raise Broken(f"correction {name}: what is only for models has no effect on verdicts")
    return Correction(
        entry["id"],
        entry["sentence"],
        entry["why"],
        entry["effect"],
        entry.get("only"),
        tuple(entry["changes"]),
    )
