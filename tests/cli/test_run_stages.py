"""A pipeline of stages without a server: a scripted fork, an ungranted tool, a rehearsal."""

import json

import pytest

from workflows.core.dialects import dialects

PLAN = {"summary": "Count bees.", "steps": [{"title": "a", "files": ["b.py"]}], "riskLevel": "low"}
CHANGE = {"branch": "bees", "filesChanged": ["b.py"], "testsPassed": True}
REPLIES = [
    {"state": "plan", "structured": PLAN},
    {"state": "implement", "structured": CHANGE},
    {"state": "review-tests", "structured": {"approved": True, "gaps": []}},
    {"state": "review-security", "text": "Looking around."},
    {"state": "review-security", "structured": {"approved": False, "findings": []}},
    {"state": "review-verdict", "structured": {"approved": True, "feedback": "Fine."}},
    {"state": "handoff", "structured": {"title": "Bees", "body": "Counted."}},
]


@pytest.fixture
def delivery(tmp_path):
    """The sample on disk."""
    for path, data in dialects()["stages"].samples()["feature-delivery"].items():
        file = tmp_path / "delivery" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return tmp_path / "delivery"


def test_two_siblings_run_at_once_on_one_script(cli, delivery, write):
    script = write("script.json", {"replies": REPLIES})
    said = cli("run", delivery, "--script", script, "--input", "task=Count bees", "--json")
    assert said.code == 0, said.out + said.err
    entered = [event["state"] for event in said.events if event["type"] == "state.entered"]
    assert entered == [
        "plan",
        "implement",
        "review-security",
        "review-tests",
        "review-verdict",
        "handoff",
    ]
    asked = [event["key"] for event in said.events if event["type"] == "model.asked"]
    answered = [event["key"] for event in said.events if event["type"] == "model.replied"]
    assert asked[2:4] == ["0.1:3", "0.2:4"]
    assert set(answered) == set(asked)
    contexts = [event for event in said.events if event["type"] == "stages.context"]
    (verdict,) = [event for event in contexts if event["stageId"] == "review-verdict"]
    upstream = verdict["memory"]["ctx"]["upstream"]
    assert [result["parsed"]["approved"] for result in upstream] == [False, True]


def test_an_ungranted_tool_parks_the_run_or_is_denied(cli, delivery, write):
    calls = [{"name": "bash", "arguments": {"command": "ls"}}]
    script = write("script.json", {"replies": [{"state": "plan", "tool_calls": calls}, *REPLIES]})
    given = ("run", delivery, "--script", script, "--input", "task=Count bees", "--json")
    parked = cli(*given)
    assert parked.code == 4
    assert parked.events[-2]["type"] == "approval.asked"
    assert '{"command":"ls"}' in parked.events[-2]["question"]
    denied = cli(*given, "--deny")
    assert denied.code == 0, denied.out + denied.err
    decisions = [e["decision"] for e in denied.events if e["type"] == "stages.approval"]
    assert decisions == ["deny"]
    done = {"tools": [{"result": "Four files."}]}
    script = write("all.json", {**json.loads(script.read_text()), **done})
    allowed = cli(*given[:3], script, *given[4:], "--allow-tool", "bash")
    assert allowed.code == 0, allowed.out + allowed.err
    called = [e["result"] for e in allowed.events if e["type"] == "tool.returned"]
    assert called == ["Four files."]


def test_a_rehearsal_takes_every_arrow(cli, delivery):
    said = cli("rehearse", delivery, "--runs", "10", "--json")
    assert said.code == 0, said.out + said.err
    seen = json.loads(said.out)
    assert seen["coverage"] == 1.0
    assert seen["outcomes"] == {"completed": 10}


def test_a_missing_input_is_named(cli, delivery):
    said = cli("run", delivery, "--json")
    assert said.code == 1
    assert said.events[-1]["reason"] == "The run needs the input 'task'."


def with_tools(delivery, *names):
    """The sample, whose first stage allows these tools."""
    plan = delivery / "stages/plan.md"
    text = plan.read_text()
    listed = next(line for line in text.splitlines() if line.startswith("allowedTools"))
    plan.write_text(text.replace(listed, f"allowedTools: {json.dumps(list(names))}"))
    return delivery


@pytest.mark.parametrize("command", [("run",), ("rehearse", "--runs", "3")])
def test_a_missing_tool_stops_a_run_before_it_starts(cli, delivery, command):
    said = cli(*command, with_tools(delivery, "Read", "ghost"))
    assert said.code == 1
    assert "allows 'ghost', but there is no such tool here" in said.out + said.err
    assert "correct the name, or remove it" in said.out + said.err


def test_the_documents_own_tools_and_those_of_mcp_servers_are_rehearsed(cli, delivery):
    names = ("Read", "Grep", "Glob", "mcp__github__get_issue")
    said = cli("rehearse", with_tools(delivery, *names), "--runs", "30")
    assert said.code == 0, said.out + said.err


def test_a_call_that_does_not_fit_its_tool_is_refused(cli, delivery, write):
    call = {"state": "plan", "tool_calls": [{"name": "Read", "arguments": {"path": "a.md"}}]}
    script = write("script.json", {"replies": [call, *REPLIES]})
    pack = with_tools(delivery, "Read")
    said = cli("run", pack, "--script", script, "--input", "task=Count bees", "--json")
    (refused,) = [event for event in said.events if event["type"] == "tool.refused"]
    assert '"file_path" is a required property' in refused["error"]
    assert said.code == 0, said.out + said.err
