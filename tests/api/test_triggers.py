"""Triggers over HTTP: made, delivered to, tried, refused; a delivery starts one run at most."""

from __future__ import annotations

import gzip
import hashlib
import hmac
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from roles.rights import Level, share
from tests.support.server_fixtures import signed_in
from tests.support.tiny_dialect import register, tiny_pack
from tests.support.tokens import api_token
from workflows.actions import runs
from workflows.actions.packs import create_from_sample
from workflows.core.dialects import dialects
from workflows.models import Firing, Pack, Revision, Run, Trigger
from workflows.security.encryption import decrypt
from workflows.selectors.packs import required_inputs

TABLE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}
HOOK = {"kind": "webhook", "name": "Issues", "driver": "manual", "takes": {"title": "/title"}}
CLOCK = {"kind": "schedule", "name": "Nightly", "driver": "manual", "cron": "0 3 * * *"}
BODY = '{"title": "Broken", "driver": "model", "revision": 1, "commands": true, "pack": 99}'


@pytest.fixture
def tiny() -> Iterator[Pack]:
    register()
    pack = tiny_pack(TABLE)
    (first,) = Revision.objects.filter(pack=pack)
    Revision.objects.create(pack=pack, number=2, kind="edit", manifest=first.manifest)
    pack.head = 2
    pack.save()
    yield pack
    dialects().pop("tiny", None)


@pytest.fixture
def hook(tiny: Pack, post: Any) -> dict[str, Any]:
    answer = post(f"packs/{tiny.pk}/triggers/", HOOK)
    assert answer.status_code == 201, answer.json()
    return answer.json()


def deliver(hook: dict[str, Any], body: str | bytes = BODY, secret: str = "", **more: str) -> Any:
    headers = {"Authorization": f"Bearer {secret or hook['secret']}", **more}
    return Client(HTTP_HOST="127.0.0.1", raise_request_exception=False).post(
        hook["path"], body, content_type="application/json", headers=headers
    )


def test_a_delivery_starts_a_run_of_the_stored_revision(hook: dict[str, Any], ada: User) -> None:
    answer = deliver(hook)
    assert answer.status_code == 202
    run = Run.objects.get()
    assert answer.json() == {"run": str(run.pk), "repeated": False}
    assert (run.revision, run.driver, run.owner, run.source) == (2, "manual", ada, "webhook")
    assert run.events.get(n=1).fields["started_by"] == "webhook"
    assert runs.start_options(run.options) == {"inputs": {"title": "Broken"}}
    assert run.trigger_id == hook["id"]


def test_the_secret_is_shown_once_and_stored_encrypted(site: Client, hook: dict[str, Any]) -> None:
    row = Trigger.objects.get()
    assert decrypt(row.sealed_secret) == hook["secret"]
    assert hook["secret"] not in row.sealed_secret
    listed = site.get(f"/api/v1/packs/{row.pack_id}/triggers/").content.decode()
    assert hook["secret"] not in listed
    assert row.sealed_secret not in listed


def test_a_signature_proves_the_secret_without_showing_it(hook: dict[str, Any]) -> None:
    digest = hmac.new(hook["secret"].encode(), BODY.encode(), hashlib.sha256).hexdigest()
    stranger = Client(HTTP_HOST="127.0.0.1")
    signed = {"X-Hub-Signature-256": f"sha256={digest}"}
    answer = stranger.post(hook["path"], BODY, content_type="text/plain", headers=signed)
    assert answer.status_code == 202
    other = stranger.post(hook["path"], BODY + " ", content_type="text/plain", headers=signed)
    assert other.status_code == 401


def test_a_wrong_secret_and_a_wrong_address_get_the_same_answer(hook: dict[str, Any]) -> None:
    wrong = deliver(hook, secret="whsec_wrong")
    nowhere = deliver({**hook, "path": "/api/v1/hooks/none/"})
    none = deliver(hook, Authorization="")
    for answer in (wrong, nowhere, none):
        assert answer.status_code == 401
        assert answer.json()["code"] == "not_proven"
        assert answer.content == wrong.content
        assert answer.headers.items() >= {"Content-Type": "application/json"}.items()
    assert not Run.objects.exists()
    assert not Firing.objects.exists()


def test_a_repeated_delivery_starts_no_second_run(hook: dict[str, Any], settings: Any) -> None:
    settings.SIGNALBOX_WEBHOOK_RATE = 1
    first = deliver(hook, **{"Idempotency-Key": "a"}).json()
    again = deliver(hook, **{"Idempotency-Key": "a"})
    assert (again.status_code, again.json()) == (202, {"run": first["run"], "repeated": True})
    assert deliver(hook, **{"Idempotency-Key": "b"}).status_code == 429
    assert Run.objects.count() == 1


