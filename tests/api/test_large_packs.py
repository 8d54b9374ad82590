"""Edits of large packs over HTTP: the change first, the findings of the rules after it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from bench.edits import pack as large_pack
from tests.support.server_fixtures import stored
from workflows.actions import later_checks
from workflows.models import Pack
from workflows.opened_packs.known_tools import PER_RULE
from workflows.opened_packs.view import LARGE, View

STATES = 900


@pytest.fixture
def large(ada: User) -> Pack:
    """A loop of many states, checked in a process of its own."""
    data = large_pack(STATES)
    assert len(data) > LARGE
    return stored(data, ada, "large.pack.json")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, View]]:
    """The checks that were left for later. Nothing runs them."""
    calls: list[tuple[int, int, View]] = []
    monkeypatch.setattr(later_checks, "start", lambda *call: calls.append(call))
    return calls


def sent(site: Client, pack: Pack, *edits: dict[str, Any], **options: Any) -> dict[str, Any]:
    body = {"base": pack.head, "edits": list(edits), **options}
    url = f"/api/v1/packs/{pack.pk}/edits/"
    response = site.post(url, body, content_type="application/json")
    assert response.status_code == 200, response.content
    return dict(response.json())


def test_an_edit_is_answered_before_the_rules_run(
    site: Client,
    large: Pack,
    started: list[tuple[int, int, View]],
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = sent(site, large, {"type": "remove_state", "id": "s7"}, check_later=True)
    assert answer["findings"] is None
    assert "s7" in answer["graph"]["states"]["gone"]
    [(pack_id, number, view)] = started
    assert (pack_id, number) == (large.pk, answer["revision"])
    assert not view.has_findings
    codes = {one["code"] for one in site.get(f"/api/v1/packs/{large.pk}/findings/").json()}
    assert view.has_findings, "the request made the check that the thread would have made"
    assert codes


def test_the_counts_of_a_later_check_are_stored_for_the_newest_revision_alone(
    site: Client,
    large: Pack,
    started: list[tuple[int, int, View]],
    django_capture_on_commit_callbacks: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(later_checks, "connection", _Open())
    monkeypatch.setattr(later_checks, "close_old_connections", lambda: None)
    unset = {"type": "unset_field", "element": "state:s3", "field": "/prompt_task"}
    with django_capture_on_commit_callbacks(execute=True):
        sent(site, large, unset, check_later=True)
    [(pack_id, number, view)] = started
    Pack.objects.filter(pk=large.pk).update(head=number + 1, warnings=77)
    later_checks._check(pack_id, number, view, "")
    assert Pack.objects.get(pk=large.pk).warnings == 77
    Pack.objects.filter(pk=large.pk).update(head=number)
    later_checks._check(pack_id, number, view, "")
    stored_pack = Pack.objects.get(pk=large.pk)
    assert (stored_pack.errors, stored_pack.warnings) == (
        view.count("error"),
        view.count("warning"),
    )
    assert stored_pack.errors + stored_pack.warnings > 0


class _Open:
    """A connection that stays open for the test."""

    def close(self) -> None:
        pass


def test_without_the_option_the_answer_has_the_findings(site: Client, large: Pack) -> None:
    answer = sent(site, large, {"type": "remove_state", "id": "s7"})
    assert answer["findings"]


def test_a_small_pack_has_its_findings_at_once(site: Client, pack: Pack) -> None:
    answer = sent(site, pack, {"type": "remove_state", "id": "B"}, check_later=True)
    assert [one["code"] for one in answer["findings"]]


def test_a_page_gets_some_findings_of_each_rule_and_the_number_of_the_others(
    site: Client, ada: User
) -> None:
    pack = stored(_chain(300), ada, "chain.pack.json")
    answer = sent(site, pack, {"type": "remove_state", "id": "s1"})
    everything = site.get(f"/api/v1/packs/{pack.pk}/findings/").json()
    by_rule = {code: [f for f in everything if f["code"] == code] for code in _codes(everything)}
    assert max(map(len, by_rule.values())) > PER_RULE
    for code, findings in by_rule.items():
        shown = [f for f in answer["findings"] if f["code"] == code]
        assert len(shown) == min(len(findings), PER_RULE)
        assert [f.get("more", 0) for f in shown[:-1]] == [0] * (len(shown) - 1)
        assert shown[-1].get("more", 0) == len(findings) - len(shown)
    capped = site.get(f"/api/v1/packs/{pack.pk}/findings/", {"per_rule": PER_RULE}).json()
    assert capped == answer["findings"]


def test_an_answer_has_the_form_of_the_inspected_element(site: Client, pack: Pack) -> None:
    rename = {"type": "set_field", "element": "state:A", "field": "/title", "value": "first"}
    answer = sent(site, pack, rename, element="state:A")
    assert answer["form"]["values"]["title"] == "first"
    pack.refresh_from_db()
    gone = sent(site, pack, {"type": "remove_state", "id": "B"}, element="state:B")
    assert "form" not in gone


def _codes(findings: list[dict[str, Any]]) -> set[str]:
    return {finding["code"] for finding in findings}


def _chain(states: int) -> bytes:
    """A sequence of states: without the second one, no run reaches the others."""
    body = json.loads(large_pack(states))
    for state in body["workflow"]["states"].values():
        state["on_event"].pop("Skip", None)
    return json.dumps(body).encode()
