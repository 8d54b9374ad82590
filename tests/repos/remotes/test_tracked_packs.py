"""Packs that follow a remote branch: scan, status, pull, conflicts, proposals, merges."""

from __future__ import annotations

import pytest

from tests.repos.conftest import FIRST, NOTE, PACK
from tests.repos.remotes.conftest import Team, edit, here, place
from tests.support.checks import quick_and_slow
from workflows.errors import CallerError, Conflict, RepositoryRefused
from workflows.models import Change, Revision
from workflows.repos.proposal_plans import propose_plan
from workflows.repos.proposals import Proposal, propose
from workflows.repos.pulls import pull, pull_plan
from workflows.repos.scans import compared, scan
from workflows.selectors.repositories import status_of
from workflows.selectors.sources import opened

THEIRS = FIRST.replace(b'"title": "Two"', b'"title": "Zwei"')


def test_a_scan_names_new_tracked_moved_and_gone_packs_and_fixtures(team: Team) -> None:
    other = FIRST.replace(b"Tiny", b"Other")
    team.push({"b/b.flow.json": other, "tests/fixtures/c.flow.json": other})
    team.fetch()
    first, second = team.track("a.flow.json", "b/b.flow.json")
    team.colleague.git("mv", "b/b.flow.json", "b/d.flow.json")
    team.push({"a.flow.json": None, NOTE: None})
    team.fetch()
    rows = {one["main"]: one for one in compared(team.row, scan(team.row, ""), team.owner)["packs"]}
    assert {main: one["status"] for main, one in rows.items()} == {
        "a.flow.json": "gone",
        "b/d.flow.json": "moved",
        "tests/fixtures/c.flow.json": "new",
    }
    assert rows["b/d.flow.json"]["moved_from"] == "b/b.flow.json"
    assert rows["b/d.flow.json"]["pack"] == second.pk
    assert rows["tests/fixtures/c.flow.json"]["fixture"]
    assert status_of(place(first)) == "gone"
    pull(here(second), team.owner)
    assert place(second).main == "b/d.flow.json" == here(second).main


def test_the_status_follows_edits_here_and_commits_there(team: Team) -> None:
    (pack,) = team.track()
    assert status_of(place(pack)) == "in-step"
    edit(pack, b"One", b"Eins")
    assert status_of(place(pack)) == "edited"
    team.push({"README.md": b"# Other file\n"})
    team.fetch()
    assert status_of(place(pack)) == "edited"
    team.push({"a.flow.json": THEIRS})
    team.fetch()
    assert status_of(place(pack)) == "both"


def test_a_pull_is_a_revision_with_the_commit_and_its_author(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    commit = team.push({"a.flow.json": THEIRS}, "translate Two")
    team.fetch()
    plan = pull_plan(here(pack))
    assert [one["subject"] for one in plan["commits"]] == ["translate Two"]
    assert plan["conflicts"] == []
    assert b"Zwei" in plan["files"][0]["diff"].encode()
    answer = pull(here(pack), team.owner, expected_commit=plan["tip"])
    assert answer["status"] == "edited"
    newest = Revision.objects.get(pack=pack, number=answer["revision"])
    assert (newest.kind, newest.commit) == ("pull", commit)
    assert newest.commit_author == "Grace <grace@example.org>"
    assert opened(here(pack)).files["a.flow.json"] == THEIRS.replace(b"One", b"Eins")


def test_conflicts_name_their_state_and_take_each_choice(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b'"title": "Two"', b'"title": "Deux"')
    team.push({"a.flow.json": THEIRS})
    team.fetch()
    (conflict,) = pull_plan(here(pack))["conflicts"]
    assert (conflict["path"], conflict["line"]) == ("a.flow.json", 6)
    assert conflict["element"] == "state:B"
    assert (conflict["value"], conflict["can_take_both"]) == ("/states/B/title", False)
    assert (conflict["base"], conflict["mine"], conflict["theirs"]) == ("Two", "Deux", "Zwei")
    with pytest.raises(Conflict):
        pull(here(pack), team.owner)
    with pytest.raises(Conflict, match="has one value"):
        pull(here(pack), team.owner, choices={conflict["id"]: {"take": "both"}})
    assert here(pack).head == 2
    pull(here(pack), team.owner, choices={conflict["id"]: {"take": "theirs"}})
    assert opened(here(pack)).files["a.flow.json"] == THEIRS
    assert status_of(place(pack)) == "in-step"


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({"take": "mine"}, b"Deux"),
        ({"text": "Due"}, b"Due"),
    ],
)
def test_a_choice_keeps_all_other_bytes(team: Team, choice: dict[str, str], text: bytes) -> None:
    (pack,) = team.track()
    edit(pack, b'"title": "Two"', b'"title": "Deux"')
    team.push({"a.flow.json": THEIRS.replace(b"One", b"Eins")})
    team.fetch()
    (conflict,) = pull_plan(here(pack))["conflicts"]
    pull(here(pack), team.owner, choices={conflict["id"]: choice})
    wanted = FIRST.replace(b"One", b"Eins").replace(b"Two", text)
    assert opened(here(pack)).files["a.flow.json"] == wanted
    assert status_of(place(pack)) == "edited"


