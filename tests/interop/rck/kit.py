"""Apache Iceberg's REST compatibility kit, run by JUnit's launcher against a server, and its
reports.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import yaml

from interop import installed

HERE = Path(__file__).parent
PACKAGE = "org.apache.iceberg.rest."
KIT = tuple(
    f"--select-class={PACKAGE}{name}"
    for name in ("RESTCompatibilityKitCatalogTests", "RESTCompatibilityKitViewCatalogTests")
)
#: Tests that the kit skips, because it has no switch for their feature.
SWITCHED_ON = (
    "testListNestedNamespaces",
    "testDropNamespaceWithNestedNamespace",
    "testNamespaceWithSlash",
    "testTableNameWithSlash",
)
LONGEST_RUN = 900  #: seconds
#: Features of a server that can be switched on in the kit.
SWITCHES = {
    "rck.local": "false",
    "rck.requires-namespace-create": "true",
    "rck.supports-names-with-dot": "true",
    "rck.supports-variant": "true",
}
#: Folders of the kit for tables outside the warehouse.
FIXED_LOCATIONS = ("/tmp/ns", "/tmp/newdb")


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one test of the kit."""

    name: str  #: `Class.test`, followed by the number of its arguments if there are several
    outcome: str  #: `passed`, `failed` or `not run`
    message: str = ""  #: the beginning of the failure message


def run(
    url: str,
    *,
    warehouse: str,
    scratch: Path,
    reports: Path,
    properties: Mapping[str, str],
    selection: Sequence[str] = KIT,
) -> list[Result]:
    """Run the kit.

    Args:
        url: the catalog's address, without `/v1`.
        warehouse: the name of the warehouse.
        scratch: a folder below the warehouse for further locations.
        reports: the folder of the reports of JUnit.
        properties: further properties of the client of the kit.
        selection: the tests to run, as options of JUnit's launcher.
    """
    path, java = installed.jars(HERE / "pom.xml"), installed.java()
    client = {**properties, "uri": url, "warehouse": warehouse}
    # The kit reads properties of its client under both names.
    settings = {
        **SWITCHES,
        **client,
        **{f"rck.{key}": value for key, value in client.items()},
        "java.io.tmpdir": str(scratch),
    }
    launcher = [
        "org.junit.platform.console.ConsoleLauncher",
        "execute",
        "--disable-banner",
        "--disable-ansi-colors",
        "--details=none",
    ]
    ran = subprocess.run(
        [
            java,
            *(f"-D{key}={value}" for key, value in settings.items()),
            "-cp",
            path,
            *launcher,
            f"--reports-dir={reports}",
            *selection,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST_RUN,
        check=False,
    )
    results = list(read(reports))
    assert results, ran.stdout[-4000:]
    return results


def switch_options() -> list[str]:
    """Return the options of the launcher that select the tests of the class `SwitchedOn`."""
    path, javac, source = (
        installed.jars(HERE / "pom.xml"),
        installed.tool("javac", why="the kit is extended with it"),
        HERE / "SwitchedOn.java",
    )

    def compile_it(place: Path) -> None:
        installed.run_or_fail([javac, "-cp", path, "-d", str(place), str(source)])

    place = installed.once(
        installed.folder() / "rck-switched-on",
        inputs=[source.read_bytes(), path.encode()],
        make=compile_it,
    )
    return [
        f"--class-path={place}",
        *(f"--select-method={PACKAGE}SwitchedOn#{test}" for test in SWITCHED_ON),
    ]


def read(reports: Path) -> Iterator[Result]:
    """Return the results of the reports in a folder."""
    for file in sorted(reports.glob("TEST-*.xml")):
        for case in ET.parse(file).getroot().iter("testcase"):
            name = (
                f"{case.get('classname', '').removeprefix(PACKAGE)}.{case.get('name', '')}".replace(
                    "()", ""
                )
            )
            wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
            left_out = case.find("skipped")
            if wrong is not None:
                yield Result(name, "failed", (wrong.get("message") or wrong.text or "")[:600])
            elif left_out is not None:
                yield Result(name, "not run", (left_out.text or "")[:200].partition("\n")[0])
            else:
                yield Result(name, "passed")


def not_passing(version: str) -> Mapping[str, str]:
    """Return the tests that do not pass with this version of the contract, with reasons."""
    exceptions: dict[str, str] = {}
    for group in yaml.safe_load((HERE / "not_passing.yaml").read_text("utf-8")):
        assert {"why", "clause", "tests"} <= group.keys() <= {"why", "clause", "tests", "only"}, (
            group
        )
        if group.get("only", version) == version:
            exceptions.update(dict.fromkeys(group["tests"], f"{group['why']} ({group['clause']})"))
    return exceptions
