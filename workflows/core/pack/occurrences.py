"""The occurrences of a pattern in one text, and the text after their replacement. A replacement
can be far longer than the text, so its length is known, and its beginning shown, before it is
built."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Occurrences:
    """At least one occurrence of a pattern. `length` is the number of characters in all of them."""

    text: str
    pattern: re.Pattern[str]
    count: int
    length: int

    @classmethod
    def of(cls, pattern: re.Pattern[str], text: str) -> Occurrences | None:
        """None for a text without an occurrence."""
        count = length = 0
        for match in pattern.finditer(text):
            count += 1
            length += match.end() - match.start()
        return cls(text, pattern, count, length) if count else None

    def replaced(self, new: str) -> str:
        """The text with each occurrence replaced."""
        return self.pattern.sub(lambda _: new, self.text)

    def replaced_length(self, new: str) -> int:
        """The length of the text after the replacement."""
        return len(self.text) - self.length + self.count * len(new)

    def shown(self) -> str:
        """One line of the text around the first occurrence."""
        match = self.pattern.search(self.text)
        return _around(self.text, match.start() if match else 0, len(self.text))

    def shown_replaced(self, new: str) -> str:
        """One line of the text after the replacement, around the first place with the new text."""
        pieces: list[str] = []
        cursor = size = 0
        enough = len(self.text) + len(new)
        for match in self.pattern.finditer(self.text):
            if not pieces:
                enough = match.start() + len(new) + LONGEST_SHOWN
            pieces += [self.text[cursor : match.start()], new]
            size += match.start() - cursor + len(new)
            cursor = match.end()
            if size >= enough:
                break
        beginning = "".join([*pieces, self.text[cursor : cursor + LONGEST_SHOWN]])
        return _around(beginning, max(beginning.find(new), 0), self.replaced_length(new))


def _around(text: str, at: int, length: int) -> str:
    """One line around a place of a text, of which `text` is the beginning."""
    start = max(at - LONGEST_SHOWN // 3, 0)
    part = " ".join(text[start : start + LONGEST_SHOWN].split())
    return f"{'…' if start else ''}{part}{'…' if start + LONGEST_SHOWN < length else ''}"
