"""Every task of the project: `nox` runs what a change has to pass, `nox --list` shows the rest."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import nox

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "types", "layers", "generate_check", "docs", "pages", "tests"]
os.environ.pop(
    "PYTHONDONTWRITEBYTECODE", None
)  # tests start Python hundreds of times: each start would compile every library again

PROJECT = nox.project.load_toml("pyproject.toml")
#: What runs with the lowest versions: a part of each package.
LOWEST = (
    "tests/client",
    "tests/reference_server",
    "tests/conformance/command",
    "tests/data",
    "tests/conformance/harness",
)
#: One worker more than cores, because tests wait for servers a third of their time. Workers without tests take over those of others.
PARALLEL = ("-n", str((os.cpu_count() or 1) + 1), "--dist", "worksteal", "-q")
#: What the matrix needs: MiniStack and s3fs, which `all` has, pin botocore to different versions.
MATRIX = ".[aws,data,fuzz]"
ROOTS = ("specs", "generated", "client", "reference_server", "conformance")


def install(session: nox.Session, *groups: str, package: str = "") -> None:
    """Install dependency groups, and the package itself with the extras that `package` names."""
    names = nox.project.dependency_groups(PROJECT, *groups)
    session.install(*(["-e", package] if package else []), *names)


@nox.session
def generate(session: nox.Session) -> None:
    """Regenerate all generated code."""
    install(session, "generate")
    session.run("python", "-m", "codegen", *session.posargs, env={"PYTHONPATH": "specs"})


@nox.session
def generate_check(session: nox.Session) -> None:
    """List the generated files that are not what the contracts say today."""
    install(session, "generate")
    session.run("python", "-m", "codegen", "--check", env={"PYTHONPATH": "specs"})


@nox.session
def lint(session: nox.Session) -> None:
    """Rules and format of the source and of the Dockerfile."""
    install(session, "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("hadolint", "Dockerfile")


@nox.session
def types(session: nox.Session) -> None:
    """mypy and pyright, both strict."""
    install(session, "types", "generate", "tests", package=".[all]")
    pyright_here = (f"{session.bin}/pyright", "--pythonpath", f"{session.bin}/python")
    with subprocess.Popen(pyright_here) as pyright:  # on one core, and mypy on the other
        session.run("mypy")
        session.run(
            "mypy",
            "tests/client/every_method.py",
            "tests/reference_server/forgotten_parameters.py",
            "tests/reference_server/misspelled_members.py",
        )
        pages = Path("build/pages")
        session.run(
            "python",
            "tests/pages/page_modules.py",
            str(pages),
            env={"PYTHONPATH": "specs"},
            silent=True,
        )
        programs = sorted(
            map(str, [*pages.glob("*_page_*.py"), *Path("examples").glob("*/test_*.py")])
        )
        programs.remove(
            "examples/spark/test_sales_by_city.py"
        )  # needs pyspark: nox -s spark_source
        session.run("mypy", "--strict", *programs, env={"MYPYPATH": str(pages)})
        session.run(*pyright_here, *programs, env={"PYTHONPATH": str(pages)})
    if pyright.returncode:
        session.error("pyright: see its findings above")


@nox.session
def layers(session: nox.Session) -> None:
    """Check which packages import which."""
    install(session, "layers", package=".[all]")
    session.run("lint-imports")


@nox.session
def tests(session: nox.Session) -> None:
    """All tests but those that drive real clients."""
    install(session, "tests", "generate", package=".[all]")
    session.run("pytest", "--ignore", "tests/interop", *(session.posargs or PARALLEL))


@nox.session(python=["3.12", "3.13"])
def tests_newer(session: nox.Session) -> None:
    """The same with newer Pythons than the oldest that is supported."""
    tests(session)


@nox.session
def budget(session: nox.Session) -> None:
    """Count the code of product, tests and generated modules; fail above the budget."""
    session.run("python", "tests/budget.py")


@nox.session
def nightly(session: nox.Session) -> None:
    """Tests that take minutes: hundreds of crashes, long fuzzing, many examples of each law."""
    install(session, "tests", "generate", package=".[all]")
    session.run(
        "pytest",
        "--ignore",
        "tests/interop",
        "-m",
        "nightly or hypothesis",
        "--hypothesis-profile",
        "night",
        *session.posargs,
    )


@nox.session
def mutants(session: nox.Session) -> None:
    """Every named fault of the reference server is found, and every check finds one."""
    install(session, package=".[all]")
    session.run("python", "-m", "mutants", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def mutants_together(session: nox.Session) -> None:
    """Servers with 3, 6 and 12 faults at once: each fault is found, and nothing else fails."""
    install(session, package=".[conformance]")
    session.run(
        "python",
        "-m",
        "mutants.together",
        *(session.posargs or ("--causes-per-fault", "1.6")),
        env={"PYTHONPATH": "tests"},
    )


@nox.session
def interop(session: nox.Session) -> None:
    """Real clients against the reference server: those that are Python packages."""
    install(session, "tests", "interop", package=".[all]")
    session.run("pytest", "tests/interop", "-m", "interop", *session.posargs)


@nox.session
def interop_clients(session: nox.Session) -> None:
    """The same for clients in Java, Go, Rust and JavaScript, for engines, and for Spark; what is built for them is kept in a cache."""
    install(session, "tests", package=".[all,spark]")
    session.run("pytest", "tests/interop/clients", "-m", "clients", "-s", *session.posargs)


@nox.session
def interop_rck(session: nox.Session) -> None:
    """Apache's compatibility kit for REST catalogs, with Java and Maven."""
    install(session, "tests", package=".[server]")
    session.run("pytest", "tests/interop/rck", "-m", "rck", "-s", *session.posargs)


