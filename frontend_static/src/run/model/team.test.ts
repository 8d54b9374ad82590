import { describe, expect, test } from "vitest";
import type { RunEvent } from "./events";
import { foldTo } from "./fold";
import { overlayOf } from "./overlay";

type Bare = { type: string; [field: string]: unknown };

const log = (...events: Bare[]): RunEvent[] =>
  events.map((event, index) => ({ ...event, n: index + 1, at: index }));
const viewAfter = (...events: Bare[]) => foldTo(log(...events), Infinity);

const turn = (node: string, status: string, more = {}) => ({
  type: "agent_graph.turn",
  node,
  status,
  ...more,
});
const started = (node: string, handoffs = 0) =>
  turn(node, "started", { turn: 1, messages: 0, handoffs, results: 0 });
const handoff = (source: string, target: string) => ({
  type: "agent_graph.handoff",
  source,
  target,
});
const replied = (state: string, more = {}) => ({
  type: "model.replied",
  state,
  usage: { input_tokens: 10, output_tokens: 2, cost: 0.5 },
  ...more,
});
const message = (node: string, text: string) => ({ type: "agent_graph.message", node, text });
const cardStatus = (view: ReturnType<typeof viewAfter>, id: string) =>
  overlayOf(view).cardStatus?.get(id);

describe("agent status", () => {
  test("handoffs stay in the inbox until the next turn", () => {
    const before = [handoff("lead", "coder"), message("coder", "Hurry.")];
    expect(cardStatus(viewAfter(...before), "coder")).toEqual({ status: "idle", inbox: 2 });
    expect(cardStatus(viewAfter(...before, started("coder", 2)), "coder")).toEqual({
      status: "running",
      inbox: 0,
    });
    const after = [...before, started("coder", 2), replied("coder"), turn("coder", "completed")];
    expect(cardStatus(viewAfter(...after), "coder")).toEqual({ status: "idle", inbox: 0 });
  });

  test("a failed turn puts its messages back, an answered turn does not", () => {
    expect(cardStatus(viewAfter(started("a", 2), turn("a", "failed")), "a")).toEqual({
      status: "failed",
      inbox: 2,
    });
    expect(cardStatus(viewAfter(started("a", 2), turn("a", "interrupted")), "a")).toEqual({
      status: "idle",
      inbox: 2,
    });
    const late = viewAfter(started("a", 2), replied("a"), turn("a", "interrupted"));
    expect(cardStatus(late, "a")).toEqual({ status: "idle", inbox: 0 });
    const error = viewAfter(started("a", 2), replied("a", { error: "gone" }), turn("a", "failed"));
    expect(cardStatus(error, "a")).toEqual({ status: "failed", inbox: 2 });
  });

  test("an agent with a question to a person is waiting, regardless of its turn", () => {
    const effect = { effect: "AskHuman", kind: "approve" };
    const approval = { type: "approval.asked", key: "0:1", position: "0", state: "a", effect };
    expect(cardStatus(viewAfter(started("a"), approval), "a")?.status).toBe("waiting");
  });

  test("a message resumes a stopped agent and does not affect a running one", () => {
    const stopped = [started("a"), { type: "agent_graph.stopped", node: "a", standing: "stopped" }];
    expect(cardStatus(viewAfter(...stopped), "a")?.status).toBe("stopped");
    expect(cardStatus(viewAfter(...stopped, message("a", "Go on.")), "a")?.status).toBe("idle");
    expect(cardStatus(viewAfter(started("a"), message("a", "Go on.")), "a")?.status).toBe(
      "running",
    );
  });

  test("usage is summed per agent", () => {
    const { agents } = viewAfter(
      started("a"),
      started("b"),
      replied("a"),
      replied("a"),
      replied("nobody"),
    ).team;
    expect(agents.a).toMatchObject({ modelCalls: 2, inputTokens: 20, outputTokens: 4, cost: 1 });
    expect(agents.b).toMatchObject({ modelCalls: 0, cost: 0 });
    expect(agents).not.toHaveProperty("nobody");
  });
});

describe("an owed reply", () => {
  const arrow = (source: string, target: string) =>
    ({ id: `${source}|task|${target}`, source, target }) as never;
  const owed = (open: boolean) => ({
    type: "agent_graph.reply_owed",
    envelope: "h1",
    by: "b",
    to: "a",
    open,
  });

  test("marks the transition back, or else the one of the request, until it is given", () => {
    const both = new Map(
      [arrow("a", "b"), arrow("b", "a")].map((one: { id: string }) => [one.id, one as never]),
    );
    const marked = (arrows: typeof both, ...events: Bare[]) => [
      ...(overlayOf(viewAfter(...events), () => "", arrows).owedReplies?.keys() ?? []),
    ];
    expect(marked(both, owed(true))).toEqual(["b|task|a"]);
    both.delete("b|task|a");
    expect(marked(both, owed(true))).toEqual(["a|task|b"]);
    expect(marked(both, owed(true), owed(false))).toEqual([]);
  });
});

describe("the dynamic graph", () => {
  const additions = {
    states: [{ id: "writer", kind: "implementer" }],
    transitions: [{ id: "lead|task|writer" }],
  };
  const added = { type: "any.event", state: "lead", grown: additions };

  test("has added elements from their event on, without a position, with the state that added them", () => {
    const { dynamicGraph: now } = viewAfter(
      { type: "state.entered", state: "lead", position: "0" },
      added,
    );
    expect(now.states).toMatchObject([{ id: "writer", x: null, y: null, bound: null }]);
    expect(now.transitions.map((one) => one.id)).toEqual(["lead|task|writer"]);
    expect(now.addedBy).toEqual({ writer: "lead", "lead|task|writer": "lead" });
    expect(foldTo(log(added, added), 0).dynamicGraph.states).toEqual([]);
  });

  test("lacks what was removed, until it is added again", () => {
    const removed = {
      type: "any.event",
      shrunk: { states: ["writer", "old"], transitions: ["lead|task|writer"] },
    };
    const { dynamicGraph: now } = viewAfter(added, removed);
    expect([now.states, now.transitions]).toEqual([[], []]);
    expect(now.removed).toEqual(["writer", "old", "lead|task|writer"]);
    expect(viewAfter(added, removed, added).dynamicGraph.removed).toEqual(["old"]);
  });

  test("stays the same object after events that do not change it", () => {
    const before = viewAfter(added);
    expect(foldTo(log(added, started("lead")), Infinity).dynamicGraph).toEqual(before.dynamicGraph);
    expect(foldTo([{ type: "x", n: 2, at: 1 }], 2, { ...before, n: 0 }).dynamicGraph).toBe(
      before.dynamicGraph,
    );
  });
});

describe("transitions taken together", () => {
  const take = (id: string) => ({ type: "transition.taken", position: "0", transition: id });
  const enter = (state: string, position: string) => ({ type: "state.entered", state, position });

  test("are all last taken, until the next transition", () => {
    const together = [take("a|x|b"), enter("b", "1"), take("a|y|c"), enter("c", "2")];
    expect([...(overlayOf(viewAfter(...together)).lastTaken ?? [])]).toEqual([
      ["a|x|b", 1],
      ["a|y|c", 3],
    ]);
    const later = [...together, { type: "state.left", position: "0", state: "a" }, take("b|z|c")];
    expect([...(overlayOf(viewAfter(...later)).lastTaken ?? [])]).toEqual([["b|z|c", 6]]);
  });
});
