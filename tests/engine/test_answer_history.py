"""Trails share what they have in common and never show each other's later texts."""

from __future__ import annotations

from workflows.core.engine.answer_history import AnswerHistory


def test_a_trail_grows_and_the_shorter_one_stays_as_it_was() -> None:
    one = AnswerHistory(["a"])
    two = one.then("b")
    assert (list(one), list(two), len(two), two[-1]) == (["a"], ["a", "b"], 2, "b")


def test_two_that_go_on_from_the_same_trail_do_not_see_each_other() -> None:
    start = AnswerHistory().then("a")
    left, right = start.then("left"), start.then("right")
    assert (list(left), list(right)) == (["a", "left"], ["a", "right"])
    assert list(left.then("on")) == ["a", "left", "on"]
    assert list(start) == ["a"]


def test_trails_are_equal_by_their_texts() -> None:
    assert AnswerHistory().then("a").then("b") == AnswerHistory(["a", "b"])
    assert AnswerHistory(["a"]) != AnswerHistory(["a", "b"])
    assert hash(AnswerHistory(["a"])) == hash(AnswerHistory().then("a"))


def test_what_came_since_an_earlier_trail_is_known_where_one_came_of_the_other() -> None:
    start = AnswerHistory(["a"])
    later = start.then("b").then("c")
    assert list(later.since(start) or ()) == ["b", "c"]
    assert list(later.since(AnswerHistory()) or ()) == ["a", "b", "c"]
    assert start.since(later) is None
    assert AnswerHistory(["a", "b"]).since(start) is None
    assert start.then("x").since(later) is None