@nox.session
def servers_matrix(session: nox.Session) -> None:
    """Check the servers that package registries provide, and write docs/matrix; needs Java, Maven and 8 minutes.

    No registry has the official sharing server: DSS_CLASSPATH is the class path of one that was built from its sources.
    """
    install(session, "tests", "matrix", package=MATRIX)
    session.run("python", "-m", "servers_matrix", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def rows_fuzz(session: nox.Session) -> None:
    """Compare reads and writes of random Iceberg tables with a model, for a minute or the seconds that are given."""
    install(session, "tests", package=".[all]")
    session.run("python", "-m", "rows_fuzz", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def foreign(session: nox.Session) -> None:
    """Use the client on servers of others, and write docs/matrix/foreign*.md; needs Java 17, Maven and Go.

    The official sharing server comes from the class path in DSS_CLASSPATH, as for servers_matrix.
    """
    install(session, "tests", "matrix", package=".[aws,data,fuzz,spark]")
    session.run("pytest", "tests/foreign", "-m", "foreign", *session.posargs)


@nox.session
def clients_matrix(session: nox.Session) -> None:
    """Check published clients, and write docs/matrix/clients.md; needs Java, Maven, Go, Rust and Node, and 20 minutes."""
    install(session, "tests", package=".[all]")
    session.run("python", "-m", "clients_matrix", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def generate_others(session: nox.Session) -> None:
    """Generate code from OpenAPI documents of other projects, and call every operation; needs Maven and 3 minutes."""
    install(session, "tests", "types")
    session.install(
        "pip", "--reinstall-package", "lakepact", ".[generate]"
    )  # as a wheel, so that the checkout is not on its path
    session.run("python", "-m", "generate_others", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def campaign(session: nox.Session) -> None:
    """Campaigns on Spark, against the same in plain processes, and one on Iceberg's own server beside ours."""
    install(session, "tests", package=".[all,spark-connect]")
    session.run(
        "pytest",
        "tests/conformance/campaign",
        "tests/interop/fixture",
        "-m",
        "spark or not spark",
        *session.posargs,
    )


@nox.session
def spark_source(session: nox.Session) -> None:
    """Read tables in Spark, locally and on a standalone master; needs Java 17."""
    install(session, "tests", "types", package=".[all,campaign-spark,spark-connect]")
    session.run("pyright", "client/lakepact/spark")
    session.run("pytest", "tests/spark", "-m", "spark or not spark", *session.posargs)
    session.run("pytest", "tests/data", "-m", "spark", *session.posargs)
    session.run("pytest", "tests/examples", "-m", "examples", "-k", "spark")


@nox.session
def spark_tables(session: nox.Session) -> None:
    """Write again the tables of delta-spark that tests of file skipping read; needs Java 17, and jars from Maven Central."""
    session.install("pyspark>=4.1,<4.2")
    session.run("python", "tests/client/delta_sharing/predicates/spark_tables/write.py")


@nox.session
def campaign_bench(session: nox.Session) -> None:
    """Measure the cost of campaigns (2,000 cases on three servers, one more on Spark, 200,000 exchanges analysed) and of scans in Spark."""
    install(session, "tests", package=".[all,campaign-spark]")
    session.run("python", "tests/bench/campaign.py", env={"PYTHONPATH": "tests"})
    session.run("python", "tests/bench/campaign.py", "scans", env={"PYTHONPATH": "tests"})
    session.run("python", "tests/bench/judging.py", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session
def bench(session: nox.Session) -> None:
    """The reference server against bare ASGI on the same machine."""
    session.env["UV_COMPILE_BYTECODE"] = (
        "1"  # as pip does; without it every start would compile all of it
    )
    install(session, "tests", "bench", package=".[all]")
    session.run("python", "tests/bench", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the docs site in build/site; a warning or a dead link fails."""
    install(session, "docs", package=".[all]")
    session.run(
        "mkdocs", "build", "--strict", *session.posargs, env={"NO_MKDOCS_2_WARNING": "1"}
    )  # of a version that is pinned


@nox.session
def pages(session: nox.Session) -> None:
    """Run the commands and programs of all pages; the tests only check that their verbs, options and imports exist."""
    install(session, "tests", package=".[all]")
    session.run("pytest", "tests/pages", "-m", "pages", *(session.posargs or PARALLEL))


@nox.session
def examples(session: nox.Session) -> None:
    """Run every example."""
    install(session, "tests", package=".[all]")
    session.run("pytest", "tests/examples", "-m", "examples", *session.posargs)


@nox.session(reuse_venv=False)
def lowest(session: nox.Session) -> None:
    """Run tests with the lowest versions of all libraries that the package accepts."""
    names = nox.project.dependency_groups(PROJECT, "tests")
    session.run_install(
        "uv", "pip", "install", "--resolution", "lowest-direct", "-e", ".[all]", *names
    )
    session.run("pytest", *(session.posargs or [*PARALLEL, *LOWEST]))


@nox.session(reuse_venv=False)
def release(session: nox.Session) -> None:
    """Build sdist and wheel into dist/ and check each in a fresh environment; write notes and SBOM, and tag the commit."""
    version, out = PROJECT["project"]["version"], Path("dist")
    heading, _, notes = Path("CHANGELOG.md").read_text("utf-8").partition("## ")[2].partition("\n")
    if not heading.startswith(version):
        session.error(f"CHANGELOG.md begins with {heading!r}, and the version is {version}")
    session.install("build", "twine", "cyclonedx-bom>=6,<8")
    for old in out.glob("lakepact-*"):
        old.unlink()
    session.run("python", "-m", "build", "--outdir", str(out), silent=True)
    files = sorted(map(str, out.glob(f"lakepact-{version}[.-]*")))
    session.run("twine", "check", "--strict", *files)
    fresh = Path(session.create_tmp()).resolve() / "fresh"
    for file in map(str.strip, files):
        session.run("python", "-m", "venv", "--clear", str(fresh))
        session.run(f"{fresh}/bin/pip", "install", "--quiet", f"{file}[conformance]", external=True)
        session.run(f"{fresh}/bin/lakepact", "--version", external=True)
        session.run(f"{fresh}/bin/lakepact", "check", "--only", "IRC-NS-*", external=True)
    session.run(
        "cyclonedx-py",
        "environment",
        str(fresh),
        "--output-reproducible",
        "--output-file",
        str(out / f"lakepact-{version}.cdx.json"),
    )
    (out / f"lakepact-{version}.notes.md").write_text(
        notes.partition("\n## ")[0].strip() + "\n", "utf-8"
    )
    if "unreleased" in heading:
        session.warn(
            f"no tag: CHANGELOG.md says {heading!r}; write the date, commit, and run this again"
        )
    else:
        session.run(
            "git",
            "tag",
            "--annotate",
            f"v{version}",
            "--message",
            f"lakepact {version}",
            external=True,
        )


@nox.session
def build(session: nox.Session) -> None:
    """Build the distribution and see that it holds the package, all of it and nothing else."""
    session.install("build")
    out = Path(session.create_tmp())
    for old in out.glob("*.whl"):
        old.unlink()
    session.run("python", "-m", "build", "--wheel", "--outdir", str(out), silent=True)
    (wheel,) = out.glob("*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    meant = {
        path.relative_to(root).as_posix()
        for root in ROOTS
        for path in Path(root, "lakepact").rglob("*")
        if path.is_file()
    }
    meant = {name for name in meant if "__pycache__" not in name}
    if held != meant:
        session.error(
            "\n".join(
                f"{'only in the wheel' if name in held else 'not in the wheel'}: {name}"
                for name in sorted(held ^ meant)
            )
        )
    session.install("--force-reinstall", str(wheel))
    session.run(
        "python",
        "-c",
        "from lakepact.generated.contract import Contract, contracts; [Contract(c).routing for c in contracts()]",
    )
    install(session, "tests")
    session.install("uv", "pipx")
    session.run(
        "pytest",
        "tests/distribution",
        "-m",
        "distribution",
        *session.posargs,
        env={"LAKEPACT_WHEEL": str(wheel)},
    )
