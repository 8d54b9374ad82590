"""`signalbox convert`: other dialects, export formats, and the conversion report."""

import json

import pytest

from tests.cli.conftest import PACK

REGISTRY = "o/.agent/review/steps_registry.json"


def test_a_pack_becomes_an_agent_folder(cli, pack, tmp_path):
    said = cli("convert", pack, "--to", "steps_registry", "-o", "o")
    assert said.code == 0, said.err
    first, *_, last = said.out.splitlines()
    assert first == "review.pack.json: PromptPack → Climpt steps registry"
    assert last == "Wrote 9 files to o."
    steps = json.loads((tmp_path / REGISTRY).read_text())["steps"]
    assert list(steps) == ["draft", "review", "published"]
    assert cli("check", "o").code == 0


def test_the_report_has_every_entry_with_file_and_line(cli, pack, tmp_path):
    said = cli("convert", pack, "--to", "stages", "-o", "o", "--report", "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["source"], report["target"]) == ("promptpack", "stages")
    assert report["counts"]["kept"] > 20
    (dropped,) = [each for each in report["report"] if each["feature"] == "visits"]
    assert (dropped["fate"], dropped["path"], dropped["pointer"]) == (
        "approximated", "review.pack.json", "/workflow/engine/budget/max_total_visits",
    )  # fmt: skip
    lines = pack.read_text().splitlines()
    assert "max_total_visits" in lines[dropped["line"] - 1]
    assert f"review.pack.json:{dropped['line']}: pack, visits: {dropped['why']}" in said.out


def test_the_exit_code_of_strict_reports_losses(cli, pack, write):
    assert cli("convert", pack, "--to", "stages", "-o", "o", "--strict").code == 1
    states = {
        "draft": {"prompt_task": "draft", "control": "agent", "on_event": {"Submit": "publish"}},
        "publish": {"prompt_task": "publish", "terminal": True},
    }
    used = {name: PACK["prompts"][name] for name in states}
    workflow = {"version": 2, "entry": "draft", "states": states}
    whole = write("whole.pack.json", {**PACK, "prompts": used, "workflow": workflow})
    said = cli("convert", whole, "--to", "stages", "-o", "p", "--strict")
    assert said.code == 0, said.out


def test_there_and_back_on_the_command_line(cli, pack, tmp_path):
    cli("convert", pack, "--to", "stages", "-o", "o")
    assert cli("convert", "o", "--to", "promptpack", "-o", "b").code == 0
    again = json.loads((tmp_path / "b/review.pack.json").read_text())
    assert again["workflow"]["states"]["review"]["on_event"] == {
        "Approve": "published", "Reject": "draft"
    }  # fmt: skip


def test_other_files_are_not_overwritten(cli, pack, tmp_path):
    cli("convert", pack, "--to", "stages", "-o", "o")
    assert cli("convert", pack, "--to", "stages", "-o", "o").code == 0, "the same files are no harm"
    (tmp_path / "o/pipeline.json").write_text("{}")
    said = cli("convert", pack, "--to", "stages", "-o", "o")
    assert said.code == 2
    assert "o/pipeline.json already exists with other content." in said.err
    assert (tmp_path / "o/pipeline.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("to", "sentence"),
    [
        ("promptpack", "This pack is PromptPack already."),
        ("klingon", "There is no dialect and no form called 'klingon'."),
    ],
)
def test_an_impossible_conversion_has_a_message(cli, pack, to, sentence):
    said = cli("convert", pack, "--to", to, "-o", "o")
    assert (said.code, sentence in said.err) == (2, True)


def test_another_form_of_the_pack_comes_with_its_findings(cli, pack, tmp_path):
    said = cli("convert", pack, "--to", "promptpack-1.3", "-o", "o", "--report", "r.json")
    assert said.code == 0, said.err
    assert "Version 1.3 has no field 'terminal'" in said.out
    assert said.out.endswith("Wrote 1 file to o.\n")
    assert json.loads((tmp_path / "r.json").read_text())["findings"]
    assert cli("convert", pack, "--to", "promptpack-1.3", "-o", "p", "--strict").code == 1


def test_an_unreadable_pack_is_reported_with_its_line(cli, write):
    broken = write("broken.pack.json", '{"prompts": \n')
    said = cli("convert", broken, "--to", "stages", "-o", "o")
    assert (said.code, "broken.pack.json:2" in said.err) == (2, True)


def test_nothing_in_a_pack_steers_the_terminal(cli, write):
    states = {"a\u001b[31m": {"prompt_task": "draft", "skills": "none", "terminal": True}}
    workflow = {"version": 2, "entry": "a\u001b[31m", "states": states}
    said = cli(
        "convert", write("x.pack.json", {**PACK, "workflow": workflow}), "--to", "stages", "-o", "o"
    )
    assert said.code == 0, said.err
    assert "\x1b" not in said.out
