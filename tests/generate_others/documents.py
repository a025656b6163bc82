"""OpenAPI documents of other projects, as their packages in registries hold them."""

from __future__ import annotations

import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from interop import installed


@dataclass(frozen=True)
class Shipped:
    """A document in a package of a registry."""

    name: str  #: of the generated package
    package: str  #: `name==version` of PyPI, or `group:artifact:version` of Maven Central
    member: str

    def document(self) -> Path:
        """Return the document, fetched once."""
        made = installed.once(
            installed.folder("generate") / self.name,
            inputs=[repr(self).encode()],
            make=self._fetch,
        )
        return made / self.member

    def _fetch(self, place: Path) -> None:
        if "==" in self.package:
            installed.run_or_fail(
                [
                    sys.executable,
                    "-m",
                    "pip",
                    "download",
                    "--quiet",
                    "--no-deps",
                    "--dest",
                    str(place),
                    self.package,
                ]
            )
        else:
            maven = installed.tool("mvn", why=f"it fetches {self.package}")
            goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
            installed.run_or_fail(
                [
                    maven,
                    "-B",
                    "-q",
                    goal,
                    f"-Dartifact={self.package}",
                    f"-DoutputDirectory={place}",
                ]
            )
        (archive,) = (path for path in place.iterdir() if path.suffix in {".jar", ".whl"})
        with zipfile.ZipFile(archive) as held:
            held.extract(self.member, place)


SHIPPED = (
    Shipped(
        "nessie", "org.projectnessie.nessie:nessie-model:0.99.0", "META-INF/openapi/openapi.yaml"
    ),
    Shipped("apicurio", "io.apicurio:apicurio-registry-common:3.0.6", "META-INF/openapi.json"),
    Shipped(
        "airflow",
        "apache-airflow-core==3.3.2",
        "airflow/api_fastapi/core_api/openapi/v2-rest-api-generated.yaml",
    ),
)
