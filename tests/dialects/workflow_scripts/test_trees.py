"""Scripts of one tree: nested workflows, shared names, definitions."""

from __future__ import annotations

from typing import Any

from tests.dialects.workflow_scripts.scripts import FOLDER, vectors
from tests.support.checks import each_row
from workflows.core.dialects import recognise
from workflows.core.dialects.workflow_scripts import DIALECT
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

OWN = FOLDER / "own"
PARENT, CHILD = "14-docs-sync.js", "02-route-audit.js"


def packs(files: dict[str, str]) -> dict[str, Any]:
    """The sources of a tree, by the path of their script."""
    tree = Files.of({path: text.encode() for path, text in files.items()})
    found = {}
    for one in recognise(tree):
        source = DIALECT.read(Files.of({path: tree[path] for path in sorted(one.paths)}))
        assert source.main == one.main
        found[one.main] = source
    return found


def script(name: str, code: str = "await agent('x')") -> str:
    return f"export const meta = {{ name: '{name}', description: 'y' }}\n{code}\n"


def test_a_nested_workflow_of_the_tree_is_counted_with_its_caller() -> None:
    folder = ".claude/workflows"
    found = packs({f"{folder}/{name}": (OWN / name).read_text() for name in (PARENT, CHILD)})
    cost = found[f"{folder}/{PARENT}"].plan.cost
    expected = vectors()[PARENT]["worst_case"]["resolved"]
    assert {str(one) for one in cost.total.unknowns} == set(expected["where"].values())
    names = expected["where"]
    assert cost.total.value({names["H"]: 4, names["P"]: 20}) == 2 + 4 + 10
    assert len(found[f"{folder}/{CHILD}"].files) == 1
    alone = packs({f"{folder}/{PARENT}": (OWN / PARENT).read_text()})
    assert "calls(route-audit)" in str(next(iter(alone.values())).plan.cost.total)


IN = ".claude/workflows/"


@each_row(
    [
        ({"a.js": script("x"), "x.js": script("x")}, {"a.js": "WS109"}),
        ({"a.js": script("x"), "b.js": script("x")}, {"b.js": "WS109"}),
        ({"a.js": script("a"), "b.js": script("b")}, {}),
        ({f"{IN}x.js": script("x"), f"web/{IN}x.js": script("x")}, {f"{IN}x.js": "WS109"}),
        ({f"web/{IN}x.js": script("x"), f"docs/{IN}x.js": script("x")}, {}),
        (
            {f"{IN}a.js": script("a", "await workflow('b')"), f"{IN}b.js": script("b")},
            {},
        ),
        ({f"{IN}a.js": script("a", "await workflow('b')")}, {f"{IN}a.js": "WS309"}),
        ({"a.js": script("a", "await workflow('b')")}, {}),
        (
            {
                f"{IN}a.js": script("a", "await workflow('b')"),
                f"{IN}b.js": script("b", "await workflow({ scriptPath: './c.js' })"),
                f"{IN}c.js": script("c"),
            },
            {f"{IN}a.js": "WS309"},
        ),
        (
            {
                f"{IN}a.js": script("a", "await workflow('b')"),
                f"{IN}b.js": script("b", "await workflow('a')"),
            },
            {f"{IN}a.js": "WS309", f"{IN}b.js": "WS309"},
        ),
    ]
)
def test_scripts_of_a_tree_know_each_other(files: dict[str, str], expected: dict[str, str]) -> None:
    found = packs(files)
    assert found.keys() == files.keys()
    assert {
        path: one.code
        for path, source in found.items()
        for one in check(DIALECT, source, "claude-code")
        if one.code in ("WS109", "WS309")
    } == expected


@each_row(
    [
        (
            "const a = (typeof args === 'string' && args.trim()) || ''\nif (!a) return 'none'",
            '"the',
        ),
        ("if (!args.files.length) return 'none'", '{"files"'),
        ("const all = (args && args.sides) || ['a']\nlog(all.map((one) => one.x))", None),
        ("for (const one of args) if (!one.title.length) return 'none'", '[{"number"'),
        (
            "if (['planPath', 'branch'].some((one) => !args[one])) return 'args are missing'",
            '{"planPath": "the planPath", "branch": ',
        ),
        (
            "if (!/^\\d{3}-[a-z]+$/.test(args.feature)) return { error: 'feature is NNN-name' }",
            '{"feature": "',
        ),
        (
            "const known = { plan: 1, build: 2 }\nif (!known[args.mode]) throw Error(`unknown mode "
            "'${args.mode}', known are: ${Object.keys(known).join(', ')}`)",
            '{"mode": "plan"}',
        ),
        ("if (!Array.isArray(args.cells.flat())) return", '{"cells": ["cells 1", '),
        (
            "await parallel(args.rows.map((one) => () => agent(one.files.join())))\nreturn 'done'",
            '{"rows": [{"files": [',
        ),
        ("const given = args\nconst budget = 1, phase = 2\nlog(given, budget, phase)", "{}"),
    ]
)
def test_a_rehearsal_finds_args_with_which_the_script_calls_an_agent(
    code: str, begins: str | None
) -> None:
    source = next(iter(packs({"a.js": script("a", f"{code}\nawait agent('x')")}).values()))
    program = DIALECT.program(source, "claude-code")
    inputs = program.simulated_inputs
    assert inputs["args"].startswith(begins) if begins else not inputs
    assert rehearse(program, DIALECT.graph(source, "claude-code"), runs=1).outcomes == {
        "completed": 1
    }


def test_a_module_with_exports_of_its_own_is_no_script() -> None:
    command = "export async function run(workflow) { return workflow('a') }\n" + script("a")
    assert packs({"commands/a.js": command}) == {}
    assert list(packs({".claude/workflows/a.js": command})) == [".claude/workflows/a.js"]
