import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ActiveClock } from "./activeClock";
import type { RunEvent } from "./events";
import { activeSeconds, fold, foldTo, INITIAL_VIEW, type RunView } from "./fold";
import { overlayOf } from "./overlay";

type Bare = { type: string; [field: string]: unknown };

const log = (...events: Bare[]): RunEvent[] =>
  events.map((event, index) => ({ ...event, n: index + 1, at: 100 + index }));

const viewAfter = (...events: Bare[]): RunView => foldTo(log(...events), Infinity);

const enter = (state: string, visit = 1, position = "0") => ({
  type: "state.entered",
  position,
  state,
  visit,
});
const leave = (state: string, position = "0") => ({ type: "state.left", position, state });
const leaveFor = (position: string) => ({ ...leave("any", position), joined: true });
const take = (source: string, label: string, target: string) => ({
  type: "transition.taken",
  position: "0",
  source,
  target,
  label,
  redirected: false,
  transition: `${source}|${label}|${target}`,
});

const asked = (type: string, key: string, position: string, effect: object) => ({
  type,
  key,
  position,
  effect,
});
const askModel = (key: string) => asked("model.asked", key, "0", { effect: "AskModel" });
const askPerson = (key: string, position = "0") =>
  asked("approval.asked", key, position, { effect: "AskHuman", kind: "approve" });

const LOOP = [
  { type: "run.started", inputs: {} },
  enter("draft"),
  take("draft", "Submit", "review"),
  leave("draft"),
  enter("review"),
  take("review", "Reject", "draft"),
  leave("review"),
  enter("draft", 2),
];

describe("active states", () => {
  test("the entered state is active and the left one is not", () => {
    expect(viewAfter(...LOOP).positions).toEqual({ "0": "draft" });
  });

  test("several states are active after a fork", () => {
    const fork = [enter("fork"), enter("left", 1, "0.1"), enter("right", 1, "0.2")];
    expect(Object.values(viewAfter(...fork).positions)).toEqual(["fork", "left", "right"]);
    const joined = viewAfter(...fork, { ...leave("left", "0.1"), joined: true });
    expect(Object.values(joined.positions)).toEqual(["fork", "right"]);
    expect([...overlayOf(viewAfter(...fork)).active]).toEqual(["left", "right"]);
    expect([...overlayOf(joined).active]).toEqual(["right"]);
    const alone = viewAfter(...fork, leaveFor("0.1"), leaveFor("0.2"));
    expect([...overlayOf(alone).active]).toEqual(["fork"]);
  });

  test("a state that opens a level is active while states of that level are", () => {
    const run = viewAfter(enter("read"), enter("c/gather", 1, "0.1"), enter("c/facts", 1, "0.1.1"));
    const levelOf = (id: string) => (id.startsWith("c/") ? "composition:c" : "");
    expect([...overlayOf(run, levelOf).active]).toEqual(["read", "c/facts"]);
  });

  test("the position stays in its state between leaving and entering", () => {
    expect(viewAfter(enter("a"), leave("a")).positions).toEqual({ "0": "a" });
  });

  test("a left state has no open requests", () => {
    const view = viewAfter(enter("a"), askModel("k"), leave("a"));
    expect(view.waiting).toEqual({});
  });

  test("visits count entries and the arrow just taken is the last one", () => {
    const view = viewAfter(...LOOP);
    expect(view.visits).toEqual({ draft: 2, review: 1 });
    expect(view.taken).toEqual({ "draft|Submit|review": 1, "review|Reject|draft": 1 });
    expect(view.justTaken).toEqual([{ transition: "review|Reject|draft", n: 6 }]);
  });

  test("a transition without an id is identified by its ends and label", () => {
    const { transition: _left_out, ...event } = take("a", "Go", "b");
    expect(viewAfter(event).justTaken).toEqual([{ transition: "a|Go|b", n: 1 }]);
  });
});

describe("scrubbing", () => {
  test("folding to n shows the run as it was then", () => {
    const events = log(...LOOP);
    expect(foldTo(events, 5).positions).toEqual({ "0": "review" });
    expect(foldTo(events, 5).visits).toEqual({ draft: 1, review: 1 });
    expect(foldTo(events, 0)).toBe(INITIAL_VIEW);
  });

  test("folding from a checkpoint equals folding from the start", () => {
    const events = log(...LOOP);
    expect(foldTo(events, 8, foldTo(events, 3))).toEqual(foldTo(events, 8));
  });

  test("folding changes neither its view nor its event", () => {
    const before = Object.freeze({ ...INITIAL_VIEW, visits: Object.freeze({ a: 1 }) }) as RunView;
    fold(before, Object.freeze({ n: 1, at: 1, ...enter("a", 2) }));
    expect(before.visits).toEqual({ a: 1 });
  });
});

