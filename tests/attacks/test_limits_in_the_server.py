"""Work on small packs begins in the server, and leaves it or ends when it takes long."""

from __future__ import annotations

import json
import time

import pytest

from workflows.actions import packs, prompt_previews
from workflows.core.dialects import dialects
from workflows.core.dialects.stages.convert.caps import redirects
from workflows.core.pack.files import Files
from workflows.core.rules.check import check
from workflows.selectors import sources


@pytest.mark.django_db
def test_a_preview_that_takes_long_has_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = packs.create("promptpack", name="A", owner=None)
    states = [state.id for state in sources.view(pack).graph.states]
    assert prompt_previews.prompt_of_state(pack, states[0])["problem"] == ""
    monkeypatch.setattr(prompt_previews, "SECONDS", -1)
    shown = prompt_previews.prompt_of_state(pack, states[0])
    assert shown["problem"].startswith("The simulated run takes too long")
    assert shown["prompt"] is None


def test_a_stage_object_too_large_for_front_matter_is_checked() -> None:
    one = dialects()["stages"]
    body = '{"entryStage": "a", "stages": {"a": {"file": "a.stage.json", "next": null}}}'
    stage = '{"id": "a", "description": "%s", "body": "Work."}' % ('\\"' * 140_000)
    files = Files.of({"pipeline.json": body.encode(), "a.stage.json": stage.encode()})
    source = one.read(files)
    found = {finding.code: finding for finding in check(one, source, one.profiles[0])}
    assert "ST111" in found
    assert found["ST111"].fix is None
    assert "IN001" not in found


def test_thousands_of_guarded_routes_are_read_in_time() -> None:
    one = dialects()["stages"]
    assert redirects(one.read(guarded(20))) == {"b": "c"}
    source = one.read(guarded(4_000))
    begun = time.process_time()
    assert redirects(source) == {"b": "c"}
    assert time.process_time() - begun < 1


def guarded(count: int) -> Files:
    """Routes to one stage with a visit cap, each behind a guard that leads elsewhere."""
    cases = []
    for number in range(count):
        when = {"path": "result.parsed.n", "op": "equals", "value": number}
        full = {"path": "run.visits.b", "op": "gte", "value": 3}
        cases.append({"when": {"all": [when, full]}, "then": {"nextStages": ["c"]}})
        cases.append({"when": when, "then": {"nextStages": ["b"]}})
    stages = {
        "a": {"file": "a.md", "next": {"cases": cases}},
        "b": {"file": "b.md", "maxVisits": 3},
        "c": {"file": "c.md"},
    }
    main = {"entryStage": "a", "stages": stages}
    text = "---\nid: {0}\nname: {0}\n---\nWork.\n"
    files = {f"{stage}.md": text.format(stage).encode() for stage in stages}
    return Files.of({"pipeline.json": json.dumps(main).encode(), **files})