def test_states_that_both_sides_added_are_merged(team: Team) -> None:
    """The commonest change of two people, which needs no decision."""
    (pack,) = team.track()
    last = b'"B": {"title": "Two"}'
    edit(pack, last, last + b',\n    "Mine": {"title": "M"}')
    team.push({"a.flow.json": FIRST.replace(last, last + b',\n    "Theirs": {"title": "T"}')})
    team.fetch()
    assert pull_plan(here(pack))["conflicts"] == []
    pull(here(pack), team.owner)
    added = last + b',\n    "Mine": {"title": "M"},\n    "Theirs": {"title": "T"}'
    assert opened(here(pack)).files["a.flow.json"] == FIRST.replace(last, added)


def test_a_value_of_ones_own_has_to_be_json(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b'{"title": "Two"}', b'{"title": "Two", "kind": 1}')
    team.push({"a.flow.json": FIRST.replace(b'{"title": "Two"}', b'{"title": "Two", "kind": 2}')})
    team.fetch()
    (conflict,) = pull_plan(here(pack))["conflicts"]
    with pytest.raises(Conflict, match="is not JSON"):
        pull(here(pack), team.owner, choices={conflict["id"]: {"text": "nonsense {"}})
    pull(here(pack), team.owner, choices={conflict["id"]: {"text": "3"}})
    assert b'"kind": 3' in opened(here(pack)).files["a.flow.json"]


def test_a_file_that_one_side_deleted_asks(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"Middle", b"Centre", NOTE)
    team.push({NOTE: None})
    team.fetch()
    (conflict,) = pull_plan(here(pack))["conflicts"]
    assert (conflict["whole_file"], conflict["theirs"]) == (True, None)
    pull(here(pack), team.owner, choices={conflict["id"]: {"take": "theirs"}})
    assert NOTE not in opened(here(pack)).files


def proposal(**changed: object) -> Proposal:
    fields: dict[str, object] = {
        "branch": "signalbox/a",
        "title": "Rename One",
        "message": "tiny: rename One",
    }
    return Proposal(**{**fields, **changed})  # type: ignore[arg-type]


def test_a_proposal_is_one_commit_on_a_pushed_branch(team: Team) -> None:
    (pack,) = team.track()
    main = team.remote.git("rev-parse", "main")
    edit(pack, b"One", b"Eins")
    plan = propose_plan(here(pack), team.owner, check=True)
    assert plan["branch"] == "signalbox/a"
    assert [one["path"] for one in plan["commit"]["files"]] == ["a.flow.json"]
    (planned,) = plan["packs"]
    assert "<svg" in planned["svg"]
    assert planned["coverage"]["after"]["problem"] == "A flow is only drawn."
    answer = propose([here(pack)], proposal(tree=plan["commit"]["tree"]), team.owner)
    assert team.remote.git("rev-parse", "signalbox/a") == answer["commit"]
    assert team.remote.git("rev-parse", "signalbox/a^") == main
    assert team.remote.git("rev-parse", "main") == main
    assert team.remote.changes("main", "signalbox/a") == ["M\ta.flow.json"]
    assert team.remote.is_clean()
    assert Change.objects.get().status == "open"
    assert status_of(place(pack)) == "edited"


