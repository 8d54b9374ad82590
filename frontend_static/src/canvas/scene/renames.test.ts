import { expect, test } from "vitest";
import { applyEdits, emptyState } from "../../session/optimisticEdits";
import type { Edit, GraphMaps } from "../../session";
import { renamesBetween } from "./renames";

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

const graph: GraphMaps = {
  dialect: "",
  name: "",
  entries: [],
  groups: [],
  states: new Map(["a", "b", "c"].map((id) => [id, emptyState(id, "prompt")])),
  transitions: new Map(
    [arrow("a", "go", "b"), arrow("a", "stop", "b"), arrow("b", "back", "a")].map((one) => [
      one.id,
      one,
    ]),
  ),
};

const after = (...edits: Edit[]) => renamesBetween(graph, applyEdits(graph, edits));

test("the arrows of a renamed state follow it", () => {
  const { states, arrows } = after({ type: "rename_state", id: "a", new_id: "start" });
  expect([...states]).toEqual([["a", "start"]]);
  expect(Object.fromEntries(arrows)).toEqual({
    "a|go|b": "start|go|b",
    "a|stop|b": "start|stop|b",
    "b|back|a": "b|back|start",
  });
});

test("an arrow with another event is the same arrow", () => {
  const { arrows } = after({ type: "relabel", transition: "a|go|b", label: "leave" });
  expect([...arrows]).toEqual([["a|go|b", "a|leave|b"]]);
});

test("a removed state and a new one of another kind are two states", () => {
  const { states, arrows } = after(
    { type: "remove_state", id: "a" },
    { type: "add_state", id: "d", kind: "tool" },
  );
  expect([states.size, arrows.size]).toEqual([0, 0]);
});

test("an arrow with another target is another arrow", () => {
  const { arrows } = after({ type: "retarget", transition: "a|go|b", target: "c" });
  expect(arrows.size).toBe(0);
});
