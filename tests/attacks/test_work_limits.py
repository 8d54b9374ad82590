"""Work on packs that goes over its limit ends with a message, and nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.attacks.pack_attacks import chain_of_states
from workflows.actions import edits, packs
from workflows.core.dialects import dialects
from workflows.core.pack.edits import RenameState
from workflows.core.pack.files import BadFiles, Files
from workflows.core.rules.check import check
from workflows.errors import Refused
from workflows.isolation import Limits
from workflows.isolation.pack_processes import SHORT_WORK
from workflows.models import Pack, Revision
from workflows.opened_packs import pack_work
from workflows.opened_packs import view as opened_view
from workflows.opened_packs.view import Opened

SHORT = Limits(seconds=0.001)
LARGE = chain_of_states(800)


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make every limit so short that a large pack cannot be read, which each process has to do
    again."""

    def lower() -> None:
        for module, name in (
            (pack_work, "LIMITS"),
            (edits, "LIMITS"),
            (opened_view, "CHECK_LIMITS"),
        ):
            monkeypatch.setattr(module, name, SHORT)
        SHORT_WORK.end()

    return lower


def imported(owner: User | None = None) -> Pack:
    (pack,) = packs.import_files(Files.of(LARGE), owner=owner).packs
    return pack


@pytest.mark.django_db
def test_an_edit_that_takes_too_long_is_refused(limit: Any) -> None:
    owner = User.objects.create_user("author")
    pack = imported(owner)
    limit()
    with pytest.raises(Refused, match="took longer than"):
        packs.edit(pack.pk, 1, [RenameState(id="s0", new_id="first")], owner)
    assert Revision.objects.filter(pack=pack).count() == 1


@pytest.mark.django_db
def test_a_pack_that_takes_too_long_to_read_is_not_imported(limit: Any) -> None:
    limit()
    with pytest.raises(BadFiles, match="took longer than"):
        imported()
    assert not Pack.objects.exists()


def test_a_pack_whose_rules_take_too_long_has_a_finding(limit: Any) -> None:
    one = dialects()["promptpack"]
    view = Opened(one, Files.of(LARGE)).under(one.profiles[0])
    view.prepare(check=False)
    limit()
    assert [finding.code for finding in view.findings if finding.level != "info"] == ["IN003"]
    assert len(view.graph.states) == 800


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("get", "text-ranges/?path={main}", None),
        ("post", "find/", {"query": "s"}),
        ("get", "diff/?from=1&to=2", None),
    ],
)
def test_a_request_that_takes_too_long_has_a_message(
    client: Client, limit: Any, method: str, path: str, body: Any
) -> None:
    owner = User.objects.create_user("author")
    client.force_login(owner)
    pack = imported(owner)
    packs.edit(pack.pk, 1, [RenameState(id="s0", new_id="first")], owner)
    limit()
    url = f"/api/v1/packs/{pack.pk}/{path.format(main=pack.main)}"
    answer = client.get(url) if body is None else client.post(url, body, "application/json")
    assert (answer.status_code, answer.json().get("code")) == (422, "took_too_long"), answer.json()
    assert "was stopped" in answer.json()["message"]


def test_the_processes_find_what_the_server_finds() -> None:
    for one in dialects().values():
        for files in one.samples().values():
            source, profile = one.read(files), one.profiles[0]
            expected = check(one, source, profile)
            assert Opened(one, files).under(profile).findings == expected
