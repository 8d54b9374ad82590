"""Unified diffs of limited cost.

The matcher of the standard library needs hours for some texts of a few thousand lines: those with
many equal lines between different ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate

MAX_STEPS = 2_000_000
"""Comparisons of two lines for one diff, about a quarter of a second."""


def unified_lines(
    before: Sequence[str],
    after: Sequence[str],
    from_name: str = "",
    to_name: str = "",
    *,
    context: int = 3,
    end: str = "\n",
) -> Iterator[str]:
    """The lines of `difflib.unified_diff`. After MAX_STEPS, all lines between the matches found so
    far are removed and added again. `end` is the line end of headers."""
    groups = _Matcher(before, after).get_grouped_opcodes(context)
    for number, group in enumerate(groups):
        if not number:
            yield f"--- {from_name}{end}"
            yield f"+++ {to_name}{end}"
        (_, i, _, j, _), (_, _, i_stop, _, j_stop) = group[0], group[-1]
        yield f"@@ -{_span(i, i_stop)} +{_span(j, j_stop)} @@{end}"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[i1:i2])
            else:
                yield from (f"-{line}" for line in before[i1:i2])
                yield from (f"+{line}" for line in after[j1:j2])


def _span(start: int, stop: int) -> str:
    """First line and number of lines. The first line of an empty span is the one before it."""
    if stop - start == 1:
        return str(start + 1)
    return f"{start + (stop > start)},{stop - start}"


class _Matcher(SequenceMatcher[str]):
    """Finds no further matches after MAX_STEPS comparisons."""

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, before, after)
        self._left = MAX_STEPS
        places = self.b2j  # type: ignore[attr-defined]
        self._steps = list(accumulate((1 + len(places.get(one, ())) for one in before), initial=0))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        self._left -= self._steps[-1 if ahi is None else ahi] - self._steps[alo]
        if self._left < 0:
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)
