"""Walks make the calls that a second runtime has made with the same answers."""

from __future__ import annotations

import json

from scripts.script_walks import VECTORS, numbers, walk, walks


def test_walks_make_the_calls_of_a_second_runtime() -> None:
    recorded = json.loads(VECTORS.read_text())
    made = [numbers(path, seed, walk(path, seed, args)[0]) for path, seed, args in walks()]
    same = sum(one == other for one, other in zip(made, recorded, strict=True))
    assert same >= 0.99 * len(recorded), [
        one for one, other in zip(made, recorded, strict=True) if one != other
    ]
