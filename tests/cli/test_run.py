"""`signalbox run` and `signalbox rehearse`: exit codes, event lines, scripts."""

import copy
import json
import subprocess
import sys

import pytest

from tests.cli.conftest import PACK


def script(*events, **more):
    return {"replies": [{"event": event} for event in events] + [{"text": "Published."}], **more}


def test_a_scripted_run_completes(cli, pack, write):
    said = cli("run", pack, "--script", write("s.json", script("Submit", "Approve")), "--json")
    assert said.code == 0, said.out + said.err
    assert [event["n"] for event in said.events] == list(range(1, len(said.events) + 1))
    taken = [e["transition"] for e in said.events if e["type"] == "transition.taken"]
    assert taken == ["draft|Submit|review", "review|Approve|published"]
    assert said.events[0]["driver"] == "script"
    assert said.events[-1]["status"] == "completed"


def test_people_get_lines_they_can_read(cli, pack, write):
    said = cli("run", pack, "--script", write("s.json", script("Submit", "Approve")))
    assert "→ Approve → published" in said.out
    lines = said.out.splitlines()
    end = next(number for number, line in enumerate(lines) if line.startswith("Result:"))
    assert lines[end - 2].endswith("completed")
    assert lines[end].startswith("Result: completed in ")
    assert lines[-1].startswith("Totals: 3 state visits, 3 model calls")


def test_tool_calls_are_replies_too(cli, pack, write):
    def leads(event):
        arguments = {"event": event, "context": "go on"}
        return {"tool_calls": [{"name": "workflow__transition", "arguments": arguments}]}

    body = {"replies": [leads("Submit"), leads("Approve"), {"text": "Done."}]}
    assert cli("run", pack, "--script", write("s.json", body)).code == 0


def test_a_script_that_ends_early_fails_with_its_sentence(cli, pack, write):
    said = cli("run", pack, "--script", write("s.json", {"replies": []}), "--json")
    assert said.code == 1
    assert said.events[-1]["status"] == "failed"
    assert "no reply left for 'draft'" in said.events[-1]["reason"]


def test_a_rehearsed_run_needs_no_script(cli, pack):
    said = cli("run", pack, "--seed", "3", "--json")
    assert said.code == 0
    assert said.events[-1]["status"] == "completed"


def test_a_run_by_hand_waits(cli, pack):
    said = cli("run", pack, "--driver", "manual")
    assert said.code == 4
    assert said.out.splitlines()[-1].strip() == "AskModel in draft"


def test_a_pack_that_asks_a_person_waits_unless_the_script_answers(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["review"]["orchestration"] = "external"
    path = write("asks.pack.json", body)
    one = {"replies": [{"event": "Submit"}, {"text": "Published."}]}
    assert cli("run", path, "--script", write("s.json", one)).code == 4
    answered = {**one, "answers": [{"event": "Approve"}]}
    assert cli("run", path, "--script", write("s.json", answered)).code == 0


def test_a_used_up_budget_has_its_own_exit_code(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["engine"] = {"budget": {"max_total_visits": 2}}
    path = write("small.pack.json", body)
    said = cli("run", path, "--script", write("s.json", script("Submit", "Approve")), "--json")
    assert said.code == 3
    assert said.events[-1]["status"] == "budget_exhausted"


def test_steps_are_limited(cli, pack, write):
    body = {"replies": [{"event": "Submit"}, {"event": "Reject"}] * 50}
    said = cli("run", pack, "--script", write("s.json", body), "--max-steps", "5", "--json")
    assert said.code == 3
    assert said.events[-1]["reason"] == "max_steps 5 reached limit 5"
    assert sum(event["type"] == "model.replied" for event in said.events) == 5


def test_inputs_come_from_file_and_command_line(cli, write):
    body = copy.deepcopy(PACK)
    prompt = body["prompts"]["draft"]
    prompt["system_template"] = "Write about {{topic}} for {{reader}}."
    prompt["variables"] = [
        {"name": name, "type": "string", "required": True} for name in ("topic", "reader")
    ]
    path = write("in.pack.json", body)
    assert cli("run", path).code == 1
    file = write("inputs.json", {"topic": "ants", "reader": "children"})
    said = cli("run", path, "--input-file", file, "--input", "topic=bees", "--json")
    assert said.code == 0
    logged = next(event for event in said.events if event["type"] == "prompt.logged")
    assert logged["text"] == "Write about bees for children."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--driver", "oracle"], "Unknown driver 'oracle'. Drivers: manual"),
        (["--script", "gone.json"], "gone.json: No such file"),
        (["--script", "bad.json"], "bad.json: A script has no field 'reply'"),
        (["--input", "topic"], "'topic' is not of the form name=value"),
        (["--input-file", "list.json"], "inputs are an object"),
        (["--profile", "fancy"], "has no profile 'fancy'"),
        (["--max-steps", "0"], "not a whole number above 0"),
    ],
)
def test_wrong_options_are_sentences(cli, pack, write, arguments, sentence):
    write("bad.json", {"reply": []})
    write("list.json", [])
    said = cli("run", pack, *arguments)
    assert said.code == 2
    assert sentence in said.err


