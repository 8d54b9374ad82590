import { expect, test } from "vitest";
import { applyEdits, transitionId } from "../../../session/optimisticEdits";
import { emptyState, EMPTY_GRAPH, type GraphMaps, type Transition } from "../../../session";
import { insertEdits } from "./insert";

const line: Transition = {
  id: transitionId("a", "Go", "b"),
  source: "a",
  target: "b",
  label: "Go",
  kind: "event",
  event: "Go",
  value: null,
  inert: false,
};
const graph: GraphMaps = {
  ...EMPTY_GRAPH,
  states: new Map(["a", "b"].map((id) => [id, emptyState(id, "prompt")])),
  transitions: new Map([[line.id, line]]),
};
const at = { x: 8, y: 12 };

test("a new state gets the arrow's event, and a new arrow leads to the old target", () => {
  const card = { kind: "prompt", suggestedId: "new" };
  const edits = insertEdits({ arrow: line.id, at, card }, "new", "b", "Done", [
    { type: "move", positions: { new: [8, 12] } },
  ]);
  const after = applyEdits(graph, edits);
  expect([...after.transitions.keys()].sort()).toEqual(["a|Go|new", "new|Done|b"]);
  expect(after.states.get("new")).toMatchObject({ kind: "prompt", x: 8, y: 12 });
});

test("an existing state is not added again", () => {
  const card = { id: "c", from: { x: 0, y: 0 } };
  const edits = insertEdits({ arrow: line.id, at, card }, "c", "b", "Done", []);
  expect(edits.map((edit) => edit.type)).toEqual(["retarget", "connect"]);
});
