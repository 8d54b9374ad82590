"""Duration of a complete check of a large pack, compared with `jsonschema` alone.

    python -m bench.check [states]

Measures parsing, projection and all rules for each dialect. In the same run, `jsonschema` and
`jsonschema-rs` validate a PromptPack of the same size. Milliseconds, best of five; ratios are to
`jsonschema`. If `SIGNALBOX_CORPUS` names a folder, `signalbox check` over all of its packs is
measured in this process too.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs

from bench._rows import Row, print_rows
from signalbox import cli
from signalbox.commands.packs import forget_packs
from workflows.core.dialects import dialects
from workflows.core.dialects.promptpack.schemas import definitions
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

SCHEMA = {"$ref": "#/$defs/Pack"}
GOAL = 40.0
"""Milliseconds for 1,000 states."""
PACKS = 200


def promptpack(states: int) -> Files:
    """A pack of this many states, three prompts per ten states, limits and a budget."""
    names = [f"state-{number}" for number in range(states)]
    prompts = {
        f"task-{number}": {
            "id": f"task-{number}",
            "name": f"Task {number}",
            "version": "1.0.0",
            "system_template": "Work on {{subject}}. " * 20,
            "variables": [{"name": "subject", "type": "string", "required": True}],
            "parameters": {"temperature": 0.2, "max_tokens": 1500},
            "validators": [{"type": "banned_words", "enabled": True, "params": {"words": ["x"]}}],
        }
        for number in range(max(1, states * 3 // 10))
    }
    table: dict[str, Any] = {}
    for number, name in enumerate(names):
        table[name] = {
            "prompt_task": f"task-{number % len(prompts)}",
            "description": "Reads what came before and decides what comes next.",
            "on_event": {"Submit": names[(number + 1) % states], "Reject": names[number // 2]},
        }
        if number % 5 == 0:
            table[name] |= {"max_visits": 3, "on_max_visits": names[-1]}
    table[names[-1]] = {"prompt_task": "task-0", "terminal": True}
    body = {
        "id": "large",
        "name": "Large",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": prompts,
        "workflow": {
            "version": 1,
            "entry": names[0],
            "states": table,
            "engine": {"budget": {"max_total_visits": 5_000}},
        },
    }
    return Files.of({"large.pack.json": json.dumps(body, indent=2).encode()})


def steps_registry(states: int) -> Files:
    """A sequence of work steps, each with a gate, its own schema and a transition back."""
    ids = [f"continuation.{_word(number)}" for number in range(states - 1)] + ["closure.done"]
    steps, schemas = {}, {}
    for number, id in enumerate(ids):
        c2, c3 = id.split(".")
        last = number == len(ids) - 1
        onward = "closing" if last else "handoff" if number == len(ids) - 2 else "next"
        allowed = [onward, "repeat"]
        steps[id] = {
            "stepId": id,
            "name": f"Step {number}",
            "c2": c2,
            "c3": c3,
            "edition": "default",
            "uvVariables": [],
            "usesStdin": False,
            "stepKind": "closure" if last else "work",
            "outputSchemaRef": {"file": "work.schema.json", "schema": c3},
            "structuredGate": {
                "allowedIntents": allowed,
                "intentSchemaRef": "#/properties/next_action/properties/action",
                "intentField": "next_action.action",
                "handoffFields": ["summary"],
            },
            "transitions": {
                "repeat": {"target": id},
                onward: {"target": None if last else ids[number + 1]},
            },
        }
        action = {"type": "string", "enum": allowed}
        schemas[c3] = {
            "type": "object",
            "required": ["next_action", "summary"],
            "properties": {
                "next_action": {"type": "object", "properties": {"action": action}},
                "summary": {"type": "string"},
            },
        }
    body = {
        "agentId": "large",
        "version": "1.0.0",
        "c1": "steps",
        "entryStep": ids[0],
        "steps": steps,
    }
    return Files.of(
        {
            "large/steps_registry.json": json.dumps(body, indent=2).encode(),
            "large/schemas/work.schema.json": json.dumps(schemas, indent=2).encode(),
        }
    )


def _word(number: int) -> str:
    """A number in letters, for ids that allow letters only."""
    return "step-" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


HEAD = """---
id: {id}
name: Stage {number}
allowedTools: [read, grep]
completionTool: submit
completionSchema:
  type: object
  required: [done]
  properties:
    done: {{ type: boolean }}
retryPolicy: {{ maxAttempts: 2, backoff: none }}
turnCap: 8
resolutionPolicy: retry-later
---

