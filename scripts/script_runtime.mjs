// A second runtime of workflow scripts, on node's vm, for scripts/script_walks.py. Reads walks as
// lines {file, args, answers}, and writes the calls of each that came to be the oldest one, as a
// line: [kind, prompt, label, phase, model]. It is answered once the script has nothing else to do. Only for
// scripts of our own: node's vm keeps nothing in.
import fs from "node:fs";
import readline from "node:readline";
import vm from "node:vm";

const GIVEN = `(call) => ({
  agent: (prompt, options) => call("agent", prompt, options),
  workflow: (name, args) => call("workflow", name, args),
  parallel(thunks) {
    const settled = (thunk) => new Promise((done) => {
      let value;
      try { value = typeof thunk === "function" ? thunk() : thunk; } catch { return done(null); }
      Promise.resolve(value).then((one) => done(one ?? null), () => done(null));
    });
    return Promise.all([...thunks].map(settled));
  },
  pipeline(items, ...stages) {
    const whole = (item, index) => {
      let value = Promise.resolve(item);
      for (const stage of stages) value = value.then((before) => stage(before, item, index));
      return value.then((one) => one ?? null, () => null);
    };
    return Promise.all([...items].map(whole));
  },
})`;
const FIXED = `{
  const Clock = Date;
  const refuse = () => { throw new Error("not available"); };
  const Fixed = function (...given) {
    return new.target && given.length ? Reflect.construct(Clock, given, new.target) : refuse();
  };
  Object.assign(Fixed, { parse: Clock.parse, UTC: Clock.UTC, now: refuse });
  Fixed.prototype = Clock.prototype;
  globalThis.Date = Fixed;
  Math.random = refuse;
}`;

function text(value) {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  } catch {
    return "?";
  }
}

async function callsOf({ file, args, answers }) {
  const source = fs.readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  const body = source.replace(/^export(\s+const\s+meta)/m, "$1");
  const calls = [];
  const waiting = [];
  let title = "";
  const call = (kind, prompt, options) => {
    const given = kind === "agent" && options && typeof options === "object" ? options : {};
    const phase = text(given.phase ?? title);
    calls.push([kind, text(prompt), text(given.label ?? ""), phase, text(given.model ?? "")]);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const context = vm.createContext({});
  const parsed = vm.runInContext("(text) => JSON.parse(text)", context);
  vm.runInContext(FIXED, context);
  Object.assign(context, vm.runInContext(GIVEN, context)(call), {
    phase: (one) => void (title = text(one)),
    log() {},
    console: { log() {} },
    args: args === undefined ? undefined : parsed(JSON.stringify(args)),
    budget: { total: null, spent: () => 0, remaining: () => Infinity },
  });
  let ended = false;
  let seen = 0;
  vm.runInContext(`(async () => { "use strict";${body}\n})()`, context).then(
    () => (ended = true),
    () => (ended = true),
  );
  for (const answer of [null, ...answers]) {
    if (answer !== null) {
      const { resolve, reject } = waiting.shift();
      if (answer.throws) reject(new Error(answer.throws));
      else resolve(parsed(JSON.stringify(answer.value ?? null)));
    }
    for (let turn = 0; turn < 3; turn++) await new Promise((done) => setImmediate(done));
    if (ended || waiting.length === 0) break;
    seen += 1;
  }
  return calls.slice(0, seen);
}

process.on("unhandledRejection", () => {});
for await (const line of readline.createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await callsOf(JSON.parse(line)))}\n`);
