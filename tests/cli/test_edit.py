"""`signalbox edit`: all edits or none, and no other byte."""

import errno
import json
import stat
from pathlib import Path

import pytest

from signalbox.commands.output import write_files

CONNECT = {"type": "connect", "source": "draft", "target": "published", "label": "Skip"}


def test_an_edit_in_place_changes_its_own_lines_only(cli, pack, write):
    before = pack.read_text().splitlines()
    said = cli("edit", pack, "--edits", write("edits.json", [CONNECT]))
    assert said.code == 0, said.err
    assert said.out.splitlines() == ["changed review.pack.json", "1 edit applied."]
    after = pack.read_text().splitlines()
    assert [line.strip() for line in after if line not in before] == [
        '"Submit": "review",',
        '"Skip": "published"',
    ]
    assert len(after) == len(before) + 1
    assert json.loads(pack.read_text())["workflow"]["states"]["draft"]["on_event"] == {
        "Submit": "review",
        "Skip": "published",
    }


def test_the_rights_of_a_file_stay(cli, pack, write):
    pack.chmod(0o640)
    cli("edit", pack, "--edits", write("edits.json", [CONNECT]))
    assert stat.S_IMODE(pack.stat().st_mode) == 0o640


def test_a_full_disk_or_a_folder_in_the_way_changes_nothing(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_files(tmp_path, {"a": b"2", "new": b"2", "folder": b"2"})
    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", _full)
        with pytest.raises(OSError, match="No space"):
            write_files(tmp_path, {"a": b"2", "new": b"2"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "folder"]
    assert (tmp_path / "a").read_bytes() == b"1"


def _full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_several_edits_follow_each_other(cli, pack, write):
    edits = [
        {"type": "rename_state", "id": "published", "new_id": "live"},
        {"type": "connect", "source": "draft", "target": "live", "label": "Skip"},
    ]
    assert cli("edit", pack, "--edits", write("e.json", {"edits": edits})).code == 0
    states = json.loads(pack.read_text())["workflow"]["states"]
    assert states["review"]["on_event"]["Approve"] == "live"
    assert states["draft"]["on_event"]["Skip"] == "live"


def test_an_edit_and_its_opposite_restore_every_byte(cli, pack, write):
    before = pack.read_bytes()
    undo = {"type": "disconnect", "transition": "draft|Skip|published"}
    cli("edit", pack, "--edits", write("e.json", [CONNECT]))
    assert pack.read_bytes() != before
    cli("edit", pack, "--edits", write("e.json", [undo]))
    assert pack.read_bytes() == before


def test_a_refused_edit_writes_nothing(cli, pack, write):
    before = pack.read_bytes()
    edits = [CONNECT, {"type": "remove_state", "id": "nobody"}]
    said = cli("edit", pack, "--edits", write("e.json", edits))
    assert said.code == 1
    assert "edit 2 (remove_state)" in said.err
    assert "nobody" in said.err
    assert pack.read_bytes() == before


def test_another_folder_gets_the_whole_pack(cli, pack, write, tmp_path):
    before = pack.read_bytes()
    said = cli("edit", pack, "--edits", write("e.json", [CONNECT]), "-o", tmp_path / "out")
    assert said.code == 0
    assert pack.read_bytes() == before
    assert b"Skip" in (tmp_path / "out" / "review.pack.json").read_bytes()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["review.pack.json"]


def test_a_pack_on_standard_input_comes_back_on_standard_output(cli, pack, write):
    said = cli("edit", "-", "--edits", write("e.json", [CONNECT]), stdin=pack.read_bytes())
    assert said.code == 0
    assert json.loads(said.out)["workflow"]["states"]["draft"]["on_event"]["Skip"] == "published"


def test_layout_edits_are_skipped_with_a_message(cli, pack, write):
    before = pack.read_bytes()
    move = {"type": "move", "positions": {"draft": [1, 2]}}
    said = cli("edit", pack, "--edits", write("e.json", [move]))
    assert said.code == 0
    assert "1 layout edits were skipped" in said.out
    assert pack.read_bytes() == before


@pytest.mark.parametrize(
    ("edits", "sentence"),
    [
        ("{", "e.json:1:2: this is not JSON"),
        ("[]", "at least one edit"),
        ('[{"type": "fly"}]', "edits/0: There is no edit of type 'fly'"),
        ('[{"type": "connect"}]', "needs the field 'source'"),
        (b"\xff", "e.json: this is not UTF-8"),
        ("[" * 100_000, "e.json"),
    ],
)
def test_edits_that_are_none_are_named(cli, pack, write, edits, sentence):
    said = cli("edit", pack, "--edits", write("e.json", edits))
    assert said.code == 2
    assert sentence in said.err


def test_edits_that_are_not_there_are_named(cli, pack):
    said = cli("edit", pack, "--edits", "gone.json")
    assert said.code == 2
    assert "gone.json: No such file" in said.err


def test_a_dry_run_prints_the_consequences_and_writes_nothing(cli, pack, write):
    before = pack.read_bytes()
    audit = {"type": "add_state", "id": "audit"}
    gone = {"type": "disconnect", "transition": "draft|Submit|review"}
    edits = write("e.json", [audit, CONNECT, gone])
    run = cli("run", pack, "--driver", "rehearsal", "--json").out
    write("runs/one.jsonl", run)
    write(".signalbox.toml", '[verify.runs]\n"review.pack.json" = "runs"\n')
    said = cli("edit", pack, "--edits", edits, "--dry-run")
    assert (said.code, said.err) == (0, "")
    for words in (
        "+ state audit",
        "- transition draft|Submit|review",
        "GR104",
        "model calls: 250 → ",
        "no longer taken: review|",
        "1 of 1 run would diverge.",
        "runs/one.jsonl: Event ",
        '+          "Skip": "published"',
        "Nothing was written.",
    ):
        assert words in said.out
    body = cli("edit", pack, "--edits", edits, "--dry-run", "--json").json
    assert body["parts"] == [[0], [1], [2]]
    assert [one["run"] for one in body["diverging_runs"]] == ["runs/one.jsonl"]
    assert pack.read_bytes() == before
