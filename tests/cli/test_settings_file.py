"""`.signalbox.toml`: its place, its keys, and the command line that wins over it."""

import pytest

from signalbox.project.selection import matches
from tests.cli.conftest import PACK, with_target
from tests.support.checks import each_row


def codes(result):
    return {finding["code"] for one in result.json["packs"] for finding in one["findings"]}


@pytest.fixture
def faulty(write):
    return write("packs/bad.pack.json", with_target("nowhere"))


def test_a_file_above_the_checked_path_is_used(cli, faulty, write):
    found = codes(cli("check", faulty, "--format", "json"))
    assert len({code[:2] for code in found}) > 1
    write(".signalbox.toml", 'select = ["GR"]')
    assert {code[:2] for code in codes(cli("check", faulty, "--format", "json"))} == {"GR"}
    write("packs/.signalbox.toml", 'ignore = ["GR"]')
    assert "GR" not in {code[:2] for code in codes(cli("check", faulty, "--format", "json"))}


def test_the_search_ends_at_the_root_of_the_repository(cli, write, tmp_path, monkeypatch):
    write(".signalbox.toml", "fail-on = 'never'")
    pack = write("inner/bad.pack.json", with_target("nowhere"))
    (tmp_path / "inner" / ".git").mkdir()
    assert cli("check", pack).code == 1
    (tmp_path / "inner" / ".git").rmdir()
    assert cli("check", pack).code == 0


def test_outside_a_repository_files_above_the_working_directory_do_not_count(
    cli, write, tmp_path, monkeypatch
):
    write(".signalbox.toml", "fail-on = 'never'")
    pack = write("inner/deep/bad.pack.json", with_target("nowhere"))
    monkeypatch.chdir(tmp_path / "inner")
    assert cli("check", pack).code == 1


def test_ignored_findings_do_not_fail(cli, faulty, write):
    assert cli("check", faulty).code == 1
    write(".signalbox.toml", "ignore = ['PP', 'GR']")
    result = cli("check", faulty)
    assert (result.code, result.out) == (0, "1 pack: 0 errors, 0 warnings, 0 hints.\n")


def test_a_code_is_ignored_in_some_paths_only(cli, faulty, write):
    write("new/bad.pack.json", with_target("nowhere"))
    write(".signalbox.toml", '[per-path-ignores]\n"packs/**" = ["PP", "GR"]\n')
    result = cli("check", ".", "--format", "json")
    assert result.code == 1
    paths = {finding["path"] for one in result.json["packs"] for finding in one["findings"]}
    assert paths == {"new/bad.pack.json"}


@each_row(
    [
        ("legacy", "legacy/a/b.json", True),
        ("legacy/", "legacy/b.json", True),
        ("./legacy", "legacy/b.json", True),
        ("legacy", "new/legacy/b.json", False),
        ("**/legacy", "new/legacy/b.json", True),
        ("**/legacy", "legacy/b.json", True),
        ("*.json", "b.json", True),
        ("*.json", "a/b.json", False),
        ("**/*.json", "a/c/b.json", True),
        ("a/**/b.json", "a/b.json", True),
        ("a.json", "abjson", False),
        ("?.json", "b.json", True),
        ("**/" * 40 + "x", "a/" * 40 + "b", False),
        ("a*" * 30 + "x", "a" * 60, False),
    ]
)
def test_patterns_of_paths(pattern, path, expected):
    assert matches(pattern, path) is expected


def test_the_command_line_wins_over_the_file(cli, faulty, write):
    write(".signalbox.toml", "fail-on = 'never'\nignore = ['PP', 'GR']")
    assert cli("check", faulty).code == 0
    assert cli("check", faulty, "--ignore", "SR", "--fail-on", "error").code == 1
    assert cli("check", faulty, "--select", "PP", "--ignore", "GR").code == 0


def test_a_file_can_be_named(cli, faulty, write):
    write("ci/strict.toml", "fail-on = 'never'")
    assert cli("check", faulty, "--config", "ci/strict.toml").code == 0
    missing = cli("check", faulty, "--config", "ci/none.toml")
    assert missing.code == 2
    assert "ci/none.toml" in missing.err


def test_a_profile_is_used_by_the_formats_that_have_it(cli, write):
    pack = write("one.pack.json", PACK)
    write(".signalbox.toml", "profile = 'promptkit'")
    result = cli("check", pack, "--format", "json")
    assert result.json["packs"][0]["profile"] == "promptkit"
    write(".signalbox.toml", "profile = 'climpt'")
    result = cli("check", pack, "--format", "json")
    assert (result.code, result.json["packs"][0]["profile"]) == (0, "documented")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nselected = ['SR']", ".signalbox.toml:2: 'selected' is an unknown key"),
        ("select = 'SR'", ".signalbox.toml:1: 'select' must be a list of texts"),
        ("select = [1]", "'select' must be a list of texts"),
        ("ignore = ['ZZ1']", "'ignore' has 'ZZ1', which is not a finding code"),
        ("profile = 'fancy'", "'profile' has the unknown profile 'fancy'"),
        ("profile = 3", "'profile' must be a text"),
        ("baseline = ''", "'baseline' must be a text that is not empty"),
        ("fail-on = 'hint'", "'fail-on' must be one of error, warning, never"),
        ("fail-on = ['error']", "'fail-on' must be one of"),
        ("\n\n[rehearse]\nmin = 1", ".signalbox.toml:4: 'rehearse.min' is an unknown key"),
        ("[rehearse]\nmin-coverage = 101", ":2: 'rehearse.min-coverage' must be a number from 0"),
        ("[rehearse]\nmin-coverage = true", "must be a number from 0"),
        ("[rehearse]\nmin-coverage = nan", "must be a number from 0"),
        ("[rehearse]\nallowed-gaps = 'a'", "'rehearse.allowed-gaps' must be a list"),
        ("rehearse = 3", "'rehearse' must be a table"),
        ("[per-path-ignores]\n'a/**' = ['x']", ":2: 'per-path-ignores.a/**' has 'x'"),
        ("[verify.runs]\n'a.json' = 1", "'verify.runs.a.json' must be a text"),
        ("select = [", "this is not TOML"),
        ("a = " + "[" * 5_000, "this TOML"),
        (b"a = '\xff'", "this is not UTF-8 text"),
    ],
)
def test_an_invalid_file_is_refused_with_its_place(cli, faulty, write, text, message):
    write(".signalbox.toml", text)
    result = cli("check", faulty)
    assert result.code == 2
    assert message in result.err


def test_an_unknown_code_on_the_command_line_is_refused(cli, faulty):
    for option in ("--select", "--ignore"):
        result = cli("check", faulty, option, "SR,XX")
        assert result.code == 2
        assert "'XX' is not a finding code" in result.err


def test_findings_of_an_unreadable_pack_cannot_be_ignored(cli, write):
    pack = write("broken.pack.json", "{")
    write(".signalbox.toml", "ignore = ['PP', 'GR']")
    assert cli("check", pack).code == 2
