"""The trailing slash of an address is optional for every method."""

from __future__ import annotations

from django.test import Client

from workflows.models import Pack


def test_a_post_without_the_last_slash_keeps_its_body(site: Client, pack: Pack) -> None:
    edits = [{"type": "connect", "source": "A", "target": "C", "label": "Skip"}]
    answer = site.post(
        f"/api/v1/packs/{pack.pk}/edits",
        {"base": 1, "edits": edits},
        content_type="application/json",
    )
    assert answer.status_code == 200
    assert answer.json()["revision"] == 2


def test_both_spellings_answer_alike(site: Client, pack: Pack) -> None:
    with_slash = site.get(f"/api/v1/packs/{pack.pk}/graph/")
    without = site.get(f"/api/v1/packs/{pack.pk}/graph")
    assert with_slash.status_code == without.status_code == 200
    assert with_slash.json() == without.json()