def test_the_same_change_again_is_one_more_commit_after_a_reviewers_fix(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    propose([here(pack)], proposal(), team.owner)
    team.colleague.git("fetch", "--quiet")
    team.colleague.git("switch", "--quiet", "signalbox/a")
    fix = team.colleague.commit({NOTE: PACK[NOTE].replace(b"Middle", b"Fixed")}, "fix")
    team.colleague.git("push", "--quiet")
    edit(pack, b"Two", b"Zwei")
    assert propose_plan(here(pack), team.owner)["branch"] == "signalbox/a"
    answer = propose([here(pack)], proposal(message="tiny: rename Two"), team.owner)
    assert team.remote.git("rev-parse", "signalbox/a") == answer["commit"]
    assert team.remote.git("merge-base", fix, "signalbox/a") == fix
    assert b"Fixed" in team.remote.show("signalbox/a", NOTE)
    assert b"Zwei" in team.remote.show("signalbox/a", "a.flow.json")
    assert Change.objects.get().commits.count() == 2


@pytest.mark.parametrize("how", quick_and_slow(["rebase"], ["squash", "fix"]))
def test_a_branch_that_a_reviewer_rewrote_is_continued(team: Team, how: str) -> None:
    """Two commits of ours were squashed, rebased onto newer commits, or replaced by one that also
    fixes the pack. The next commit is on top of that."""
    (pack,) = team.track()
    for old, new in (("One", "Eins"), ("Two", "Zwei")):
        edit(pack, old.encode(), new.encode())
        propose([here(pack)], proposal(message=f"tiny: {new}"), team.owner)
    if how == "rebase":
        team.push({"README.md": b"# Moved on\n"})
    grace = team.colleague
    grace.git("fetch", "--quiet")
    grace.git("switch", "--quiet", "signalbox/a")
    if how == "rebase":
        grace.git("rebase", "--quiet", "main")
    else:
        grace.git("reset", "--quiet", "--soft", "main")
        files = {"a.flow.json": (grace.folder / "a.flow.json").read_bytes()}
        if how == "fix":
            files["a.flow.json"] = files["a.flow.json"].replace(b"Tiny", b"Small")
        grace.commit(files, "both at once")
    grace.git("push", "--quiet", "--force")
    rewritten = team.remote.git("rev-parse", "signalbox/a")
    edit(pack, b'"entry": "A"', b'"entry": "B"')
    team.fetch()
    plan = propose_plan(here(pack), team.owner)
    assert (plan["branch"], plan["needs_pull"]) == ("signalbox/a", False)
    propose([here(pack)], proposal(tree=plan["commit"]["tree"]), team.owner)
    assert team.remote.git("merge-base", rewritten, "signalbox/a") == rewritten
    expected = FIRST.replace(b"One", b"Eins").replace(b"Two", b"Zwei")
    expected = expected.replace(b'"entry": "A"', b'"entry": "B"')
    fixed = expected.replace(b"Tiny", b"Small") if how == "fix" else expected
    assert team.remote.show("signalbox/a", "a.flow.json") == fixed
    count = team.remote.git("rev-list", "--count", f"{rewritten}..signalbox/a")
    assert count == ("2" if how == "fix" else "1")
    assert team.remote.git("merge-base", "main", "signalbox/a") == team.remote.git(
        "rev-parse", "main"
    )
    # And once more, without any rewriting.
    edit(pack, b"Eins", b"Un")
    propose([here(pack)], proposal(), team.owner)
    assert team.remote.show("signalbox/a", "a.flow.json") == fixed.replace(b"Eins", b"Un")
    assert Change.objects.get().commits.count() == 4


def test_a_rewritten_branch_that_changed_the_same_value_is_refused(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    propose([here(pack)], proposal(), team.owner)
    grace = team.colleague
    grace.git("fetch", "--quiet")
    grace.git("switch", "--quiet", "signalbox/a")
    grace.git("reset", "--quiet", "--hard", "main")
    grace.commit({"a.flow.json": FIRST.replace(b"One", b"Un")}, "in French")
    grace.git("push", "--quiet", "--force")
    tip = team.remote.git("rev-parse", "signalbox/a")
    edit(pack, b"Eins", b"Ein")
    with pytest.raises(Conflict, match="changed the same place"):
        propose([here(pack)], proposal(), team.owner)
    assert team.remote.git("rev-parse", "signalbox/a") == tip


def test_a_review_is_answered_although_the_target_has_newer_commits(team: Team) -> None:
    """A pull can follow later. It makes the pull request mergeable."""
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    propose([here(pack)], proposal(), team.owner)
    team.push({"a.flow.json": THEIRS, "b.flow.json": FIRST.replace(b"Tiny", b"Other")})
    team.fetch()
    edit(pack, b"Tiny", b"Small")
    assert not propose_plan(here(pack), team.owner)["needs_pull"]
    propose([here(pack)], proposal(message="tiny: shorter name"), team.owner)
    assert status_of(place(pack)) == "both"
    small = FIRST.replace(b"One", b"Eins").replace(b"Tiny", b"Small")
    assert team.remote.show("signalbox/a", "a.flow.json") == small
    pull(here(pack), team.owner)
    propose([here(pack)], proposal(), team.owner)
    grace = team.colleague
    grace.git("fetch", "--quiet")
    grace.git("merge", "--quiet", "--no-ff", "-m", "merge", "origin/signalbox/a")
    merged = FIRST.replace(b"One", b"Eins").replace(b"Tiny", b"Small").replace(b"Two", b"Zwei")
    assert (grace.folder / "a.flow.json").read_bytes() == merged


@pytest.mark.parametrize("how", ["merge", "squash"])
def test_a_merge_elsewhere_closes_the_change_and_moves_the_base(team: Team, how: str) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    propose([here(pack)], proposal(), team.owner)
    edit(pack, b"Two", b"Zwei")
    team.push({"README.md": b"# Moved on\n"})
    team.colleague.git("fetch", "--quiet")
    if how == "merge":
        team.colleague.git("merge", "--no-ff", "-m", "merge", "origin/signalbox/a")
    else:
        team.colleague.git("merge", "--squash", "origin/signalbox/a")
        team.colleague.git("commit", "-m", "squashed")
    team.colleague.git("push", "--quiet")
    team.fetch()
    assert Change.objects.get().status == "merged"
    assert place(pack).base_commit == team.remote.git("rev-parse", "main")
    assert status_of(place(pack)) == "edited"
    assert propose_plan(here(pack), team.owner)["branch"] == "signalbox/a-2"


def test_newer_commits_are_pulled_before_a_proposal(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    team.push({"a.flow.json": THEIRS})
    with pytest.raises(Conflict, match="newer changes"):
        propose([here(pack)], proposal(), team.owner)
    assert team.remote.attempt("rev-parse", "--verify", "signalbox/a") != 0
    pull(here(pack), team.owner)
    propose([here(pack)], proposal(), team.owner)
    assert team.remote.show("signalbox/a", "a.flow.json") == THEIRS.replace(b"One", b"Eins")


@pytest.mark.parametrize("fix", quick_and_slow([True], [False]))
def test_a_proposal_after_a_resolved_conflict_can_be_merged(team: Team, fix: bool) -> None:
    """The branch gets the commits of its target, so that git merges it without a new conflict. A
    fix of a reviewer on the branch stays."""
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    propose([here(pack)], proposal(), team.owner)
    if fix:
        team.colleague.git("fetch", "--quiet")
        team.colleague.git("switch", "--quiet", "signalbox/a")
        text = FIRST.replace(b"One", b"Eins").replace(b"Tiny", b"Small")
        team.colleague.commit({"a.flow.json": text, "README.md": b"# Fixed\n"}, "fix")
        team.colleague.git("push", "--quiet")
        team.colleague.git("switch", "--quiet", "main")
    team.push({"a.flow.json": FIRST.replace(b"One", b"Un"), "other.txt": b"other\n"})
    team.fetch()
    (conflict,) = pull_plan(here(pack))["conflicts"]
    pull(here(pack), team.owner, choices={conflict["id"]: {"take": "mine"}})
    before = team.remote.git("rev-parse", "signalbox/a")
    plan = propose_plan(here(pack), team.owner)
    assert team.remote.git("rev-parse", "signalbox/a") == before
    answer = propose([here(pack)], proposal(tree=plan["commit"]["tree"]), team.owner)
    assert len(answer["change"]["commits"]) == 2
    team.colleague.git("pull", "--quiet", "--ff-only")
    team.colleague.git("fetch", "--quiet")
    team.colleague.git("merge", "--quiet", "--no-ff", "-m", "merge", "origin/signalbox/a")
    merged = (team.colleague.folder / "a.flow.json").read_bytes()
    expected = FIRST.replace(b"One", b"Eins")
    assert merged == (expected.replace(b"Tiny", b"Small") if fix else expected)
    assert (team.colleague.folder / "other.txt").exists()
    team.colleague.git("push", "--quiet")
    team.fetch()
    assert status_of(place(pack)) == ("both" if fix else "in-step")
    assert Change.objects.get().status == "merged"


def test_a_refused_push_leaves_nothing_behind(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    team.remote.git("config", "receive.denyCurrentBranch", "refuse")
    (team.remote.folder / "refs/heads/signalbox").write_text("")  # A file where git needs a folder.
    with pytest.raises(RepositoryRefused):
        propose([here(pack)], proposal(), team.owner)
    assert not Change.objects.exists()
    (team.remote.folder / "refs/heads/signalbox").unlink()
    propose([here(pack)], proposal(), team.owner)
    assert Change.objects.get().commits.count() == 1


def test_a_foreign_branch_is_not_taken_over(team: Team) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    team.colleague.git("switch", "--quiet", "-c", "signalbox/a")
    team.colleague.commit({"README.md": b"mine\n"})
    team.colleague.git("push", "--quiet", "-u", "origin", "signalbox/a")
    team.fetch()
    with pytest.raises(RepositoryRefused, match="already"):
        propose([here(pack)], proposal(), team.owner)
    assert propose_plan(here(pack), team.owner)["branch"] == "signalbox/a-2"


def test_several_branches_of_a_pack_are_packs_of_their_own(team: Team) -> None:
    team.colleague.git("switch", "--quiet", "-c", "next")
    team.colleague.commit({"a.flow.json": THEIRS})
    team.colleague.git("push", "--quiet", "-u", "origin", "next")
    team.fetch()
    (one,), (other,) = team.track(), team.track(ref="next")
    assert one.pk != other.pk
    assert (place(one).branch, place(other).branch) == ("main", "next")
    with pytest.raises(CallerError, match="follows"):
        team.track()
