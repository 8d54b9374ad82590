"""Duration of reading and changing a pack of 5,000 states, compared with the standard library.

    python bench/json_text.py [states]

Prints milliseconds, best of five, all measured in the same run. Nothing is asserted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from workflows.core.text import spans
from workflows.core.text.json.document import JsonText


def pack(states: int) -> bytes:
    """A generated pack: prompts, and this many workflow states in a cycle with side exits."""
    names = [f"state-{number}" for number in range(states)]
    return json.dumps(
        {
            "id": "generated",
            "prompts": {
                f"task-{number}": {
                    "name": f"Task {number}",
                    "system_template": "Work on {{subject}}. " * 6,
                    "parameters": {"temperature": 0.2, "max_tokens": 1500},
                }
                for number in range(states // 10)
            },
            "workflow": {
                "version": 1,
                "entry": names[0],
                "states": {
                    name: {
                        "prompt_task": f"task-{number // 10}",
                        "description": "Reads what came before and décides what comes next.",
                        "on_event": {
                            "Submit": names[(number + 1) % states],
                            "Reject": names[number * 7 % states],
                        },
                        "max_visits": 3,
                        "artifacts": {"draft": {"type": "text", "mode": "append"}},
                        "tools": ["search", "read_file"],
                    }
                    for number, name in enumerate(names)
                },
            },
        },
        indent=2,
        ensure_ascii=False,
    ).encode()


def best(action: Callable[[], Any], repeat: int = 5) -> float:
    """Milliseconds of the fastest of `repeat` calls."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times) * 1000


def main(states: int) -> None:
    data = pack(states)
    size = len(data) / 1e6
    loads, parse = best(lambda: json.loads(data)), best(lambda: JsonText.parse(data))
    print(f"{states} states, {size:.2f} MB")
    print(f"json.loads            {loads:8.2f} ms")
    print(f"JsonText.parse        {parse:8.2f} ms   {parse / loads:.1f} × json.loads")
    print(f"                      {parse / size:8.2f} ms/MB")
    fresh = JsonText.parse(data)
    middle = ("workflow", "states", f"state-{states // 2}")
    begin = time.perf_counter()
    text = fresh.set((*middle, "on_event", "Submit"), "state-1")
    print(f"first edit            {(time.perf_counter() - begin) * 1000:8.2f} ms")
    state = text.get(middle)
    where = ("workflow", "states")
    edits: dict[str, Callable[[], JsonText]] = {
        "set one target": lambda: text.set((*middle, "on_event", "Submit"), "state-2"),
        "set a whole state": lambda: text.set(middle, {**state, "max_visits": 9}),
        "insert a state": lambda: text.insert((*where, "new"), state, before="state-9"),
        "delete a state": lambda: text.delete(middle),
        "rename a state": lambda: text.rename(middle, "renamed"),
        "move a state": lambda: text.move(middle, before="state-1"),
    }
    for name, edit in edits.items():
        print(f"{name:22}{best(edit):8.2f} ms")
    renamed = text.rename(middle, "renamed")
    line = best(lambda: renamed.line((*where, "renamed")))
    print(f"{'line of a state':22}{line:8.3f} ms")
    difference = best(lambda: spans.difference(text.data, renamed.data))
    print(f"{'difference of the two':22}{difference:8.2f} ms")
    names = list(text.get(where))
    lines = best(lambda: [text.line((*where, name, "on_event", "Submit")) for name in names], 2)
    print(f"{'lines of all states':22}{lines:8.2f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
