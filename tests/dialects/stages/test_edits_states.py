"""Adding, removing, renaming, copying and pasting stages, and whole files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.stages.packs import (
    applied,
    corpus_trees,
    drawn,
    files,
    folder,
    nexts,
    read,
    source,
    stage,
    to,
    tree,
    when,
)
from tests.support.checks import each_row
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.format.stage_file import REQUIRED
from workflows.core.pack.edits import (
    AddState,
    Connect,
    DuplicateState,
    Edit,
    EditRefused,
    Paste,
    RemoveFile,
    RemoveState,
    RenameState,
    SetEntry,
    SetField,
    WriteFile,
)
from workflows.core.pack.files import Files

LOOP: dict[str, Any] = {
    "plan": to("build"),
    "build": {"next": to("check", "try", join="judge"), "onParallelFailure": to("plan")},
    "check": to(),
    "try": to(),
    "judge": {"cases": [when(True, to("done")), when(2, to("build"), "run.visits.build")],
              "else": to("build")},
    "done": to(),
}  # fmt: skip
GRANTS = [{"tool": "bash", "stages": ["build", "check"], "max": 1}]


@each_row(["", "stage", "reader", "join"])
def test_a_new_stage_has_all_eight_keys_and_an_entry(kind: str) -> None:
    pack = applied(source({"plan": to()}), AddState(id="next-one", kind=kind, name="Next: one"))
    new = pack.stages["next-one"]
    assert new.path == "stages/next-one.md"
    assert set(REQUIRED) == set(new.values)
    assert new.values["name"] == "Next: one"
    assert new.values["completionTool"] == "submit_next_one"
    assert not pack.findings
    assert tree(pack)["stages"]["next-one"] == {"file": "stages/next-one.md", "next": to()}


@each_row(["yes", "12", "Überprüfung", "Build A", "new_state", "a/b"])
def test_any_id_can_be_written(id: str) -> None:
    pack = applied(source({"plan": to()}), AddState(id=id))
    assert pack.stages[id].values["id"] == id
    assert pack.stages[id].path.count("/") == 1


def test_a_new_stage_takes_an_unused_file() -> None:
    pack = read({**files({"plan": to()}), "stages/spare.md": stage("spare").encode()})
    after = applied(pack, AddState(id="spare"))
    assert set(after.files) == set(pack.files)
    assert tree(after)["stages"]["spare"]["file"] == "stages/spare.md"


def test_the_first_stage_is_where_a_run_begins() -> None:
    pack = applied(source({"plan": to()}), RemoveState(id="plan"))
    assert "entryStage" not in tree(pack)
    pack = applied(pack, AddState(id="start"))
    assert tree(pack)["entryStage"] == "start"


def test_a_stage_in_a_folder_without_a_pipeline_is_a_file_alone() -> None:
    pack = applied(folder("a"), AddState(id="b"))
    assert list(pack.files) == ["stages/a.md", "stages/b.md"]
    assert list(applied(pack, RemoveState(id="a")).stages) == ["b"]
    with pytest.raises(EditRefused, match="only stage"):
        applied(folder("a"), RemoveState(id="a"))


def test_removing_a_stage_removes_all_references() -> None:
    pack = applied(source(LOOP, grants=GRANTS), RemoveState(id="build"))
    assert "stages/build.md" not in pack.files
    assert nexts(pack) == {
        "plan": to(), "check": to(), "try": to(), "done": to(),
        "judge": {"cases": [when(True, to("done"))]},
    }  # fmt: skip
    assert tree(pack)["grants"][0]["stages"] == ["check"]


def test_removing_a_join_lets_the_branches_meet_nowhere() -> None:
    pack = applied(source(LOOP), RemoveState(id="judge"))
    assert nexts(pack)["build"] == to("check", "try")


def test_removing_the_entry_begins_where_it_led() -> None:
    assert tree(applied(source(LOOP), RemoveState(id="plan")))["entryStage"] == "build"


def test_a_file_that_two_stages_share_stays() -> None:
    pack = source({"a": to("b"), "b": {"file": "stages/a.md", "next": to()}})
    assert "stages/a.md" in applied(pack, RemoveState(id="b")).files


def test_renaming_follows_every_mention_and_comes_back() -> None:
    pack = source(LOOP, grants=GRANTS)
    after = applied(pack, RenameState(id="build", new_id="make"))
    text = after.files["pipeline.json"].decode()
    assert "build" not in text
    assert "run.visits.make" in text
    assert list(after.stages) == ["plan", "make", "check", "try", "judge", "done"]
    assert after.stages["make"].path == "stages/make.md"
    assert after.stages["make"].values["id"] == "make"
    back = applied(after, RenameState(id="make", new_id="build"))
    assert dict(back.files) == dict(pack.files)


def test_a_file_with_a_name_of_its_own_keeps_it() -> None:
    pack = read({
        path.replace("stages/plan.md", "stages/01-plan.md"): data.replace(
            b"stages/plan.md", b"stages/01-plan.md"
        )
        for path, data in files({"plan": to()}).items()
    })  # fmt: skip
    after = applied(pack, RenameState(id="plan", new_id="think"))
    assert after.stages["think"].path == "stages/01-plan.md"


def test_a_lone_stage_is_renamed_with_its_file() -> None:
    after = applied(folder("a", "b"), RenameState(id="a", new_id="c"))
    assert list(after.files) == ["stages/c.md", "stages/b.md"]
    assert list(after.stages) == ["c", "b"]


def test_a_copy_follows_the_original_and_loops_to_itself() -> None:
    pack = source({"a": to("a"), "b": to()})
    after = applied(pack, DuplicateState(id="a", new_id="a-2"))
    assert list(after.stages) == ["a", "a-2", "b"]
    assert nexts(after)["a-2"] == to("a-2")
    assert after.stages["a-2"].values == {**after.stages["a"].values, "id": "a-2"}
    assert b"# twice" in after.files["stages/a-2.md"]


def test_copied_stages_are_pasted_with_their_transitions() -> None:
    pack = source(LOOP)
    fragment = DIALECT.copy(pack, ("build", "check", "try", "judge"))
    after = applied(pack, Paste(fragment=fragment))
    new = [id for id in after.stages if id not in pack.stages]
    assert new == ["build-2", "check-2", "try-2", "judge-2"]
    assert nexts(after)["build-2"] == to("check-2", "try-2", join="judge-2")
    assert nexts(after)["judge-2"]["cases"][0]["then"] == to()
    assert nexts(after)["judge-2"]["else"] == to("build-2")
    alone = applied(source({"x": to()}), Paste(fragment=DIALECT.copy(pack, ("build",))))
    assert nexts(alone)["build"] == to()


def test_copies_of_a_stage_object_never_take_the_place_of_another_file() -> None:
    text = b'{"id": "a", "body": "", "completionTool": "x"}'
    pack = read({"a.json": text, "a-2.json": text.replace(b'"a"', b'"b"')})
    copied = applied(pack, DuplicateState(id="a", new_id="a-2"))
    pasted = applied(pack, Paste(fragment=DIALECT.copy(pack, ("a",))))
    for after in (copied, pasted):
        assert list(after.stages) == ["a", "b", "a-2"]
        assert list(after.files) == ["a.json", "a-2.json", "a-2-2.json"]


@each_row(
    [None, {}, {"dialect": "stages"}, {"dialect": "promptpack"},
     {"dialect": "stages", "stages": {"a": {"file": 3}}}]
)  # fmt: skip
def test_a_fragment_of_another_dialect_is_not_pasted(fragment: Any) -> None:
    with pytest.raises(EditRefused):
        applied(source({"a": to()}), Paste(fragment=fragment))


REFUSED: list[tuple[Edit, str]] = [
    (AddState(id="plan"), "already"),
    (AddState(id=" "), "needs a name"),
    (AddState(id="x", kind="robot"), "Unknown kind"),
    (RemoveState(id="x"), "no stage"),
    (RenameState(id="x", new_id="y"), "no stage"),
    (RenameState(id="plan", new_id="done"), "already"),
    (DuplicateState(id="plan", new_id="done"), "already"),
    (SetEntry(id="x"), "no stage"),
    (RemoveFile(path="x"), "no file"),
    (WriteFile(path="../x", text=""), "inside its folder"),
    (WriteFile(path="x.md", text="\ud83d"), "lone surrogate"),
]


def test_files_are_written_and_removed_as_they_are() -> None:
    pack = source({"plan": to()})
    after = applied(pack, WriteFile(path="stages/plan.md", text=stage("plan", "Else.\n")))
    assert after.stages["plan"].body == "Else.\n"
    broken = applied(after, WriteFile(path="pipeline.json", text="{"))
    assert not broken.readable
    with pytest.raises(EditRefused, match="only its text"):
        applied(broken, AddState(id="x"))
    text = pack.files["pipeline.json"].decode()
    assert applied(broken, WriteFile(path="pipeline.json", text=text)).readable
    loose = applied(pack, RemoveFile(path="pipeline.json"))
    assert loose.pipeline is None
    with pytest.raises(EditRefused, match="only file of the pack"):
        applied(loose, RemoveFile(path="stages/plan.md"))


def test_a_text_that_is_no_stage_any_more_is_read_as_what_it_is() -> None:
    pack = applied(folder("a", "b"), WriteFile(path="stages/a.md", text="Words.\n"))
    assert list(pack.stages) == ["b"]
    named = applied(source({"a": to()}), WriteFile(path="stages/a.md", text="Words.\n"))
    assert [finding.code for finding in named.findings] == ["ST105"]


OWN = "own/feature-delivery"
REBUILT: list[Edit] = [
    RenameState(id="start", new_id="plan"),
    AddState(id="implement"),
    AddState(id="review-security", kind="reader"),
    AddState(id="review-tests", kind="reader"),
    AddState(id="review-verdict", kind="join"),
    AddState(id="handoff", kind="reader"),
    Connect(source="plan", target="implement", label="then"),
    Connect(source="implement", target="review-security", label="parallel"),
    Connect(source="implement", target="review-tests", label="parallel"),
    Connect(source="review-security", target="review-verdict", label="join"),
    Connect(source="review-verdict", target="implement", label="then"),
    Connect(source="review-verdict", target="handoff", label="approved = true"),
    SetField(element="state:implement", field="/maxVisits", value=3),
]


def test_the_sample_can_be_drawn_from_nothing_by_arrows_alone() -> None:
    sample = read(DIALECT.samples()["feature-delivery"])
    assert drawn(applied(read(DIALECT.samples()["blank"]), *REBUILT)) == drawn(sample)


@pytest.mark.parametrize("name", ["pipeline.json", "pipeline.spec-form.json"])
def test_both_forms_of_the_corpus_example_can_be_drawn_from_nothing(name: str) -> None:
    files_ = dict(next(found for folder_, found in corpus_trees() if folder_ == "own"))
    pack = {path: data for path, data in files_.items() if not path.endswith(".json")}
    pack["own/feature-delivery/pipeline.json"] = files_[f"{OWN}/{name}"]
    built = DIALECT.graph(applied(read(DIALECT.samples()["blank"]), *REBUILT), "documented")
    given = DIALECT.graph(read(pack), "documented")
    assert built.groups == given.groups
    for mine, theirs in zip(built.states, given.states, strict=True):
        assert (mine.id, mine.kind, mine.group) == (theirs.id, theirs.kind, theirs.group)
        assert (mine.terminal, mine.max_visits) == (theirs.terminal, theirs.max_visits)
    assert [(a.id, a.kind) for a in built.transitions] == [
        (a.id, a.kind) for a in given.transitions
    ]


def test_an_edit_shares_every_stage_that_it_does_not_touch() -> None:
    pack = source(LOOP)
    after = applied(pack, SetField(element="state:plan", field="/turnCap", value=3))
    assert after.stage_files["stages/build.md"] is pack.stage_files["stages/build.md"]
    assert after.pipeline is pack.pipeline
    assert isinstance(after.files, Files)
