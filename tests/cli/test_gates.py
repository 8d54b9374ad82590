"""Gates besides findings: coverage with allowed gaps, recorded runs, JUnit, packs of revisions."""

import copy
import json
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import PACK, with_target
from workflows.core.cases.case_file import new_case
from workflows.core.engine.replay.recording import read_recording


def lonely():
    """The pack with a state that no run enters."""
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["lonely"] = {
        "prompt_task": "draft",
        "on_event": {"Submit": "review"},
    }
    return body


GAP = "lonely|Submit|review"


@pytest.fixture
def gap(write):
    return write("lonely.pack.json", lonely())


def test_a_transition_that_no_run_takes_fails_unless_its_gap_is_allowed(cli, gap, write):
    assert cli("rehearse", gap).code == 1
    allowed = cli("rehearse", gap, "--allow-gap", GAP)
    assert (allowed.code, "Never taken and allowed: 1 gap." in allowed.out) == (0, True)
    write(".signalbox.toml", f"[rehearse]\nallowed-gaps = ['{GAP}']\n")
    assert cli("rehearse", gap).code == 0


def test_a_share_of_the_transitions_can_be_enough(cli, gap, write):
    assert cli("rehearse", gap, "--min-coverage", "75").code == 0
    low = cli("rehearse", gap, "--min-coverage", "76")
    assert low.code == 1
    assert "Coverage 75.0%, required 76%." in low.out
    write(".signalbox.toml", "[rehearse]\nmin-coverage = 60\n")
    assert cli("rehearse", gap).code == 0
    assert cli("rehearse", gap, "--min-coverage", "100").code == 1
    both = cli("rehearse", gap, "--min-coverage", "100", "--allow-gap", GAP)
    assert both.code == 0


def test_coverage_is_compared_with_the_baseline(cli, gap, write):
    """An untouched repository passes; a change may not lower the coverage of a pack."""
    assert cli("check", ".", "--rehearse").code == 1
    assert cli("check", ".", "--rehearse", "--write-baseline").code == 0
    assert cli("check", ".", "--rehearse").code == 0
    body = lonely()
    body["workflow"]["states"]["alone"] = body["workflow"]["states"]["lonely"]
    write("lonely.pack.json", body)
    lower = cli("check", ".", "--rehearse")
    assert lower.code == 1
    assert "coverage 75 → 60%" in lower.out
    assert cli("check", ".", "--write-baseline").code == 0
    assert cli("check", ".", "--rehearse").code == 1, "the known coverage stays"


def test_coverage_is_compared_with_the_revision_of_since(cli, git, gap, write):
    git.commit()
    write("lonely.pack.json", {**lonely(), "name": "New"})
    assert cli("check", ".", "--rehearse", "--since", "HEAD").code == 0
    body = lonely()
    body["workflow"]["states"]["alone"] = body["workflow"]["states"]["lonely"]
    write("lonely.pack.json", body)
    lower = cli("check", ".", "--rehearse", "--since", "HEAD", "--format", "markdown")
    assert lower.code == 1
    assert "75 → 60%" in lower.out


def test_an_allowed_gap_that_was_taken_is_reported(cli, pack):
    result = cli("rehearse", pack, "--allow-gap", "review|Reject|draft")
    assert result.code == 0
    assert "Allowed gaps that were taken:\n  review|Reject|draft" in result.out


def test_an_unknown_gap_on_the_command_line_is_refused(cli, pack):
    result = cli("rehearse", pack, "--allow-gap", "a|b|c")
    assert result.code == 2
    assert "'a|b|c'" in result.err


@pytest.mark.parametrize("number", ["101", "-1", "nan", "x"])
def test_an_invalid_percentage_is_refused(cli, pack, number):
    assert cli("rehearse", pack, f"--min-coverage={number}").code == 2


def test_every_pack_of_a_folder_is_rehearsed(cli, gap, pack):
    result = cli("rehearse", ".", "--json")
    assert result.code == 1
    passes = {one["path"]: one["passes"] for one in result.json["packs"]}
    assert passes == {"lonely.pack.json": False, "review.pack.json": True}
    assert cli("rehearse", ".", "--allow-gap", GAP).code == 0