describe("status", () => {
  const cases: [string, Bare[], string][] = [
    ["nothing yet", [], "new"],
    ["started", [{ type: "run.started" }], "running"],
    ["paused", [{ type: "run.started" }, { type: "run.paused" }], "paused"],
    ["resumed", [{ type: "run.paused" }, { type: "run.resumed" }], "running"],
    ["a person is asked", [askPerson("k")], "waiting"],
    ["the person answered", [askPerson("k"), { type: "approval.given", key: "k" }], "running"],
    [
      "one of two persons answered",
      [askPerson("k", "0.1"), askPerson("l", "0.2"), { type: "approval.given", key: "k" }],
      "waiting",
    ],
    [
      "waits for an event",
      [asked("approval.asked", "k", "0", { effect: "AskHuman", kind: "event" })],
      "waiting",
    ],
    ["done", [{ type: "run.finished", status: "completed" }], "completed"],
    ["out of budget", [{ type: "run.finished", status: "budget_exhausted" }], "budget_exhausted"],
  ];
  test.each(cases)("%s", (_name, events, status) => {
    expect(viewAfter({ type: "run.started" }, ...events).status).toBe(
      events.length === 0 ? "running" : status,
    );
  });

  test("a failed run has its state and reason", () => {
    const view = viewAfter(enter("check"), {
      type: "run.finished",
      status: "failed",
      reason: "No.",
    });
    expect([view.failedState, view.reason]).toEqual(["check", "No."]);
  });

  test.each(["completed", "cancelled", "budget_exhausted"])(
    "a run that is %s has no failed state",
    (status) => {
      const view = viewAfter(enter("check"), { type: "run.finished", status, reason: "Enough." });
      expect([view.failedState, view.reason]).toEqual([null, "Enough."]);
      expect([...overlayOf(view).failed]).toEqual([]);
    },
  );

  test("a request has its state even if the event names only the position", () => {
    const view = viewAfter(enter("sign"), askPerson("k"));
    expect(view.waiting.k).toMatchObject({ state: "sign", for: "person" });
  });
});

describe("open requests", () => {
  test("a call that the program answers itself leaves no open request", () => {
    const own = { type: "tool.called", position: "0", state: "a", name: "set_artifact" };
    expect(viewAfter(enter("a"), askModel("k"), own).waiting).toHaveProperty("k");
    expect(Object.keys(viewAfter(enter("a"), own).waiting)).toEqual([]);
  });

  test("an unanswerable request is left to a person; without a request nothing is", () => {
    const left = (key: string) => ({ type: "run.waiting", key, position: "0", for: "person" });
    const view = viewAfter(
      { type: "run.started" },
      enter("a"),
      askModel("k"),
      left("k"),
      left("gone"),
    );
    expect(view.waiting).toMatchObject({ k: { for: "person", state: "a" } });
    expect([Object.keys(view.waiting), view.status]).toEqual([["k"], "waiting"]);
  });
});

describe("artifacts and usage", () => {
  test("an artifact has its newest value and its origin", () => {
    const view = viewAfter(
      { type: "artifact.set", state: "a", name: "plan", value: "one", mode: "replace" },
      { type: "artifact.set", state: "b", name: "plan", value: "two", mode: "replace" },
    );
    expect(view.artifacts.plan).toEqual({ value: "two", state: "b", n: 2, writes: 2 });
  });

  test("calls, tokens and cost add up", () => {
    const view = viewAfter(
      askModel("a"),
      { type: "model.replied", key: "a", usage: { input_tokens: 10, output_tokens: 4, cost: 0.5 } },
      askModel("b"),
      { type: "model.replied", key: "b", usage: null },
    );
    expect(view).toMatchObject({ modelCalls: 2, inputTokens: 10, outputTokens: 4, cost: 0.5 });
    expect(view.waiting).toEqual({});
  });

  test("an event of an unknown type only moves the number", () => {
    expect(fold(INITIAL_VIEW, { n: 7, at: 3, type: "stages.assert" })).toEqual({
      ...INITIAL_VIEW,
      n: 7,
      at: 3,
    });
  });
});

describe("a run that is paused by a fault", () => {
  const fault = { type: "run.paused", reason: "It is down.", unanswered: "k" };
  const halted = (...events: Bare[]) => [...(overlayOf(viewAfter(...events)).halted ?? [])];

  test("marks the state whose request failed until the run is resumed", () => {
    const begun = [...LOOP, { ...askModel("k"), state: "draft" }];
    expect(halted(...begun)).toEqual([]);
    expect(halted(...begun, fault)).toEqual(["draft"]);
    expect(halted(...begun, fault, { type: "run.resumed" })).toEqual([]);
    expect(halted(...begun, { type: "run.paused", reason: "Paused." })).toEqual([]);
  });
});

interface TimeRow {
  name: string;
  events: Bare[];
  seconds: number;
  waited: number;
}

/** `tests/engine/test_active_time.py` reads the same table. */
const TIMES = JSON.parse(
  readFileSync(join("..", "tests", "vectors", "times.json"), "utf8"),
) as TimeRow[];

describe("the time of a run", () => {
  test.each(TIMES)("$name", ({ events, seconds, waited }) => {
    const log = events.map((event, index) => {
      return { ...event, n: index + 1, at: 100 + Number(event.at) };
    });
    const view = foldTo(log, Infinity);
    expect([activeSeconds(view), view.waitedSeconds]).toEqual([seconds, waited]);
    const clock = new ActiveClock();
    expect(log.map((event) => clock.read(event)).at(-1)).toBe(100 + seconds);
  });

  const at = (seconds: number, event: Bare): Bare => ({ ...event, at: 1000 + seconds });
  const elapsed = (...events: Bare[]): number => {
    const view = foldTo(
      events.map((event, index) => ({ ...event, n: index + 1 }) as RunEvent),
      Infinity,
    );
    return activeSeconds(view);
  };

  test("does not count pauses", () => {
    const pauses = [at(3, { type: "run.paused" }), at(90, { type: "run.resumed" })];
    expect(elapsed(at(0, LOOP[0]!), at(1, LOOP[1]!), ...pauses, at(92, LOOP[2]!))).toBe(5);
  });

  test("does not count the time before a fork continues", () => {
    const start = { type: "run.started", inputs: {}, forked_from: { run: "r", at: 2 } };
    expect(elapsed(at(0, start), at(1, LOOP[1]!), at(5000, LOOP[2]!), at(5001, LOOP[3]!))).toBe(2);
  });
});
