"""Obstacles of missed rows, from profiles of the code."""

from __future__ import annotations

from collections.abc import Mapping

OBSTACLES: Mapping[str, Mapping[str, str]] = {
    "pages": {
        "editor page, wire": "React Flow and d3 are a third of the scripts, and the style sheet "
        "of all pages is one file.",
        "run, click to shown": "The run passes a queue, a worker's thread and a notification "
        "before its events are sent; the request waits for them.",
        "open 200": "Fixed cost of seventeen requests and of starting React; the graph is under "
        "a tenth of it.",
        "open 1,000": "As with 200 states.",
        "open 5,000": "As with 200 states.",
        "open 200 unplaced": "The layout of elkjs takes over a second for 200 states, and its "
        "worker is 350 kB.",
    },
    "steps": {
        "ours": "Six rows, an update and their JSON for each step; the engine is two fifths.",
        "ours, a PromptPack": "A prompt of the pack is rendered, checked and logged in each step.",
        "ours, a long script": "As `ours`, and the script is read for each reply.",
        "ours, answers come": "An answer from outside passes the event loop and a thread.",
    },
    "engine": {
        "least program": "Events and effects are frozen values, made for each step. A table that "
        "is compiled for each program would avoid them.",
        "PromptPack": "The prompt is rendered from its template in each step.",
        "rehearsal, per transition": "Answers are generated from their schema, and the shortest "
        "paths are kept.",
    },
    "check": {
        "promptpack, 1,000 states": "The proofs of loops and worst cases walk the whole graph.",
        "steps_registry, 1,000 states": "Each step is compared with its schema file.",
        "stages, 1,000 states": "Each stage is a YAML document of its own.",
    },
}
"""Benchmark → row → the obstacle."""
