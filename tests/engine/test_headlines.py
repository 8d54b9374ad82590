"""The headline of a failed run: the cause comes first, then the sentence of the pack's program."""

import pytest

from signalbox.commands.run_output import line
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.engine.effects import AskModel
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.result import run_result
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Reply, Start
from workflows.core.engine.transition import transition

REFUSED = "The connection “Ollama” rejected the request: status 400, Invalid schema."
BROKEN = '{"broken": tru'


def failed_log(**answer):
    """A run of the sample whose model gives this answer each time, up to its end."""
    source = DIALECT.read(DIALECT.samples()["triage-bot"])
    program = DIALECT.program(source, "documented")
    inputs = dict.fromkeys(program.required_inputs, "1")
    log, _ = transition(program, RunState(), Start(at=1.0, inputs=inputs))
    for _ in range(50):
        run = fold_all(log)
        if run.finished:
            return log
        for effect in pending_effects(run):
            assert isinstance(effect, AskModel)
            log += transition(program, run, Reply(at=2.0, key=effect.key, **answer))[0]
            break
    raise AssertionError("The run did not end.")


@pytest.mark.parametrize(
    ("answer", "cause"),
    [({"error": REFUSED}, REFUSED), ({"text": BROKEN}, BROKEN)],
    ids=["refused", "not JSON"],
)
def test_the_cause_comes_first_everywhere(answer, cause):
    log = failed_log(**answer)
    end, run = log[-1], fold_all(log)
    assert (end.type, run.status) == ("run.finished", "failed")
    theirs = end.fields["reason"]
    assert cause not in theirs, "the sentence of the program hides the cause"
    for shown in (
        run.reason,
        run_result(run, log)["reason"],
        line(end.type, end.fields),
    ):
        assert shown.index(cause) < shown.index(theirs)


def test_a_cause_that_the_sentence_has_is_not_repeated():
    end = failed_log(error=REFUSED)[-1].fields
    again = {**end, "cause": ""}
    assert end["reason"] in line("run.finished", again)


def test_a_later_good_answer_is_no_cause():
    log = failed_log(error=REFUSED)
    assert fold_all(log).problem == REFUSED
    asked = next(event for event in log if event.type == "model.asked")
    replied = next(event for event in log if event.type == "model.replied")
    good = {**replied.fields, "error": "", "structured": {"ok": True}}
    before = fold_all(log[: asked.n])
    reply = Event(n=9, at=3.0, type="model.replied", fields=good)
    assert fold_all([reply], before).problem == ""
