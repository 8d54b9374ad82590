"""Bounds of single constructs, and their soundness: no walk makes more calls."""

from __future__ import annotations

import random
from typing import Any

from tests.dialects.workflow_scripts.scripts import FOLDER, of_text, source, vectors
from tests.support.checks import each_row
from workflows.core.dialects.workflow_scripts import DIALECT
from workflows.core.dialects.workflow_scripts.program.inputs import simulated_args
from workflows.core.dialects.workflow_scripts.program.replay import Replay, instrumented
from workflows.core.rules.check import check

CALL = "await agent('Do.', { label: 'do' })"
ROWS: list[tuple[str, str]] = [
    (
        "const p = await agent('x', args.o)\nconst all = (p && p.tickets) || []\n"
        f"for (const one of all) {{ {CALL} }}",
        "1 + len(x.tickets)",
    ),
    (
        "const run = (o) => { const k = o || {}\nreturn agent('x', { schema: k.schema }) }\n"
        "const p = await run({ schema: { type: 'object', properties: { t: { maxItems: 4 } } } })\n"
        f"for (const one of p.t || []) {{ {CALL} }}",
        "5",
    ),
    (CALL, "1"),
    (f"for (let i = 0; i < 7; i += 2) {{ {CALL} }}", "4"),
    (f"for (let i = 7; i > 0; i--) {{ {CALL} }}", "7"),
    (f"for (let i = 0; i < args.n; i++) {{ {CALL} }}", "value(args.n)"),
    (f"for (let i = 0; i < 7; i++) {{ if (args.x) i = 0\n{CALL} }}", "rounds(2)"),
    (f"let n = 0\nwhile (true) {{ if (n >= 3) break\nn++\n{CALL} }}", "3"),
    (f"let n = 0\nwhile (true) {{ n++\n{CALL}\nif (n >= 3) break }}", "3"),
    (f"let n = 0\nwhile (n < 3) {{ if (args.x) continue\nn++\n{CALL} }}", "rounds(3)"),
    (f"do {{ {CALL} }} while (args.more)", "rounds(2)"),
    (f"if (args.a) {{ {CALL} }} else {{ {CALL}\n{CALL} }}", "2"),
    (f"if (args.a) return\n{CALL}", "1"),
    (f"return\n{CALL}", "0"),
    ("for (const x of args.files ?? []) await agent(x)", "len(args.files)"),
    ("await parallel(args.l.slice(0, 5).map((x) => () => agent(x)))", "min(5, len(args.l))"),
    ("await parallel(['a', 'b'].flatMap((x) => [1, 2, 3].map((y) => () => agent(x + y))))", "6"),
    ("const l = []\nfor (const x of [1, 2]) l.push(x, x)\nfor (const x of l) await agent(x)", "4"),
    ("const go = (args.a ? one : two)\nawait go()\nfunction one() { return agent('a') }\n"
     "async function two() { await agent('b'); await agent('c') }", "2"),
    ("async function f(n) { await agent('x'); if (n) await f(n - 1) }\nawait f(3)", "1 + calls(f)"),
    ("await pipeline([1, 2], (x, i, { agent }) => agent(`${x}`))", "2"),
    ("await Promise.all(Object.entries({ a: 1, b: 2 }).map(([k]) => agent(k)))", "2"),
    ("await parallel(Array.from({ length: Math.min(4, args.n) }, () => () => agent('x')))",
     "min(4, value(args.n))"),
    ("await workflow('other')", "calls(other)"),
    ("unknown(() => agent('x'))", "1"),
]  # fmt: skip


@each_row(ROWS)
def test_the_bound_of_a_construct(code: str, bound: str) -> None:
    assert str(of_text(code).plan.cost.total) == bound


QUIET: list[tuple[str, str]] = [
    ("const r = await agent('x', { schema: { type: 'object' } })\n"
     "if (!r || !Array.isArray(r.items)) return\nreturn r.items", "WS305"),
    ("const r = await agent('x', options(args))\nreturn r.items", "WS407"),
    ("if (typeof process !== 'undefined') log(process.env)\nawait agent('x')", "WS202"),
    ("await agent('Say Math.random() and Date.now().')", "WS201"),
    ("const p = agent('x')\nconst q = agent('y')\nreturn await Promise.all([p, q])", "WS304"),
]  # fmt: skip


@each_row(QUIET)
def test_a_script_that_is_right_has_no_such_finding(code: str, absent: str) -> None:
    codes = [one.code for one in check(DIALECT, of_text(code), "claude-code")]
    assert absent not in codes


