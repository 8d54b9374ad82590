"""A file that is nested without end is a finding, and the rest of its pack stays editable."""

from __future__ import annotations

from functools import cache

import pytest

from tests.attacks.limited_process import Ended, limited_each
from tests.support.checks import quick_or_slow
from workflows.core.dialects import dialects
from workflows.core.text.yaml.document import YamlText
from workflows.core.text.yaml.errors import YamlTextError

SECONDS = 3.0
MEGABYTES = 300


DIALECTS = sorted(dialects())


@cache
def nested(pairs: str) -> dict[str, Ended]:
    """Dialect → what its files cost."""
    calls = [(dialect, pairs) for dialect in DIALECTS]
    ended = limited_each("tests.attacks.deep_attacks", "run", calls, cpu=300)
    return dict(zip(DIALECTS, ended, strict=True))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("pairs", quick_or_slow("", "all"))
def test_a_file_nested_without_end_does_no_harm(dialect: str, pairs: str) -> None:
    done = nested(pairs)[dialect]
    assert done.answer
    assert {name: problems for name, _, problems in done.answer if problems} == {}
    assert {name: seconds for name, seconds, _ in done.answer if seconds > SECONDS} == {}
    assert done.megabytes < MEGABYTES


def test_open_brackets_are_counted_before_the_text_is_parsed() -> None:
    with pytest.raises(
        YamlTextError, match=r"Nested deeper than 200 levels. \(line 2, column 204\)"
    ):
        YamlText.parse(b"a: 1\nb: " + b"[" * 100_000)


@pytest.mark.parametrize(
    "text",
    [
        "a: '" + "[" * 500 + "'",
        'a: "' + "{" * 500 + '"\nb: &x [*y]'.replace("*y", "1"),
        "a: |\n  " + "[" * 500,
        "# " + "[" * 500 + "\na: 1",
    ],
)
def test_brackets_in_text_are_not_nesting(text: str) -> None:
    assert YamlText.parse(text.encode()).value["a"]
