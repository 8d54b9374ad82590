import { describe as group, expect, test } from "vitest";

import { eventLine } from "./eventLine";

const at = { n: 1, at: 2, position: "0", state: "lead" };

group("log lines of agent events", () => {
  test.each([
    [
      {
        type: "agent_graph.turn",
        node: "lead",
        turn: 2,
        status: "completed",
        summary: "Split it.",
      },
      ["turn ended", "lead 2 · Split it."],
    ],
    [
      {
        type: "agent_graph.handoff",
        source: "lead",
        target: "coder",
        envelope: { payload: { message: "Do\nthis." } },
      },
      ["hand off", "lead → coder: Do this."],
    ],
    [
      { type: "agent_graph.node_added", node: { label: "Docs", role: "planner" } },
      ["new agent", "Docs · planner"],
    ],
    [
      {
        type: "agent_graph.edge_added",
        edge: { from: "a", to: "b", bidirectional: true, label: "task" },
      },
      ["new edge", "a ↔ b · task"],
    ],
    [
      { type: "agent_graph.call", node: "a", tool: "command", ok: false, error: "no" },
      ["call failed", "command: no"],
    ],
    [
      { type: "agent_graph.message", node: "a", text: "Stop", interrupt: true },
      ["interrupted", "a: Stop"],
    ],
    [{ type: "run.told", state: "a", text: "Go on" }, ["told", "to a: Go on"]],
  ])("%o", (event, [what, detail]) => {
    expect(eventLine({ ...at, ...event })).toMatchObject({ what, detail });
  });

  test("an event without any fields still has a line", () => {
    for (const name of ["turn", "handoff", "node_added", "edge_added", "call", "message"]) {
      expect(eventLine({ ...at, type: `agent_graph.${name}` }).what).not.toBe("");
    }
  });
});
