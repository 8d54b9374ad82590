"""Merges of files by meaning: the values of both sides, in the text of both."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workflows.core.merge.decisions import BadChoice
from workflows.core.merge.files import FileMerge, mean_the_same, merged

PACK: dict[str, Any] = {
    "name": "Review",
    "states": {"a": {"on_event": {"Go": "b"}, "text": "One\nTwo\nThree\n"}, "b": {}},
    "prompts": {"p": {"tools": ["read", "write"]}},
    "steps": [{"id": "x", "run": ["npm", "test"]}, {"id": "y"}],
}


def pack(indent: int | None = 2, **values: Any) -> bytes:
    """The pack with other values, by their pointers with "__" between the keys."""
    body = json.loads(json.dumps(PACK))
    for place, value in values.items():
        *above, last = place.split("__")
        inside = body
        for key in above:
            inside = inside[int(key) if isinstance(inside, list) else key]
        inside[int(last) if isinstance(inside, list) else last] = value
    return (json.dumps(body, indent=indent) + "\n").encode()


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ({"states__m": {}}, {"states__t": {}}, {"states__m": {}, "states__t": {}}),
        (
            {"states__a__on_event__M": "a"},
            {"states__a__on_event__T": "b"},
            {"states__a__on_event__M": "a", "states__a__on_event__T": "b"},
        ),
        (
            {"states__b": {"on_event": {"M": "a"}}},
            {"states__b": {"on_event": {"T": "a"}}},
            {"states__b": {"on_event": {"M": "a", "T": "a"}}},
        ),
        ({"prompts__m": {}}, {"prompts__t": {}}, {"prompts__m": {}, "prompts__t": {}}),
        (
            {"prompts__p__tools": ["read", "write", "m"]},
            {"prompts__p__tools": ["read", "t", "write", "t2"]},
            {"prompts__p__tools": ["read", "t", "write", "m", "t2"]},
        ),
        (
            {"steps": [{"id": "m"}, *PACK["steps"]]},
            {"steps": [PACK["steps"][0], {"id": "y", "if": True}]},
            {"steps": [{"id": "m"}, PACK["steps"][0], {"id": "y", "if": True}]},
        ),
        (
            {"states__a__text": "Zero\nOne\nTwo\nThree\n"},
            {"states__a__text": "One\nTwo\nThird\n"},
            {"states__a__text": "Zero\nOne\nTwo\nThird\n"},
        ),
        (
            {"steps__0__run": ["pnpm", "test"]},
            {"steps__0__run": ["npm", "test", "--all"]},
            {"steps__0__run": ["pnpm", "test", "--all"]},
        ),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_changes_of_both_sides_are_merged(
    mine: dict[str, Any], theirs: dict[str, Any], both: dict[str, Any], indent: int | None
) -> None:
    base = pack(indent)
    assert merged("a.json", base, pack(indent, **mine), pack(indent, **theirs)) == pack(
        indent, **both
    )


@pytest.mark.parametrize("mine", [True, False])
def test_a_side_that_only_formats_changes_nothing(mine: bool) -> None:
    """The form of one side stays, with the change of the other."""
    sides = [pack(4), pack(name="New")]
    assert merged("a.json", pack(), *(sides if mine else sides[::-1])) == pack(4, name="New")


@pytest.mark.parametrize(
    ("mine", "theirs", "value", "both"),
    [
        ({"name": "M"}, {"name": "T"}, "/name", None),
        ({"name": "My name"}, {"name": "Their name"}, "/name", {"name": "My name\nTheir name"}),
        ({"states__b": 1}, {"states__b": {"x": 1}}, "/states/b", None),
        (
            {"steps__0__run": ["npm", "test", "-m"]},
            {"steps__0__run": ["npm", "test", "-t"]},
            "/steps/0/run",
            {"steps__0__run": ["npm", "test", "-m", "-t"]},
        ),
        (
            {"states__a__text": "One\nMine two\nThree\n"},
            {"states__a__text": "One\nTheir two\nThree\n"},
            "/states/a/text",
            {"states__a__text": "One\nMine two\nTheir two\nThree\n"},
        ),
    ],
)
def test_a_conflict_names_its_value_and_takes_each_choice(
    mine: dict[str, Any], theirs: dict[str, Any], value: str, both: dict[str, Any] | None
) -> None:
    other = {"prompts__t": {}}
    merge = FileMerge(path="a.json", base=pack(), mine=pack(**mine), theirs=pack(**theirs, **other))
    (conflict,) = merge.conflicts
    assert merge.clean is None
    assert (conflict.value, conflict.both) == (value, both is not None)
    assert merge.resolved({0: {"take": "mine"}}) == pack(**mine, **other)
    assert merge.resolved({0: {"take": "theirs"}}) == pack(**theirs, **other)
    if both is None:
        with pytest.raises(BadChoice):
            merge.resolved({0: {"take": "both"}})
    else:
        assert merge.resolved({0: {"take": "both"}}) == pack(**both, **other)


def test_a_change_of_what_the_other_side_deleted_is_a_conflict() -> None:
    deleted = json.dumps({**PACK, "states": {"a": PACK["states"]["a"]}}, indent=2).encode() + b"\n"
    merge = FileMerge(path="a.json", base=pack(), mine=deleted, theirs=pack(states__b={"x": 1}))
    (conflict,) = merge.conflicts
    assert (conflict.value, conflict.mine) == ("/states/b", None)
    assert merge.resolved({0: {"take": "mine"}}) == deleted
    assert json.loads(merge.resolved({0: {"text": '{"x": 2}'}}))["states"]["b"] == {"x": 2}
    with pytest.raises(BadChoice, match="not JSON"):
        merge.resolved({0: {"text": "{"}})


def test_elements_of_ones_own_are_a_list() -> None:
    sides = (pack(steps__0__run=["npm", "test", end]) for end in ("-m", "-t"))
    merge = FileMerge(path="a.json", base=pack(), mine=next(sides), theirs=next(sides))
    with pytest.raises(BadChoice, match="not a list"):
        merge.resolved({0: {"text": '"-x"'}})
    assert merge.resolved({0: {"text": '["-x"]'}}) == pack(steps__0__run=["npm", "test", "-x"])


def test_markers_are_at_the_conflict_only() -> None:
    merge = FileMerge(
        path="a.json", base=pack(), mine=pack(name="M", states__m={}),
        theirs=pack(name="T", states__t={}),
    )  # fmt: skip
    lines = merge.marked(7).decode().splitlines()
    assert lines[:6] == [
        "{", "<<<<<<< ours", '  "name": "M",', "=======", '  "name": "T",', ">>>>>>> theirs",
    ]  # fmt: skip
    assert '    "t": {}' in lines


def test_front_matter_and_body_are_merged_apart() -> None:
    base = b"---\nid: a # the name\ntools: [read]\n---\n\nFirst line.\n\nLast line.\n"
    mine = base.replace(b"[read]", b"[read, mine]").replace(b"Last", b"My last")
    theirs = base.replace(b"[read]", b"[read, theirs]").replace(b"First", b"Their first")
    assert merged("a.md", base, mine, theirs) == (
        b"---\nid: a # the name\ntools: [read, mine, theirs]\n---\n\n"
        b"Their first line.\n\nMy last line.\n"
    )


def test_a_comment_in_yaml_is_never_lost() -> None:
    base = b"tools: [read]\n"
    mine = b"tools: [read, mine] # all that I need\n"
    theirs = b"tools: [read, theirs] # all that they need\n"
    assert merged("a.yaml", base, mine, theirs) is None
    assert merged("a.yaml", base, mine, b"tools: [read, theirs]\n") == (
        b"tools: [read, mine, theirs] # all that I need\n"
    )


def test_line_ends_of_one_side_stay() -> None:
    base, theirs = b"One\nTwo\nThree\n", b"One\nTwo\nThird\n"
    assert merged("a.md", base, base.replace(b"\n", b"\r\n"), theirs) == theirs.replace(
        b"\n", b"\r\n"
    )


@pytest.mark.parametrize("path", ["a.json", "a.txt"])
def test_files_that_cannot_be_read_are_merged_by_lines(path: str) -> None:
    base = b'{"a": 1,\n"b": 2,\n"c": 3,\n"a": 4\n'
    mine, theirs = base.replace(b"1", b"7"), base.replace(b"4", b"8")
    assert merged(path, base, mine, theirs) == mine.replace(b"4", b"8")
    assert merged(path, base + b"}", mine + b"}", theirs + b"}") == mine.replace(b"4", b"8") + b"}"


def test_files_that_are_not_text_are_not_merged() -> None:
    assert merged("a.png", b"\0\n1\n2\n3\n", b"\0\n7\n2\n3\n", b"\0\n1\n2\n8\n") is None


def test_the_meaning_of_two_texts_is_compared() -> None:
    assert mean_the_same("a.json", pack(), pack(4))
    assert not mean_the_same("a.json", pack(), pack(name="New"))
    assert not mean_the_same("a.txt", b"a\n", b"a \n")
    assert not mean_the_same("a.json", pack(), None)
