"""How a catalog of watsonx.data is asked what it serves: as every catalog is; that it is one of these has to be said."""

from __future__ import annotations

from dataclasses import replace

from lakepact.conformance.checks.iceberg_rest.asking import asking as asking_catalogs
from lakepact.conformance.checks.watsonx_data.suite import discover

asking = replace(asking_catalogs, declares=discover, recognises=lambda _: False)
