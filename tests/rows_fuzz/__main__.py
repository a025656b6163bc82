"""`python -m rows_fuzz [SECONDS] [--seed N] [--url URL]`: trials for some time, by default a
minute, on the reference server or another catalog.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time

from lakepact.client import IcebergCatalog
from lakepact.reference_server import running
from rows_fuzz.trial import trial


def main() -> int:
    """Run trials until the time is over; return 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1, help="the first; 0 seconds run it alone")
    parser.add_argument(
        "--url", help="of an empty catalog, which may lead to files of this machine"
    )
    options = parser.parse_args()
    failures: list[str] = []
    answers, seed, end = 0, options.seed, time.monotonic() + options.seconds
    with contextlib.ExitStack() as ending:
        url = options.url or ending.enter_context(running(contract="iceberg_rest")).url
        trusted = ["file:"] if options.url else ()
        catalog = ending.enter_context(IcebergCatalog(url, trusted_origins=trusted))
        catalog.create_namespace("fuzz")
        while True:
            trial_run = trial(catalog, seed)
            answers, seed = answers + trial_run.answers, seed + 1
            failures += trial_run.failures
            for failure in trial_run.failures:
                print(failure[:3000], flush=True)  # noqa: T201
            if time.monotonic() > end:
                break
    tables = seed - options.seed
    print(f"{answers} answers of {tables} tables, {len(failures)} wrong")  # noqa: T201
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
