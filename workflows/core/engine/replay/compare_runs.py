"""The comparison of two runs of one pack: common visits, first divergence, and differences.

Both logs are read as visits per position, and the n-th visit of a state is compared with the n-th
visit of it in the other run. A prompt with another wording is reported and is not a divergence:
only states, transitions and the end are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal, TypeAlias

from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.run import RunState
from workflows.core.engine.visits import Move, Visit, VisitAnswer, visits_by_position

How: TypeAlias = Literal["same", "said", "arrow", "left", "right"]
"""Equal; other answers; left by another transition; only in one run."""

Visits: TypeAlias = Mapping[str, list[Visit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPair:
    """A visit, and the same visit in the other run. One side is None if only the other run has
    it."""

    left: Visit | None
    right: Visit | None

    @property
    def visit(self) -> Visit:
        visit = self.left or self.right
        assert visit is not None
        return visit

    @property
    def how(self) -> How:
        if self.left is None or self.right is None:
            return "left" if self.right is None else "right"
        if _to(self.left.exit) != _to(self.right.exit):
            return "arrow"
        return "said" if self.answers else "same"

    @property
    def reworded(self) -> bool:
        """Return True if the prompts differ."""
        if self.left is None or self.right is None:
            return False
        return self.left.prompts != self.right.prompts

    @property
    def answers(self) -> tuple[tuple[VisitAnswer | None, VisitAnswer | None], ...]:
        """Pairs of answers that differ, in order."""
        if self.left is None or self.right is None:
            return ()
        return tuple(
            (was, now)
            for was, now in zip_longest(self.left.answers, self.right.answers)
            if was is None or now is None or was.identity != now.identity
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDivergence:
    """The first divergence. `left` and `right` are numbers of events, None if that run ended
    earlier."""

    position: str
    state: str
    left: int | None
    right: int | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One of the two runs. `kept` is artifact → (value, number of its last event)."""

    run: RunState
    events: int
    seconds: float
    visits: int
    kept: Mapping[str, tuple[Any, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`rows` are in the order of the left run; visits that only the right run has follow their
    predecessor."""

    left: ComparedRun
    right: ComparedRun
    rows: tuple[VisitPair, ...]
    divergence: RunDivergence | None

    @property
    def same(self) -> bool:
        """Return True if no visit, answer or artifact differs."""
        equal = all(row.how == "same" for row in self.rows)
        return equal and self.divergence is None and not self.artifacts

    @property
    def agree(self) -> int:
        """The number of visits before the divergence; all if there is none."""
        for number, row in enumerate(self.rows):
            if self.diverges(row):
                return number
        return len(self.rows)

    def diverges(self, row: VisitPair) -> bool:
        """Return True if the runs diverge in this row."""
        at = self.divergence
        if at is None or row.visit.position != at.position:
            return False
        return _within(row.left, at.left) or _within(row.right, at.right)

    @property
    def states(self) -> dict[str, tuple[int, int]]:
        """State → how often each run visited it, for states whose counts differ."""
        return _differing(self.left.run.visits, self.right.run.visits)

    @property
    def transitions(self) -> dict[str, tuple[int, int]]:
        """Transition → how often each run took it, for transitions whose counts differ."""
        return _differing(self.left.run.taken, self.right.run.taken)

    @property
    def artifacts(self) -> tuple[str, ...]:
        """Names of artifacts that one run lacks, or whose values differ."""
        left, right = self.left.run.artifacts, self.right.run.artifacts
        return tuple(
            name
            for name in sorted({*left, *right})
            if name not in left or name not in right or left[name] != right[name]
        )


def compare(left: Sequence[Event], right: Sequence[Event]) -> Comparison:
    """Compare two logs. Either may lack its end."""
    was, now = visits_by_position(left), visits_by_position(right)
    return Comparison(
        left=_side(left, was),
        right=_side(right, now),
        rows=tuple(_in_order(row for id in {**was, **now} for row in _aligned(was, now, id))),
        divergence=_divergence(was, now, _end(left), _end(right)),
    )


def _aligned(was: Visits, now: Visits, id: str) -> Iterable[VisitPair]:
    left, right = was.get(id, []), now.get(id, [])
    was_at, is_at = _keys(left), _keys(right)
    matcher = SequenceMatcher(None, was_at, is_at, autojunk=False)
    for how, a, b, c, d in matcher.get_opcodes():
        if how == "equal":
            pairs = zip(left[a:b], right[c:d], strict=True)
            yield from (VisitPair(left=one, right=other) for one, other in pairs)
        else:
            yield from (VisitPair(left=one, right=None) for one in left[a:b])
            yield from (VisitPair(left=None, right=other) for other in right[c:d])


def _keys(visits: Iterable[Visit]) -> list[tuple[str, int]]:
    return [(visit.state, visit.visit) for visit in visits]


def _in_order(rows: Iterable[VisitPair]) -> Iterable[VisitPair]:
    """Sort by the left run's numbers. Visits that only the right run has follow their predecessor
    in it."""
    pairs = list(rows)
    on_right = [(row.right.n, row.left.n if row.left else 0) for row in pairs if row.right]
    follows, newest = dict[int, int](), 0
    for right, left in sorted(on_right):
        newest = max(newest, left)
        follows[right] = newest

    def place(row: VisitPair) -> tuple[int, int]:
        n = row.right.n if row.right else 0
        return (row.left.n, 0) if row.left else (follows[n], n)

    return sorted(pairs, key=place)


def _divergence(
    was: Visits, now: Visits, ended: Event | None, ends: Event | None
) -> RunDivergence | None:
    """The first point at which a position takes another path."""
    divergences = []
    for id in {**was, **now}:
        left = [(visit, move) for visit in was.get(id, ()) for move in visit.turns]
        right = [(visit, move) for visit in now.get(id, ()) for move in visit.turns]
        place = None
        for one, other in zip_longest(left, right):
            if one is None or other is None or one[1].to != other[1].to:
                place = place or (one or other or (None,))[0]
                first, second = one[1] if one else ended, other[1] if other else ends
                divergences.append(_divergence_at(place, first, second))
                break
            place = one[0]
    if divergences:
        return min(divergences, key=_first_number)
    if _status(ended) == _status(ends):
        return None
    visits = (visit for way in was.values() for visit in way)
    return _divergence_at(max(visits, key=lambda visit: visit.until, default=None), ended, ends)


def _divergence_at(
    visit: Visit | None, left: Move | Event | None, right: Move | Event | None
) -> RunDivergence:
    count = f" (visit {visit.visit})" if visit and visit.visit > 1 else ""
    difference = f"the left run {_describe(left)}; the right one {_describe(right)}."
    return RunDivergence(
        position=visit.position if visit else "",
        state=visit.state if visit else "",
        left=left.n if left else None,
        right=right.n if right else None,
        message=f"In {visit.state}{count} {difference}" if visit else difference.capitalize(),
    )


def _describe(move: Move | Event | None) -> str:
    match move:
        case Move(kind="take", label=label, target=target):
            return f"goes on to {target}" + (f" by {label}" if label else "")
        case Move(to=state):
            return f"enters {state}"
        case Event(fields=fields):
            why = str(fields.get("reason", "")).rstrip(".")
            return f"ends as {str(fields['status']).replace('_', ' ')}" + (
                f" ({why})" if why else ""
            )
        case _:
            return "has got no further"


def _first_number(divergence: RunDivergence) -> int:
    return min(n for n in (divergence.left, divergence.right) if n is not None)


def _side(log: Sequence[Event], ways: Visits) -> ComparedRun:
    run = fold_all(log)
    last = {event.fields["name"]: event.n for event in log if event.type == "artifact.set"}
    return ComparedRun(
        run=run,
        events=len(log),
        seconds=run.active_seconds,
        visits=sum(len(visits) for visits in ways.values()),
        kept={name: (value, last.get(name, 0)) for name, value in run.artifacts.items()},
    )


def _end(log: Sequence[Event]) -> Event | None:
    return log[-1] if log and log[-1].type == "run.finished" else None


def _status(ended: Event | None) -> str:
    return str(ended.fields["status"]) if ended else ""


def _to(move: Move | None) -> str:
    return move.to if move else ""


def _within(visit: Visit | None, n: int | None) -> bool:
    return visit is not None and n is not None and visit.n <= n <= visit.until


def _differing(left: Mapping[str, int], right: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    return {
        name: (left.get(name, 0), right.get(name, 0))
        for name in {**left, **right}
        if left.get(name, 0) != right.get(name, 0)
    }
