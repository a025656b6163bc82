"""Detection of a watsonx.data catalog: as for every catalog, but only if the user names the
contract.
"""

from __future__ import annotations

from dataclasses import replace

from lakepact.conformance.checks.iceberg_rest.discovery import probe_spec as catalog_spec
from lakepact.conformance.checks.watsonx_data.suite import discover

probe_spec = replace(catalog_spec, declares=discover, recognises=lambda _: False)
