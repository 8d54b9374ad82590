"""The quick reader and the thorough one see the same in every text that both can read."""

from __future__ import annotations

from dataclasses import asdict
from random import Random

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from tests.core.text.test_yaml_variants import YamlStyle
from tests.support.checks import each_row, quick_and_slow
from workflows.core.text.yaml import events, parse
from workflows.core.text.yaml.errors import YamlTextError
from workflows.core.text.yaml.node import Node

SIGNS = [*" \n:-#'\"[]{},|>ab01~.=@`%&*!?\t", "\r\n", ": ", "- ", " #", "&x ", "*x", "!!str "]


def thorough(text: str) -> Node | None:
    builder = parse._Builder(text, 0)
    for event in YAML(typ="safe", pure=True).parse(text):
        builder.take(event)
    return builder.root


def damaged(random: Random, text: str) -> str:
    """The text with a few characters more, fewer, or in two places."""
    for _ in range(random.choice([0, 1, 1, 2, 4])):
        at, other = random.randrange(len(text) + 1), random.randrange(len(text) + 1)
        match random.randrange(3):
            case 0:
                text = text[:at] + random.choice(SIGNS) + text[at:]
            case 1:
                text = text[:at] + text[at + random.randrange(1, 4) :]
            case _:
                text = text[:at] + text[other : other + random.randrange(1, 20)] + text[at:]
    return text


@pytest.mark.parametrize("first", quick_and_slow([0], [40, 80, 120]))
def test_both_readers_see_the_same_tree(first: int) -> None:
    compared = 0
    for seed in range(first, first + 40):
        random = Random(seed)
        whole = YamlStyle.any(random).file().decode("utf-8-sig")
        for text in (damaged(random, whole) for _ in range(4)):
            try:
                read, root = parse.parse(text.encode())
                expected = thorough(text)
            except (YAMLError, YamlTextError):
                continue
            if expected is not None:
                compared += 1
                assert (read, asdict(root)) == (text, asdict(expected))
    assert compared > 45


@each_row(
    ["a: &x 1\nb: *x\n", "a: !!str 1\n", "%YAML 1.2\n---\na: 1\n", "a: x\x85y\n", "<<: {a: 1}\n",
     "? a\n: 1\n", "a: |# no comment\n  x\n"]
)  # fmt: skip
def test_text_that_readers_parse_differently_uses_the_complete_reader(text: str) -> None:
    assert events._ONLY_PLAIN.search(text)


@each_row(["a: Well! Really?\n", "a: b&c *\n".replace(" *", "*"), "a: 50%\n", "a: x<y\n"])
def test_signs_inside_words_are_no_reason_to_be_slow(text: str) -> None:
    assert not events._ONLY_PLAIN.search(text)
