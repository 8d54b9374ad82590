"""`signalbox verify`: recorded runs compared with a pack; and runs that repeat a recorded one."""

import copy
import json

import pytest

from tests.cli.conftest import PACK
from workflows.core.engine.replay.recording import read_recording, script_of


@pytest.fixture
def recorded(cli, pack, write):
    """A run that was sent back once, as a file of events."""
    replies = [{"event": event} for event in ("Submit", "Reject", "Submit", "Approve")]
    script = write("s.json", {"replies": [*replies, {"text": "Published."}]})
    said = cli("run", pack, "--script", script, "--json")
    assert said.code == 0
    return write("sent-back.jsonl", said.out)


@pytest.fixture
def changed(write):
    """The pack with one thing changed."""

    def write_changed(change):
        body = copy.deepcopy(PACK)
        change(body["workflow"]["states"])
        return write("changed.pack.json", body)

    return write_changed


def to_published(states):
    states["review"]["on_event"]["Reject"] = "published"


def test_runs_hold_under_the_pack_that_made_them(cli, pack, recorded):
    said = cli("verify", pack, recorded)
    assert said.code == 0
    assert said.out.splitlines()[-1] == "1 of 1 runs without divergence."


def test_the_first_divergence_is_named(cli, recorded, changed):
    said = cli("verify", changed(to_published), recorded, "--format", "json")
    assert said.code == 1
    (verdict,) = said.json["runs"]
    departure = verdict["departure"]
    event = json.loads(recorded.read_text().splitlines()[departure["n"] - 1])
    assert (event["type"], event["name"]) == ("tool.returned", "workflow__transition")
    assert "draft" in departure["recorded"]["result"]
    assert "published" in departure["now"]["result"]
    text = cli("verify", changed(to_published), recorded)
    assert f"departs. Event {departure['n']} was tool.returned" in text.out


def test_a_run_diverges_at_a_removed_transition(cli, pack, recorded, changed):
    def without_reject(states):
        del states["review"]["on_event"]["Reject"]

    said = cli("verify", changed(without_reject), recorded, "--format", "json")
    assert said.code == 1
    departure = said.json["runs"][0]["departure"]
    assert "Reject" in json.dumps(departure["recorded"])
    assert departure["message"].startswith(f"Event {departure['n']} was {departure['type']}")


def test_another_prompt_is_noted_and_holds(cli, write, recorded):
    body = copy.deepcopy(PACK)
    body["prompts"]["draft"]["system_template"] = "You write."
    said = cli("verify", write("worded.pack.json", body), recorded)
    assert said.code == 0
    assert "Reworded: event" in said.out


def test_a_saved_script_repeats_the_run_and_guards_it(cli, pack, recorded, changed, write):
    events = [json.loads(line) for line in recorded.read_text().splitlines()]
    script = write("saved.json", script_of(read_recording(events)))
    assert cli("run", pack, "--script", script).code == 0
    assert cli("verify", pack, script, recorded).out.endswith("2 of 2 runs without divergence.\n")
    other = changed(to_published)
    ran = cli("run", other, "--script", script)
    assert ran.code == 1
    assert "review|Reject|published was taken as transition 2" in ran.err
    said = cli("verify", other, script, "--format", "json")
    assert said.code == 1
    assert said.json["runs"][0]["departure"]["type"] == "transition.taken"


def test_a_script_that_expects_nothing_holds_where_the_run_ends(cli, pack, write):
    replies = [{"event": "Submit"}, {"event": "Approve"}, {"text": "Published."}]
    assert cli("verify", pack, write("s.json", {"replies": replies})).code == 0
    said = cli("verify", pack, write("short.json", {"replies": replies[:1]}))
    assert said.code == 1
    assert "no reply left" in said.out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "begins with"),
        ("3", "neither a recorded run nor a script"),
        ('{"n": 1, "at": 1, "type": "run.started"}\n{"n": 2,', "runs.jsonl:2:"),
        ('{"n": 1, "at": 1, "type": "run.started"}\n\n{"n": 3, "at": 1, "type": "x"}', "event 2"),
        ('{"replies": 3}', "must be a list"),
    ],
)
def test_an_invalid_recording_is_unreadable(cli, pack, write, content, says):
    said = cli("verify", pack, write("runs.jsonl", content))
    assert said.code == 2
    assert says in said.err


def test_a_missing_file_is_unreadable(cli, pack):
    assert cli("verify", pack, "nowhere.jsonl").code == 2
