import { describe, expect, it } from "vitest";
import { visitsOf } from "../inspector/visits";
import type { RunEvent } from "../model/events";
import { heatOf } from "./heat";
import { StoryBuilder, storyTotals } from "./story";

let n = 0;
const event = (type: string, at: number, fields: Record<string, unknown> = {}): RunEvent => ({
  n: (n += 1),
  at,
  type,
  ...fields,
});

function log(): RunEvent[] {
  n = 0;
  const at0 = { position: "0", state: "write" };
  return [
    event("run.started", 10),
    event("state.entered", 10, at0),
    event("model.asked", 11, { ...at0, key: "a" }),
    event("model.replied", 14, {
      ...at0,
      key: "a",
      usage: { input_tokens: 30, output_tokens: 5, cost: 0.25 },
    }),
    event("transition.taken", 14, { position: "0", source: "write", label: "Go", target: "left" }),
    event("state.entered", 14, { position: "0.0", state: "left" }),
    event("state.entered", 14, { position: "0.1", state: "right" }),
    event("tool.called", 15, { position: "0.1", state: "right", name: "ls" }),
    event("tool.returned", 16, { position: "0.1", state: "right", name: "ls", error: "no disk" }),
    event("state.left", 18, { position: "0.0", state: "left" }),
    event("state.entered", 20, at0),
    event("run.finished", 21, { status: "completed" }),
  ];
}

describe("story", () => {
  it("folds the log into visits with their sums", () => {
    const builder = new StoryBuilder(log());
    builder.update();
    expect(builder.rows.map((row) => [row.kind, row.state, row.number])).toEqual([
      ["mark", "", 0],
      ["visit", "write", 1],
      ["visit", "left", 1],
      ["visit", "right", 1],
      ["visit", "write", 2],
      ["mark", "", 0],
    ]);
    const [, write, left, right, again] = builder.rows;
    expect(write).toMatchObject({ at: 10, until: 14, calls: 1, tokens: 35, cost: 0.25 });
    expect(write!.exit).toEqual({ label: "Go", targets: ["left"] });
    expect(left).toMatchObject({ at: 14, until: 18 });
    expect(right).toMatchObject({ at: 14, until: 21, failures: 1, problem: "ls: no disk" });
    expect(again!.until).toBe(21);
    expect(storyTotals(builder.rows)).toEqual({ visits: 4, tokens: 35, cost: 0.25, failures: 1 });
  });

  it("puts every event into exactly one row", () => {
    const events = log();
    const builder = new StoryBuilder(events);
    builder.update();
    const numbers = builder.rows.flatMap((row) => row.events.map((one) => one.n));
    expect([...numbers].sort((a, b) => a - b)).toEqual(events.map((one) => one.n));
  });

  it("is the same for a log that grows by one event at a time", () => {
    const all = new StoryBuilder(log());
    all.update();
    const events: RunEvent[] = [];
    const growing = new StoryBuilder(events);
    for (const one of log()) {
      events.push(one);
      growing.update();
    }
    expect(growing.rows).toEqual(all.rows);
  });
});

describe("a visit", () => {
  const build = (...events: [string, Record<string, unknown>?][]) => {
    n = 0;
    const log = events.map(([type, fields], index) => event(type, index, fields));
    const builder = new StoryBuilder(log);
    builder.update();
    return { rows: builder.rows, log };
  };
  const fork = { position: "0", state: "fork" };
  const ask = { ...fork, key: "k", effect: { effect: "AskModel" } };

  it("that forks lasts until its branches have joined, as in the inspector", () => {
    const branch = (position: string, target: string) =>
      [
        ["transition.taken", { position, source: "fork", label: "all", target }],
        ["state.entered", { position, state: target, parent: "0" }],
      ] as [string, Record<string, unknown>][];
    const { rows, log } = build(
      ["state.entered", fork],
      ...branch("0.1", "a"),
      ...branch("0.2", "b"),
      ["state.left", { position: "0.1", state: "a" }],
      ["state.left", { position: "0.2", state: "b" }],
      ["state.left", fork],
    );
    expect(rows.map((row) => [row.state, row.at, row.until])).toEqual([
      ["fork", 0, 7],
      ["a", 2, 5],
      ["b", 4, 6],
    ]);
    expect(rows[0]!.exit).toEqual({ label: "all", targets: ["a", "b"] });
    for (const { state, at, until } of rows)
      expect(visitsOf(log, state)).toMatchObject([{ at, until }]);
  });

  it("has the reason of a pause until the run continues", () => {
    const fault: [string, Record<string, unknown>?][] = [
      ["state.entered", fork],
      ["model.asked", ask],
      ["run.paused", { reason: "It rejected the key.", unanswered: "k" }],
    ];
    const paused = build(...fault).rows[0]!;
    expect([...paused.faults]).toEqual([["k", "It rejected the key."]]);
    expect(paused).toMatchObject({ failures: 1, problem: "It rejected the key." });
    expect(build(...fault, ["run.resumed"]).rows[0]!.faults.size).toBe(0);
    expect(build(...fault, ["model.replied", ask]).rows[0]!.faults.size).toBe(0);
  });

  it("waits for a person until the answer", () => {
    const asked: [string, Record<string, unknown>?][] = [
      ["state.entered", fork],
      ["approval.asked", { ...fork, key: "q", effect: { effect: "AskHuman" } }],
      ["run.waiting", { ...fork, key: "q", for: "person" }],
    ];
    expect([...build(...asked).rows[0]!.waits]).toEqual(["q"]);
    const answered = build(...asked, ["approval.given", { ...fork, key: "q" }]);
    expect(answered.rows[0]!.waits.size).toBe(0);
  });
});

describe("heat", () => {
  it("measures the states of a run by time, cost and failures", () => {
    const builder = new StoryBuilder(log());
    builder.update();
    const time = heatOf(builder.rows, "time", 21);
    expect(time.get("right")).toEqual({ level: 5, label: "7.0 s" });
    expect(heatOf(builder.rows, "cost", 21).get("write")).toEqual({ level: 5, label: "$0.250" });
    const failures = heatOf(builder.rows, "failures", 21);
    expect([...failures]).toEqual([["right", { level: 5, label: "1 failure" }]]);
  });
});
