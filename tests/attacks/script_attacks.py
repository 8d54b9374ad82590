"""Workflow scripts that try to leave their rehearsal, or to stop it."""

from __future__ import annotations

import time
from contextlib import suppress

from workflows.core.dialects import dialects
from workflows.core.dialects.workflow_scripts.program.replay import Replay, instrumented
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

SCRIPTS = dialects()["workflow_scripts"]

META = "export const meta = { name: 'a', description: 'b' }\n"

ESCAPES = {
    name: f"const it = {expression}\nawait agent(String(it === undefined || it === null))"
    for name, expression in {
        "process": "globalThis.process",
        "require": "globalThis.require",
        "module": "globalThis.module",
        "std": "globalThis.std",
        "os": "globalThis.os",
        "bjson": "globalThis.bjson",
        "fetch": "globalThis.fetch",
        "timers": "globalThis.setTimeout",
        "load": "globalThis.load ?? globalThis.loadScript ?? globalThis.scriptArgs",
        "workers": "globalThis.Worker ?? globalThis.SharedArrayBuffer",
        "Deno and Bun": "globalThis.Deno ?? globalThis.Bun",
        "WebAssembly": "globalThis.WebAssembly",
        "names of the harness": "typeof settings === 'undefined' ? null : settings",
        "the queue": "typeof queue === 'undefined' ? null : queue",
        "the caller": "(() => { try { return arguments.callee } catch { return null } })()",
    }.items()
}
"""Each asks an agent "true" if it sees nothing."""

REFUSED = {
    "eval": "eval('1')",
    "indirect eval": "(0, eval)('1')",
    "Function": "Function('return 1')()",
    "constructor of a function": "(() => {}).constructor('return 1')()",
    "constructor of an async function": "(async () => {}).constructor('return 1')()",
    "constructor of a generator": "(function* () {}).constructor('return 1')()",
    "constructor of an async generator": "(async function* () {}).constructor('return 1')()",
    "constructor of a given function": "agent.constructor.constructor('return 1')()",
    "dynamic import": "await import('os')",
    "clock": "Date.now()",
    "clock of a date": "new (new Date(0).constructor)()",
    "chance": "Math.random()",
}
"""Each throws, before its first agent."""

COSTLY = {
    "endless loop": "for (;;) {}",
    "endless loop after an answer": "await agent('a'); for (;;) {}",
    "endless promises": "const f = () => Promise.resolve().then(f); await f()",
    "endless awaits": "for (;;) await null",
    "endless calls": "for (;;) await agent('a')",
    "endless parallel calls": "for (;;) agent('a')",
    "endless log": "for (;;) log('a'.repeat(2000))",
    "a promise that never ends": "await new Promise(() => {})",
    "recursion": "const f = () => f() + 1; f()",
    "recursion of getters": "const o = { get a() { return this.a } }; o.a",
    "memory": "const all = []; for (;;) all.push('x'.repeat(100000) + all.length)",
    "a long text": "await agent('x'.repeat(50000000))",
    "doubled texts": "let t = 'x'; for (;;) t += t",
    "a sparse list": "await parallel(new Array(4000000000))",
    "a long list": "await parallel(Array.from({ length: 5000000 }, () => () => agent('a')))",
    "a slow expression": "const slow = /^(a+)+$/.test('a'.repeat(60) + 'b'); await agent('a')",
    "a deep schema": "let s = {}; for (let i = 0; i < 3000; i++) s = { properties: { a: s } }\n"
    "await agent('a', { schema: s })",
    "a deep result": "await agent('a'); let s = {}; for (let i = 0; i < 3000; i++) s = { a: s }\n"
    "return s",
    "a wide schema": "const p = {}; for (let i = 0; i < 100000; i++) p['k' + i] = {}\n"
    "await agent('a', { schema: { type: 'object', properties: p } })",
    "a schema of itself": "const s = {}; s.properties = { s }; await agent('a', { schema: s })",
    "a pattern in a schema": "await agent('a', { schema: { type: 'string', pattern: '(a+)+$' } })",
    "a number without JSON": "await agent('a', { schema: { minimum: -Infinity, maximum: NaN } })",
    "lone surrogates": "await agent('\\ud800', { label: '\\udfff' }); return '\\ud800'",
    "nul": "await agent('\\0', { label: '\\0' }); return '\\0'",
    "own toJSON": "Object.prototype.toJSON = () => { for (;;) {} }; await agent('a')",
    "own setters": "Object.defineProperty(Object.prototype, 'call', { get() { for (;;) {} } })\n"
    "await agent('a')",
    "own methods": "for (const n of ['map', 'push', 'shift', 'slice', 'join'])\n"
    "  Array.prototype[n] = () => { throw 1 }\nawait parallel([() => agent('a')])",
    "own text methods": "String.prototype.slice = function () { return this + this }\n"
    "for (let i = 0; i < 40; i++) await agent('x'.repeat(100000))",
    "own promises": "Promise.prototype.then = () => { for (;;) {} }; await agent('a')",
    "own iterators": "const next = () => ({ done: false })\n"
    "await parallel({ [Symbol.iterator]: () => ({ next }) })",
    "a thrown proxy of text": "throw { get message() { for (;;) {} } }",
    "a label without text": "const label = { toJSON() { throw 1 }, toString() { throw 1 } }\n"
    "await agent('a', { label })",
    "a long label": "const text = 'x'.repeat(20000000)\n"
    "await agent('a', { label: text, phase: text + 'y' })",
    "own keys": "await agent('a')\nreturn { ended: false, __proto__: null, failure: 'x' }",
}
"""Each ends, with any outcome."""
ATTACKS = {"nothing else is seen": ESCAPES, "is refused": REFUSED, "ends": COSTLY}


def run(kind: str) -> dict[str, tuple[float, str]]:
    """Attack → processor seconds, and what went wrong."""
    found = {}
    for name, body in ATTACKS[kind].items():
        begun = time.process_time()
        try:
            problem = _rehearsed(body) if kind == "ends" else _seen(body, kind == "is refused")
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:300]
        found[name] = (time.process_time() - begun, problem)
    return found


def _source(body: str) -> ScriptSource:
    return SCRIPTS.read(Files({"a.js": (META + body + "\n").encode()}))


def _seen(body: str, is_refused: bool) -> str:
    status = Replay(instrumented(_source(body))).status
    if is_refused:
        return "" if status.failure and status.call is None else f"It went on: {status}"
    return "" if status.call and status.call["prompt"] == "true" else f"It saw: {status}"


def _rehearsed(body: str) -> str:
    source, profile = _source(body), SCRIPTS.profiles[0]
    findings = check(SCRIPTS, source, profile)
    with suppress(CannotRun):
        program = SCRIPTS.program(source, profile)
        rehearse(program, SCRIPTS.graph(source, profile), runs=3)
    return "; ".join(one.message for one in findings if one.code.startswith("IN"))
