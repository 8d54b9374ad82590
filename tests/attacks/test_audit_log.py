"""The audit log: who, what, when and from where; without contents."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from workflows.actions import packs
from workflows.actions.tokens import make_token
from workflows.models import AuditEntry, Pack


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", is_staff=True)


@pytest.fixture
def site(ada: User) -> Client:
    client = Client(HTTP_HOST="127.0.0.1", REMOTE_ADDR="192.0.2.7")
    client.force_login(ada)
    return client


@pytest.fixture
def pack(ada: User) -> Pack:
    return packs.create("stages", name="Weekly", owner=ada)


def send(client: Client, method: str, path: str, body: Any, **headers: Any) -> Any:
    data = json.dumps(body)
    return client.generic(method, path, data, content_type="application/json", **headers)


def test_a_change_is_an_entry(site: Client, pack: Pack, ada: User) -> None:
    said = {"HTTP_X_FORWARDED_FOR": "203.0.113.9"}
    send(site, "PATCH", f"/api/v1/packs/{pack.pk}/", {"name": "Renamed"}, **said)
    entry = AuditEntry.objects.get()
    assert (entry.user, entry.user_name, entry.by) == (ada, "ada", "session")
    assert (entry.operation, entry.kind, entry.object_id) == ("packs_change", "pack", str(pack.pk))
    assert (entry.object_name, entry.outcome, entry.status) == ("Weekly", "done", 200)
    assert entry.address == "192.0.2.7"
    assert timezone.now() - entry.at < timedelta(minutes=1)


def test_a_program_is_named_by_its_token(ada: User, pack: Pack) -> None:
    _, token = make_token(ada, "nightly", scopes=["read", "edit"])
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    client = Client(HTTP_HOST="127.0.0.1")
    send(client, "PATCH", f"/api/v1/packs/{pack.pk}/", {"name": "x"}, **bearer)
    assert AuditEntry.objects.get().by == "token nightly"


def test_a_refusal_is_an_entry_and_reading_is_none(site: Client, pack: Pack) -> None:
    bob = User.objects.create_user("bob")
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(bob)
    client.get("/")
    client.get(f"/api/v1/packs/{pack.pk}/")
    for path in ("rehearse", "find", "check-text", "proposals", "export/git/plan"):
        send(site, "POST", f"/api/v1/packs/{pack.pk}/{path}/", {"query": "x"})
    assert not AuditEntry.objects.exists()
    client.delete(f"/api/v1/packs/{pack.pk}/")
    client.post(f"/packs/{pack.pk}/delete/")
    found = [(one.operation, one.outcome, one.status) for one in AuditEntry.objects.order_by("pk")]
    assert found == [("packs_delete", "refused", 404), ("delete-pack", "refused", 404)]


def test_forms_of_pages_are_entries_without_their_texts(site: Client) -> None:
    form = {"do": "add", "name": "c", "kind": "openai", "key": "sk-canary-123", "base_url": ""}
    site.post("/settings/connections/", form | {"model": "m"})
    site.post("/settings/connections/", form | {"name": ""})
    done, refused = AuditEntry.objects.order_by("pk")
    assert (done.operation, done.outcome) == ("change-connections:add", "done")
    assert (refused.operation, refused.outcome) == ("change-connections:add", "refused")
    assert "canary" not in json.dumps(list(AuditEntry.objects.values()), default=str)


def test_signing_out_and_exports_are_entries(site: Client, pack: Pack) -> None:
    site.get(f"/api/v1/packs/{pack.pk}/export/")
    site.post("/sign-out/")
    found = set(AuditEntry.objects.values_list("operation", "user_name"))
    assert found == {("packs_export", "ada"), ("sign-out", "ada")}


def test_staff_filter_and_export_it(site: Client, pack: Pack) -> None:
    send(site, "PATCH", f"/api/v1/packs/{pack.pk}/", {"name": "=1+1"})
    send(site, "PATCH", f"/api/v1/packs/{pack.pk}/", {"profile": "none"})
    page = site.get("/settings/audit/", {"outcome": "refused"}).content.decode()
    assert page.count("data-operation") == 1
    listed = site.get("/api/v1/audit/?operation=packs_change").json()
    assert [one["outcome"] for one in listed["results"]] == ["refused", "done"]
    lines = site.get("/api/v1/audit/export/?as=jsonl&outcome=done&kind=pack").getvalue().decode()
    assert [json.loads(line)["object_name"] for line in lines.splitlines()] == ["Weekly"]
    table = site.get("/settings/audit/export/?as=csv").getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["object_name"] for row in rows if row["outcome"] == "refused"] == ["'=1+1"]
    assert site.get("/api/v1/audit/?since=nonsense").status_code == 400
    assert site.get("/settings/audit/?since=2099-01-01").content.count(b"data-operation") == 0
    assert site.get("/api/v1/audit/?user=ben&object_id=1").json()["results"] == []
    site.force_login(User.objects.create_user("ben"))
    for path in ("/settings/audit/", "/settings/audit/export/", "/api/v1/audit/"):
        assert site.get(path).status_code == 403, path


def test_no_operation_deletes_entries(site: Client, pack: Pack) -> None:
    send(site, "PATCH", f"/api/v1/packs/{pack.pk}/", {"name": "Renamed"})
    kept = AuditEntry.objects.get()
    for address in ("/api/v1/audit/", f"/api/v1/audit/{kept.pk}/", "/audit/", "/audit/export/"):
        for method in ("DELETE", "PUT", "PATCH", "POST"):
            assert send(site, method, address, {}).status_code in (403, 404, 405), address
    site.post(f"/admin/workflows/auditentry/{kept.pk}/delete/", {"post": "yes"})
    pack.delete()
    User.objects.exclude(username="ada").delete()
    assert AuditEntry.objects.filter(pk=kept.pk, operation="packs_change").exists()
