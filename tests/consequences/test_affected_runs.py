"""Recorded runs are replayed in the part that a change can alter, with the same result."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from tests.consequences.test_consequences import sample
from tests.support.checks import failure_note
from workflows.consequences import consequences as module
from workflows.consequences.affected_runs import affected_part, affected_states
from workflows.consequences.consequences import consequences
from workflows.consequences.version import Version
from workflows.core.dialects import dialects
from workflows.core.engine.rehearsal.rehearse import Limits, rehearse
from workflows.core.pack.edits import EditRefused, edit_from_json
from workflows.core.pack.files import BadFiles

LOCAL = [
    f"{dialect.name}/{name}"
    for dialect in dialects().values()
    if dialect.local_steps
    for name in dialect.samples()
]
OTHERS: dict[str, Any] = {"string": "other", "integer": 2, "number": 2, "boolean": True}


def edits_of(version: Version) -> Iterator[dict[str, Any]]:
    """One edit of each transition, state, and value of a state or prompt."""
    states = [state.id for state in version.graph.states]
    for one in version.graph.transitions:
        yield {"type": "disconnect", "transition": one.id}
        yield {"type": "relabel", "transition": one.id, "label": "Other"}
        yield {"type": "retarget", "transition": one.id, "target": states[0]}
    for id in states:
        yield {"type": "remove_state", "id": id}
        yield {"type": "rename_state", "id": id, "new_id": "renamed"}
        yield {"type": "connect", "source": id, "target": states[-1], "label": "More"}
    prompts = {state.prompt for state in version.graph.states if state.prompt}
    for element in ("pack", *(f"state:{id}" for id in states), *sorted(prompts)):
        form = version.dialect.fields(version.source, element, version.profile)
        for name, about in form.schema["properties"].items():
            if (value := OTHERS.get(str(about.get("type")))) is not None:
                field = {"element": element, "field": f"/{name}"}
                yield {"type": "set_field", **field, "value": value}
                if name in form.values:
                    yield {"type": "unset_field", **field}


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize(
    "every",
    [pytest.param(1, marks=pytest.mark.slow), pytest.param(9, marks=pytest.mark.quick)],
)
def test_the_affected_part_has_the_divergences_of_the_whole_run(
    name: str, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialect, source = sample(name)
    before = Version(dialect=dialect, source=source, profile=dialect.profiles[0])
    logs = {
        str(seed): rehearse(
            before.walked_program(),
            before.graph,
            runs=1,
            seed=seed,
            limits=Limits(steps=30),
            keep=1,
        ).log
        for seed in range(3)
    }
    shorter = 0
    for body in islice(edits_of(before), 0, None, every):
        try:
            after = dialect.apply(source, edit_from_json(body))
        except (EditRefused, BadFiles):
            continue
        if not after.readable:
            continue
        with failure_note(str(body)):
            later = Version(dialect=dialect, source=after, profile=before.profile)
            part = consequences(before, later, logs=logs)
            with monkeypatch.context() as patched:
                patched.setattr(module, "affected_states", lambda *_: None)
                whole = consequences(before, later, logs=logs)
            assert part.diverging_runs == whole.diverging_runs
            assert part.difference is not None
            states = affected_states(before, later, part.difference)
            if states is not None:
                parts = [affected_part(log, states) for log in logs.values()]
                shorter += sum(
                    end - first < len(log)
                    for log, (first, end) in zip(logs.values(), parts, strict=True)
                )
    assert shorter or len(before.graph.states) < 2
