"""Placeholders of stage bodies: parsing and rendering."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tests.support.checks import each_row
from workflows.core.dialects.stages.format.js_values import compact_json, js_number, to_js_string
from workflows.core.dialects.stages.format.templates import (
    convert_references,
    leftovers,
    placeholders,
    render,
    source_references,
)

STAGE = {"id": "survey", "name": "Survey the code"}

RENDERED: list[tuple[str, dict[str, Any], str]] = [
    ("{{ctx.task}}", {"task": "add login"}, "add login"),
    ("{{ ctx.task\t}}", {"task": "add login"}, "add login"),
    ("{{ctx.a}}{{ctx.a}}", {"a": 1}, "11"),
    ("{{{ctx.task}}}", {"task": "x"}, "{x}"),
    ("{{stage.id}} / {{stage.name}}", {}, "survey / Survey the code"),
    ("{{ctx.a.b.c}}", {"a": {"b": {"c": "deep"}}}, "deep"),
    ("{{ctx.a[1].b}}", {"a": [{}, {"b": 2}]}, "2"),
    ("[{{ctx.nothing}}]", {"nothing": None}, "[]"),
    ("{{ctx.o}}", {"o": {"b": [1, None, {"ä": 1.0}]}}, '{"b":[1,null,{"ä":1}]}'),
    ("{{ctx.first}}{{ctx.second}}", {"first": "{{ctx.", "second": "task}}"}, "{{ctx.task}}"),
    ("{{ctx.hostile}}", {"hostile": "{{stage.id}} ${ctx.task}"}, "{{stage.id}} ${ctx.task}"),
    ("v={{ctx.v}}|n={{ctx.n}}|b={{ctx.b}}|o={{ctx.o}}|s={{ctx.s}}",
     {"v": None, "n": 7, "b": False, "o": {"nested": True}, "s": "hello"},
     'v=|n=7|b=false|o={"nested":true}|s=hello'),
]  # fmt: skip

LITERAL = [
    "${{ ctx.task }}", "${{ctx.task}}", "${ctx.task}", "{{ctx}}", "{{ctx.}}", "{{ctx.task",
    "{ctx.task}", "{{ctx.task}", "{{\nctx.task}}", "{{ctx .task}}", "{{ctx. task}}", "{{task}}",
    "{{ctx.1st}}", "{{ctx.a-b}}", "{{ctx[a]}}", "{{ctx.a[-1]}}", "{{ctx.a[١]}}", "{{Ctx.task}}",
    "{{ctx.täsk}}", "{{#if ctx.task}}", "{{env.TOKEN}}", "{{ctx.a\u00a0}}",
]  # fmt: skip


@each_row(RENDERED)
def test_a_placeholder_becomes_its_value(body: str, ctx: dict[str, Any], text: str) -> None:
    assert render(body, ctx, STAGE) == (text, ())


@each_row(LITERAL)
def test_text_that_is_not_a_placeholder_stays(body: str) -> None:
    assert placeholders(body) == ()
    assert render(body, {"task": "x", "a": [1]}, STAGE) == (body, ())


@each_row(
    ["ctx.gone", "ctx.upstream[0]", "ctx.upstream[0].parsed.x", "ctx.text[0]", "ctx.list.length",
     "ctx.map[0]", "ctx.text.size", "stage.turnCap", "ctx.list[2]", f"ctx.list[{'9' * 5_000}]"]
)  # fmt: skip
def test_a_missing_value_is_the_empty_text_and_a_warning(path: str) -> None:
    ctx = {"upstream": [], "text": "abc", "list": [1, 2], "map": {"0": "x"}}
    text, warnings = render("one\ntwo <{{" + path + "}}>", ctx, STAGE)
    assert text == "one\ntwo <>"
    assert warnings == ("{{" + path + "}} on line 2 has no value and was left empty.",)


def test_a_placeholder_has_its_line_with_any_line_ends() -> None:
    found = placeholders("a\r\n{{ctx.a}}\n\n{{ctx.b[0].c}}\rx {{stage.id}}")
    assert [(each.root, each.steps, each.line) for each in found] == [
        ("ctx", ("a",), 2),
        ("ctx", ("b", 0, "c"), 4),
        ("stage", ("id",), 5),
    ]
    assert [each.text for each in found] == ["{{ctx.a}}", "{{ctx.b[0].c}}", "{{stage.id}}"]


def test_other_text_in_double_braces_is_distinguished() -> None:
    body = "{{#if x}} {{ env.A }} {{ctx.a}} ${{ github.sha }} {{}}\n{{two\nlines}}"
    assert [each.inside for each in leftovers(body)] == ["#if x", "env.A", ""]


def test_the_spelling_of_the_source_code_is_found_and_converted() -> None:
    body = "A ${ctx.goal} B ${ctx.goal} C ${stage.id} ${ctx.cap} ${ctx.a.b} ${ctx.u[0]}"
    assert [each.name for each in source_references(body)] == ["goal", "goal", "cap"]
    assert convert_references(body) == (
        "A {{ctx.goal}} B {{ctx.goal}} C ${stage.id} {{ctx.cap}} ${ctx.a.b} ${ctx.u[0]}"
    )


NUMBERS = [
    (1.0, "1"), (-0.0, "0"), (7, "7"), (-1.5, "-1.5"), (1e21, "1e+21"), (1e20, "1" + "0" * 20),
    (1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e-7, "1.5e-7"), (123.456, "123.456"),
    (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
    (2**60, "1152921504606847000"), (math.inf, "Infinity"), (-math.inf, "-Infinity"),
    (math.nan, "NaN"), (10**400, "Infinity"), (9007199254740991, "9007199254740991"),
]  # fmt: skip


@each_row(NUMBERS)
def test_numbers_are_spelled_as_in_javascript(value: float, text: str) -> None:
    assert js_number(value) == text


def test_nan_and_infinity_are_null_in_json() -> None:
    assert (
        compact_json([math.nan, math.inf, 10**400, True, None, -0.0])
        == "[null,null,null,true,null,0]"
    )
    assert to_js_string(math.nan) == "NaN"


def test_a_lone_surrogate_is_escaped_inside_json() -> None:
    assert compact_json({"a": "\ud800é\u2028\n"}) == '{"a":"\\ud800é\u2028\\n"}'


def test_the_edge_cases_of_the_corpus_render_as_expected(corpus: Path) -> None:
    folder = corpus / "stages/quirks"
    body = (folder / "placeholder-edge-cases.md").read_text().split("---\n", 2)[2]
    ctx = json.loads((folder / "placeholder-edge-cases.ctx.json").read_text())
    stage = {"id": "survey", "name": "Placeholder edge cases"}
    expected = (folder / "placeholder-edge-cases.expected.txt").read_text()
    assert render(body, ctx, stage) == (expected, ())
    assert [each.text for each in source_references(body)] == ["${ctx.task}"]
    assert leftovers(body) == ()
