"""Files for other programs that start Signalbox: their commands, settings and addresses exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import resolve

from signalbox.arguments import parser

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTED = set(re.findall(r"[A-Z_]{6,}", (ROOT / "docs" / "settings.md").read_text()))
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
MANIFESTS = list(
    yaml.safe_load_all((ROOT / "integrations" / "kubernetes" / "signalbox.yaml").read_text())
)
UNITS = sorted((ROOT / "integrations" / "systemd").iterdir())
OTHERS = {"FORWARDED_ALLOW_IPS", "PGPASSWORD"}
"""Variables of libraries."""


def containers() -> Iterator[dict[str, Any]]:
    for manifest in MANIFESTS:
        if manifest["kind"] == "Deployment":
            yield from manifest["spec"]["template"]["spec"]["containers"]


def commands() -> Iterator[list[str]]:
    for service in COMPOSE["services"].values():
        if service.get("image") == "signalbox" and "command" in service:
            yield service["command"]
    for container in containers():
        if "args" in container:
            yield container["args"]
    for unit in UNITS:
        (line,) = re.findall(r"^ExecStart=\S+/signalbox (.+)$", unit.read_text(), re.MULTILINE)
        yield shlex.split(line)


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_a_command_is_understood(command: list[str]) -> None:
    assert parser().parse_args(command).command in ("serve", "worker")


def test_every_variable_is_documented() -> None:
    named = {name for one in containers() for name in (row["name"] for row in one.get("env", ()))}
    named |= set(COMPOSE["services"]["server"]["environment"])
    for unit in UNITS:
        named |= set(re.findall(r"^Environment=(\w+)=", unit.read_text(), re.MULTILINE))
    assert named - DOCUMENTED == OTHERS


def test_probes_ask_addresses_of_the_server_and_of_workers() -> None:
    for container in containers():
        probes = [value for name, value in container.items() if name.endswith("Probe")]
        assert len(probes) >= 2
        for probe in probes:
            path = probe["httpGet"]["path"]
            assert path == "/healthz" or resolve(path)
            assert probe["httpGet"]["port"] in [port["name"] for port in container["ports"]]


def test_the_proxy_alone_may_name_a_client() -> None:
    address = COMPOSE["services"]["proxy"]["networks"]["edge"]["ipv4_address"]
    assert address in COMPOSE["services"]["server"]["environment"]["FORWARDED_ALLOW_IPS"]
