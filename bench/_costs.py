"""The cost of each row to a user."""

from __future__ import annotations

from bench._notes import Notes

_FRAME = "Above 16.7 ms from frame to frame (95th percentile) the movement is not smooth."
_OPEN = "The wait from the click on a pack to its drawing."

COSTS: Notes = {
    "canvas": {
        "pan": _FRAME,
        "zoom": _FRAME,
        "drag": _FRAME,
    },
    "check": {
        "promptpack": "The wait from a saved file to its findings, in the editor and in CI.",
        "steps_registry": "As above, for a registry of steps.",
        "stages": "As above, for a pipeline of stages.",
    },
    "edits": {
        "answer to an edit": "The time until an edit is stored. The drawing does not wait for it.",
        "answer to a first drag": "The server's part of the first drag.",
        "remove from a chain": "The bytes of an answer on a slow network.",
        "import": "The wait for the import of a very large pack.",
    },
    "gestures": {
        "key to repainted": "The wait from a key to its effect on the canvas.",
        "first drag to Saved": "The time in which a closed tab loses the first move of a card.",
    },
    "engine": {
        "least program": "Processor time of each step of every run, without storage.",
        "PromptPack": "As above, with a pack: prompts, tools and their checks.",
        "rehearsal": "The wait for a rehearsal: 5,000 walks of three transitions are 15,000.",
    },
    "steps": {
        "ours": "Steps that one server takes in a second: a million divided by this.",
        "ours, a PromptPack": "As above, with a pack.",
        "ours, a long script": "The time of a scripted rehearsal of many steps.",
        "ours, answers come": "As above, with a real model, besides the model's own time.",
        "ours, fork of 5": "The time that five parallel agents add to a run, once.",
    },
    "steps_postgresql": {
        "ours": "Time of a step in a deployment with several servers.",
        "steps per second": "Steps of one worker with many runs. Add workers above it.",
    },
    "live": {"event to page": "The delay of an event on the pages that follow a run."},
    "waiting_runs": {
        "2,000 waiting runs": "Memory of the machine for runs that wait for a model.",
        "all 2,000 requested": "The wait of the last of 2,000 runs that are started at once.",
    },
    "pages": {
        "editor page, wire": "The download before the first drawing: 200 kB are 1.6 s at 1 Mbit/s.",
        "editor page, requests": "Round trips on a slow network.",
        "editor page again": "The download when a pack is opened again.",
        "run, click to shown": "The wait from the click on Run to the result of a short rehearsal.",
        "open": _OPEN,
    },
    "gallery": {
        "gallery": "The wait for the first page after the sign-in.",
    },
    "layout": {
        "labels covered": "Labels that cannot be read.",
        "small packs": "Packs that open too small to read.",
    },
    "folder": {"disk to canvas": "The delay from a save in an editor to the drawing."},
    "agents": {
        "tokens": "The price of an edit by a coding agent, in its model's tokens.",
        "list of tools": "Tokens that each session of an agent reads once.",
        "memory": "Memory of the server next to an agent, for a whole session.",
        "": "The wait of an agent for each answer.",
    },
    "long_run": {
        "open": "The wait for the page of a long run.",
        "": "The answer of this page to a key or the mouse. Above 100 ms it feels slow.",
    },
    "json_text": {"": "The part of the text in the time of an edit."},
    "installation": {
        "set-up, disk": "Disk of a checkout that is ready to run.",
        "set-up": "The wait from a clone to the first start.",
        "start": "The time without a server at each restart.",
        "memory": "Memory of a server without a run.",
    },
}
"""Benchmark → the row's name or its beginning → the cost."""
