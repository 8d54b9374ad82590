"""`signalbox run --driver model`: a real model without a server of ours."""

import json

import pytest

from signalbox.commands.endpoint import reach_from
from signalbox.commands.errors import Trouble
from tests.support.model_server import ErrorReply, ModelServer, TextReply

KEY = "sk-not-to-be-seen"


def leads(event):
    return TextReply(tool_calls=(("workflow__transition", {"event": event, "context": "go on"}),))


@pytest.fixture
def server(monkeypatch):
    with ModelServer() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url("openai"))
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


def test_the_model_key_comes_from_the_environment(cli, pack, server):
    server.will(leads("Submit"), leads("Approve"), TextReply(text="Published."))
    said = cli("run", pack, "--driver", "model", "--model", "qwen", "--json")
    assert said.code == 0, said.out + said.err
    assert said.events[-1]["status"] == "completed"
    assert {asked.model for asked in server.asked} == {"qwen"}
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in said.out


def test_a_fault_leaves_the_run_waiting_with_a_message(cli, pack, server):
    server.will(ErrorReply(status=401, message=f"Not {KEY}."))
    said = cli("run", pack, "--driver", "model", "--model", "qwen")
    assert said.code == 4
    assert "rejected its key" in said.out
    assert KEY not in said.out + said.err


def test_without_a_key_nothing_begins(cli, pack, monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    said = cli("run", pack, "--driver", "model")
    assert said.code == 2
    assert "set one of ANTHROPIC_API_KEY" in said.err


@pytest.mark.parametrize(
    ("environment", "model", "kind", "name"),
    [
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, "claude-opus-5-5", "anthropic", ""),
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, "gpt-6-luna", "openai", ""),
        ({"ANTHROPIC_API_KEY": "a", "GOOGLE_API_KEY": "g"}, "gemini-4-argon", "google", ""),
        ({"GOOGLE_API_KEY": "g"}, "", "google", ""),
        ({"OPENAI_API_KEY": "o"}, "openai:whatever", "openai", "whatever"),
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "qwen3:8b", "compatible", "qwen3:8b"),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else value or "unsaid",
)
def test_the_model_name_implies_its_provider(environment, model, kind, name):
    reach = reach_from(environment, model)
    assert (reach.kind, reach.model) == (kind, name or model)


def test_a_missing_provider_key_is_reported():
    with pytest.raises(Trouble, match="set OPENAI_API_KEY"):
        reach_from({"ANTHROPIC_API_KEY": "a"}, "gpt-6-luna")
