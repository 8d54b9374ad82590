"""`signalbox run --driver model`: a real model without a server of ours."""

import json
from dataclasses import replace

import pytest

from signalbox.commands.endpoint import models_line, reach_from
from signalbox.commands.errors import Trouble
from tests.support.checks import each_row
from tests.support.model_server import ErrorReply, ModelServer, TextReply
from workflows.core.dialects import dialects

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


def test_a_limit_of_the_cost_ends_the_run_after_the_right_call(cli, pack, server):
    server.will(*[replace(leads("Submit"), tokens=(1_000, 500)), *[leads("Reject")] * 9])
    limited = ("run", pack, "--driver", "model", "--model", "qwen", "--json", "--max-cost", "0.01")
    unpriced = cli(*limited)
    assert unpriced.code == 4
    assert "Pass --price IN,OUT" in unpriced.events[-1]["reason"]
    assert server.asked == []
    said = cli(*limited, "--price", "5,10")
    assert said.code == 3
    assert said.events[-1]["reason"] == "max_cost 0.01 reached limit 0.01"
    assert said.events[0]["budget"] == {"cost": 0.01}
    assert len(server.asked) == 1


def test_a_limit_of_the_tokens_ends_the_run(cli, pack, server):
    server.will(*[replace(leads("Submit"), tokens=(60, 40)), *[leads("Reject")] * 9])
    said = cli("run", pack, "--driver", "model", "--model", "qwen", "--max-tokens", "100", "--json")
    assert said.code == 3
    assert said.events[-1]["reason"] == "max_tokens 100 reached limit 100"


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("--max-cost", "-1"), "'-1' is not a number from 0"),
        (("--max-cost", "x"), "'x' is not a number from 0"),
        (("--max-tokens", "0"), "not a whole number above 0"),
        (("--price", "5"), "'5' is not of the form IN,OUT"),
    ],
)
def test_a_wrong_limit_is_refused(cli, pack, option, sentence):
    said = cli("run", pack, *option)
    assert said.code == 2
    assert sentence in said.err


def test_a_fault_leaves_the_run_waiting_with_a_message(cli, pack, server):
    server.will(ErrorReply(status=401, message=f"Not {KEY}."))
    said = cli("run", pack, "--driver", "model", "--model", "qwen")
    assert said.code == 4
    assert "rejected its key" in said.out
    assert KEY not in said.out + said.err


@pytest.fixture
def climpt(tmp_path):
    """A registry whose first step names `sonnet`."""
    folder = tmp_path / "climpt"
    for path, data in dialects()["steps_registry"].samples()["review-loop"].items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("steps_registry.json"):
            registry = json.loads(data)
            registry["steps"]["draft"]["model"] = "sonnet"
            data = json.dumps(registry).encode()
        file.write_bytes(data)
    return str(folder)


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        (["--model-name", "sonnet=qwen3:8b"], "qwen3:8b"),
        (["--model", "qwen", "--model-name", "sonnet=qwen3:8b"], "qwen"),
        (["--model", "haiku", "--model-name", "haiku=qwen3:1b"], "qwen3:1b"),
    ],
    ids=["the pack's", "the run's", "a name of the run"],
)
def test_a_name_in_the_pack_uses_its_model(cli, climpt, server, options, sent):
    server.will(ErrorReply(status=401))
    said = cli("run", climpt, "--driver", "model", *options)
    assert [asked.model for asked in server.asked] == [sent]
    assert sent in said.err.splitlines()[0]


def test_names_are_filled_for_the_provider():
    endpoint = reach_from({"ANTHROPIC_API_KEY": "a"}, "")
    assert (endpoint.model, endpoint.names["sonnet"]) == ("", "claude-sonnet-5-5")
    assert models_line(endpoint).startswith("Model names: opus → claude-opus-5-5, ")


def test_a_name_without_a_model_is_reported_with_the_options(cli, climpt, pack, server):
    said = cli("run", climpt, "--driver", "model")
    assert said.code == 4
    assert "Pass --model MODEL, then run it again." in said.out
    assert "Settings" not in said.out
    said = cli("run", pack, "--driver", "model")
    assert "Pass --model MODEL, then run it again." in said.out
    assert not server.asked


def test_a_missing_model_is_reported_with_the_options(cli, climpt, server):
    server.will(ErrorReply(status=404))
    said = cli("run", climpt, "--driver", "model", "--model-name", "sonnet=qwen9")
    assert "Pass --model-name sonnet=MODEL or --model MODEL, then run it again." in said.out


def test_a_model_name_needs_a_model(cli, climpt, server):
    said = cli("run", climpt, "--driver", "model", "--model-name", "sonnet")
    assert said.code == 2
    assert "'sonnet' is not NAME=MODEL" in said.err


def test_without_a_key_nothing_begins(cli, pack, monkeypatch):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    said = cli("run", pack, "--driver", "model")
    assert said.code == 2
    assert "set one of ANTHROPIC_API_KEY" in said.err


@each_row(
    [
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, "claude-opus-5-5", "anthropic", ""),
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, "gpt-6-luna", "openai", ""),
        ({"ANTHROPIC_API_KEY": "a", "GOOGLE_API_KEY": "g"}, "gemini-4-argon", "google", ""),
        ({"GOOGLE_API_KEY": "g"}, "", "google", ""),
        ({"OPENAI_API_KEY": "o"}, "openai:whatever", "openai", "whatever"),
        ({"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "qwen3:8b", "compatible", "qwen3:8b"),
    ]
)
def test_the_model_name_implies_its_provider(environment, model, kind, name):
    reach = reach_from(environment, model)
    assert (reach.kind, reach.model) == (kind, name or model)


def test_a_missing_provider_key_is_reported():
    with pytest.raises(Trouble, match="set OPENAI_API_KEY"):
        reach_from({"ANTHROPIC_API_KEY": "a"}, "gpt-6-luna")


@pytest.mark.parametrize("stop", ["content_filter", "length"])
def test_half_an_answer_ends_the_run_after_one_request(cli, climpt, pack, server, stop):
    server.otherwise = TextReply(text="Half of the", stop=stop)
    for path in (climpt, pack):
        before = len(server.asked)
        said = cli("run", path, "--driver", "model", "--model", "m", "--json")
        assert said.code == 1, said.out
        assert len(server.asked) == before + 1
        (reply,) = [event for event in said.events if event["type"] == "model.replied"]
        assert (reply["text"], reply["finish_reason"]) == ("Half of the", stop)
        assert reply["error"] in said.events[-1]["reason"]
