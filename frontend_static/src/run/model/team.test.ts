import { describe, expect, test } from "vitest";
import { viewAfter } from "./logs.testing";
import { overlayOf } from "./overlay";

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
