"""Checks of the files that the tools of a run wrote in its workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.chaos import pack


def wrong_in_workspace(
    folder: Path, calls: Mapping[str, str], repeated: Counter[str]
) -> Iterator[str]:
    """Sentences about what is wrong. `calls`: effect → tool; `repeated`: how often
    each effect was repeated."""
    for path, text in pack.edited_files().items():
        content = (folder / path).read_text() if (folder / path).exists() else "(no file)"
        if not content.endswith(text):
            yield f"{path} ends with {content[-40:]!r} instead of {text!r}"
    log = folder / pack.EFFECTS
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    done = Counter(effect for what, effect, _ in lines if what == "did")
    for effect in (effect for effect, tool in calls.items() if tool == pack.COMMAND):
        if not 1 <= done[effect] <= 1 + repeated[effect]:
            yield f"{effect} ran {done[effect]} times, repeated {repeated[effect]} times"
    for effect in set(done) - set(calls):
        yield f"{effect} is no call of this run"
    yield from _left_running(lines)


def _left_running(lines: list[list[str]]) -> Iterator[str]:
    """A command of a killed worker that still ran when its repetition had begun."""
    newest: dict[str, str] = {}
    for what, effect, pid in lines:
        if what == "begin":
            newest[effect] = pid
        elif newest.get(effect) != pid:
            yield f"{effect}: process {pid} continued next to {newest.get(effect)}"
