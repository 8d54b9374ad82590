"""Obstacles of missed rows, from profiles of the code."""

from __future__ import annotations

from bench._notes import Notes

_WINDOW = (
    "A third of the browser's time loads the page and its files, a sixth runs their modules for "
    "the first time, and most of the rest is React with the canvas and the bars. The server needs "
    "under 30 ms for the page, its files and the graph."
)

OBSTACLES: Notes = {
    "pages": {
        "editor page, wire": "React and React Flow are two fifths of the scripts. The forms of the "
        "inspector are loaded with the page, and the style sheet of all pages is one file.",
        "run, click to shown": "The request takes almost half: the run passes a queue, a worker's "
        "thread and a notification, and the answer waits for its events. Most of the rest are the "
        "two frames after the answer.",
        "open": _WINDOW,
        "open 200 unplaced": "The layout of elkjs takes over a second for 200 states, and its "
        "worker is 350 kB.",
    },
    "gestures": {
        "key to repainted": "The whole graph is painted again after each key, and frames are 17 ms "
        "apart.",
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
        "promptpack": "115 rules each visit all states; the projection of the graph is a third.",
        "steps_registry": "133 rules each visit all steps. The two JSON files are read with the "
        "place of each value, and each answer schema is resolved.",
        "stages": "125 rules each visit all stages, and each stage is a YAML document of its own.",
    },
    "installation": {
        "set-up, disk": "The virtual environment and the build tools of npm. A wheel with a built "
        "canvas needs no npm.",
        "set-up": "pip installs the locked packages first, then npm those of the canvas.",
    },
}
"""Benchmark → the row's name or its beginning → the obstacle."""
