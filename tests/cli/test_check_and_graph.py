"""`signalbox check` and `signalbox graph`: what they print and how they end."""

import copy
import json
import os
import unicodedata

import pytest

from tests.cli.conftest import PACK
from workflows.core.dialects import dialects


def broken(**changes):
    """The pack with another `review` state."""
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["review"].update(changes)
    return body


def test_a_valid_pack_is_clean_and_reports_its_worst_case(cli, pack):
    said = cli("check", pack)
    assert said.code == 0, said.out
    assert "At worst, a run enters 50 states" in said.out
    assert said.out.splitlines()[-1] == "1 pack: 0 errors, 0 warnings, 1 hint."


@pytest.fixture
def faulty(write):
    return write("bad/bad.pack.json", json.dumps(broken(on_event={"Approve": "nowhere"}), indent=2))


def test_findings_name_file_line_and_code(cli, faulty):
    said = cli("check", faulty)
    assert said.code == 1
    assert "bad/bad.pack.json:" in said.out
    assert " error " in said.out
    assert "nowhere" in said.out


def test_json_lists_packs_and_their_findings(cli, faulty, pack):
    said = cli("check", pack, faulty, "--format", "json")
    sound, bad = said.json["packs"]
    assert (sound["dialect"], sound["readable"]) == ("promptpack", True)
    assert {found["code"] for found in sound["findings"]} == {"GR114"}
    first = bad["findings"][0]
    assert (first["level"], first["path"]) == ("error", "bad/bad.pack.json")
    assert first["line"] > 1
    assert said.json["counts"]["error"] == bad["counts"]["error"] >= 1


