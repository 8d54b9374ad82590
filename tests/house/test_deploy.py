"""The files that bring Signalbox onto a machine agree with the rest of it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import resolve

from signalbox.arguments import parser
from tests.house.test_docs import ROOT, SETTINGS
from tests.support.checks import each_row

COMPOSE = (ROOT / "compose.yaml").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SECRETS = ("POSTGRES_PASSWORD", "SIGNALBOX_SECRET_KEY")
SET = {"POSTGRES_PASSWORD": "p@ss/word", "SIGNALBOX_SECRET_KEY": "s" * 50}

COMPOSED = yaml.safe_load(COMPOSE)
MANIFESTS = list(
    yaml.safe_load_all((ROOT / "integrations" / "kubernetes" / "signalbox.yaml").read_text())
)
UNITS = sorted((ROOT / "integrations" / "systemd").iterdir())
OTHERS = {"FORWARDED_ALLOW_IPS", "PGPASSWORD"}
"""Variables of libraries."""
DOCUMENTED = set(re.findall(r"[A-Z_]{6,}", SETTINGS))


class NotSet(Exception):
    """`${NAME:?…}` without a value."""


def filled_in(text: str, given: Mapping[str, str]) -> str:
    """Replace `${NAME:-default}` and `${NAME:?message}` as compose does."""

    def value(found: re.Match[str]) -> str:
        name, how, other = found.groups()
        if given.get(name):
            return given[name]
        if how == ":?":
            raise NotSet(f"{name} {other}")
        return str(other)

    return re.sub(r"\$\{(\w+)(:[-?])([^}]*)\}", value, text)


def services(**given: str) -> dict[str, Any]:
    return dict(yaml.safe_load(filled_in(COMPOSE, given))["services"])


@each_row(SECRETS)
def test_compose_starts_nothing_without_its_secrets(secret: str) -> None:
    for without in ({}, {secret: ""}):
        given = {name: value for name, value in SET.items() if name != secret} | without
        with pytest.raises(NotSet, match=rf"{secret} has to be set"):
            services(**given)


def test_compose_has_a_server_and_workers_on_postgresql_and_redis() -> None:
    ours = services(**SET)
    assert set(ours) == {"server", "worker", "proxy", "postgres", "redis"}
    for name in ("server", "worker"):
        waits = ours[name]["depends_on"]
        assert {one: how["condition"] for one, how in waits.items()} == dict.fromkeys(
            ("postgres", "redis"), "service_healthy"
        )
        assert all("healthcheck" in ours[one] for one in waits)
    assert [name for name, one in ours.items() if "ports" in one] == ["server", "proxy"]
    assert ours["server"]["ports"] == ["127.0.0.1:8000:8000"]


def test_compose_names_only_known_settings() -> None:
    told = set(re.findall(r"`(SIGNALBOX_[A-Z_]+)", SETTINGS))
    named = set(re.findall(r"SIGNALBOX_[A-Z_]+", COMPOSE + DOCKERFILE))
    assert len(named) >= 5
    assert named <= told
    assert "compose.yaml" in (ROOT / "docs" / "deploy.md").read_text()


def test_the_settings_take_what_compose_sets(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if "SIGNALBOX" not in name}
    probe = (
        "from signalbox import settings as s; d = s.DATABASES['default'];"
        "print(d['HOST'], d['USER'], d['NAME'], s.SIGNALBOX_WORKER, s.SIGNALBOX_COMMANDS,"
        " s.CHANNEL_LAYERS['default']['CONFIG']['hosts'][0]['address'], len(s.SECRET_KEY))"
    )
    for name in ("server", "worker"):
        told = {key: str(value) for key, value in services(**SET)[name]["environment"].items()}
        done = subprocess.run(
            [sys.executable, "-c", probe],
            cwd=ROOT,
            env={**clean, **told, "SIGNALBOX_DATA": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == (
            ["postgres", "signalbox", "signalbox", "none", "False", "redis://redis", "50"]
        ), done.stderr


def test_the_image_copies_existing_paths_and_runs_as_an_unprivileged_user() -> None:
    copied = [
        source
        for line in DOCKERFILE.splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for source in line.split()[1:-1]
    ]
    assert {"signalbox", "workflows", "roles", "templates", "docs"} <= set(copied)
    assert [source for source in copied if not (ROOT / source).exists()] == []
    kept = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    assert [
        one for one in copied if not any(one == k or one.startswith(f"{k}/") for k in kept)
    ] == []
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (\w+)$", last, re.MULTILINE) == ["signalbox"]
    assert "--require-hashes" in DOCKERFILE


def containers() -> Iterator[dict[str, Any]]:
    for manifest in MANIFESTS:
        if manifest["kind"] == "Deployment":
            yield from manifest["spec"]["template"]["spec"]["containers"]


def commands() -> Iterator[list[str]]:
    for service in COMPOSED["services"].values():
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
    named |= set(COMPOSED["services"]["server"]["environment"])
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
    address = COMPOSED["services"]["proxy"]["networks"]["edge"]["ipv4_address"]
    assert address in COMPOSED["services"]["server"]["environment"]["FORWARDED_ALLOW_IPS"]
