import { describe, expect, test } from "vitest";
import { foldTo } from "./fold";
import { log, viewAfter } from "./logs.testing";

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
    expect(
      foldTo(log(added, { type: "agent_graph.turn", node: "lead", status: "started" }), Infinity)
        .dynamicGraph,
    ).toEqual(before.dynamicGraph);
    expect(foldTo([{ type: "x", n: 2, at: 1 }], 2, { ...before, n: 0 }).dynamicGraph).toBe(
      before.dynamicGraph,
    );
  });
});
