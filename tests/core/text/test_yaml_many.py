"""Many scalars replaced at once give the bytes that one edit after another gives."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.core.text.test_yaml_variants import WORDS, YamlStyle
from tests.support.checks import quick_and_slow
from workflows.core.text.yaml import document
from workflows.core.text.yaml.document import YamlText, YamlTextError
from workflows.core.text.yaml.node import Node

SCALARS = [*WORDS, "true", "5", "a, b", "[x", "two\nlines\n", "- x", "x: y", "", "#", 7, -1, 2.5]
SCALARS += [True, False, None, 10**20]


def turned(random: Random, value: Any, share: float) -> Any:
    """The value with a share of its scalars replaced, and now and then another member."""
    match value:
        case dict():
            fresh = {key: turned(random, each, share) for key, each in value.items()}
            return {**fresh, "fresh": 1} if random.random() < 0.03 else fresh
        case list():
            return [turned(random, each, share) for each in value]
    return random.choice(SCALARS) if random.random() < share else value


def one_by_one(patch: pytest.MonkeyPatch, text: YamlText, value: Any) -> bytes | str:
    """The bytes that single edits give, or their refusal."""
    with patch.context() as plain:
        plain.setattr(YamlText, "_revised_together", lambda *_: None)
        return result(text, value)


def result(text: YamlText, value: Any) -> bytes | str:
    try:
        return text.set((), value).data
    except YamlTextError as refused:
        return str(refused)


@pytest.mark.parametrize("block", quick_and_slow([0], range(1, 10)))
def test_many_scalars_at_once(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    together = 0
    plain = YamlText._replaced

    def counting(*args: Any) -> YamlText | None:
        nonlocal together
        together += 1
        return plain(*args)

    monkeypatch.setattr(YamlText, "_replaced", counting)
    for seed in range(block * 20, block * 20 + 20):
        random = Random(seed)
        text = YamlText.parse(YamlStyle.any(random).file())
        for share in (0.2, 0.5, 1.0):
            value = turned(random, text.value, share)
            assert result(text, value) == one_by_one(monkeypatch, text, value)
        plain_words = numbers_and_words(random, text._root)
        assert result(text, plain_words) == one_by_one(monkeypatch, text, plain_words)
    assert together > 10


def numbers_and_words(random: Random, node: Node) -> Any:
    """The value with other numbers for numbers and other words for words."""
    if node.kind == "mapping":
        return {str(each.key): numbers_and_words(random, each.node) for each in node.members}
    if node.kind == "sequence":
        return [numbers_and_words(random, each.node) for each in node.members]
    if isinstance(node.value, str) and node.style not in ("|", ">"):
        return random.choice([node.value, "other", "word/s", 12])
    return node.value if isinstance(node.value, str) else random.choice([node.value, 8, False])


TEXTS = [
    "{a: x, b: [x, 'y'], c: {d: x}}\n",
    "a: &one x\nb: *one\nc: {d: x}\nd: y\n",
    "base: &base {a: x}\nuse:\n  <<: *base\n  b: x\n  c: y\n",
    "a:\n  x\nb: |\n  x\nc: !!str x\nd: x\n",
    "a: x\na: y\nb: z # why\nc: 'q'",
    "? a\n: x\n? b\n: y\n",
    "- x\n- y\n-\n- [a: x, b: y]\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_scalars_in_unusual_places(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    parsed = YamlText.parse(text.encode())
    for seed in range(10):
        value = turned(Random(seed), parsed.value, 0.6)
        assert result(parsed, value) == one_by_one(monkeypatch, parsed, value)


def many(count: int, word: Any) -> dict[str, Any]:
    return {f"p{number}": {"type": word} for number in range(count)}


def test_too_many_single_edits_are_refused_with_the_next_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = "".join(f"  p{number}: {{type: string}}\n" for number in range(20))
    text = YamlText.parse(f"p:\n{lines}".encode())
    monkeypatch.setattr(document, "_MOST_WORK", 19 * len(lines))
    with pytest.raises(YamlTextError, match="Too many values change at once here: 20") as refused:
        text.set(("p",), many(20, "two\nlines\n"))
    assert refused.value.hint == "Change fewer of them at once, or change the text of the file."
    assert text.set(("p",), many(20, "number")).value == {"p": many(20, "number")}
    one_of_many = {**many(20, "number"), "p3": {"type": None}}
    assert text.set(("p",), one_of_many).value == {"p": one_of_many}
