"""Preview of a state's prompt, without a run. Nothing is stored and no model is called."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from roles.core.tokens import estimate
from workflows.actions import role_bindings
from workflows.actions.role_prompts import Step, blocks_of
from workflows.bindings.run_context import in_context
from workflows.core.engine.program import CannotRun
from workflows.core.engine.question import Question, question_at
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.core.engine.signals import Start
from workflows.core.prompts.gates import labels_for_gates
from workflows.core.prompts.layered_program import CannotCompose, Composed, with_blocks
from workflows.errors import CannotStart, NotThere
from workflows.models import Pack, State
from workflows.selectors.sources import view

ASKS_NOBODY = (
    "This state calls no model, or a rehearsal does not reach its call; there is no prompt to show."
)
SECONDS = 2.0
"""Processor time of the simulated run that comes to the state."""
NOTHING: dict[str, Any] = {
    "prompt": None, "problem": "", "warnings": [], "inputs": {}, "gates": [], "tokens": 0,
    "template": None, "fallback": False,
}  # fmt: skip


def prompt_of_state(
    pack: Pack, state: str, mode: str = "", started_by: str = "ticket"
) -> dict[str, Any]:
    """The first prompt of a state as a rehearsal of the newest revision would send it, with the
    bound role. `mode`: the mode of the run; `started_by`: see `RunState`.

    `prompt` has the fields of `prompt.logged`, or is None and `problem` gives the reason; `inputs`
    are the simulated ones; `warnings` are those of the role; `gates` are labels that a verdict
    could take; `template` is the task template of the role, and `fallback` is true if it replaces a
    missing one. Raises NotThere.
    """
    pack_view = view(pack)
    if state not in pack_view.states:
        raise NotThere(f"This pack has no state {state!r:.80}.", where="state")
    row = State.objects.filter(pack=pack, key=state).first()
    bound = row.bound if row else None
    try:
        program = in_context(pack_view.program, mode, {})
        inputs = simulated_inputs(program)
        begin = Start(at=time.time(), inputs=inputs, started_by=started_by)
        until = time.thread_time() + SECONDS
        question = question_at(
            program, pack_view.graph, state, begin, lambda: time.thread_time() > until
        )
        taken = role_bindings.taken(state, bound) if bound else None
    except (CannotRun, CannotStart) as cannot:
        return {**NOTHING, "problem": cannot.message}
    if question is None:
        return {**NOTHING, "problem": ASKS_NOBODY}
    about = {**NOTHING, "inputs": inputs, "gates": list(labels_for_gates(question.effect))}
    try:
        shown = _layered(pack, state, taken, mode, question) if taken else _shown(question.prompt)
    except CannotCompose as cannot:
        shown = {"problem": str(cannot)}
    return {**about, **shown}


def _layered(
    pack: Pack, state: str, taken: dict[str, Any], mode: str, question: Question
) -> dict[str, Any]:
    """Layers of the prompt, as a run writes them."""
    effect = question.as_asked()
    names = {state: str(taken["role"]["name"])}
    step = Step(state=state, taken=taken, pack=pack, mode=mode, names=names)
    position = question.run.position(effect.position)
    blocks, messages = blocks_of(step, question.run, position, effect)
    warnings = [{"path": one.path, "message": one.message} for one in messages.warnings]
    shown = _shown(with_blocks(effect, Composed(blocks=blocks), 1).prompt)
    about = {"template": messages.template, "fallback": messages.fallback}
    return {**shown, **about, "warnings": warnings}


def _shown(prompt: Mapping[str, Any]) -> dict[str, Any]:
    names = ("text", "hash", "header_hash", "kind", "blocks", "block_hashes", "turn")
    fields = {name: prompt[name] for name in names if name in prompt}
    return {"prompt": fields, "tokens": estimate(fields["text"])}
