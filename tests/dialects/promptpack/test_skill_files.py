"""Skills whose files are in the folder of the pack."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, pack
from tests.dialects.promptpack.scripted_run import ScriptedRun
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused, RemoveFile, WriteFile
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

S = "workflow/states"
BILLING = b"---\nname: billing\ndescription: Bills.\nallowed-tools: find send\n---\n\nAdd it up.\n"
TREE = {
    "skills/billing/SKILL.md": BILLING,
    "skills/billing/rates.csv": b"a,1\n",
    "skills/billing/logo.png": b"\x89PNG\xff",
    "skills/legal/SKILL.md": b"Ask a lawyer.\n",
    "notes/tone.md": b"---\ndescription: Tone.\n---\nBe kind.\n",
    "README.md": b"Not a skill.",
}


def files(skills: Any, folder: str = "", **more: Any) -> Files:
    data = json.dumps(pack({"skills": skills, **more})).encode()
    base = f"{folder}/" if folder else ""
    return Files.of(
        {f"{base}good.pack.json": data, **{f"{base}{path}": text for path, text in TREE.items()}}
    )


def read(skills: Any, folder: str = "", **more: Any) -> PackSource:
    tree = files(skills, folder, **more)
    (found,) = DIALECT.recognises(tree)
    return DIALECT.read(Files.of({path: tree[path] for path in found.paths}))


def run(source: PackSource, **options: Any) -> ScriptedRun:
    return ScriptedRun({}, source=source, **options)


@each_row(["", "packs/one"])
def test_a_pack_takes_the_files_of_its_skills_with_it(folder: str) -> None:
    source = read(["./skills/billing", {"path": "notes/tone.md"}], folder)
    base = f"{folder}/" if folder else ""
    assert [path.removeprefix(base) for path in source.files] == [
        "good.pack.json", "skills/billing/SKILL.md", "skills/billing/rates.csv",
        "skills/billing/logo.png", "notes/tone.md",
    ]  # fmt: skip
    assert {name: skill.path for name, skill in source.skills.by_name.items()} == {
        "billing": "skills/billing",
        "tone": "notes/tone.md",
    }
    assert source.skills.missing == {}


def test_a_folder_of_skills_has_all_of_them() -> None:
    source = read(["skills"])
    assert list(source.skills.by_name) == ["billing", "legal"]
    assert source.skills.by_name["legal"].instructions == "Ask a lawyer."


@each_row(["../other", "/etc", "@org/name", "skills/../../x", "."])
def test_a_source_outside_the_folder_is_never_read(path: str) -> None:
    source = read([path])
    assert list(source.files) == ["good.pack.json"]
    assert source.skills.missing == {0: path}


def test_the_model_activates_a_skill_from_a_file_and_reads_its_resources() -> None:
    tool = {"name": "find", "description": "Find."}
    source = read(["skills"], tools={"find": tool}, **{"prompts/draft/tools": ["find"]})
    scripted = run(source)
    offered = {item.name: item for item in scripted.pending.tools}
    assert "- billing: Bills." in offered["skill__activate"].description
    names = offered["skill__read_resource"].parameters["properties"]["skill_name"]["enum"]
    assert names == ["billing"]
    scripted.model(
        "",
        ("skill__activate", {"name": "billing"}),
        ("skill__read_resource", {"skill_name": "billing", "path": "./rates.csv"}),
        ("skill__read_resource", {"skill_name": "billing", "path": "../../good.pack.json"}),
        ("skill__read_resource", {"skill_name": "billing", "path": "logo.png"}),
        ("skill__read_resource", {"skill_name": "nobody", "path": "x"}),
    )
    first, rates, outside, image, nobody = (t.text for t in scripted.pending.messages[-5:])
    assert json.loads(first) == {"instructions": "Add it up.", "added_tools": ["find"]}
    assert json.loads(rates) == {"content": "a,1\n"}
    assert outside == (
        "Error: the skill 'billing' has no file '../../good.pack.json'. "
        "Its files: rates.csv, logo.png."
    )
    assert image == "Error: the file 'logo.png' is not text."
    assert nobody.startswith("Error: there is no skill 'nobody'.")
    assert scripted.events_of("promptpack.skills")[0].fields == {
        "position": "0", "state": "draft", "active": ["billing"],
        "run_memory": {"skills": ["billing"]},
    }  # fmt: skip


def test_a_preloaded_skill_is_in_the_first_prompt() -> None:
    assert run(read([{"path": "skills/billing", "preload": True}])).pending.system == (
        "Do it.\n\n# Skill: billing\nAdd it up."
    )


@each_row([("documented", ["billing", "own"]), ("promptkit-1", ["billing", "legal", "own"])])
def test_the_filter_of_a_state_applies_to_skills_with_a_path(
    profile: str, names: list[str]
) -> None:
    own = {"name": "own", "description": "x", "instructions": "y"}
    source = read(["skills", own], **{f"{S}/draft/skills": "skills/billing"})
    (activate,) = (
        item for item in run(source, profile=profile).pending.tools
        if item.name == "skill__activate"
    )  # fmt: skip
    assert activate.parameters["properties"]["name"]["enum"] == names


@each_row(
    [
        (b"---\nname: [\n---\nx", "cannot be read"),
        (b"---\nname: x\n", "never closed"),
        (b"---\nname: x\n---\n  \n", "no instructions"),
        (b"\xff\xfe", "not UTF-8"),
    ]
)
def test_an_unreadable_skill_file_is_a_finding_at_its_file(data: bytes, message: str) -> None:
    tree = files(["skills/billing"]).changed({"skills/billing/SKILL.md": data})
    source = DIALECT.read(tree)
    (finding,) = (item for item in check(DIALECT, source, "documented") if item.code == "PP332")
    assert message in finding.message
    assert (finding.place.path, finding.place.line > 0) == ("skills/billing/SKILL.md", True)
    assert run(source).run.status == "running"


def test_files_of_skills_are_edited_added_and_removed_in_the_text_view() -> None:
    source = read(["skills/billing", "skills/new"])
    assert source.skills.missing == {1: "skills/new"}
    after = DIALECT.apply(source, WriteFile(path="skills/new/SKILL.md", text="New."))
    after = DIALECT.apply(after, WriteFile(path="skills/billing/SKILL.md", text="Old."))
    assert {name: skill.instructions for name, skill in after.skills.by_name.items()} == {
        "billing": "Old.",
        "new": "New.",
    }
    gone = DIALECT.apply(after, RemoveFile(path="skills/new/SKILL.md"))
    assert gone.skills.missing == {1: "skills/new"}
    for path in ("other.md", "skills/elsewhere/SKILL.md", "good.pack.json"):
        with pytest.raises(EditRefused):
            DIALECT.apply(source, RemoveFile(path=path))
    with pytest.raises(EditRefused, match="files of the skills"):
        DIALECT.apply(source, WriteFile(path="other.md", text="x"))
