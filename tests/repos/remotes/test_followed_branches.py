"""The branch that a pack follows: renamed, changed, rewritten, or another one by choice."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.repos.conftest import FIRST
from tests.repos.remotes.conftest import Team, edit, here, place
from workflows.errors import Conflict, NotThere
from workflows.models import Change, Revision
from workflows.repos.fetches import follow_branch
from workflows.repos.proposals import Proposal, propose
from workflows.repos.pulls import pull
from workflows.selectors.repositories import status_of
from workflows.selectors.sources import opened

THEIRS = FIRST.replace(b'"title": "Two"', b'"title": "Zwei"')


def rename(team: Team, *, keeps_old: bool = False) -> None:
    """Make `trunk` the default branch of the remote."""
    team.remote.git("branch", "trunk", "main")
    team.remote.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    if not keeps_old:
        team.remote.git("branch", "-D", "main")


def test_packs_follow_a_renamed_default_branch(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    propose([here(pack)], Proposal(branch="signalbox/a", title="", message="edit"), team.owner)
    rename(team)
    row = team.fetch()
    assert row.default_branch == "trunk"
    assert (place(pack).branch, status_of(place(pack))) == ("trunk", "edited")
    assert Change.objects.get().target == "trunk"
    team.colleague.git("fetch", "--quiet")
    team.colleague.git("switch", "--quiet", "trunk")
    team.colleague.commit({"a.flow.json": THEIRS})
    team.colleague.git("push", "--quiet", "origin", "trunk")
    team.fetch()
    pull(here(pack), team.owner)
    assert opened(here(pack)).files["a.flow.json"] == THEIRS.replace(b"One", b"Eins")
    assert list(Revision.objects.filter(pack=pack).values_list("number", flat=True)) == [1, 2, 3]


def test_a_changed_default_branch_is_read_and_packs_stay_on_their_branch(team: Team) -> None:
    (pack,) = team.track()
    rename(team, keeps_old=True)
    assert team.fetch().default_branch == "trunk"
    assert (place(pack).branch, status_of(place(pack))) == ("main", "in-step")


def test_a_new_default_branch_without_the_commits_moves_no_pack(team: Team) -> None:
    (pack,) = team.track()
    team.colleague.git("switch", "--quiet", "--orphan", "trunk")
    team.colleague.commit({"README.md": b"# New\n"})
    team.colleague.git("push", "--quiet", "origin", "trunk")
    team.remote.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    team.remote.git("branch", "-D", "main")
    team.fetch()
    assert (place(pack).branch, status_of(place(pack))) == ("main", "gone")


def test_a_branch_that_comes_back_at_the_same_commit_ends_gone(team: Team) -> None:
    (pack,) = team.track()
    tip = team.remote.git("rev-parse", "main")
    team.remote.git("update-ref", "-d", "refs/heads/main")
    team.fetch()
    assert status_of(place(pack)) == "gone"
    team.remote.git("update-ref", "refs/heads/main", tip)
    team.fetch()
    assert status_of(place(pack)) == "in-step"


def test_another_branch_is_followed_with_the_edits_made_here(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    team.colleague.git("switch", "--quiet", "-c", "next")
    team.colleague.commit({"a.flow.json": THEIRS})
    team.colleague.git("push", "--quiet", "origin", "next")
    team.fetch()
    follow_branch(here(pack), "next")
    assert (place(pack).branch, status_of(place(pack))) == ("next", "both")
    pull(here(pack), team.owner)
    assert opened(here(pack)).files["a.flow.json"] == THEIRS.replace(b"One", b"Eins")
    (other,) = team.track()
    with pytest.raises(Conflict, match="Another pack follows"):
        follow_branch(here(other), "next")
    with pytest.raises(NotThere, match="no branch"):
        follow_branch(here(pack), "nowhere")
    team.colleague.git("switch", "--quiet", "--orphan", "empty")
    team.colleague.commit({"README.md": b"# Empty\n"})
    team.colleague.git("push", "--quiet", "origin", "empty")
    team.fetch()
    with pytest.raises(NotThere, match="does not have this pack"):
        follow_branch(here(pack), "empty")


def test_the_base_follows_a_rewritten_history_with_the_same_files(team: Team) -> None:
    """Else the next proposal would restore the dropped commits."""
    team.push({"README.md": b"# Secret\n"}, "a secret")
    team.fetch()
    (pack,) = team.track()
    dropped = team.remote.git("rev-parse", "main")
    team.colleague.git("reset", "--quiet", "--hard", "HEAD^")
    team.colleague.git("push", "--quiet", "--force")
    edit(pack, b"One", b"Eins")
    propose([here(pack)], Proposal(branch="signalbox/a", title="", message="edit"), team.owner)
    history = team.remote.git("rev-list", "signalbox/a").split()
    assert dropped not in history
    assert len(history) == 2


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_the_api_follows_a_branch(team: Team, client: Client) -> None:
    (pack,) = team.track()
    rename(team, keeps_old=True)
    team.fetch()
    client.force_login(team.owner)
    url = f"/api/v1/packs/{pack.pk}/upstream/"
    done = client.patch(url, {"branch": "trunk"}, content_type="application/json")
    assert (done.status_code, done.json()["upstream"]["branch"]) == (200, "trunk")
    refused = client.patch(url, {"branch": "no"}, content_type="application/json")
    assert (refused.status_code, refused.json()["where"]) == (404, "branch")
