"""Proposed edits over HTTP: their consequences, and nothing written."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from tests.support.checks import failure_note
from workflows.actions.packs import create_from_sample
from workflows.models import AuditEntry, Pack, Revision

ADD = {"type": "add_state", "id": "audit"}
CONNECT = {"type": "connect", "source": "review", "target": "audit", "label": "Audit"}
NOTE = {"type": "set_field", "element": "state:draft", "field": "/description", "value": "Short."}


def test_a_proposal_has_its_consequences_and_writes_nothing(ada: User, post: Any) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    entries = AuditEntry.objects.count()
    answer = post(f"packs/{pack.pk}/proposals/", {"base": 1, "edits": [ADD, NOTE, CONNECT]})
    assert answer.status_code == 200, answer.json()
    body = answer.json()
    assert body["parts"] == [[0, 2], [1]]
    assert body["difference"]["states"]["added"] == ["audit"]
    assert body["difference"]["transitions"]["added"] == ["review|Audit|audit"]
    assert body["coverage"]["after"]["of"] == body["coverage"]["before"]["of"] + 1
    assert (body["diverging_runs"], body["runs"]) == ([], 0)
    assert body["worst_case"]["before"] is not None
    (file,) = body["files"]
    assert '"Audit": "audit"' in file["diff"]
    assert Pack.objects.get(pk=pack.pk).head == 1
    assert Revision.objects.filter(pack=pack).count() == 1
    assert AuditEntry.objects.count() == entries
    files = {file["path"]: "{"}
    body = post(f"packs/{pack.pk}/proposals/", {"base": 1, "files": files}).json()
    assert (body["readable"], body["difference"], body["parts"]) == (False, None, [[0]])


def test_an_impossible_proposal_is_refused_with_its_reason(ada: User, post: Any) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    rows: list[tuple[dict[str, Any], int, str]] = [
        ({"base": 2, "edits": [NOTE]}, 409, "The newest revision is 1, and this proposal expects"),
        ({"base": 1, "edits": []}, 400, "at least one"),
        ({"base": 1, "edits": [NOTE] * 101}, 400, "1 to 100 edits"),
        ({"base": 1}, 400, "either `edits` or `files`"),
        ({"base": 1, "edits": [NOTE], "files": {}}, 400, "either `edits` or `files`"),
        ({"base": 1, "files": {}}, 400, "1 to 100 edits"),
        ({"base": 1, "files": {"../x": "a"}}, 422, "A PromptPack has one file"),
        ({"base": 1, "edits": [NOTE, CONNECT]}, 422, "audit"),
    ]
    for body, status, words in rows:
        with failure_note(str(body)[:80]):
            answer = post(f"packs/{pack.pk}/proposals/", body)
            assert answer.status_code == status, answer.json()
            assert words in answer.json()["message"]
