"""Answer histories share a common prefix and never each other's later texts."""

from __future__ import annotations

from workflows.core.engine.answer_history import AnswerHistory


def test_then_leaves_the_shorter_history_unchanged() -> None:
    one = AnswerHistory(["a"])
    two = one.then("b")
    assert (list(one), list(two), len(two), two[-1]) == (["a"], ["a", "b"], 2, "b")


def test_two_histories_with_one_prefix_are_independent() -> None:
    start = AnswerHistory().then("a")
    left, right = start.then("left"), start.then("right")
    assert (list(left), list(right)) == (["a", "left"], ["a", "right"])
    assert list(left.then("on")) == ["a", "left", "on"]
    assert list(start) == ["a"]


def test_histories_are_equal_by_their_texts() -> None:
    assert AnswerHistory().then("a").then("b") == AnswerHistory(["a", "b"])
    assert AnswerHistory(["a"]) != AnswerHistory(["a", "b"])
    assert hash(AnswerHistory(["a"])) == hash(AnswerHistory().then("a"))


def test_since_returns_the_texts_after_an_earlier_history() -> None:
    start = AnswerHistory(["a"])
    later = start.then("b").then("c")
    assert list(later.since(start) or ()) == ["b", "c"]
    assert list(later.since(AnswerHistory()) or ()) == ["a", "b", "c"]
    assert start.since(later) is None
    assert AnswerHistory(["a", "b"]).since(start) is None
    assert start.then("x").since(later) is None