def test_sarif_names_every_rule_that_it_uses(cli, faulty):
    said = cli("check", faulty, "--format", "sarif")
    (run,) = said.json["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert said.json["version"] == "2.1.0"
    assert run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "bad/bad.pack.json"
        assert place["region"]["startLine"] >= 1


def test_github_gets_annotations(cli, faulty):
    said = cli("check", faulty, "--format", "github")
    assert said.out.startswith("::error file=bad/bad.pack.json,line=")
    assert said.code == 1


def test_warnings_fail_only_with_the_option(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["lonely"] = {
        "prompt_task": "draft",
        "on_event": {"Submit": "review"},
    }
    path = write("lonely.pack.json", body)
    assert cli("check", path).code == 0
    assert "warning" in cli("check", path).out
    assert cli("check", path, "--fail-on", "warning").code == 1


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[1, 2", b'{"a": 1} x', b"[" * 100_000, b"null"]
)
def test_a_file_that_cannot_be_read_is_no_traceback(cli, write, content):
    said = cli("check", write("odd.pack.json", content))
    assert said.code == 2
    assert said.out or said.err


def test_a_folder_is_searched_for_packs(cli, write):
    for name in ("one.pack.json", "deep/two.pack.json", ".hidden/three.pack.json"):
        write(name, PACK)
    write("node_modules/four.pack.json", PACK)
    write(".git/five.pack.json", PACK)
    write("notes.txt", "not a pack")
    said = cli("check", ".", "--format", "json")
    assert [one["path"] for one in said.json["packs"]] == ["deep/two.pack.json", "one.pack.json"]


def test_a_link_is_not_followed(cli, write, tmp_path):
    outside = tmp_path / "outside.pack.json"
    outside.write_text(json.dumps(PACK))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.pack.json").symlink_to(outside)
    assert cli("check", folder).code == 2


@pytest.mark.parametrize("path", ["nothing-here", "empty"])
def test_a_path_without_packs_is_reported(cli, tmp_path, path):
    (tmp_path / "empty").mkdir()
    said = cli("check", path)
    assert said.code == 2
    assert path in said.err


def test_a_pack_may_come_on_standard_input(cli):
    said = cli("check", "-", "--format", "json", stdin=json.dumps(PACK).encode())
    assert said.code == 0
    assert said.json["packs"][0]["path"] == "-"


def test_an_unknown_profile_is_named_with_the_known_ones(cli, pack):
    said = cli("check", pack, "--profile", "fancy")
    assert said.code == 2
    assert "'fancy'" in said.err
    assert "documented" in said.err


def test_the_graph_has_the_agreed_shape(cli, pack):
    body = cli("graph", pack).json
    assert {"dialect", "profile", "entry", "states", "transitions"} <= set(body)
    assert body["entry"] == "draft"
    assert [state["id"] for state in body["states"]] == ["draft", "review", "published"]
    arrows = {(a["source"], a["target"], a["label"], a["kind"]) for a in body["transitions"]}
    assert ("review", "published", "Approve", "event") in arrows


def test_mermaid_and_dot_draw_every_arrow(cli, pack):
    mermaid = cli("graph", pack, "--format", "mermaid").out
    assert mermaid.startswith("flowchart LR\n")
    assert '-->|"Approve"|' in mermaid
    dot = cli("graph", pack, "--format", "dot").out
    assert '"review" -> "published" [label="Approve"];' in dot


def test_names_with_quotes_stay_inside_their_quotes(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]['a"b#<x>'] = {"prompt_task": "draft", "terminal": True}
    path = write("odd.pack.json", body)
    assert "a#quot;b#35;#lt;x#gt;" in cli("graph", path, "--format", "mermaid").out
    assert r'"a\"b#<x>"' in cli("graph", path, "--format", "dot").out


def test_a_lone_surrogate_is_refused_with_its_place(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["half \ud800"] = {"prompt_task": "draft", "terminal": True}
    path = write("half.pack.json", json.dumps(body))
    for arguments in (["graph"], ["graph", "--format", "dot"], ["check"], ["rehearse", "--json"]):
        said = cli(*arguments, path)
        assert said.code == 2
        assert "half.pack.json:1" in said.out + said.err


def test_a_file_name_that_is_no_text_is_printed_escaped(cli, tmp_path):
    odd = os.fsdecode(bytes(tmp_path) + b"/odd\xff")
    said = cli("check", odd)
    assert said.code == 2
    assert "odd\\udcff" in said.err


def test_an_internal_error_has_a_message(cli, pack, monkeypatch):
    def broken(self, files):
        raise KeyError("oops")

    monkeypatch.setattr(type(dialects()["promptpack"]), "read", broken)
    said = cli("check", pack)
    assert said.code == 70
    assert "Internal error: KeyError: 'oops'" in said.err


def test_several_packs_are_too_many_to_draw(cli, write):
    write("a.pack.json", PACK)
    write("b.pack.json", PACK)
    said = cli("graph", ".")
    assert said.code == 2
    assert "There are 2 packs" in said.err
    assert "a.pack.json, b.pack.json" in said.err


def test_an_unreadable_pack_has_no_graph(cli, write):
    said = cli("graph", write("x.pack.json", "{"))
    assert said.code == 2
    assert said.err.startswith("signalbox: x.pack.json")


def test_files_that_belong_to_no_pack_have_no_limit(cli, pack, tmp_path):
    for number in range(6_000):
        (tmp_path / f"{number}.txt").touch()
    (tmp_path / "not: portable.txt").touch()
    (tmp_path / "large.json").write_bytes(b" " * 50_000_000)
    said = cli("check", ".", "--format", "json")
    assert said.code == 0, said.err
    assert [one["path"] for one in said.json["packs"]] == ["review.pack.json"]


def test_a_profile_of_one_format_leaves_other_formats_as_they_are(cli, write, tmp_path):
    from workflows.core.dialects import dialects

    for name, dialect in dialects().items():
        for path, data in dialect.samples().get("blank", {}).items():
            target = tmp_path / "packs" / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    for profile in ("documented", "climpt", "promptkit"):
        assert cli("check", str(tmp_path / "packs"), "--profile", profile).code in (0, 1)
    refused = cli("check", str(tmp_path / "packs"), "--profile", "nonsense")
    assert refused.code == 2
    assert "nonsense" in refused.err


def test_files_that_cannot_be_used_are_named_and_skipped(cli, pack, tmp_path, monkeypatch):
    """Such a file does not stop the check of all others."""
    text = pack.read_bytes()
    (tmp_path / os.fsdecode(b"caf\xe9.pack.json")).write_bytes(text)
    (tmp_path / "stored.pack.json").write_bytes(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"
    )
    (tmp_path / unicodedata.normalize("NFD", "\u00e9.pack.json")).write_bytes(text)
    locked = tmp_path / "locked.pack.json"
    locked.write_bytes(text)
    shut = tmp_path / "shut"
    shut.mkdir()
    # Root reads files and folders of every mode.
    access, scandir = os.access, os.scandir
    closed = {locked, shut}
    monkeypatch.setattr(os, "access", lambda path, mode: path not in closed and access(path, mode))

    def scan(path):
        if path == str(shut):
            raise PermissionError
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scan)
    done = cli("check", ".", "--format", "json")
    assert done.code == 0, done.err
    assert [one["path"] for one in done.json["packs"]] == [pack.name]
    lines = sorted(done.err.splitlines())
    assert len(lines) == 5
    assert "decomposed Unicode (NFD) on the disk. Rename the file to \u00e9.pack" in lines.pop()
    assert "caf" in lines[0]
    assert "not UTF-8" in lines[0]
    assert "locked.pack.json cannot be read" in lines[1]
    assert "shut is skipped: shut cannot be read. Change its permissions." in lines[2]
    assert "stored.pack.json is a pointer of Git LFS" in lines[3]