def cases(path):
    """Name of the case → its result, for each suite."""
    return {
        suite.get("name"): {
            case.get("name"): next((each.tag for each in case), "") for case in suite
        }
        for suite in ElementTree.parse(path).getroot()
    }


def test_coverage_as_junit_has_a_case_for_each_transition(cli, gap, tmp_path):
    cli("rehearse", gap, "--junit", "report.xml")
    found = cases(tmp_path / "report.xml")["lonely.pack.json"]
    assert (found[GAP], found["coverage"], found["review|Reject|draft"]) == (
        "failure",
        "failure",
        "",
    )
    cli("rehearse", gap, "--junit", "report.xml", "--allow-gap", GAP)
    found = cases(tmp_path / "report.xml")["lonely.pack.json"]
    assert (found[GAP], found["coverage"]) == ("skipped", "")


def test_findings_as_junit_are_failures(cli, pack, write, tmp_path):
    write("bad.pack.json", with_target("no\x1b]\ufffewhere"))
    assert cli("check", ".", "--junit", "report.xml").code == 1
    found = cases(tmp_path / "report.xml")
    assert found["review.pack.json"] == {"check": ""}
    assert set(found["bad.pack.json"].values()) == {"failure"}


@pytest.fixture
def recorded(cli, pack, write):
    """A run that was sent back once, as events and as a script."""
    replies = [{"event": event} for event in ("Submit", "Reject", "Submit", "Approve")]
    script = {"replies": [*replies, {"text": "Published."}]}
    said = cli("run", pack, "--script", write("s.json", script), "--json")
    assert said.code == 0
    write("runs/deep/sent-back.jsonl", said.out)
    write("runs/list.json", said.events)
    return write("runs/events.json", {"note": "kept", "events": said.events})