Work on {{{{ctx.task}}}}, then call `submit`.
"""


def stages(states: int) -> Files:
    """A sequence of stage files; every fifth has a limit and a transition back."""
    ids = [f"stage-{number}" for number in range(states)]
    entries: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for number, id in enumerate(ids):
        onward = {"nextStages": ids[number + 1 : number + 2], "execution": "sequential"}
        back = {"nextStages": [ids[max(0, number - 3)]], "execution": "sequential"}
        done = {"path": "result.parsed.done", "op": "equals", "value": True}
        cases = {"cases": [{"when": done, "then": onward}], "else": back}
        entries[id] = {
            "file": f"stages/{id}.md",
            "setup": {"task": {"from": "run.input.task"}},
            "next": cases if number % 5 == 4 and number < states - 1 else onward,
        }
        if number % 5 in (1, 4):
            entries[id]["maxVisits"] = 3
        files[f"stages/{id}.md"] = HEAD.format(id=id, number=number).encode()
    body = {
        "format": "signalbox.stud-pipeline/1",
        "id": "large",
        "name": "Large",
        "entryStage": ids[0],
        "stages": entries,
    }
    return Files.of({"pipeline.json": json.dumps(body, indent=2).encode(), **files})


MAKERS: dict[str, Callable[[int], Files]] = {
    "promptpack": promptpack,
    "steps_registry": steps_registry,
    "stages": stages,
}


def best(work: Callable[[], object], times: int = 5) -> float:
    """Milliseconds of the fastest call."""
    seen = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        seen.append((time.perf_counter() - began) * 1000)
    return min(seen)


def main(states: int) -> int:
    pack = json.loads(promptpack(states)["large.pack.json"])
    schema = {**SCHEMA, "$defs": dict(definitions())}
    slow = jsonschema.Draft202012Validator(schema)
    quick = jsonschema_rs.Draft202012Validator(schema)
    if found := list(slow.iter_errors(pack)):
        raise SystemExit(f"The generated pack is not valid: {found[0].message}")
    alone = best(lambda: list(slow.iter_errors(pack)))
    print(f"{states:,} states   jsonschema alone {alone:8.1f} ms", end="")
    print(f"   jsonschema-rs {best(lambda: quick.is_valid(pack)):6.1f} ms")
    print(f"{'':16}{'read':>9}{'graph':>9}{'check':>9}{'whole':>9}   of jsonschema  findings")
    rows = [
        Row(
            name=f"{name}, {states:,} states",
            value=_row(name, make(states), alone),
            unit="ms",
            goal=GOAL,
            peer=alone,
            peer_name="jsonschema alone",
        )
        for name, make in MAKERS.items()
    ]
    rows.append(_since())
    print_rows(rows)
    if corpus := os.environ.get("SIGNALBOX_CORPUS"):
        began = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            cli.main(["check", corpus])
        last = said.getvalue().rstrip().rsplit("\n", 1)[-1]
        print(f"the whole corpus: {time.perf_counter() - began:.1f} s, {last}")
    return 0


def _since() -> Row:
    """`--since` with one changed pack of `PACKS`, compared with the check of all of them."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for number in range(PACKS):
            folder = Path(name, f"{number:03}")
            folder.mkdir()
            (folder / "a.pack.json").write_bytes(promptpack(20)["large.pack.json"])
        identity = ("-c", "user.name=Bench", "-c", "user.email=bench@localhost")
        for words in (("init",), ("add", "."), (*identity, "commit", "--message=packs")):
            subprocess.run(["git", *words], check=True, capture_output=True)
        changed = Path(name, "007", "a.pack.json")
        changed.write_bytes(changed.read_bytes().replace(b"Decides", b"decides"))
        whole = best(lambda: _checked("."))
        since = best(lambda: _checked(".", "--since", "HEAD"))
    print(f"{PACKS} packs: all {whole:.0f} ms, --since with one changed {since:.0f} ms")
    return Row(
        name=f"--since, 1 of {PACKS} packs changed",
        value=since,
        unit="ms",
        peer=whole,
        peer_name="all packs",
        share=0.3,
    )


def _checked(*options: str) -> None:
    """Check folders that are read again."""
    forget_packs()
    with contextlib.redirect_stdout(io.StringIO()):
        cli.main(["check", *options])


def _row(name: str, files: Files, alone: float) -> float:
    """Print the parts of a check of one dialect. Returns the milliseconds of the whole check."""
    dialect = dialects()[name]
    profile = dialect.profiles[0]
    source = dialect.read(files)
    graph = dialect.graph(source, profile)
    reading = best(lambda: dialect.read(files))
    drawing = best(lambda: dialect.graph(dialect.read(files), profile)) - reading
    checking = best(lambda: check(dialect, dialect.read(files), profile)) - reading - drawing
    whole = best(lambda: check(dialect, dialect.read(files), profile))
    found = check(dialect, source, profile, graph)
    codes = ", ".join(sorted({finding.code for finding in found})[:6])
    print(
        f"  {name:14}{reading:9.1f}{drawing:9.1f}{checking:9.1f}{whole:9.1f}"
        f"{whole / alone:11.2f} ×     {len(found)} ({codes})"
    )
    return whole


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000))
