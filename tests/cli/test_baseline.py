"""`signalbox check --baseline`: known findings pass, new ones fail, gone ones are reported."""

import json
import shutil

import pytest

from tests.cli.conftest import PACK, with_target
from tests.support.corpus import CORPUS, FULL

BASELINE = ".signalbox-baseline.json"


def test_a_baseline_makes_known_findings_pass(cli, faulty):
    assert cli("check", ".").code == 1
    written = cli("check", ".", "--write-baseline")
    assert written.code == 0
    assert BASELINE in written.out
    result = cli("check", ".")
    assert result.code == 0
    assert "0 errors" in result.out
    assert "known finding" in result.out
    assert cli("check", ".", "--no-baseline").code == 1


def test_a_new_finding_fails_alone(cli, faulty, write):
    cli("check", ".", "--write-baseline")
    write("other.pack.json", with_target("elsewhere"))
    result = cli("check", ".", "--format", "json")
    assert result.code == 1
    paths = {finding["path"] for one in result.json["packs"] for finding in one["findings"]}
    assert paths == {"other.pack.json"}


def test_another_name_in_the_same_place_is_new(cli, faulty, write):
    cli("check", ".", "--write-baseline")
    write("bad.pack.json", with_target("elsewhere"))
    result = cli("check", ".")
    assert result.code == 1
    assert "elsewhere" in result.out


def test_a_line_added_above_makes_nothing_new(cli, faulty):
    cli("check", ".", "--write-baseline")
    faulty.write_text("\n\n\n" + json.dumps(json.loads(faulty.read_text()), indent=4))
    assert cli("check", ".").code == 0


def test_the_same_finding_twice_is_known_once(cli, faulty, tmp_path):
    cli("check", ".", "--write-baseline")
    body = json.loads((tmp_path / BASELINE).read_text())
    error = next(one for one in body["findings"] if "nowhere" in one["message"])
    body["findings"] = [error, error]
    (tmp_path / BASELINE).write_text(json.dumps(body))
    gone = cli("check", ".", "--format", "json").json["gone"]
    assert [one["code"] for one in gone] == [error["code"]]


def test_findings_that_are_gone_are_reported_until_the_baseline_shrinks(cli, faulty, write):
    cli("check", ".", "--write-baseline")
    write("bad.pack.json", PACK)
    result = cli("check", ".")
    assert result.code == 0
    assert "too many" in result.out
    assert "nowhere" in result.out
    cli("check", ".", "--write-baseline")
    assert "too many" not in cli("check", ".").out


def test_entries_of_a_removed_pack_are_gone(cli, faulty, write):
    write("sound.pack.json", PACK)
    cli("check", ".", "--write-baseline")
    faulty.unlink()
    assert "bad.pack.json" in cli("check", ".").out
    cli("check", ".", "--write-baseline")
    assert "bad.pack.json" not in cli("check", ".").out


def test_packs_that_are_not_checked_keep_their_entries(cli, faulty, write):
    write("other.pack.json", with_target("elsewhere"))
    cli("check", ".", "--write-baseline")
    one = cli("check", "other.pack.json", "--format", "json")
    assert (one.code, one.json["gone"]) == (0, [])
    cli("check", "other.pack.json", "--write-baseline")
    assert cli("check", ".").code == 0


def test_ignored_codes_keep_their_entries(cli, faulty):
    cli("check", ".", "--write-baseline")
    assert cli("check", ".", "--ignore", "PP", "--format", "json").json["gone"] == []
    cli("check", ".", "--write-baseline", "--ignore", "PP")
    assert cli("check", ".").code == 0


def test_a_baseline_elsewhere_has_paths_relative_to_it(cli, write, tmp_path, monkeypatch):
    write("packs/bad.pack.json", with_target("nowhere"))
    assert cli("check", ".", "--write-baseline", "--baseline", "ci/known.json").code == 0
    assert '"../packs/bad.pack.json"' in (tmp_path / "ci/known.json").read_text()
    write(".signalbox.toml", "baseline = 'ci/known.json'")
    monkeypatch.chdir(tmp_path / "packs")
    assert cli("check", "bad.pack.json", "--config", "../.signalbox.toml").code == 0


def test_a_pack_that_cannot_be_read_can_be_known(cli, write):
    write("broken.pack.json", "{")
    assert cli("check", ".").code == 2
    cli("check", ".", "--write-baseline")
    assert cli("check", ".").code == 0


def test_the_file_is_the_same_each_time(cli, faulty, tmp_path):
    cli("check", ".", "--write-baseline")
    first = (tmp_path / BASELINE).read_bytes()
    cli("check", ".", "--write-baseline")
    assert (tmp_path / BASELINE).read_bytes() == first


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "this is not JSON"),
        ("[]", "this is not a baseline"),
        ('{"signalbox-baseline": 2, "findings": []}', "this is not a baseline of version 1"),
        ('{"signalbox-baseline": 1, "findings": {}}', "'findings' must be a list"),
        ('{"signalbox-baseline": 1, "findings": [{"code": "PP101"}]}', "finding 1 lacks"),
    ],
)
def test_an_invalid_baseline_is_refused(cli, faulty, write, content, message):
    write(BASELINE, content)
    result = cli("check", ".")
    assert result.code == 2
    assert BASELINE in result.err
    assert message in result.err


def test_a_missing_baseline_is_refused(cli, faulty):
    result = cli("check", ".", "--baseline", "none.json")
    assert result.code == 2
    assert "There is no baseline at none.json" in result.err


def test_a_repository_with_many_errors_goes_green_in_one_command(cli, faulty, tmp_path):
    shutil.copytree(CORPUS, tmp_path / "packs")
    before = cli("check", ".", "--format", "json")
    assert before.json["counts"]["error"] > (62 if FULL else 0)
    assert before.code in (1, 2)
    assert cli("check", ".", "--write-baseline").code == 0
    after = cli("check", ".", "--format", "json")
    assert (after.code, sum(after.json["counts"].values()), after.json["gone"]) == (0, 0, [])
    assert after.json["known"] == sum(len(pack["findings"]) for pack in before.json["packs"])