def answer_for(schema: Any, dice: random.Random, longest: int, depth: int = 0) -> Any:
    """A value for a schema; sometimes null."""
    if not isinstance(schema, dict) or depth > 8:
        return "text"
    if "enum" in schema:
        return dice.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            items = (schema.get("properties") or {}).items()
            return {key: answer_for(one, dice, longest, depth + 1) for key, one in items}
        case "array":
            most = min(schema.get("maxItems", longest), longest)
            count = dice.randint(0, most)
            return [answer_for(schema.get("items"), dice, longest, depth + 1) for _ in range(count)]
        case "integer" | "number":
            return dice.randint(0, 5)
        case "boolean":
            return dice.random() < 0.7
    return f"text {dice.randint(0, 99)}"


@each_row(list(vectors()))
def test_no_walk_makes_more_calls_than_the_bound(name: str) -> None:
    script, longest = source(FOLDER / "own" / name), 6
    total = script.plan.cost.total
    assumed = dict.fromkeys(map(str, total.unknowns), longest)
    for seed in range(5):
        dice = random.Random(seed)
        args = {"files": ["f"] * dice.randint(0, longest), "id": "x", "question": "q"}
        given: Any = ["t"] * longest if name.startswith("13") else args
        replay = Replay(instrumented(script), given, budget=None)
        while (call := replay.status.call) is not None:
            if dice.random() < 0.1:
                replay.answer(None)
            elif call["kind"] == "workflow" or dice.random() < 0.03:
                replay.answer(throws="overloaded")
            else:
                replay.answer(answer_for(call["schema"], dice, longest) if call["schema"] else "t")
        agents = sum(count for site, count in replay.started().items() if site >= 0)
        most = total.value(assumed)
        assert most is not None
        assert agents <= most, seed


ARGS: list[tuple[str, Any]] = [
    ("await agent(`${args.path}`)", {"path": "the path"}),
    ("const l = Array.isArray(args?.files) ? args.files : []", {"files": ["files 1", "files 2"]}),
    ("const input = typeof args === 'string' ? JSON.parse(args) : args\nlog(input.id)",
     {"id": "the id"}),
    ("const q = typeof args === 'string' ? args.trim() : ''", "the input"),
    ("for (const x of Array.isArray(args) ? args : []) await agent(x)", ["item 1", "item 2"]),
]  # fmt: skip


@each_row(ARGS)
def test_a_rehearsal_has_the_args_that_the_script_reads(code: str, args: Any) -> None:
    assert simulated_args(of_text(code)) == args


HOSTILE = [
    "for (;;) {}",
    "while (true) await null",
    "const f = () => f()\nf()",
    "const a = []\nfor (;;) a.push(new Array(1e6).fill('x'))",
    "await new Promise(() => {})",
    "eval('1')",
    "new Function('return 1')()",
    "(async () => {}).constructor('return 1')()",
    "new Date(0).constructor.now()",
    "Math.random()",
    "({}).constructor.constructor('return globalThis')().x.y",
    "require('fs')",
    "await import('fs')",
    "/(a+)+$/.test('a'.repeat(40) + 'b')",
    "Promise.prototype.then = () => { throw new Error('x') }\nawait agent('x')\nthrow 1",
    "JSON.parse = JSON.stringify = () => '{'\nawait agent('x')\nthrow 1",
    "for (;;) agent('x')",
]


@each_row(HOSTILE)
def test_a_hostile_script_ends_within_its_limits(code: str) -> None:
    replay = Replay(instrumented(of_text(f"{code}\nawait agent('end')")))
    for _ in range(1_100):
        if replay.status.ended:
            break
        replay.answer("text")
    assert replay.status.ended
    assert replay.status.failure


DEEP: list[tuple[str, bool]] = [
    ("[" * 20_000, False),
    ("[" * 5_000 + "]" * 5_000, False),
    ("!" * 20_000 + "x", False),
    ("x => " * 5_000 + "1", False),
    ("await agent(" * 5_000 + ")" * 5_000, False),
    ("await agent(" * 100 + "'x'" + ")" * 100, True),
    ("await agent('x'" + " + 'y'" * 3_000 + ")", True),
]


@each_row(DEEP)
def test_a_deep_script_is_read_or_refused(text: str, readable: bool) -> None:
    script = of_text(text)
    assert DIALECT.graph(script, "claude-code") is not None
    assert check(DIALECT, script, "claude-code")
    assert script.readable == readable


def test_ten_thousand_calls_are_cut_and_named() -> None:
    script = of_text("await agent('x', { label: 'x' })\n" * 10_000)
    drawn = DIALECT.graph(script, "claude-code")
    assert len(drawn.states) <= 2_000
    assert script.plan.cut
    assert "WS314" in {one.code for one in check(DIALECT, script, "claude-code")}
