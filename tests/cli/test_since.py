"""`signalbox check` in a git repository: packs with changes, ignored files, files of packs."""

import json
import shutil

import pytest

from tests.cli.conftest import PACK, with_target
from tests.support.live_server import ROOT
from workflows.repos.git import Git


def packs(result):
    assert result.code in (0, 1), result.err
    return [one["path"] for one in result.json["packs"]]


@pytest.fixture
def changed(cli, git, write):
    """Paths of the packs that `--since` finds."""

    def since(revision, *paths):
        return packs(cli("check", *(paths or ["."]), "--since", revision, "--format", "json"))

    return since


@pytest.fixture
def two(git, write):
    write("one.pack.json", PACK)
    write("deep/two.pack.json", PACK)
    return git.commit()


def test_only_packs_with_changes_are_checked(changed, git, two, write):
    assert changed("HEAD") == []
    write("one.pack.json", with_target("nowhere"))
    assert changed("HEAD") == ["one.pack.json"]
    git("add", "--all")
    assert changed("HEAD") == ["one.pack.json"]
    git.commit()
    assert changed("HEAD") == []
    assert changed(two) == ["one.pack.json"]


def test_the_changed_paths_are_read_once(changed, git, write, monkeypatch):
    """A folder for each pack, so that nothing is shared but the repository."""
    for number in range(30):
        write(f"{number}/a.pack.json", PACK)
    git.commit()
    write("3/a.pack.json", {**PACK, "name": "Three"})
    commands: list[str] = []
    run = Git.attempt

    def counted(self, *words, **more):
        commands.append(words[0])
        return run(self, *words, **more)

    monkeypatch.setattr(Git, "attempt", counted)
    assert changed("HEAD") == ["3/a.pack.json"]
    assert commands.count("diff") == 1
    assert len(commands) < 20, commands


def test_faults_of_the_revision_are_known(cli, git, write):
    """A change fails for the faults that it brings."""
    write("one.pack.json", with_target("nowhere"))
    git.commit()
    write("one.pack.json", {**with_target("nowhere"), "name": "New"})
    done = cli("check", ".", "--since", "HEAD", "--format", "json")
    assert done.code == 0, done.out
    assert done.json["packs"][0]["known"]
    write("one.pack.json", with_target("elsewhere"))
    assert cli("check", ".", "--since", "HEAD").code == 1


def test_a_new_pack_has_changed(changed, two, write):
    write("deep/three.pack.json", PACK)
    assert changed("main") == ["deep/three.pack.json"]


def test_changes_on_the_other_branch_do_not_count(changed, git, two, write):
    git("switch", "--quiet", "--create", "work")
    write("one.pack.json", with_target("nowhere"))
    git.commit()
    git("switch", "--quiet", "main")
    write("deep/two.pack.json", with_target("nowhere"))
    git.commit()
    git("switch", "--quiet", "work")
    assert changed("main") == ["one.pack.json"]


@pytest.fixture
def agent(git, tmp_path):
    """An agent of several files, committed, next to another pack."""
    samples = ROOT / "workflows/core/dialects/steps_registry/samples"
    shutil.copytree(samples / "triage-bot", tmp_path / "bot")
    (tmp_path / "one.pack.json").write_text(json.dumps(PACK))
    git.commit()
    return sorted((tmp_path / "bot").rglob("prompts/**/*.md"))


def test_a_changed_or_removed_prompt_changes_its_agent(changed, git, agent):
    agent[0].write_text("Another text.\n")
    (path,) = changed("HEAD")
    assert path.endswith("steps_registry.json")
    git("checkout", "--quiet", ".")
    agent[0].unlink()
    assert changed("HEAD") == [path]


def test_files_of_one_pack_give_the_pack_once(cli, agent, tmp_path):
    names = [str(prompt.relative_to(tmp_path)) for prompt in agent[:3]]
    result = cli("check", *names, "--format", "json")
    (path,) = packs(result)
    assert path.endswith("steps_registry.json")
    again = cli("check", *names, path, "--format", "json")
    assert packs(again) == [path]
    assert packs(cli("check", ".", path, "one.pack.json", "--format", "json")) == [
        path,
        "one.pack.json",
    ]


def test_files_of_no_pack_are_skipped_with_an_option(cli, agent, write):
    write("notes.md", "Notes.\n")
    assert cli("check", "notes.md").code == 2
    skipped = cli("check", "notes.md", "one.pack.json", "--skip-unknown", "--format", "json")
    assert packs(skipped) == ["one.pack.json"]
    assert cli("check", "missing.md", "--skip-unknown").code == 2


@pytest.mark.parametrize("revision", ["-x", "--output=made", "", "nowhere", "main..HEAD", "a\nb"])
def test_an_invalid_revision_is_refused(cli, two, tmp_path, revision):
    result = cli("check", ".", f"--since={revision}")
    assert result.code == 2
    assert "There is no revision" in result.err
    assert not (tmp_path / "made").exists()


def test_a_branch_named_like_an_option_is_refused(cli, git, two):
    git("update-ref", "refs/heads/-x", "HEAD")
    assert cli("check", ".", "--since=-x").code == 2


def test_outside_a_repository_the_message_names_the_pack(cli, pack):
    result = cli("check", pack, "--since", "HEAD")
    assert result.code == 2
    assert "is in none" in result.err


def test_ignored_folders_and_files_are_not_searched(cli, git, two, write):
    write("build/three.pack.json", PACK)
    write("deep/four.pack.json", PACK)
    write(".gitignore", "build/\n/deep/four.*\n")
    assert packs(cli("check", ".", "--format", "json")) == ["deep/two.pack.json", "one.pack.json"]
    assert packs(cli("check", "build", "--format", "json")) == ["build/three.pack.json"]
    assert packs(cli("check", "deep", "--format", "json")) == ["deep/two.pack.json"]


def test_a_tracked_file_is_searched_although_a_pattern_ignores_it(cli, git, two, write):
    write(".gitignore", "*.pack.json\n")
    assert len(packs(cli("check", ".", "--format", "json"))) == 2
