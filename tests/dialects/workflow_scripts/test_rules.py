"""Findings that differ between the profiles."""

from __future__ import annotations

from tests.support.checks import each_row
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

DIALECT = dialects()["workflow_scripts"]
META = "export const meta = { name: 'a', description: 'b' }\n"
FILLED = """const found = []
await parallel([1, 2].map((x) => async () => { found.push(await agent(x)) }));"""
STAGES = "await pipeline(['a'], (x) => x === 'a' ? null : agent(x),"
NUMBER = "{ type: 'object', properties: { n: { type: 'number', minimum: 3 } }, required: ['n'] }"
EVERY = list(DIALECT.profiles)


@each_row(
    [
        ("class Box { get size() { return this.n } }", "WS205", ["opencode"] * 3),
        ("const box = { size: 1 }", "WS205", []),
        ("total = 0\ntotal += 1", "WS206", EVERY),
        ("try { let a = 1; a = 2 } catch (error) { error = 1 }", "WS206", []),
        ("const f = (x) => { x = 2 }; for (const one of []) { f(one) }", "WS206", []),
        (f"{FILLED} await agent(`Sum up ${{JSON.stringify(found)}}`)", "WS204", EVERY),
        (f"{FILLED} log(found[0])", "WS204", EVERY),
        (f"{FILLED} found.sort(); log(found[0])", "WS204", []),
        (f"{FILLED} log(found.length)", "WS204", []),
        (FILLED.replace("await agent(x)", "x") + " log(found[0])", "WS204", []),
        (f"{STAGES} (kept) => kept ? agent(kept) : 'none')", "WS316", ["qwen"]),
        (f"{STAGES} (kept) => agent(kept))", "WS316", []),
        ("await agent(`Fix this: ${args.bug}`)", "WS702", EVERY),
        ("await agent(`Fix this bug. <bug>${args.bug}</bug>`)", "WS702", []),
        ("await agent(`Sum up: ${args.bug}`)", "WS702", []),
        ("await agent('Fix it', { isolation: 'worktree' })", "WS703", EVERY),
        ("await agent('Fix it, name the branch', { isolation: 'worktree' })", "WS703", []),
        ("await paralel([])", "WS207", EVERY),
        ("const names = []; log(nmaes.length)", "WS207", EVERY),
        ("const names = []; log(other.length)", "WS207", []),
        ("for (const item of [1]) log(item); try { log(1) } catch (err) { log(err) }", "WS207", []),
        ("class Boxes {}; const make = function boxed() { return Boxes }; make()", "WS207", []),
        ("const [first, { second: third }] = args; log(first, third)", "WS207", []),
        (
            "const xs = ['a']; await parallel(xs.map((x) => agent(x)))",
            "WS306",
            EVERY,
        ),
        ("const xs = ['a']; await parallel(xs.map((x) => () => agent(x)))", "WS306", []),
        ("const r = agent('b'); return r.text", "WS304", EVERY),
        ("const r = agent('b'); return r.then((x) => x)", "WS304", []),
        ("const r = agent('b'); return r", "WS304", []),
        (f"await agent('b', {{ schema: {NUMBER} }})", "WS408", ["open"]),
        (f"await agent('b', {{ schema: {NUMBER.replace(', minimum: 3', '')} }})", "WS408", []),
    ]
)
def test_a_finding_is_of_these_profiles(text: str, code: str, profiles: list[str]) -> None:
    source = DIALECT.read(Files({"a.js": f"{META}{text}\nawait agent('a')\n".encode()}))
    found = [
        profile
        for profile in DIALECT.profiles
        for finding in check(DIALECT, source, profile)
        if finding.code == code
    ]
    assert found == profiles
