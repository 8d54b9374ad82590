"""The next entry of a script: continuing from the last answer and starting from the beginning
agree."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from workflows.core.engine.answer_history import AnswerHistory
from workflows.runner.drivers.script_turns import Turns

STATES = ("a", "b", "c")
states = st.lists(st.sampled_from(STATES), max_size=12)
entries = st.lists(
    st.one_of(st.just({}), st.builds(lambda state: {"state": state}, st.sampled_from(STATES))),
    max_size=10,
)


def plainly(entries: Sequence[dict[str, str]], answered: Sequence[str], state: str) -> int | None:
    """The rule of the format: each position takes the first remaining entry for its state or for
    any."""
    left = list(enumerate(entries))
    for whose in (*answered, state):
        found = next((one for one in left if one[1].get("state", whose) == whose), None)
        if found is not None:
            left.remove(found)
    return found[0] if found else None


@given(entries, states, st.sampled_from(STATES))
def test_the_next_entry_depends_on_the_answers_so_far(
    entries: list[dict[str, str]], answered: list[str], state: str
) -> None:
    turns, trail = Turns(entries), AnswerHistory()
    for number, whose in enumerate(answered):
        expected = plainly(entries, answered[:number], whose)
        assert turns.next(turns.after(trail), whose) == expected
        trail = trail.then(whose)
    assert turns.next(turns.after(trail), state) == plainly(entries, answered, state)
    assert turns.next(turns.use({}, answered), state) == plainly(entries, answered, state)


def test_two_runs_can_use_one_script_alternately() -> None:
    turns = Turns([{}, {}, {}])
    one, other = AnswerHistory(["a", "b"]), AnswerHistory(["c"])
    told = [turns.next(turns.after(trail), "a") for trail in (one, other, one, other.then("c"))]
    assert told == [2, 1, 2, 2]