def test_a_webhook_is_limited_in_a_minute(hook: dict[str, Any], settings: Any) -> None:
    settings.SIGNALBOX_WEBHOOK_RATE = 2
    assert [deliver(hook).status_code for _ in range(3)] == [202, 202, 429]
    refused = deliver(hook)
    assert 0 < int(refused["Retry-After"]) <= 60
    Firing.objects.update(at=timezone.now() - timedelta(seconds=61))
    assert deliver(hook).status_code == 202


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"{}", 422, "nothing at /title, which the input 'title' takes"),
        (b"nonsense", 422, "not JSON"),
        (b"\xff", 422, "not UTF-8"),
        (b" " * (1024 * 1024 + 1), 413, "at most 1,048,576 bytes"),
    ],
    ids=["missing", "text", "bytes", "large"],
)
def test_an_invalid_body_is_reported_and_starts_nothing(
    hook: dict[str, Any], body: bytes, status: int, sentence: str
) -> None:
    answer = deliver(hook, body)
    assert answer.status_code == status
    assert sentence in answer.json()["message"]
    assert not Run.objects.exists()


def test_a_refused_delivery_may_come_again_under_its_key(
    hook: dict[str, Any], site: Client, tiny: Pack
) -> None:
    assert deliver(hook, b"{}", **{"Idempotency-Key": "a"}).status_code == 422
    (noted,) = site.get(f"/api/v1/triggers/{hook['id']}/").json()["firings"]
    assert (noted["outcome"], noted["run"]) == ("refused", None)
    assert deliver(hook, **{"Idempotency-Key": "a"}).json()["repeated"] is False


def test_a_trigger_that_is_off_starts_nothing(hook: dict[str, Any], site: Client) -> None:
    address = f"/api/v1/triggers/{hook['id']}/"
    site.patch(address, {"enabled": False}, content_type="application/json")
    answer = deliver(hook)
    assert (answer.status_code, answer.json()["code"]) == (409, "trigger_off")
    assert deliver(hook, secret="wrong").status_code == 401
    site.patch(address, {"enabled": True}, content_type="application/json")
    assert deliver(hook).status_code == 202


def test_a_trigger_of_a_deactivated_user_starts_nothing(hook: dict[str, Any], ada: User) -> None:
    ada.is_active = False
    ada.save()
    assert deliver(hook).status_code == 409


def test_a_new_secret_shuts_the_old_one_out(hook: dict[str, Any], post: Any) -> None:
    fresh = post(f"triggers/{hook['id']}/secret/", {}).json()
    assert deliver(hook).status_code == 401
    assert deliver(fresh).status_code == 202


def test_a_trial_needs_no_secret_and_is_marked(
    hook: dict[str, Any], post: Any, site: Client
) -> None:
    answer = post(f"triggers/{hook['id']}/try/", {"body": BODY})
    assert answer.status_code == 201
    (noted,) = site.get(f"/api/v1/triggers/{hook['id']}/").json()["firings"]
    assert (noted["tried"], noted["run"]) == (True, answer.json()["run"])
    assert post(f"triggers/{hook['id']}/try/", {"body": "{}"}).status_code == 422


def test_a_trigger_follows_its_revision(hook: dict[str, Any], site: Client, tiny: Pack) -> None:
    address = f"/api/v1/triggers/{hook['id']}/"

    def runs_of(**change: Any) -> int | str:
        said = site.patch(address, change, content_type="application/json")
        assert said.status_code == 200, said.json()
        answer = deliver(hook).json()
        return answer.get("message") or Run.objects.get(pk=answer["run"]).revision

    assert runs_of(follows="pinned", revision=1) == 1
    assert "has none" in str(runs_of(follows="named"))
    Revision.objects.filter(pack=tiny, number=1).update(name="First")
    assert runs_of() == 1
    assert runs_of(follows="newest") == 2


def test_a_deleted_trigger_leaves_its_runs(hook: dict[str, Any], site: Client) -> None:
    deliver(hook)
    assert site.delete(f"/api/v1/triggers/{hook['id']}/").status_code == 204
    assert deliver(hook).status_code == 401
    run = site.get("/api/v1/runs/?source=webhook").json()["results"][0]
    assert (run["source"], run["trigger"], run["trigger_name"]) == ("webhook", None, "")


