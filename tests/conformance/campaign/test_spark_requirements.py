"""Requirements of Spark and arguments of campaigns: one line each, with advice."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from lakepact.conformance.campaign import engine_options
from lakepact.conformance.campaign.cli import campaign
from lakepact.conformance.campaign.engine_options import Choice
from lakepact.conformance.campaign.engines import spark_requirements
from lakepact.extras import install


def java(folder: Path, sentence: str) -> str:
    """Return the folder of a `java` program that prints a sentence as its version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{sentence}' >&2\n", encoding="utf-8")
    program.chmod(0o755)
    return str(folder)


def problem(name: str, *, remote: bool = False) -> str | None:
    """Return what is said of a requirement, or nothing if it is met."""
    sentences = spark_requirements.problems(remote=remote)
    return next((sentence for sentence in sentences if sentence.startswith(f"{name}: ")), None)


def test_missing_java_is_reported_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")

    assert problem("Java") == (
        "Java: none on PATH; install Java 17 or later and let JAVA_HOME name its folder,"
        " or do without Spark: --engine local"
    )


@pytest.mark.parametrize(
    ("output", "meets"),
    [('openjdk version "11.0.2"', False), ('openjdk version "21" 2023', True), ("nothing", False)],
)
def test_java_version_is_checked(
    output: str, *, meets: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", java(tmp_path, output))

    assert (problem("Java") is None) == meets


def test_missing_python_interpreter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/nowhere/python3")

    assert "/nowhere/python3 is no program" in (problem("PYSPARK_PYTHON") or "")


def test_missing_or_old_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(spark_requirements.PACKAGES, "pyarrow", ((900, 0), (1000, 0)))
    monkeypatch.setitem(spark_requirements.PACKAGES, "no-such-package", ((1, 0), (2, 0)))

    assert "900.0 or a later one" in (problem("pyarrow") or "")
    assert install("campaign-spark") in (problem("no-such-package") or "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["plan", "--seeds", "a:b", "--out", "x"], "--seeds a:b: write FROM:TO"),
        (["plan", "--seeds", "3:3", "--out", "x"], "there is no seed in it"),
        (["plan", "--modes", "odd", "--out", "x"], "there is no 'odd'"),
        (["plan", "--only", "nothing*", "--seeds", "0", "--out", "x"], "there is nothing to send"),
        (["run", "--out", "x"], "--resume"),
        (
            [
                "run",
                "--plan",
                "nowhere",
                "--target",
                "a=http://127.0.0.1:9",
                "--out",
                "x",
                "--engine",
                "local",
            ],
            "is nowhere the folder of a plan?",
        ),
        (
            ["run", "--resume", "--out", "nowhere", "--engine", "local"],
            "is nowhere the folder of a run?",
        ),
        (["judge", "--run", "nowhere"], "Directory 'nowhere' does not exist"),
        (["judge", "--run", ".", "--engine", "local"], "is . the folder of a run?"),
        (["report", "--run", ".", "--format", "pdf"], "there are md, html"),
        (
            ["report", "--run", ".", "--engine", "local", "--master", "local[2]"],
            "--master, --remote and --conf are for --engine spark",
        ),
        *(
            (
                ["run", "--resume", "--out", ".", option],
                f"Invalid value for '{option.partition('=')[0]}'",
            )
            for option in ("--rps=nan", "--rps=-1", "--rps=inf", "--patience=nan", "--patience=-1")
        ),
    ],
)
def test_unusable_arguments_exit_with_2(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(campaign, words)

    assert (result.exit_code, sentence in result.output) == (2, True)
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["judge", "--run", "."], 3, "lakepact campaign judge: "),
        (["report", "--run", ".", "--engine", "spark"], 3, "lakepact campaign report: "),
        (
            ["run", "--plan", "nowhere", "--target", "a=http://127.0.0.1:9", "--out", "run"],
            3,
            "Java: none on PATH",
        ),
        (["run", "--resume", "--out", "run"], 2, "is run the folder of a run?"),
    ],
)
def test_missing_java_is_reported_in_one_line_before_a_run_is_created(
    words: list[str], code: int, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    result = CliRunner().invoke(campaign, words)

    assert (
        result.exit_code,
        sentence in result.output,
        result.output.count("\n"),
        list(tmp_path.iterdir()),
    ) == (code, True, 1, [])


@pytest.mark.parametrize(
    ("master", "large", "engine"),
    [(None, 1000, "local"), (None, 10, "spark"), ("local[2]", 1000, "spark")],
    ids=["small", "large", "master"],
)
def test_report_uses_spark_for_large_runs_or_if_a_master_is_named(
    master: str | None, large: int, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_options, "LARGE", large)
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "part.parquet").write_bytes(b"a" * 100)

    assert Choice(master=master).for_analysis_of(tmp_path).engine == engine


def test_missing_package_of_spark_connect_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(spark_requirements.CONNECT, "no-such-package", (1, 0))

    assert install("spark-connect") in (problem("no-such-package", remote=True) or "")


def test_master_with_remote_exits_with_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        campaign,
        ["judge", "--run", str(tmp_path), "--master", "local", "--remote", "sc://127.0.0.1:1"],
    )

    assert (result.exit_code, result.output.count("\n")) == (2, 1)
