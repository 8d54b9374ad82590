"""The page of a pack's triggers: added, tried, changed, switched, deleted, without a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.support.tiny_dialect import register, tiny_pack
from workflows.core.dialects import dialects
from workflows.models import Firing, Pack, Run, Trigger
from workflows.security.encryption import decrypt

TABLE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}
FORM = {"name": "Issues", "driver": "manual", "follows": "1"}


@pytest.fixture
def tiny() -> Iterator[Pack]:
    register()
    yield tiny_pack(TABLE)
    dialects().pop("tiny", None)


@pytest.fixture
def send(site: Client, tiny: Pack) -> Any:
    """Send a form; returns the next page."""

    def post(**form: Any) -> str:
        answer = site.post(f"/packs/{tiny.pk}/triggers/change/", form, follow=True)
        assert answer.status_code == 200
        return answer.content.decode()

    return post


@pytest.fixture
def hook(send: Any) -> Trigger:
    send(
        do="add",
        kind="webhook",
        input=["title", "kind", ""],
        value=["", "bug", ""],
        takes=["/title", "", ""],
        **FORM,
    )
    return Trigger.objects.get()


def test_a_page_without_triggers_teaches(site: Client, tiny: Pack) -> None:
    page = site.get(f"/packs/{tiny.pk}/triggers/").content.decode()
    assert 'data-empty="triggers"' in page
    assert "a stored revision" in page


def test_the_secret_is_on_one_page_only(send: Any, site: Client, tiny: Pack) -> None:
    page = send(do="add", kind="webhook", **FORM)
    shown = re.search(r"data-secret>([^<]+)<", page)
    assert shown is not None
    assert shown[1].replace("&#x3D;", "=") == decrypt(Trigger.objects.get().sealed_secret)
    assert "data-secret" not in site.get(f"/packs/{tiny.pk}/triggers/").content.decode()


def test_inputs_are_values_or_pointers(hook: Trigger, send: Any) -> None:
    assert hook.takes == {"title": "/title"}
    assert hook.options == {"inputs": {"kind": "bug"}}
    send(
        do="change",
        trigger=hook.pk,
        input=["body"],
        value=[""],
        takes=["*"],
        **{**FORM, "deny": "on", "mode": "PLANNING"},
    )
    hook.refresh_from_db()
    told = {"inputs": {}, "mode": "PLANNING", "deny": True}
    assert (hook.takes, hook.options) == ({"body": ""}, told)


def test_a_try_leads_to_its_run(hook: Trigger, send: Any) -> None:
    page = send(do="try", trigger=hook.pk, body='{"title": "Broken"}')
    run = Run.objects.get()
    assert f"/runs/{run.pk}/" in page
    assert run.options["inputs"] == {"kind": "bug", "title": "Broken"}
    assert "nothing at /title" in send(do="try", trigger=hook.pk, body="{}")
    assert Firing.objects.count() == 2


def test_a_refused_form_is_kept(send: Any) -> None:
    page = send(do="add", kind="schedule", cron="0 0 30 2 *", **FORM)
    assert "never comes" in page
    assert 'value="0 0 30 2 *"' in page
    assert 'value="Issues"' in page
    assert not Trigger.objects.exists()


def test_a_schedule_shows_its_times_in_its_own_place(send: Any) -> None:
    page = send(do="add", kind="schedule", cron="0 7 * * *", timezone="Asia/Tokyo", **FORM)
    assert len(re.findall(r"\d 07:00|[A-Z][a-z]{2} 07:00", page)) == 3


def test_it_is_switched_renewed_and_deleted(hook: Trigger, send: Any) -> None:
    assert "is off" in send(do="disable", trigger=hook.pk)
    assert "is on" in send(do="enable", trigger=hook.pk)
    assert "data-secret" in send(do="secret", trigger=hook.pk)
    hook.refresh_from_db()
    assert "was deleted" in send(do="delete", trigger=hook.pk)
    assert not Trigger.objects.exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"do": "delete", "trigger": "77"}, "There is no trigger 77."),
        ({"do": "delete", "trigger": "x"}, "There is no trigger 0."),
        ({"do": "add", "kind": "bell"}, "webhook or a schedule"),
        ({"do": "add", "kind": "webhook", "follows": "9"}, "no revision 9"),
        ({"do": "add", "kind": "webhook", "driver": "parrot"}, "no driver"),
    ],
    ids=lambda one: "" if isinstance(one, str) else one["do"],
)
def test_invalid_forms_are_reported(send: Any, form: dict[str, str], sentence: str) -> None:
    assert sentence in send(**{**FORM, **form}).replace("&#x27;", "'")


def test_the_runs_table_shows_the_trigger_of_a_run(hook: Trigger, send: Any, site: Client) -> None:
    send(do="try", trigger=hook.pk, body='{"title": "x"}')
    page = site.get("/runs/?source=webhook").content.decode()
    assert 'data-source="webhook"' in page
    assert ">Issues</a>" in page
    assert "data-run=" not in site.get("/runs/?source=api").content.decode()
