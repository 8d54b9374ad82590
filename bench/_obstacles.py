"""Obstacles of missed rows, from profiles of the code."""

from __future__ import annotations

from bench._notes import Notes

_WINDOW = (
    "The time is that of seventeen requests and of starting React; the graph is under a tenth."
)

OBSTACLES: Notes = {
    "pages": {
        "editor page, wire": "React Flow and d3 are a third of the scripts, and the style sheet "
        "of all pages is one file.",
        "run, click to shown": "The run passes a queue, a worker's thread and a notification "
        "before its events are sent; the request waits for them.",
        "open": _WINDOW,
        "open 200 unplaced": "The layout of elkjs takes over a second for 200 states, and its "
        "worker is 350 kB.",
    },
    "gestures": {
        "key to repainted": "An undo is drawn once the server has answered; the answer alone is "
        "`answer to an edit` of `edits`.",
        "first drag": "The request alone is `answer to a first drag` of `edits`: one row is "
        "written for each state.",
    },
    "steps": {
        "ours": "Six rows, an update and their JSON for each step; the engine is two fifths.",
        "ours, a PromptPack": "A prompt of the pack is rendered, checked and logged in each step.",
        "ours, a long script": "As `ours`, and the script is read for each reply.",
        "ours, answers come": "An answer from outside passes the event loop and a thread.",
        "ours, fork of 5": "The five answers share a transaction. A round writes over thirty "
        "events, and the engine and their JSON are most of its time.",
    },
    "steps_postgresql": {
        "ours": "A step is one statement, and each costs six times the raw commit in processor "
        "time of this process alone. It writes six events, the run and its job.",
        "ours, answers come": "As `ours`. Each answer also takes a connection from the pool, "
        "which checks it with one more round trip.",
    },
    "engine": {
        "least program": "Six events, an effect and their fold are 215 calls of Python for each "
        "step. The state machines record nothing. A table that is compiled for each program would "
        "avoid most of the calls.",
        "PromptPack": "The tool call of the transition adds two events, its arguments are checked "
        "twice, and the prompt is rendered from its template in each step.",
        "rehearsal": "Each transition is a step of the engine as above, and an answer that is "
        "generated from its schema.",
    },
    "check": {
        "promptpack": "The graph is three tenths of the time, its loops and their worst case are a "
        "quarter, and JSON is a sixth. 115 rules share the rest.",
        "steps_registry": "Most of the 133 rules visit every step, and the startup checks too: two "
        "fifths of the time. JSON is a fifth, and the graph a seventh.",
        "stages": "Most of the 125 rules visit every stage: half of the time. The graph is a "
        "quarter, and its loops and their worst case an eighth.",
    },
    "installation": {
        "set-up, disk": "The virtual environment and the build tools of npm. A wheel with a built "
        "canvas needs no npm.",
        "set-up": "pip installs the locked packages first, then npm those of the canvas.",
    },
}
"""Benchmark → the row's name or its beginning → the obstacle."""
