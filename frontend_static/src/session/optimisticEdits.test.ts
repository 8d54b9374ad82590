import { describe, expect, test } from "vitest";
import type { Edit } from "../api";
import { isAlreadyApplied, applyEdits, emptyState } from "./optimisticEdits";
import type { GraphMaps } from "./state";

const arrow = (source: string, label: string, target: string) => ({
  id: `${source}|${label}|${target}`,
  source,
  target,
  label,
  kind: "event" as const,
  event: label,
  value: null,
  inert: false,
});

const GRAPH: GraphMaps = {
  dialect: "",
  name: "",
  entries: [{ state: "a", key: "" }],
  states: new Map(["a", "b", "c"].map((id) => [id, emptyState(id, "prompt")])),
  transitions: new Map(
    [arrow("a", "go", "b"), arrow("b", "go", "c"), arrow("b", "again", "b")].map((one) => [
      one.id,
      one,
    ]),
  ),
  groups: [],
};

const ROWS: [string, Edit, string[], string[]][] = [
  [
    "connect",
    { type: "connect", source: "c", target: "a", label: "back" },
    ["a", "b", "c"],
    ["a|go|b", "b|again|b", "b|go|c", "c|back|a"],
  ],
  [
    "disconnect",
    { type: "disconnect", transition: "a|go|b" },
    ["a", "b", "c"],
    ["b|again|b", "b|go|c"],
  ],
  [
    "retarget",
    { type: "retarget", transition: "a|go|b", target: "c" },
    ["a", "b", "c"],
    ["a|go|c", "b|again|b", "b|go|c"],
  ],
  [
    "relabel",
    { type: "relabel", transition: "a|go|b", label: "run" },
    ["a", "b", "c"],
    ["a|run|b", "b|again|b", "b|go|c"],
  ],
  ["add", { type: "add_state", id: "d" }, ["a", "b", "c", "d"], ["a|go|b", "b|again|b", "b|go|c"]],
  ["remove", { type: "remove_state", id: "b" }, ["a", "c"], []],
  [
    "rename",
    { type: "rename_state", id: "b", new_id: "x" },
    ["a", "c", "x"],
    ["a|go|x", "x|again|x", "x|go|c"],
  ],
  [
    "duplicate",
    { type: "duplicate_state", id: "b", new_id: "b2" },
    ["a", "b", "b2", "c"],
    ["a|go|b", "b2|again|b2", "b2|go|c", "b|again|b", "b|go|c"],
  ],
  [
    "unknown ids",
    { type: "remove_state", id: "nobody" },
    ["a", "b", "c"],
    ["a|go|b", "b|again|b", "b|go|c"],
  ],
];

describe("the binding and note of a state", () => {
  const bound = { role: 3, name: "Reviewer", color: "#123456", override: "Be brief.", mode: null };
  const stateAfter = (...edits: Edit[]) => applyEdits(GRAPH, edits).states.get("a")!;

  test("show at once", () => {
    const after = stateAfter(
      { type: "bind_role", id: "a", binding: bound },
      { type: "write_note", id: "a", text: " Ask first. " },
    );
    expect(after.bound).toEqual({ ...bound, gate: null });
    expect(after.note).toBe("Ask first.");
  });

  test("can be removed", () => {
    const bind: Edit = { type: "bind_role", id: "a", binding: { role: 3 } };
    expect(stateAfter(bind, { type: "bind_role", id: "a" }).bound).toBeNull();
    expect(stateAfter(bind, { type: "move", positions: { a: [1, 2] } }).bound?.role).toBe(3);
  });

  test("are not copied with the state", () => {
    const bind: Edit = { type: "bind_role", id: "a", binding: bound };
    const painted = applyEdits(GRAPH, [bind, { type: "duplicate_state", id: "a", new_id: "a2" }]);
    expect(painted.states.get("a2")?.bound).toBeNull();
  });
});

describe("optimistic edits", () => {
  test.each(ROWS)("%s", (_name, edit, states, arrows) => {
    const painted = applyEdits(GRAPH, [edit]);
    expect([...painted.states.keys()].sort()).toEqual(states);
    expect([...painted.transitions.keys()].sort()).toEqual(arrows);
    expect(GRAPH.states.size).toBe(3);
    expect(GRAPH.transitions.size).toBe(3);
  });

  test("moving changes only the position", () => {
    const painted = applyEdits(GRAPH, [{ type: "move", positions: { a: [4, 8], nobody: [0, 0] } }]);
    expect(painted.states.get("a")).toMatchObject({ x: 4, y: 8, kind: "prompt" });
    expect(painted.states.size).toBe(3);
  });

  test("a renamed entry state stays the entry", () => {
    const painted = applyEdits(GRAPH, [{ type: "rename_state", id: "a", new_id: "z" }]);
    expect(painted.entries).toEqual([{ state: "z", key: "" }]);
    expect(GRAPH.entries).toEqual([{ state: "a", key: "" }]);
  });

  test.each(ROWS.slice(0, 8))("%s is recognised once it is applied", (_name, edit) => {
    expect(isAlreadyApplied(GRAPH, edit)).toBe(false);
    expect(isAlreadyApplied(applyEdits(GRAPH, [edit]), edit)).toBe(true);
  });
});
