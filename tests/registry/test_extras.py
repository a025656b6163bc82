"""The extras of the package: what each installs, and which one the error about a missing library
names.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from lakepact.cli.verbs import VERBS
from lakepact.extras import install

ROOT = Path(__file__).parents[2]
EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]

#: Libraries that checking an Iceberg catalog does not need, all of them large.
LARGE = (
    "connexion",
    "deltalake",
    "duckdb",
    "hypothesis",
    "numpy",
    "pandas",
    "pyarrow",
    "pyiceberg",
    "pyroaring",
    "pyspark",
    "ruff",
    "schemathesis",
)

#: The arguments of a verb, the library that it misses, and the extra that installs it.
CALLS = [
    ("campaign plan", "pyarrow", "campaign"),
    ("check --contract delta_sharing", "deltalake", "delta"),
    ("check --fuzz", "hypothesis", "fuzz"),
    ("check-client --contract delta_sharing -- true", "deltalake", "delta"),
    ("data write", "numpy", "data"),
    ("diff a b", "pyarrow", "campaign"),
    ("fixtures delta", "pyroaring", "delta"),
    ("generate pyproject.toml --out pyproject", "ruff", "generate"),
    ("serve --engine connexion --port 0", "connexion", "connexion"),
]


def libraries_of(extra: str) -> set[str]:
    """Return the libraries that an extra installs, directly or through other extras."""
    libraries = set()
    for line in EXTRAS[extra]:
        requirement = Requirement(line)
        libraries |= (
            set().union(*map(libraries_of, requirement.extras))
            if requirement.name == "lakepact"
            else {requirement.name}
        )
    return libraries


def without(libraries: tuple[str, ...], words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in an interpreter that lacks some libraries."""
    argv = ["lakepact", *words.split()]
    code = f"import sys; sys.modules |= dict.fromkeys({libraries!r}); sys.argv = {argv!r}; from lakepact.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )


def test_conformance_installs_no_large_library() -> None:
    assert libraries_of("conformance") & set(LARGE) == set()


def test_all_installs_every_extra_but_spark_and_generate() -> None:
    others = EXTRAS.keys() - {"all", "campaign-spark", "spark", "spark-connect", "generate"}

    assert set().union(*map(libraries_of, others)) == libraries_of("all")


def test_iceberg_extra_can_write_partitions_by_bucket() -> None:
    assert Requirement(EXTRAS["iceberg"][0]).extras == {"pyarrow", "pyiceberg-core"}


@pytest.mark.parametrize(("words", "library", "extra"), CALLS)
def test_missing_library_is_named_with_its_extra(words: str, library: str, extra: str) -> None:
    process = without(LARGE, words)
    verb = words.partition(" ")[0]

    assert (process.returncode, process.stdout) == (2, "")
    assert (
        process.stderr
        == f"lakepact {verb} needs {library}, which is not installed: {install(extra)}\n"
    )
    assert library in libraries_of(extra)


@pytest.mark.parametrize(("verb", "extra"), [("ls", "server"), ("--help", "conformance")])
def test_missing_click_is_named_with_the_extra_of_the_verb(verb: str, extra: str) -> None:
    process = without(("click",), verb)

    assert (process.returncode, process.stderr) == (
        2,
        f"the command lakepact needs click, which is not installed: {install(extra)}\n",
    )


@pytest.mark.parametrize("verb", VERBS)
def test_extra_of_a_verb_exists(verb: str) -> None:
    assert {VERBS[verb].extra, *VERBS[verb].optional.values()} <= EXTRAS.keys()


def test_missing_library_of_the_embedded_server_ends_the_check() -> None:
    process = without(LARGE, "serve --port 0 --contract delta_sharing --shares pyproject.toml")

    assert (process.returncode, process.stderr.splitlines()[-1]) == (
        2,
        "Error: delta_sharing needs pyarrow, which is not installed: " + install("arrow", "server"),
    )


def test_check_of_an_iceberg_catalog_needs_no_large_library() -> None:
    process = without(LARGE, "check --only IRC-NS-DROP-005 --json")

    assert (process.returncode, '"outcome":"pass"' in process.stdout) == (0, True)


def test_requirements_of_all_contracts_are_listed_without_large_libraries() -> None:
    process = without(LARGE, "list --checks")

    assert (process.returncode, process.stderr, "delta_replay" in process.stdout) == (0, "", True)
