"""Obstacles of missed rows, from profiles of the code."""

from __future__ import annotations

from bench._notes import Notes

_WINDOW = (
    "React and the lines of the far view take almost half of the main thread, the first run of the "
    "modules a sixth, style and layout a fourteenth. Files and requests take the rest."
)

OBSTACLES: Notes = {
    "pages": {
        "editor page, wire": "react-dom is 58 kB and the style sheets are 16. Most of the rest are "
        "250 small modules, of which 7 have more than 5 kB before compression. With Preact in "
        "place of React it would be 175 kB, but React Flow is not tested with it.",
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
        "ours": "Six rows, an update and their JSON for each step; the engine is a third.",
        "ours, a PromptPack": "The engine and the pack's program are two fifths, eight rows and "
        "their JSON a third. Each question has the tools and choices of its state in the log.",
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
        "least program": "Six events for each step: their fold is over a third of the time, and "
        "making the events and the effect as JSON almost a third. The state machines record "
        "nothing.",
        "PromptPack": "The pack's program is over a third: it reads the tool call, finds the "
        "target and makes the next question. Eight events and their fold are another third.",
        "rehearsal": "Each run chooses its answers by what all runs before it have taken. A step "
        "is computed only if no run before made it with the same answers.",
    },
    "check": {
        "promptpack": "The graph is three tenths of the time, its loops and their worst case are a "
        "quarter, and JSON is a sixth. 115 rules share the rest.",
        "steps_registry": "Most of the 133 rules visit every step, and the startup checks too: two "
        "fifths of the time. JSON is a fifth, and the graph a seventh.",
        "stages": "Most of the 125 rules visit every stage: half of the time. The graph is a "
        "quarter, and its loops and their worst case an eighth.",
    },
    "waiting_runs": {
        "2,000 waiting runs": "A waiting request holds 78 kB, of which 60 belong to the HTTP "
        "client and the client libraries. The rest is memory of the start that the allocator "
        "keeps.",
        "all 2,000 requested": "Half of the time of a request is spent in the client libraries, a "
        "third in seven queries and the changes of threads around them.",
    },
    "layout": {
        "small packs under 90 % zoom, 1280 px": "At full size the sample `release` is wider than "
        "the canvas between two open panes.",
    },
    "installation": {
        "set-up, disk": "257 MB of Python packages, and 248 MB of npm packages that build and "
        "check the canvas. A wheel with a built canvas needs no npm.",
        "set-up": "pip and npm unpack 34,000 files at the same time, on as many cores.",
        "memory of an idle server": "115 MB are imported code: 17 of the program, 15 of Django, 9 "
        "of cryptography, and 9 of psycopg, which the REST framework imports on SQLite too.",
    },
}
"""Benchmark → the row's name or its beginning → the obstacle."""
