"""A model's reasoning in the text of its answer, between the marks of its family.

Providers with a field of its own send reasoning apart from the text. Local servers and gateways
often leave it in the text, and some templates write the opening mark into the prompt, so that only
the closing one arrives. Drafts of an answer in the reasoning must not decide anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_NAMES = ("think", "thinking", "thought", "reasoning")
_MARKS = (
    *((rf"<(?:\w+:)?{name}(?:\s[^<>]*)?>", rf"</(?:\w+:)?{name}\s*>") for name in _NAMES),
    (r"\[THINK\]", r"\[/THINK\]"),
    ("◁think▷", "◁/think▷"),
    (r"<\|think\|>", r"<\|/think\|>"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    (r"<\|channel\|>(?:analysis|commentary)[^<]*<\|message\|>", r"<\|end\|>"),
)
_PAIRS = tuple(tuple(re.compile(mark, re.IGNORECASE) for mark in pair) for pair in _MARKS)
_CODE = r"```.*?```|`[^`\n]*`"
_OPENINGS = "|".join((f"(?:{_CODE})", *(f"({opening})" for opening, _ in _MARKS)))
_OPENING = re.compile(_OPENINGS, re.IGNORECASE | re.DOTALL)
"""Code, or an opening mark: its group is the number of its pair."""
_FRAME = re.compile(
    r"\A\s*(?:<\|start\|>assistant)?<\|channel\|>final[^<]*<\|message\|>|"
    r"\A\s*<\|(?:begin_of_solution|START_RESPONSE)\|>\s*|"
    r"<\|(?:end_of_solution|END_RESPONSE|return|end)\|>\s*\Z"
)
"""Marks of some families around the answer itself."""
_BEGUN = re.compile(r"\s*(?:<\|[\w|<>]*|[<\[◁][^>\]▷]*)?")
"""Text that may become an opening mark."""
LONGEST_MARK = 40
"""Number of characters of reasoning that may be the beginning of its closing mark."""


def split_reasoning(text: str) -> tuple[str, str]:
    """The reasoning and the answer in a complete text. Marks in code and in JSON are part of the
    answer. Reasoning that never ends leaves no answer, if it begins the text."""
    if _is_json(text):
        return "", text
    thoughts, answer = list[str](), ""
    for is_reasoning, piece in _pieces(text):
        if is_reasoning:
            thoughts.append(piece.strip())
            answer = answer if answer.strip() else ""
        else:
            answer += piece.lstrip() if thoughts and not answer else piece
    framed = _FRAME.sub("", answer)
    return "\n\n".join(filter(None, thoughts)), answer if framed == answer else framed.rstrip()


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _closed(text: str) -> re.Match[str] | None:
    """The closing mark that has no opening one before it, outside of code or on a line of its
    own."""
    for opening, closing in _PAIRS:
        end = closing.search(text)
        begin = opening.search(text) if end else None
        if end is None or (begin is not None and begin.start() < end.start()):
            continue
        line = text[text.rfind("\n", 0, end.start()) + 1 :].partition("\n")[0]
        in_code = any(
            code.start() < end.start() < code.end() for code in re.finditer(_CODE, text, re.DOTALL)
        )
        if not in_code or line.strip() == end[0]:
            return end
    return None


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces, each with whether it is reasoning."""
    begin, unclosed = 0, set[int]()
    if (closed := _closed(text)) is not None:
        yield True, text[: closed.start()]
        begin = closed.end()
    at = begin
    while (mark := _OPENING.search(text, at)) is not None:
        at = mark.end()
        if mark.lastindex is None or mark.lastindex in unclosed:
            continue
        end = _PAIRS[mark.lastindex - 1][1].search(text, at)
        before = text[begin : mark.start()]
        if end is not None:
            yield False, before
            yield True, text[at : end.start()]
            at = begin = end.end()
        elif not before.strip():
            yield True, text[at:]
            return
        else:
            unclosed.add(mark.lastindex)
    yield False, text[begin:]


class HiddenReasoning:
    """The pieces of a streamed text without the reasoning that it begins with."""

    def __init__(self) -> None:
        self._held, self._is_answer = "", False
        self._closing: re.Pattern[str] | None = None

    def shown(self, piece: str) -> str:
        """The text to show after this piece."""
        if self._is_answer:
            return piece
        self._held += piece
        if self._closing is None:
            mark = _OPENING.match(self._held.lstrip())
            if mark is not None and mark.lastindex is not None:
                self._closing = _PAIRS[mark.lastindex - 1][1]
                self._held = self._held.lstrip()[mark.end() :]
            elif _BEGUN.fullmatch(self._held):
                return ""
            else:
                self._is_answer = True
                return self._held
        end = self._closing.search(self._held)
        if end is None:
            self._held = self._held[-LONGEST_MARK:]
            return ""
        rest, self._held, self._closing = self._held[end.end() :], "", None
        return self.shown(rest)
