"""Runs that the runtimes of workflow scripts have recorded: verified, with what they spent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

LIST = "{ type: 'object', required: ['bugs'], properties: { bugs: { type: 'array' } } }"
SCRIPT = f"""export const meta = {{ name: 'hunt', description: 'Find and fix.' }}
phase('Find')
const found = await agent('Find bugs', {{ label: 'find', model: 'haiku', schema: {LIST} }})
if (!found) return 'nothing'
phase('Fix')
const fixed = await pipeline(found.bugs,
  (bug) => agent(`Repair ${{bug}}`, {{ label: `fix ${{bug}}`, model: 'sonnet' }}),
  (text, bug) => agent(`Check ${{text}}`, {{ label: `check ${{bug}}` }}))
return fixed
"""
AGENTS: list[tuple[str, str, str, Any]] = [
    ("find", "Find", "Find bugs", {"bugs": ["a", "b"]}),
    ("fix b", "Fix", "Repair b", "b is repaired"),
    ("check b", "Fix", "Check b is repaired", "good"),
    ("fix a", "Fix", "Repair a", "a is repaired"),
    ("check a", "Fix", "Check a is repaired", None),
]
"""In an order in which the second item overtakes the first, as in a real pipeline."""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "hunt.js"
    path.write_text(SCRIPT)
    return path


def claude_code(folder: Path) -> Path:
    run = "wf_0123abcd-9ef"
    progress = [
        {
            "type": "workflow_agent",
            "label": label,
            "agentId": f"a{number}",
            "phaseTitle": phase,
            "state": "done",
            "model": "claude-haiku-5-5",
            "startedAt": 1_000 * number,
            "tokens": 1_000_000,
        }
        for number, (label, phase, _, _) in enumerate(AGENTS)
    ]
    body = {"runId": run, "script": SCRIPT, "startTime": 0, "workflowProgress": progress}
    path = folder / "workflows" / f"{run}.json"
    path.parent.mkdir()
    path.write_text(json.dumps(body))
    journal(folder / "subagents" / "workflows" / run)
    return path


def journal(folder: Path) -> Path:
    lines = []
    for number, (_, _, _, result) in enumerate(AGENTS):
        lines.append({"type": "started", "key": f"v2:{number}", "agentId": f"a{number}"})
        lines.append({**lines[-1], "type": "result", "result": result})
    folder.mkdir(parents=True)
    path = folder / "journal.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def opencode(folder: Path) -> Path:
    (folder / "agents").mkdir()
    (folder / "script.js").write_text(SCRIPT)
    for number, (label, phase, prompt, result) in enumerate(AGENTS):
        usage = {"input": 10, "output": 5, "cacheRead": 1, "cost": 0.25}
        body = {"label": label, "phase": phase, "prompt": prompt, "result": result, "usage": usage}
        (folder / "agents" / f"{number}.json").write_text(json.dumps(body))
    path = folder / "run.json"
    summary = {"runId": "wf_1", "agentCount": len(AGENTS), "transcriptDir": "", "startedAt": 0}
    path.write_text(json.dumps(summary))
    return path


@pytest.mark.parametrize(
    ("write", "runtime", "spent"),
    [
        (claude_code, "claude-code.", "fix: 2 calls, 2,000,000 tokens, $0.02 to $1.00"),
        (opencode, "opencode.", "fix: 2 calls, 32 tokens, $0.50"),
    ],
)
def test_a_run_of_a_vendor_holds_until_the_script_changes(
    script: Path, tmp_path: Path, cli: Any, write: Any, runtime: str, spent: str
) -> None:
    run = write(tmp_path)
    done = cli("verify", script, run)
    assert done.code == 0, done.out
    assert f"recorded by {runtime}" in done.out
    assert spent in done.out
    assert "check: 2 calls" in done.out
    script.write_text(SCRIPT.replace("`Check ${text}`", "`Look at ${text}`"))
    worded = cli("verify", script, run)
    assert worded.code == 0
    assert "Reworded" in worded.out
    script.write_text(SCRIPT.replace("found.bugs,", "found.bugs.slice(1),"))
    changed = cli("verify", script, run)
    assert changed.code == 1
    assert "departs. Event" in changed.out


def test_a_journal_alone_is_matched_by_order_which_is_shown(
    script: Path, tmp_path: Path, cli: Any
) -> None:
    done = cli("verify", script, journal(tmp_path / "run"))
    assert done.code == 0
    assert "recorded by claude-code, in order only." in done.out


def test_a_run_that_names_another_folder_is_refused(script: Path, tmp_path: Path, cli: Any) -> None:
    run = claude_code(tmp_path)
    run.write_text(run.read_text().replace("wf_0123abcd-9ef", "wf_/../../../secrets"))
    done = cli("verify", script, run)
    assert done.code == 2
    assert "The id of the run is" in done.err
