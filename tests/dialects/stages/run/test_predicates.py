"""Conditions of a pipeline, one row per property."""

from tests.support.checks import each_row
from workflows.core.dialects.stages.format.paths import MISSING, read_path
from workflows.core.dialects.stages.format.predicates import holds, paths, problems

SCOPE = {
    "result": {
        "verdict": "ok",
        "parsed": {"approved": True, "count": 3, "name": "b", "none": None, "list": [1, "two"]},
    },
    "run": {"input": {"task": "x"}, "visits": {"plan": 2}},
    "slot": {"a-b": {"c": 1}},
}


def at(path, op, *value):
    return {"path": path, "op": op, **({"value": value[0]} if value else {})}


TRUE = [
    at("result.parsed.approved", "equals", True),
    at("result.parsed.count", "equals", 3.0),
    at("result.parsed.none", "equals", None),
    at("result.parsed.list", "equals", [1, "two"]),
    at("result.parsed.list[1]", "equals", "two"),
    at("slot.a-b", "equals", {"c": 1}),
    at("result.parsed.gone", "notEquals", None),
    at("result.parsed.count", "notEquals", "3"),
    at("result.parsed.count", "lt", 4),
    at("result.parsed.count", "lte", 3),
    at("result.parsed.count", "gt", 2.5),
    at("run.visits.plan", "gte", 2),
    at("result.parsed.name", "gt", "a"),
    at("result.verdict", "in", ["retry", "ok"]),
    at("result.parsed.none", "exists"),
    at("result.parsed.none", "exists", True),
    at("result.parsed.list[2]", "exists", False),
    {"all": []},
    {"all": [at("result.verdict", "exists"), at("run.input.task", "equals", "x")]},
    {"any": [at("result.gone", "exists"), at("run.input.task", "equals", "x")]},
    {"not": at("result.gone", "exists")},
    {"not": {"all": [at("result.verdict", "equals", "fail")]}},
    {"all": [at("result.verdict", "exists")], "not": at("slot.gone", "exists")},
]
FALSE = [
    at("result.parsed.approved", "equals", 1),
    at("result.parsed.count", "equals", True),
    at("result.parsed.gone", "equals", None),
    at("result.parsed.gone", "lt", 1),
    at("result.parsed.name", "lt", 1),
    at("result.parsed.approved", "gte", 0),
    at("result.parsed.gone", "in", [None]),
    at("result.parsed.name", "in", "abc"),
    at("result.parsed.none", "exists", False),
    at("result.parsed.name[0]", "exists"),
    {"any": []},
    {"not": {"any": [at("result.verdict", "exists")]}},
    {"all": [at("result.verdict", "exists")], "not": at("result.verdict", "exists")},
    at("result.verdict", "matches", "o"),
    at("1st", "exists", False),
    {"all": at("result.verdict", "exists")},
    {},
    None,
    "result.verdict",
]


@each_row(TRUE)
def test_a_condition_that_holds(predicate):
    assert holds(predicate, SCOPE) is True
    assert problems(predicate) == ()


@each_row(FALSE)
def test_a_condition_that_does_not_hold(predicate):
    assert holds(predicate, SCOPE) is False


@each_row(
    [
        ([], (), "a condition is an object"),
        ({}, (), "needs path and op"),
        (at("result..x", "exists"), ("path",), "is not a path"),
        (at("env.TOKEN", "exists"), ("path",), "begins with result, ctx, slot, run"),
        ({"path": "result.x"}, (), "'op' is missing; use one of"),
        (at("result.x", "like", 1), ("op",), "'like' is not an op"),
        (at("result.x", "equals"), (), "equals needs a value"),
        (at("result.x", "in", "abc"), ("value",), "in takes a list"),
        (at("result.x", "lt", True), ("value",), "lt compares"),
        (at("result.x", "exists", "yes"), ("value",), "true or false"),
        ({"all": {}}, ("all",), "all takes a list"),
        ({"any": [at("result.x", "exists"), 3]}, ("any", 1), "a condition is an object"),
        ({"not": {"not": {"path": 3, "op": "exists"}}}, ("not", "not", "path"), "3 is not a path"),
        ({**at("slot.x", "exists"), "not": {}}, ("not",), "next to a path"),
    ]
)
def test_a_problem_in_a_condition_has_its_place(predicate, pointer, says):
    (problem,) = problems(predicate)
    assert problem.pointer == pointer
    assert says in problem.message


def test_a_gate_has_no_result_to_look_at():
    (problem,) = problems(at("result.verdict", "exists"), roots=("ctx", "slot", "run"))
    assert problem.message == "a path here begins with ctx, slot, run, not result"


def test_conditions_nested_without_end_neither_hold_nor_break():
    deep = at("result.verdict", "exists")
    for _ in range(900):
        deep = {"all": [deep]}
    assert holds(deep, SCOPE) is False
    assert "nested deeper" in problems(deep)[0].message
    assert paths(deep) == ()


def test_every_path_of_a_condition_is_found_with_its_place():
    predicate = {"all": [at("ctx.task", "exists"), {"not": at("slot.files[0]", "in", ["a"])}]}
    found = [(use.pointer, use.path.text, use.path.steps) for use in paths(predicate)]
    assert found == [
        (("all", 0, "path"), "ctx.task", ("task",)),
        (("all", 1, "not", "path"), "slot.files[0]", ("files", 0)),
    ]


@each_row(["", ".x", "a.", "a..b", "a[x]", "a[-1]", "a[01]", "a b", "a[0", "a." + "b" * 1000, 3])
def test_an_invalid_path_is_none(text):
    assert read_path(text) is None


def test_a_path_of_a_root_alone_is_the_whole_of_it():
    assert read_path("slot").within(SCOPE) == SCOPE["slot"]
    assert read_path("gone.x").within(SCOPE) is MISSING
