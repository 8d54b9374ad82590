"""The first line of a prompt, as cards show it."""

from __future__ import annotations

from tests.support.checks import each_row
from workflows.core.prompts.first_line import MOST_LETTERS, first_line


@each_row(
    [
        ("Answer the customer.\nBe brief.", "Answer the customer."),
        ("\n\n  # Role\n\nFind out.", "Find out."),
        ("# Role\n## Read the issue\n", "Role"),
        ("#hashtag", "#hashtag"),
        ("{{fragments.company}}\n{{fragments.style}} {{x}}\n\nFind out.", "Find out."),
        ("Greet {{name}}.", "Greet {{name}}."),
        ("---\ntitle: x\n---\nBegin.", "Begin."),
        ("---\nno end", "---"),
        ("- one\n- two", "one"),
        ("", ""),
        ("{{only}}", ""),
        (None, ""),
        (["a"], ""),
    ]
)
def test_the_first_line_has_words_of_its_own(text: object, line: str) -> None:
    assert first_line(text) == line


def test_a_long_line_is_cut() -> None:
    assert first_line("word " * 100) == "word " * 15 + "word…"
    assert len(first_line("x" * 10_000)) == MOST_LETTERS
