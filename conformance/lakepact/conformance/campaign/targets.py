"""Targets: addresses, and headers whose secrets are named environment variables.

The process that sends a request reads its secret; no frame, plan, file or log holds one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lakepact.conformance.evidence.target import Offer, Target
from lakepact.conformance.running import profiles
from lakepact.generated.contract import Contract, OperationId, contracts
from lakepact.reach.settings import DIRECT, Settings

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
CONTRACT = re.compile(r"([a-z][a-z0-9_]*)\+(?=https?://)")


@dataclass(frozen=True)
class TargetSettings:
    """One target of a campaign.

    Args:
        name: its name in tables and reports.
        url: its base address.
        contract: the contract that it speaks.
        headers: sent with every request; `${NAME}` stands for the environment variable of that
            name.
        access: certificates, proxy and login.
        parameters: what the contract lets a client choose.
        features: optional behaviours that are on or off.
        version: of the server, for trends.
        timeout: seconds to wait for an answer.
        operations: ids of the operations that it declares, after discovery.
        segments: path parameters with one value for the whole target.
        results: further results of discovery, for the contract's own lab; detected at each start.
    """

    name: str
    url: str
    contract: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, bool] = field(default_factory=dict)
    version: str = ""
    timeout: float = profiles.TIMEOUT
    access: Settings = DIRECT
    operations: tuple[OperationId, ...] = ()
    segments: Mapping[str, str | None] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def target(self) -> Target:
        """Return the target with its secrets, for the process that sends them.

        Raises:
            NoSecret: an environment variable is missing here.
            ValueError: what one of them holds is no value of a header.
        """
        headers = profiles.sendable(self.headers)
        return Target(
            self.url,
            headers=headers,
            access=self.access,
            features=self.features,
            parameters=self.parameters,
            timeout=self.timeout,
        )

    @property
    def offer(self) -> Offer:
        """The declaration of the target."""
        return Offer(frozenset(self.operations), segments=self.segments, results=self.results)

    @property
    def document(self) -> dict[str, Any]:
        """The target as JSON, without `results` and without secrets."""
        document = asdict(replace(self, results={}))
        del document["results"]
        return document


def of_document(document: Mapping[str, Any]) -> TargetSettings:
    """Return the target that `TargetSettings.document` wrote."""
    members: dict[str, Any] = {
        **document,
        "operations": tuple(document["operations"]),
        "access": Settings(**document.get("access", {})),
    }
    return TargetSettings(**members)


def parse_targets(
    options: Sequence[str], contract_names: Sequence[str]
) -> tuple[TargetSettings, ...]:
    """Return the targets of `NAME=URL`, `NAME=CONTRACT+URL` and `NAME=FILE.toml`.

    Args:
        options: as they were written.
        contract_names: contracts of the cases; if there is only one, targets need not name it.

    Raises:
        ValueError: one says something else.
    """
    targets = [_speaking(_parse_target(option), contract_names) for option in options]
    names = [one.name for one in targets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"--target {twice[0]}=…: there are two of that name")
    return tuple(targets)


def _speaking(target: TargetSettings, contract_names: Sequence[str]) -> TargetSettings:
    if not target.contract and len(contract_names) == 1:
        return replace(target, contract=contract_names[0])
    if target.contract in contract_names:
        return target
    have = f"the plan has cases of {', '.join(contract_names)}"
    if target.contract:
        raise ValueError(f"--target {target.name}: it speaks {target.contract}, and {have}")
    example = f"{target.name}={contract_names[0]}+{target.url}"
    raise ValueError(
        f"--target {target.name}: {have}; say which it speaks: {example}, or contract in its"
        " profile"
    )


def _parse_target(option: str) -> TargetSettings:
    name, _, where = option.partition("=")
    if not NAME.match(name) or not where:
        raise ValueError(f"--target {option}: write NAME=URL or NAME=FILE.toml")
    if where.endswith(".toml"):
        return _from_profile(name, Path(where))
    contract = CONTRACT.match(where)
    url = where[contract.end() :] if contract else where
    return TargetSettings(name, _address(url, f"--target {name}"), contract[1] if contract else "")


def _from_profile(name: str, path: Path) -> TargetSettings:
    profile = profiles.profile(path)
    if "url" not in profile:
        raise ValueError(f"{path}: no url; a profile has {', '.join(profiles.KEYS)}")
    contract = profile.get("contract", "")
    _check_version(contract, profile.get("contract_version"), path)
    headers = dict(profile.get("headers", {}))
    for header, value in headers.items():
        if not profiles.SECRET.search(value):
            # A file that plans and runs are made of is copied about: what might be a secret must
            # not stand in it.
            raise ValueError(
                f"{path}: the header {header} has a value of its own; write ${{NAME}} and set the"
                " environment variable NAME"
            )
    if "token_env" in profile:
        headers["Authorization"] = f"Bearer ${{{profile['token_env']}}}"
    url, timeout = _address(profile["url"], str(path)), profiles.timeout(profile)
    return TargetSettings(
        name,
        url,
        contract,
        headers,
        profile.get("parameters", {}),
        profile.get("features", {}),
        version=profile.get("version", ""),
        timeout=timeout,
        access=profiles.access(DIRECT, profile, url),
    )


def _check_version(contract: str, version: str | None, path: Path) -> None:
    """Refuse a version of a contract that campaigns have no cases of."""
    if version is None:
        return
    if contract not in contracts():
        raise ValueError(
            f"{path}: contract_version says something only beside contract, which is one of"
            f" {', '.join(contracts())}"
        )
    expected = Contract(contract).version
    if version != expected:
        have = f"cases of campaigns are of {contract} {expected}"
        raise ValueError(
            f"{path}: contract_version is {version}, and {have}; leave it out to ask the target for"
            f" what {expected} says"
        )


def _address(url: str, where: str) -> str:
    split = urlsplit(url)
    if split.scheme not in {"http", "https"} or not split.hostname:
        raise ValueError(
            f"{where}: {url.rpartition('@')[2]} is no http:// or https:// address, and no file that"
            " ends in .toml"
        )
    if split.username or split.password:
        raise ValueError(
            f"{where}: an address must not hold a password; name an environment variable in a"
            " profile"
        )
    return url.rstrip("/")