def test_a_schedule_lists_its_next_times(post: Any, tiny: Pack, site: Client) -> None:
    made = post(f"packs/{tiny.pk}/triggers/", {**CLOCK, "timezone": "Asia/Tokyo"}).json()
    assert (made["secret"], made["path"], len(made["next"])) == ("", "", 3)
    assert all(time.endswith("T18:00:00+00:00") for time in made["next"])
    off = site.patch(
        f"/api/v1/triggers/{made['id']}/", {"enabled": False}, content_type="application/json"
    )
    assert off.json()["next"] == []
    assert Trigger.objects.get().next_at is None
    shown = site.get("/api/v1/due-times/", {"cron": "@daily", "timezone": "UTC"}).json()["next"]
    assert len(shown) == 3
    wrong = site.get("/api/v1/due-times/", {"cron": "never"}).json()
    assert wrong["next"] == []
    assert "five fields" in wrong["problem"]
    assert site.get("/api/v1/due-times/").status_code == 400


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"name": " "}, "name"),
        ({"kind": "bell"}, "kind"),
        ({"driver": "script"}, "driver"),
        ({"driver": "parrot"}, "driver"),
        ({"takes": {"title": "title"}}, "takes"),
        ({"options": {"script": {}}}, "options.script"),
        ({"options": {"inputs": {"a": 1}}}, "options.inputs"),
        ({"options": {"budget": {"euros": 1}}}, ""),
        ({"options": {"budget": 7}}, "budget"),
        ({"options": {"mode": ["PLANNING"]}}, "mode"),
        ({"options": {"commands": True}}, "options.commands"),
        ({"follows": "pinned", "revision": 9}, "revision"),
        ({"kind": "schedule", "cron": "0 0 30 2 *"}, "cron"),
        ({"kind": "schedule", "cron": "* * * * *", "timezone": "Nowhere"}, "cron"),
    ],
    ids=lambda one: str(one),
)
def test_invalid_triggers_are_refused_with_a_message(
    post: Any, tiny: Pack, change: dict[str, Any], where: str
) -> None:
    answer = post(f"packs/{tiny.pk}/triggers/", {**HOOK, **change})
    assert answer.status_code == 400
    assert answer.json()["where"] == where
    assert not Trigger.objects.exists()


def test_only_the_owner_allows_commands_where_the_operator_does(
    post: Any, tiny: Pack, bob: User, site: Client, settings: Any
) -> None:
    settings.SIGNALBOX_COMMANDS = True
    made = post(f"packs/{tiny.pk}/triggers/", HOOK).json()
    address, allow = f"/api/v1/triggers/{made['id']}/", {"options": {"commands": True}}
    other = signed_in(bob)
    share(Trigger.objects.get(pk=made["id"]), bob, Level.EDIT)
    refused = other.patch(address, allow, content_type="application/json")
    assert (refused.status_code, refused.json()["where"]) == (400, "options.commands")
    assert site.patch(address, allow, content_type="application/json").status_code == 200
    assert deliver(made).status_code == 202
    assert Run.objects.get().options["commands"] is True


def test_runs_record_their_trigger(tiny: Pack, post: Any, site: Client, ada: User) -> None:
    post("runs/", {"pack": tiny.pk, "driver": "manual"})
    bearer = {"Authorization": f"Bearer {api_token(ada, 'ci')}"}
    program = Client(HTTP_HOST="127.0.0.1")
    body = {"pack": tiny.pk, "driver": "manual"}
    program.post("/api/v1/runs/", body, content_type="application/json", headers=bearer)
    sources = [run["source"] for run in site.get("/api/v1/runs/").json()["results"]]
    assert sources == ["api", "person"]


def test_a_form_and_a_packed_body_are_read(hook: dict[str, Any]) -> None:
    client = Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)
    key = {"Authorization": f"Bearer {hook['secret']}"}
    form = "application/x-www-form-urlencoded"

    def sent(body: bytes, kind: str, **more: str) -> Any:
        return client.post(hook["path"], body, content_type=kind, headers={**key, **more})

    packed = gzip.compress(BODY.encode())
    for body, kind, more, title in (
        (b"title=Gr%C3%B6%C3%9Fe+1", f"{form}; charset=utf-8", {}, "Größe 1"),
        (packed, "application/json", {"Content-Encoding": "gzip"}, "Broken"),
    ):
        answer = sent(body, kind, **more)
        assert answer.status_code == 202, answer.json()
        assert Run.objects.get(pk=answer.json()["run"]).options["inputs"] == {"title": title}
    for body, kind, more, words in (
        (b"--x--", "multipart/form-data; boundary=x", {}, form),
        (packed[:-9], "application/json", {"Content-Encoding": "gzip"}, "gzip"),
        (gzip.compress(b"0" * 2_000_000), "text/plain", {"Content-Encoding": "gzip"}, "1,048,576"),
        (BODY.encode(), "application/json", {"Content-Encoding": "br"}, "gzip"),
    ):
        answer = sent(body, kind, **more)
        assert (answer.status_code, words in answer.json()["message"]) == (422, True), words


def test_a_trigger_without_a_required_input_is_refused(post: Any, ada: User) -> None:
    pack = create_from_sample("stages/review-loop", owner=ada)
    (needed, *more) = required_inputs(pack)
    answer = post(f"packs/{pack.pk}/triggers/", CLOCK)
    assert (answer.status_code, answer.json()["where"]) == (400, "options.inputs")
    assert repr(needed) in answer.json()["message"]
    inputs = {"inputs": dict.fromkeys((needed, *more), "x")}
    assert post(f"packs/{pack.pk}/triggers/", {**CLOCK, "options": inputs}).status_code == 201
    takes = dict.fromkeys((needed, *more), "/x")
    assert post(f"packs/{pack.pk}/triggers/", {**HOOK, "takes": takes}).status_code == 201
