"""`signalbox check --fix`: safe fixes are written, and every other byte stays."""

import copy
import json
import shutil

import pytest

from tests.cli.conftest import PACK, with_target
from tests.support.checks import quick_or_slow
from tests.support.corpus import CORPUS, SHIPPED
from workflows.core.dialects import dialects
from workflows.core.rules.check import rules_for
from workflows.core.rules.safe_fixes import SAFE_CODES


@pytest.fixture
def spaced(write):
    """A pack with a placeholder that has spaces, written in an unusual way."""
    body = copy.deepcopy(PACK)
    body["prompts"]["draft"]["system_template"] = "Write about {{ topic }}."
    body["prompts"]["draft"]["variables"] = [{"name": "topic", "type": "string", "required": True}]
    text = json.dumps(body, indent=3).replace('"name": "Review"', '"name" :   "Review"')
    return write("review.pack.json", text.replace("\n", "\r\n"))


def codes(result):
    return {finding["code"] for one in result.json["packs"] for finding in one["findings"]}


def test_a_fix_changes_its_place_only(cli, spaced):
    before = spaced.read_bytes()
    assert "PP306" in codes(cli("check", ".", "--format", "json"))
    result = cli("check", ".", "--fix", "--format", "json")
    assert "PP306" not in codes(result)
    assert spaced.read_bytes() == before.replace(b"{{ topic }}", b"{{topic}}")
    assert "review.pack.json:" in result.err
    assert "PP306" in result.err
    assert "1 finding fixed." in result.err


def test_a_second_time_changes_nothing(cli, spaced):
    cli("check", ".", "--fix")
    once = spaced.read_bytes()
    assert "No safe fix applies." in cli("check", ".", "--fix").err
    assert spaced.read_bytes() == once


def test_ignored_findings_are_not_fixed(cli, spaced):
    before = spaced.read_bytes()
    cli("check", ".", "--fix", "--ignore", "PP306")
    assert spaced.read_bytes() == before


def test_a_finding_whose_fix_needs_a_decision_stays(cli, write):
    path = write("bad.pack.json", with_target("publishd"))
    before = path.read_bytes()
    found = cli("check", path, "--format", "json").json["packs"][0]["findings"]
    assert any(finding["fix"] and finding["level"] == "error" for finding in found)
    assert cli("check", path, "--fix").code == 1
    assert path.read_bytes() == before


def test_standard_input_cannot_be_fixed(cli):
    result = cli("check", "-", "--fix", stdin=json.dumps(PACK).encode())
    assert result.code == 2
    assert "standard input" in result.err


def test_an_unreadable_pack_stays(cli, write):
    path = write("broken.pack.json", "{")
    assert cli("check", ".", "--fix").code == 2
    assert path.read_text() == "{"


def test_every_safe_code_is_a_rule():
    assert {rule.code for one in dialects().values() for rule in rules_for(one)} >= SAFE_CODES


@pytest.mark.parametrize("folder", quick_or_slow(SHIPPED, CORPUS), ids=["shipped", "all"])
def test_fixes_add_no_error_and_no_warning_to_the_corpus(cli, tmp_path, folder):
    shutil.copytree(folder, tmp_path / "packs")
    before = cli("check", ".", "--format", "json").json
    result = cli("check", ".", "--fix", "--format", "json")
    after = result.json
    for was, now in zip(before["packs"], after["packs"], strict=True):
        assert now["counts"]["error"] <= was["counts"]["error"], was["path"]
        assert now["counts"]["warning"] <= was["counts"]["warning"], was["path"]
    number = int(result.err.splitlines()[-1].split()[0])
    assert number > 0
    again = cli("check", ".", "--fix", "--format", "json")
    assert "No safe fix applies." in again.err
    assert again.json == after
