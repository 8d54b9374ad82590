"""The diff of a call's changes to a folder, in a form that `patch` can apply."""

import os
import subprocess

import pytest

from workflows.runner import workspace_diff


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("one\ntwo\n")
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    return tmp_path


def diff_of(folder, change):
    before = workspace_diff.take_snapshot(folder)
    change(folder)
    return workspace_diff.unified_diff(before, workspace_diff.take_snapshot(folder))


def test_equal_snapshots_have_an_empty_diff(folder):
    assert diff_of(folder, lambda _: None) == ""


def test_a_diff_shows_changed_new_and_deleted_files(folder):
    def change(root):
        (root / "docs/a.md").write_text("one\n2\n")
        (root / "new.txt").write_text("hello")

    assert diff_of(folder, change) == (
        "--- a/docs/a.md\n+++ b/docs/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n\\ No newline at end of file\n"
    )
    gone = diff_of(folder, lambda root: (root / "docs/a.md").unlink())
    assert gone == "--- a/docs/a.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-2\n"


def test_git_applies_the_diff(folder, tmp_path_factory):
    copy = tmp_path_factory.mktemp("copy")
    (copy / "docs").mkdir()
    (copy / "docs/a.md").write_text("one\ntwo\n")

    def change(root):
        (root / "docs/a.md").write_text("zero\none\r\ntwo\u2028three")
        (root / "x/y").mkdir(parents=True)
        (root / "x/y/z").write_text("z\n\n")

    diff = diff_of(folder, change)
    subprocess.run(["git", "apply", "-p1"], cwd=copy, input=diff.encode(), check=True)
    assert (copy / "docs/a.md").read_bytes() == (folder / "docs/a.md").read_bytes()
    assert (copy / "x/y/z").read_bytes() == b"z\n\n"


def test_binary_files_are_only_named(folder):
    said = diff_of(folder, lambda root: (root / "b.bin").write_bytes(b"\0\2"))
    assert said == "Binary files a/b.bin and b/b.bin differ\n"


def test_large_files_are_only_named(folder):
    said = diff_of(folder, lambda root: (root / "big").write_text("x" * 600_000))
    assert said == "Binary files /dev/null and b/big differ\n"


def test_an_empty_file_is_named_too(folder):
    said = diff_of(folder, lambda root: (root / "empty").write_text(""))
    assert said == "--- /dev/null\n+++ b/empty\n"


def test_links_are_not_followed(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text("plum")
    said = diff_of(folder, lambda root: (root / "way").symlink_to(outside))
    assert said == ""


def test_a_long_diff_is_cut(folder):
    def change(root):
        for number in range(20):
            (root / f"{number}.txt").write_text("a line of text\n" * 1_000)

    said = diff_of(folder, change)
    assert len(said) < workspace_diff.MAX_DIFF + 100
    assert said.endswith("… the diff is longer than this\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_are_skipped(folder):
    assert diff_of(folder, lambda root: os.mkfifo(root / "pipe")) == ""
