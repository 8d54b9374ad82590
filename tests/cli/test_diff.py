"""`signalbox diff`: what it prints and how it ends."""

import copy
import json
import os
import subprocess
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import PACK
from workflows.core.dialects import dialects

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def other(write):
    """Another version of the pack, under another name."""

    def written(change):
        body = copy.deepcopy(PACK)
        change(body)
        return write("new/other.pack.json", body)

    return written


def states(body):
    return body["workflow"]["states"]


def test_the_same_file_twice_is_no_difference(cli, pack):
    said = cli("diff", pack, pack)
    assert (said.code, said.out) == (0, "No difference.\n")


def test_another_layout_is_no_difference(cli, pack, other):
    said = cli("diff", pack, other(lambda body: None))
    assert said.code == 0
    assert said.out.splitlines() == [
        "new/other.pack.json: only the formatting differs.",
        "No difference in meaning.",
    ]


CHANGES = [
    (
        lambda body: states(body).update(extra={"prompt_task": "draft"}),
        ["States", "  + state extra"],
    ),
    (
        lambda body: states(body)["draft"].update(max_visits=3),
        ["States", "  + state:draft /max_visits 3"],
    ),
    (
        lambda body: states(body)["draft"]["on_event"].update(Submit="published"),
        ["Transitions", "  ~ transition draft|Submit|review, now draft|Submit|published"],
    ),
    (
        lambda body: body["workflow"].update(entry="review"),
        ["Entries", "  ~ entry draft → review"],
    ),
    (
        lambda body: body["prompts"]["draft"].update(system_template="You draft.\nThen stop."),
        [
            "Objects",
            "  ~ prompt:draft /system_template",
            "      @@ -1 +1,2 @@",
            "      -You draft the text.",
            "      +You draft.",
            "      +Then stop.",
        ],
    ),
    (
        lambda body: body.update(name="Other \x1b[31m red"),
        ["Objects", '  ~ pack /name "Review" → "Other \\u001b[31m red"'],
    ),
]


@pytest.mark.parametrize(("change", "lines"), CHANGES)
def test_each_change_is_a_line_under_its_heading(cli, pack, other, change, lines):
    said = cli("diff", pack, other(change))
    assert said.code == 1
    assert said.out.splitlines() == lines


def test_texts_of_a_pack_do_not_steer_the_terminal(cli, pack, other):
    wild = "One\n\x1b]0;title\x07 two\u202e"
    said = cli("diff", pack, other(lambda b: b["prompts"]["draft"].update(system_template=wild)))
    assert said.code == 1
    assert not {"\x1b", "\x07", "\u202e"} & set(said.out)


def test_json_names_both_files_and_what_differs(cli, pack, other):
    said = cli("diff", pack, other(lambda b: b.update(version="2.0.0")), "--format", "json")
    assert said.code == 1
    assert (said.json["before"], said.json["after"]) == ("review.pack.json", "new/other.pack.json")
    assert said.json["same"] is False
    assert said.json["objects"]["changed"] == ["pack"]
    (element,) = said.json["elements"]
    assert element["fields"] == [{"pointer": "/version", "was": "1.0.0", "now": "2.0.0"}]


def test_svg_draws_both_versions_with_a_title_on_each_mark(cli, pack, other):
    def change(body):
        states(body)["drafting"] = states(body).pop("draft")
        body["workflow"]["entry"] = "drafting"
        states(body)["review"]["on_event"] = {"Reject": "drafting", "Stop\x01<": "extra"}
        states(body)["extra"] = {"prompt_task": "draft", "terminal": True, "description": "New."}

    said = cli("diff", pack, other(change), "--format", "svg")
    assert said.code == 1
    root = ElementTree.fromstring(said.out)
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert "draft, now drafting" in titles
    assert "added extra" in titles
    assert "removed review|Approve|published" in titles
    assert any(title.startswith("added review|Stop") for title in titles)
    marks = {rect.get("class") for rect in root.iter(f"{SVG}rect")}
    assert {"box added", "box changed", "box same"} <= marks
    assert not list(root.iter(f"{SVG}script"))
    assert "prefers-color-scheme: dark" in root.find(f"{SVG}style").text


def test_a_folder_stands_for_the_pack_in_it(cli, pack, tmp_path):
    registry = dialects()["steps_registry"].samples()["triage-bot"]
    for side in ("one", "two"):
        for path, data in registry.items():
            target = tmp_path / side / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    assert cli("diff", "one", "two").code == 0
    prompt = tmp_path / "two/.agent/triage-bot/prompts/system.md"
    prompt.write_text("Be brief.\n")
    said = cli("diff", "one", "two")
    assert said.code == 1
    assert said.out.startswith("Files\n  ~ file two/.agent/triage-bot/prompts/system.md\n")
    said = cli("diff", pack, "two")
    assert said.code == 2
    assert "only packs of one format can be compared" in said.err


@pytest.mark.parametrize("content", ["{", "[]", ""])
def test_unreadable_packs_cannot_be_compared(cli, pack, write, content):
    bad = write("bad/bad.pack.json", content)
    for pair in ((pack, bad), (bad, pack)):
        said = cli("diff", *pair)
        assert said.code == 2
        assert said.err.startswith("signalbox: ")
    assert cli("diff", pack, "nowhere").code == 2


def test_one_side_may_come_on_standard_input(cli, pack):
    data = json.dumps(PACK).encode()
    assert cli("diff", pack, "-", stdin=data).code == 0
    assert cli("diff", "-", "-", stdin=data).code == 2


def test_git_names_the_null_device_for_a_pack_that_one_version_lacks(cli, pack):
    for sides, sign, key in (
        ((os.devnull, pack), "+", "added"),
        ((pack, os.devnull), "-", "removed"),
    ):
        shown = cli("diff", *sides)
        assert (shown.code, shown.out) == (1, f"{sign} pack {pack.name}\n")
        assert cli("diff", *sides, "--format", "json").json[key] == [pack.name]
        assert cli("diff", *sides, "--format", "svg").code == 2
    assert cli("diff", os.devnull, os.devnull).code == 2


def test_a_pack_is_compared_with_its_git_version(cli, pack, tmp_path):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "core.hooksPath="]

    def run(*arguments):
        subprocess.run([*git, *arguments], cwd=tmp_path, check=True, capture_output=True)

    run("init", "-q")
    run("add", pack.name)
    run("commit", "-qm", "One")
    body = copy.deepcopy(PACK)
    body["version"] = "2.0.0"
    pack.write_text(json.dumps(body))
    shown = subprocess.run(
        ["git", "show", f"HEAD:{pack.name}"], cwd=tmp_path, check=True, capture_output=True
    )
    said = cli("diff", "-", pack, stdin=shown.stdout)
    assert said.code == 1
    assert said.out == 'Objects\n  ~ pack /version "1.0.0" → "2.0.0"\n'
