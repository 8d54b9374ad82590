"""The OpenAPI document is served, complete and the one that is committed."""

from __future__ import annotations

from pathlib import Path

import yaml
from django.core.management import call_command
from django.test import Client

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"


def test_the_committed_document_is_the_present_one(tmp_path: Path) -> None:
    made = tmp_path / "openapi.yaml"
    call_command("spectacular", file=str(made), validate=True, fail_on_warn=True)
    assert made.read_text() == COMMITTED.read_text(), "run `make openapi`"


def test_the_document_is_served(site: Client) -> None:
    served = yaml.safe_load(site.get("/api/v1/schema/").content)
    assert served == yaml.safe_load(COMMITTED.read_text())
    assert served["components"]["securitySchemes"]["bearerToken"]["scheme"] == "bearer"


def test_every_operation_has_a_name_and_a_sentence(site: Client) -> None:
    paths = yaml.safe_load(COMMITTED.read_text())["paths"]
    operations = [
        operation
        for methods in paths.values()
        for name, operation in methods.items()
        if name in ("get", "post", "patch", "delete")
    ]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names)) > 30
    assert all(operation["description"] for operation in operations)
