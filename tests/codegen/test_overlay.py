"""Corrections change the contract they expect and raise Broken on any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codegen import changes, overlay
from lakepact.codegen.documents import Broken


def shop() -> dict[str, Any]:
    return {
        "a": {"type": "string", "enum": ["x", "y"]},
        "list": [{"$ref": "#/a"}, {"$ref": "#/b"}],
        "b": {"$ref": "#/b"},
    }


@pytest.mark.parametrize(
    ("change", "after", "pointers"),
    [
        ({"at": "/c", "add": 1}, {**shop(), "c": 1}, ["/c"]),
        (
            {"at": "/a/type", "expect": "string", "set": "integer"},
            {**shop(), "a": {"type": "integer", "enum": ["x", "y"]}},
            ["/a/type"],
        ),
        (
            {"at": "/a/enum", "expect": ["x", "y"], "remove": True},
            {**shop(), "a": {"type": "string"}},
            ["/a/enum"],
        ),
        (
            {"at": "/a/enum", "append": ["z"]},
            {**shop(), "a": {"type": "string", "enum": ["x", "y", "z"]}},
            ["/a/enum"],
        ),
        (
            {"at": "/a/enum", "discard": ["x"]},
            {**shop(), "a": {"type": "string", "enum": ["y"]}},
            ["/a/enum"],
        ),
        (
            {"at": "/a", "merge": {"title": "A"}},
            {**shop(), "a": {**shop()["a"], "title": "A"}},
            ["/a/title"],
        ),
        (
            {"at": "/list/1", "expect": {"$ref": "#/b"}, "set": 2},
            {**shop(), "list": [{"$ref": "#/a"}, 2]},
            ["/list/1"],
        ),
        (
            {"at": "", "replace": {"find": {"$ref": "#/b"}, "with": 3, "times": 2}},
            {**shop(), "list": [{"$ref": "#/a"}, 3], "b": 3},
            ["/list/1", "/b"],
        ),
    ],
    ids=lambda value: (
        next(iter(set(value) & set(changes.ACTIONS)), "") if isinstance(value, dict) else ""
    ),
)
def test_change_returns_its_result_and_touched_pointers(
    change: dict[str, Any], after: dict[str, Any], pointers: list[str]
) -> None:
    document = shop()

    assert (changes.apply(document, change), document) == (pointers, after)


def test_renamed_member_keeps_its_position() -> None:
    document = shop()

    changes.apply(document, {"at": "/list", "expect": shop()["list"], "rename": "items"})

    assert list(document) == ["a", "items", "b"]


def test_expected_object_is_compared_by_its_members_only() -> None:
    document = shop()

    changes.apply(document, {"at": "/a", "expect": {"type": "string"}, "set": {}})

    assert document["a"] == {}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"at": "/a/typ", "expect": "string", "set": 1}, "/a/typ points to nothing"),
        (
            {"at": "/a/type", "expect": "integer", "set": 1},
            "at /a/type integer is expected, but string is there",
        ),
        (
            {"at": "/a", "expect": {"type": "string", "format": "x"}, "remove": True},
            "at /a .* is expected",
        ),
        ({"at": "/a/enum", "expect": ["x"], "remove": True}, "at /a/enum .* is expected"),
        ({"at": "/a/type", "set": 1}, "does not say what it expects"),
        ({"at": "/a", "add": 1}, "/a is to be added, but is there already"),
        ({"at": "/nowhere/c", "add": 1}, "/nowhere points to nothing"),
        (
            {"at": "/a/enum", "append": ["x"]},
            "x is to be appended to /a/enum, but is there already",
        ),
        ({"at": "/a/enum", "discard": ["z"]}, "z is to be taken from /a/enum, but is not there"),
        ({"at": "/a", "merge": {"type": 1}}, "type is to be added to /a, but is there already"),
        (
            {"at": "/b", "expect": {}, "rename": "a"},
            "/b is to be called a, but there is one of that name already",
        ),
        (
            {"at": "", "replace": {"find": {"$ref": "#/b"}, "with": 1, "times": 1}},
            "is to be replaced 1 times .* but is there 2 times",
        ),
        ({"at": "/a", "expect": {}, "set": 1, "remove": True}, "a change has"),
        ({"at": "/a", "wish": 1}, "a change has"),
    ],
)
def test_change_without_its_expected_value_raises_broken(
    change: dict[str, Any], complaint: str
) -> None:
    document = shop()

    with pytest.raises(Broken, match=complaint):
        changes.apply(document, change)

    assert document == shop()


def test_true_does_not_equal_1() -> None:
    with pytest.raises(Broken, match="is expected"):
        changes.apply({"a": 1}, {"at": "/a", "expect": True, "remove": True})


def correction(**members: Any) -> dict[str, Any]:
    return {
        "id": "X1",
        "sentence": "a is b",
        "why": "It is.",
        "effect": "corrects",
        "changes": [],
        **members,
    }


def overlay_file(tmp_path: Path, *corrections: dict[str, Any]) -> Path:
    path = tmp_path / "overlay.yaml"
    path.write_text(
        str({"corrections": list(corrections)}), "utf-8"
    )  # a Python literal of this kind is YAML, too
    return path


def test_failed_correction_is_named(tmp_path: Path) -> None:
    corrections = overlay.read(
        overlay_file(tmp_path, correction(changes=[{"at": "/gone", "expect": "x", "set": "y"}]))
    )

    with pytest.raises(Broken, match=r"correction X1 \(a is b\): /gone points to nothing"):
        overlay.apply({}, corrections, view="verdicts")


def test_correction_of_models_does_not_change_verdicts(tmp_path: Path) -> None:
    corrections = overlay.read(
        overlay_file(
            tmp_path, correction(effect="none", only="models", changes=[{"at": "/a", "add": 1}])
        )
    )
    verdicts: dict[str, Any] = {}
    models: dict[str, Any] = {}

    pointers = [
        overlay.apply(verdicts, corrections, view="verdicts"),
        overlay.apply(models, corrections, view="models"),
    ]

    assert (verdicts, models, pointers) == ({}, {"a": 1}, [{}, {"X1": ("/a",)}])


@pytest.mark.parametrize(
    ("corrections", "complaint"),
    [
        (
            [{"id": "X1", "sentence": "a", "why": "b", "changes": []}],
            "a correction has id, sentence, why, effect, changes",
        ),
        ([correction(note="x")], "a correction has id, sentence, why, effect, changes"),
        ([correction(effect="improves")], "effect is one of"),
        ([correction(only="models")], "what is only for models has no effect on verdicts"),
        ([correction(), correction()], "X1 stand there twice"),
    ],
)
def test_correction_with_wrong_members_raises_broken(
    tmp_path: Path, corrections: list[dict[str, Any]], complaint: str
) -> None:
    with pytest.raises(Broken, match=complaint):
        overlay.read(overlay_file(tmp_path, *corrections))
