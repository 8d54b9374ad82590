"""Several packs of a branch in one proposal: one commit, one pull request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.rights import Level, share
from tests.repos.conftest import FIRST, NOTE, PACK
from tests.repos.remotes.conftest import Team, edit, here, place
from workflows.errors import Conflict, RepositoryRefused
from workflows.models import Change, Pack
from workflows.repos.proposal_plans import propose_plan
from workflows.repos.proposals import Proposal, propose
from workflows.repos.pulls import pull, pull_plan
from workflows.selectors.repositories import status_of

OTHER = FIRST.replace(b"Tiny", b"Other")
MAINS = ("a.flow.json", "b/b.flow.json")


@pytest.fixture
def pair(team: Team) -> tuple[Pack, Pack]:
    """Two edited packs of one branch."""
    team.push({"b/b.flow.json": OTHER})
    team.fetch()
    one, two = team.track(*MAINS)
    return edit(one, b"One", b"Eins"), edit(two, b"One", b"Un", "b/b.flow.json")


def proposal(**changed: object) -> Proposal:
    fields: dict[str, object] = {"branch": "signalbox/both", "title": "Both", "message": "both"}
    return Proposal(**{**fields, **changed})  # type: ignore[arg-type]


def test_two_packs_are_one_commit_and_one_change(team: Team, pair: tuple[Pack, Pack]) -> None:
    one, two = pair
    plan = propose_plan(one, team.owner)
    assert [row["main"] for row in plan["packs"]] == ["a.flow.json"]
    assert [row["main"] for row in plan["candidates"]] == ["b/b.flow.json"]
    plan = propose_plan(one, team.owner, others=[two], check=True)
    assert [row["path"] for row in plan["commit"]["files"]] == list(MAINS)
    assert (plan["title"], plan["candidates"]) == ("Change a and b", [])
    for planned, main in zip(plan["packs"], MAINS, strict=True):
        assert (planned["main"], planned["status"]) == (main, "edited")
        assert "<svg" in planned["svg"]
        assert planned["coverage"]["after"]["problem"] == "A flow is only drawn."
        assert planned["diverging_runs"] == []
    answer = propose([one, two], proposal(tree=plan["commit"]["tree"]), team.owner)
    assert team.remote.git("rev-parse", "signalbox/both") == answer["commit"]
    assert team.remote.git("rev-list", "--count", "main..signalbox/both") == "1"
    assert team.remote.changes("main", "signalbox/both") == ["M\ta.flow.json", "M\tb/b.flow.json"]
    commits = Change.objects.get().commits.all()
    assert [(row.pack_id, row.commit) for row in commits] == [
        (one.pk, answer["commit"]), (two.pk, answer["commit"]),
    ]  # fmt: skip


def test_a_merge_closes_the_change_and_moves_both_bases(
    team: Team, pair: tuple[Pack, Pack]
) -> None:
    propose(pair, proposal(), team.owner)
    team.push({"README.md": b"# Moved on\n"})
    team.colleague.git("fetch", "--quiet")
    team.colleague.git("merge", "--squash", "origin/signalbox/both")
    team.colleague.git("commit", "-m", "squashed")
    team.colleague.git("push", "--quiet")
    team.fetch()
    assert Change.objects.get().status == "merged"
    assert [status_of(place(pack)) for pack in pair] == ["in-step", "in-step"]


def test_again_after_a_reviewers_fix_both_sides_stay(team: Team, pair: tuple[Pack, Pack]) -> None:
    """The second commit has packs that the first had alone, or not at all."""
    one, two = pair
    propose([one], proposal(), team.owner)
    team.colleague.git("fetch", "--quiet")
    team.colleague.git("switch", "--quiet", "signalbox/both")
    fix = team.colleague.commit({NOTE: PACK[NOTE].replace(b"Middle", b"Fixed")}, "fix")
    team.colleague.git("push", "--quiet")
    one = edit(one, b"Two", b"Zwei")
    propose([one, two], proposal(message="again"), team.owner)
    assert team.remote.git("merge-base", fix, "signalbox/both") == fix
    assert b"Fixed" in team.remote.show("signalbox/both", NOTE)
    assert b"Zwei" in team.remote.show("signalbox/both", "a.flow.json")
    assert b'"Un"' in team.remote.show("signalbox/both", "b/b.flow.json")
    two = edit(two, b"Two", b"Deux", "b/b.flow.json")
    propose([two, here(one)], proposal(message="and again"), team.owner)
    assert b"Fixed" in team.remote.show("signalbox/both", NOTE)
    assert b"Deux" in team.remote.show("signalbox/both", "b/b.flow.json")
    assert Change.objects.get().commits.count() == 5


def test_packs_of_different_base_commits_are_proposed_together(
    team: Team, pair: tuple[Pack, Pack]
) -> None:
    """A pull of one pack moves its base; the other has nothing to pull."""
    one, two = pair
    team.push({"a.flow.json": FIRST.replace(b"Two", b"Zwei")})
    team.fetch()
    pull(here(one), team.owner)
    propose([here(one), two], proposal(), team.owner)
    assert team.remote.git("merge-base", "main", "signalbox/both") == team.remote.git(
        "rev-parse", "main"
    )
    assert team.remote.changes("main", "signalbox/both") == ["M\ta.flow.json", "M\tb/b.flow.json"]
    assert b"Zwei" in team.remote.show("signalbox/both", "a.flow.json")


def test_conflicts_that_both_packs_resolved_do_not_come_back(
    team: Team, pair: tuple[Pack, Pack]
) -> None:
    one, two = pair
    propose([one, two], proposal(), team.owner)
    theirs = {"a.flow.json": FIRST.replace(b"One", b"Uno"),
              "b/b.flow.json": OTHER.replace(b"One", b"Uno")}  # fmt: skip
    team.push(theirs)
    team.fetch()
    for pack in (one, two):
        with pytest.raises(Conflict):
            pull(here(pack), team.owner)
        (conflict,) = pull_plan(here(pack))["conflicts"]
        pull(here(pack), team.owner, choices={conflict["id"]: {"take": "mine"}})
    propose([here(one), here(two)], proposal(message="again"), team.owner)
    tree = team.remote.git("merge-tree", "--write-tree", "main", "signalbox/both")
    assert b"Eins" in team.remote.show(tree, "a.flow.json")
    assert b'"Un"' in team.remote.show(tree, "b/b.flow.json")


def test_a_reviewers_change_of_a_pack_that_is_new_on_the_branch_stays(
    team: Team, pair: tuple[Pack, Pack]
) -> None:
    one, two = pair
    propose([one], proposal(), team.owner)
    team.colleague.git("fetch", "--quiet")
    team.colleague.git("switch", "--quiet", "signalbox/both")
    team.colleague.commit({"b/b.flow.json": OTHER.replace(b"Two", b"Due")}, "fix")
    team.colleague.git("push", "--quiet")
    one = edit(one, b"Two", b"Zwei")
    propose([one, two], proposal(message="again"), team.owner)
    text = team.remote.show("signalbox/both", "b/b.flow.json")
    assert b'"Un"' in text
    assert b"Due" in text


def test_every_pack_must_follow_the_branch_and_have_a_change_to_propose(
    team: Team, pair: tuple[Pack, Pack]
) -> None:
    one, two = pair
    team.colleague.git("switch", "--quiet", "-c", "next")
    team.colleague.git("push", "--quiet", "origin", "next")
    team.fetch()
    (elsewhere,) = team.track("b/b.flow.json", ref="next")
    with pytest.raises(RepositoryRefused, match="does not follow the branch 'main'"):
        propose([one, elsewhere], proposal(), team.owner)
    edit(two, b"Un", b"One", "b/b.flow.json")
    with pytest.raises(RepositoryRefused, match="b is the same as on the branch"):
        propose([one, here(two)], proposal(), team.owner)
    team.colleague.git("switch", "--quiet", "main")
    edit(two, b"One", b"Un", "b/b.flow.json")
    team.push({"b/b.flow.json": OTHER.replace(b"Two", b"Due")})
    with pytest.raises(Conflict, match="newer changes of b"):
        propose([one, here(two)], proposal(), team.owner)
    assert team.remote.attempt("rev-parse", "--verify", "signalbox/both") != 0


def test_the_rights_on_each_pack_are_checked(team: Team, pair: tuple[Pack, Pack]) -> None:
    one, two = pair
    grace = User.objects.create_user("grace")
    share(one, grace, Level.EDIT)
    share(team.row, grace, Level.READ)
    site = Client()
    site.force_login(grace)
    address = f"/api/v1/packs/{one.pk}/upstream/propose/"

    def post(path: str, **body: Any) -> Any:
        return site.post(path, json.dumps(body), "application/json")

    body = {"branch": "signalbox/both", "title": "Both", "message": "both"}
    for other in (two.pk, str(two.pk), f" {two.pk}", float(two.pk)):
        assert post(address, **body, others=[other]).status_code == 404
        assert post(f"{address}plan/", others=[other]).status_code == 404
    assert post(f"{address}plan/").json()["candidates"] == []
    share(two, grace, Level.READ)
    plan = post(f"{address}plan/", others=[two.pk])
    assert len(plan.json()["packs"]) == 2
    assert post(address, **body, others=[two.pk]).status_code == 403
    assert team.remote.attempt("rev-parse", "--verify", "signalbox/both") != 0
    share(two, grace, Level.EDIT)
    answer = post(address, **body, others=[two.pk])
    assert answer.status_code in (200, 202), answer.content
