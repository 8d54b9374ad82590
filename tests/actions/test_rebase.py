"""When two changes are of one value, and when they are not."""

from __future__ import annotations

import pytest

from workflows.actions.rebase import carried, only_adds, widened
from workflows.core.text import spans

OLD = b'{"a": "colour red", "b": [1, 20], "c": "x"}'


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        ((b'"x"', b'"y"'), (b"20", b"30"), b'{"a": "colour red", "b": [1, 30], "c": "y"}'),
        ((b"colour", b"color"), (b'"x"', b'""'), b'{"a": "color red", "b": [1, 20], "c": ""}'),
        ((b"[1,", b"[1, 5,"), (b"20", b"30"), b'{"a": "colour red", "b": [1, 5, 30], "c": "x"}'),
        ((b"colour", b"color"), (b"red", b"blue"), None),
        ((b"20", b"200"), (b"20", b"2000"), None),
        ((b"20", b"25"), (b"20", b"30"), None),
        ((b'"x"', b'"xy"'), (b'"x"', b'"zx"'), None),
    ],
)
def test_changes_of_one_value_do_not_mix(
    mine: tuple[bytes, bytes], theirs: tuple[bytes, bytes], merged: bytes | None
) -> None:
    ours = spans.difference(OLD, OLD.replace(*mine))
    other = OLD.replace(*theirs)
    moved = carried(OLD, ours, spans.difference(OLD, other))
    assert (None if moved is None else spans.apply(other, moved)) == merged


def test_widened_changes_are_equivalent() -> None:
    new = OLD.replace(b"colour", b"hue").replace(b"red", b"blue").replace(b"20", b"21")
    changes = ((7, 13, b"hue"), (14, 17, b"blue"), (29, 31, b"21"))
    assert spans.apply(OLD, changes) == new
    assert spans.apply(OLD, widened(OLD, changes)) == new
    assert len(widened(OLD, changes)) == 2, "two words of one value are one change"


@pytest.mark.parametrize(
    ("old", "new", "adds"),
    [(b"[1]", b"[1, 2]", True), (b"[1]", b"[2]", False), (b"a", b"a", True), (b"ab", b"a", False)],
)
def test_pure_additions_are_detected(old: bytes, new: bytes, adds: bool) -> None:
    assert only_adds(old, new) is adds