def redirected(write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["review"]["on_event"]["Reject"] = "review"
    return write("review.pack.json", body)


def test_a_folder_of_runs_is_verified(cli, pack, recorded):
    result = cli("verify", pack, "runs")
    assert result.code == 0
    assert "3 of 3 runs without divergence." in result.out


def test_an_empty_folder_of_runs_is_refused(cli, pack, tmp_path):
    (tmp_path / "runs").mkdir()
    result = cli("verify", pack, "runs")
    assert result.code == 2
    assert "no recorded run in runs" in result.err


def test_the_settings_list_packs_and_their_runs(cli, pack, recorded, write):
    assert cli("verify").code == 2
    write(".signalbox.toml", "[verify.runs]\n'review.pack.json' = 'runs'\n")
    assert "3 of 3 runs without divergence." in cli("verify").out
    assert "3 of 3 runs without divergence." in cli("verify", pack).out
    redirected(write)
    assert cli("verify").code == 1


def test_runs_whose_answers_reach_no_end_are_not_accepted(cli, recorded, write, tmp_path):
    changed = write("review.pack.json", with_target("draft"))
    before = recorded.read_bytes()
    assert cli("verify", changed, "runs", "--junit", "report.xml").code == 1
    assert set(cases(tmp_path / "report.xml")["review.pack.json"].values()) == {"failure"}
    accepted = cli("verify", changed, "runs", "--accept")
    assert (accepted.code, accepted.out.count("accepted.")) == (1, 0)
    assert recorded.read_bytes() == before


def to_published(write):
    """The pack in which `Reject` publishes, so that the recorded answers reach an end."""
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["review"]["on_event"]["Reject"] = "published"
    return write("review.pack.json", body)


def test_accepted_runs_hold_and_keep_their_form(cli, pack, recorded, write, tmp_path):
    changed = to_published(write)
    assert cli("verify", changed, "runs").code == 1
    result = cli("verify", changed, "runs", "--accept")
    assert (result.code, result.out.count("accepted.")) == (0, 3)
    body = json.loads(recorded.read_text())
    assert body["note"] == "kept"
    assert "published" in json.dumps(body["events"])
    assert isinstance(json.loads((tmp_path / "runs/list.json").read_text()), list)
    first = (tmp_path / "runs/deep/sent-back.jsonl").read_text().splitlines()[0]
    assert json.loads(first)["type"] == "run.started"
    assert cli("verify", changed, "runs").code == 0


def test_an_accepted_script_expects_the_new_path(cli, pack, write):
    replies = [{"event": "Submit"}, {"event": "Reject"}, {"text": "Published."}]
    expects = {"transitions": ["draft|Submit|review", "review|Reject|draft"], "status": ""}
    script = write("script.json", {"replies": replies, "expects": expects})
    changed = to_published(write)
    assert cli("verify", changed, script).code == 1
    assert cli("verify", changed, script, "--accept").code == 0
    assert json.loads(script.read_text())["expects"]["transitions"][-1] == "review|Reject|published"


def test_cases_of_the_pack_are_verified(cli, pack, recorded, write, tmp_path):
    """Also in `check` and in the dry run; their acceptance changes only what they expect."""
    log = read_recording(json.loads(recorded.read_text())["events"])
    case = write("review.cases/sent-back.scenario.yaml", new_case("Sent back", log).decode())
    write("scenarios/other.scenario.yaml", "kind: Scenario\n")
    assert "review.cases/sent-back.scenario.yaml: holds, " in cli("verify", pack).out
    other = cli("verify", pack, "scenarios/other.scenario.yaml")
    assert (other.code, "has no answers" in other.err) == (2, True)
    edits = [{"type": "retarget", "transition": "review|Reject|draft", "target": "published"}]
    tried = cli("edit", pack, "--edits", write("e.json", edits), "--dry-run")
    assert "1 of 2 cases would break." in tried.out
    before = case.read_bytes()
    to_published(write)
    said = cli("verify", pack, "--format", "json", "--junit", "report.xml")
    (verdict,) = said.json["runs"]
    assert (said.code, verdict["holds"]) == (1, False)
    assert "review|Reject|published was taken as transition 2" in verdict["departure"]["message"]
    (suite,) = cases(tmp_path / "report.xml").values()
    assert suite == {case.relative_to(tmp_path).as_posix(): "failure"}
    assert cli("check", pack, "--verify").code == 1
    assert cli("verify", ".", "--accept").code == 0
    assert cli("check", pack, "--verify").code == 0
    head, _, _ = before.partition(b"      expects:")
    assert case.read_bytes().startswith(head)


@pytest.fixture
def history(git, write, tmp_path):
    """Two commits: one pack is changed, one added, one removed."""
    for name in ("same", "changed", "removed"):
        write(f"packs/{name}.pack.json", PACK)
    first = git.commit()
    write("packs/changed.pack.json", with_target("draft"))
    write("other/added.pack.json", PACK)
    (tmp_path / "packs/removed.pack.json").unlink()
    git.commit()
    return first


def test_packs_of_two_revisions_are_compared(cli, history):
    result = cli("diff", f"{history}..HEAD")
    assert result.code == 1
    assert result.out.startswith(
        "+ pack other/added.pack.json\n- pack packs/removed.pack.json\n"
        "~ pack packs/changed.pack.json\n"
    )
    assert "Approve" in result.out
    body = cli("diff", f"{history}..", "--format", "json").json
    assert (body["added"], body["removed"]) == (
        ["other/added.pack.json"],
        ["packs/removed.pack.json"],
    )
    assert [one["path"] for one in body["changed"]] == ["packs/changed.pack.json"]


def test_revisions_are_compared_in_one_folder(cli, history):
    assert cli("diff", f"{history}..HEAD", "other").out == "+ pack other/added.pack.json\n"
    assert cli("diff", f"{history}..HEAD", "packs/same.pack.json").code == 0
    assert cli("diff", "HEAD..HEAD").out == "No difference.\n"


def test_a_pack_that_cannot_be_read_in_one_revision_is_named(cli, git, history, write):
    write("packs/same.pack.json", "{")
    git.commit()
    result = cli("diff", "HEAD~1..HEAD")
    assert result.code == 1
    assert "cannot be read after the change" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere..HEAD"], "There is no revision 'nowhere'"),
        (["HEAD..-x"], "There is no revision '-x'"),
        (["packs/same.pack.json"], "Name the second version"),
        (["HEAD..HEAD", "--format", "svg"], "text or json"),
    ],
)
def test_an_invalid_range_is_refused(cli, history, arguments, message):
    result = cli("diff", *arguments)
    assert result.code == 2
    assert message in result.err


def test_revisions_need_a_repository(cli, pack):
    result = cli("diff", "HEAD..HEAD")
    assert result.code == 2
    assert "no git repository" in result.err