def test_a_pack_that_cannot_run_reports_the_reason(cli, write):
    body = {**PACK, "prompts": {}}
    del body["workflow"]
    said = cli("run", write("none.pack.json", body), "--json")
    assert said.code == 1
    assert [event["type"] for event in said.events] == ["run.started", "run.finished"]
    assert said.events[-1]["reason"]
    assert cli("rehearse", "none.pack.json").code == 1


def test_a_rehearsal_reaches_everything(cli, pack):
    said = cli("rehearse", pack, "--runs", "10", "--json")
    assert said.code == 0
    assert said.json["coverage"] == 1.0
    assert said.json["unreached"] == []
    assert said.json["shortest"]["review|Approve|published"] == [
        "draft|Submit|review",
        "review|Approve|published",
    ]
    assert said.json["outcomes"] == {"completed": 10}


def test_a_rehearsal_names_what_was_never_taken(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"]["states"]["lonely"] = {
        "prompt_task": "draft",
        "on_event": {"Submit": "review"},
    }
    said = cli("rehearse", write("lonely.pack.json", body))
    assert said.code == 1
    assert "Never taken:\n  lonely|Submit|review" in said.out


def test_a_rehearsal_fails_with_the_reason_if_every_walk_failed(cli, write):
    stage = """---
id: plan
name: Plan
allowedTools: []
completionTool: submit_plan
completionSchema: {type: object}
retryPolicy: {maxAttempts: 1, backoff: none}
turnCap: 3
resolutionPolicy: retry-later
---
Plan {{ctx.attempts.first}}.
"""
    said = cli("rehearse", write("plan.md", stage), "--runs", "5")
    assert said.code == 1
    assert said.out.startswith("Every run failed (5 runs, 0 of 0 transitions taken).\n")
    assert "5 × " in said.out
    assert "ctx.attempts" in said.out
    assert "100" not in said.out
    assert cli("rehearse", "plan.md", "--runs", "5", "--json").json["failed"] is True


def test_a_rehearsal_of_a_pack_without_transitions_states_no_figure(cli, write):
    body = copy.deepcopy(PACK)
    body["workflow"] = {
        "version": 1,
        "entry": "draft",
        "states": {"draft": {"prompt_task": "draft", "terminal": True}},
    }
    said = cli("rehearse", write("one.pack.json", body), "--runs", "5")
    assert said.code == 0
    assert said.out.startswith("5 runs. The pack has no transitions to take.\n")


def test_the_module_runs_as_a_command_and_needs_no_django(pack):
    probe = (
        "import sys; from signalbox.cli import main; code = main(['check', sys.argv[1]]);"
        "assert not any(name.split('.')[0] == 'django' for name in sys.modules); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, str(pack)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_python_m_signalbox_is_the_same_command(pack):
    done = subprocess.run(
        [sys.executable, "-m", "signalbox", "graph", str(pack)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["entry"] == "draft"


def test_an_unknown_command_lists_the_commands(cli):
    said = cli("fly")
    assert said.code == 2
    assert "rehearse" in said.err


def test_the_result_is_written_as_json(cli, pack, tmp_path):
    file = tmp_path / "result.json"
    said = cli("run", pack, "--result", file)
    assert said.code == 0
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["status"] == "completed"
    assert f"{result['totals']['model_calls']} model calls" in said.out
    assert result["totals"]["model_calls"] == len(result["turns"])
    assert f"  {result['answer']}" in said.out
    assert cli("run", pack, "--result", tmp_path / "missing" / "result.json").code == 2


def several_prompts(**more):
    """A pack of prompts without a workflow."""
    body = {name: value for name, value in PACK.items() if name != "workflow"}
    return json.dumps({**body, **more})


def test_a_rehearsal_of_several_prompts_starts_each(cli, write):
    path = write("several.promptpack.json", several_prompts())
    said = cli("rehearse", path)
    assert said.code == 0
    assert "Started with promptpack.prompt: draft, review, publish." in said.out
    states = [walk["state"] for walk in cli("rehearse", path, "--json").json["walks"]]
    assert set(states) == {"draft", "review", "publish"}
    one = cli("rehearse", path, "--input", "promptpack.prompt=review", "--json").json
    assert {walk["state"] for walk in one["walks"]} == {"review"}


def test_a_run_names_the_other_starts_of_its_pack(cli, write):
    members = {"draft": {"description": "Writes."}, "review": {"description": "Reads."}}
    agents = {"entry": "draft", "members": members}
    path = write("agents.promptpack.json", several_prompts(agents=agents))
    said = cli("run", path)
    assert said.code == 0
    choice = "Agent can be chosen with --input promptpack.agent=NAME: draft, review."
    assert choice in said.err
    chosen = cli("run", path, "--input", "promptpack.agent=review")
    assert "● review" in chosen.out
    assert "promptpack.agent" not in chosen.err
    assert "promptpack.prompt=NAME" in cli("run", "--help").out


def test_a_run_prints_that_a_provider_would_refuse_a_request(cli, write):
    hot = {**PACK["prompts"]["draft"], "parameters": {"temperature": 1.5}}
    body = {**PACK, "prompts": {**PACK["prompts"], "draft": hot}}
    path = write("hot.promptpack.json", json.dumps(body))
    problem = "refused by Anthropic. The temperature 1.5 is not between 0 and 1."
    assert f"warning: The request of draft would be {problem}" in cli("run", path).out
    assert f"The request of draft would be {problem}" in cli("rehearse", path).out
