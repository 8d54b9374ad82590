"""A script carried out without a driver: its answers in order, and the verdict on its expectations.

Nothing of the pack is executed. The clock moves only for `Wait`, so the result is always the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Event
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.replay.recording import unmet_expectation
from workflows.core.engine.replay.script_file import ScriptFile, scripted_signal, turn_of
from workflows.core.engine.replay.verify import Verdict, script_verdict
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Signal, Start
from workflows.core.engine.transition import advance

MOST_ANSWERS = 1_000
"""Number of answers after which a script that repeats its last one is stopped."""
STARTED_AT = 1.0


def run_script(program: Program, script: ScriptFile) -> tuple[Sequence[Event], RunState, str]:
    """The events of a script, its run, and the reason why it has not ended ("" if it has)."""
    events, run, ahead = list[Event](), RunState(), STARTED_AT
    signal: Signal | None = Start(at=ahead, inputs=script.inputs)
    for _ in range(MOST_ANSWERS + 1):
        if signal is None:
            return (
                events,
                run,
                "" if run.finished else f"The script has no answer left for {_places(run)}.",
            )
        new, run = advance(program, run, signal, budget=script.budget)
        events += new
        try:
            signal = _next_answer(script, run)
        except CannotRun as cannot:
            return events, run, cannot.message
    return events, run, f"The script does not end within {MOST_ANSWERS:,} answers."


def verify_script(program: Program | CannotRun, script: ScriptFile) -> Verdict:
    """The verdict on a script. Without expectations it holds if the run ends and does not fail."""
    if isinstance(program, CannotRun):
        return script_verdict((), program.message)
    events, run, stopped = run_script(program, script)
    expects = script.expects
    if expects is None:
        return script_verdict(events, run.reason if run.status == "failed" else stopped)
    left = sum(map(len, script.entries.values())) - sum(map(len, run.answered.values()))
    n, why = unmet_expectation(expects, events, max(left, 0))
    note = "" if run.finished else f"After its last answer, the run waits in {_places(run)}."
    return script_verdict(events, f"{why} {stopped}".strip() if why else "", n, note=note)


def _next_answer(script: ScriptFile, run: RunState) -> Signal | None:
    """The answer to the first pending effect that the script answers. A recorded run may answer out
    of order, and so does its script. Raises BadScript."""
    turn = sum(map(len, run.answered.values())) + 1

    def order(effect: Effect) -> int:
        own = turn_of(script, effect, run)
        return 0 if own == turn else 1 if own is None else own + 1

    answers = (
        scripted_signal(script, effect, run) for effect in sorted(pending_effects(run), key=order)
    )
    return next((one for one in answers if one is not None), None)


def _places(run: RunState) -> str:
    return ", ".join(dict.fromkeys(effect.state for effect in pending_effects(run))) or "no state"
