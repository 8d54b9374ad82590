import { beforeEach, expect, test } from "vitest";
import { applyEdits, emptyState } from "../../session/optimisticEdits";
import { EMPTY_GRAPH, type Edit, type GraphMaps } from "../../session";
import { Scene } from "../scene/scene";
import { drawingEdits } from "./drawEdits";

const PLACES = { a: { x: 0, y: 0 }, b: { x: 340, y: 40 }, c: { x: 120, y: 260 } };
const ARROWS: Edit[] = [
  { type: "connect", source: "a", label: "go", target: "b" },
  { type: "connect", source: "b", label: "on", target: "c" },
  { type: "connect", source: "c", label: "back", target: "a" },
  { type: "connect", source: "c", label: "again", target: "c" },
];

let scene: Scene;
let graph: GraphMaps;
beforeEach(() => {
  const states = new Map(Object.keys(PLACES).map((id) => [id, emptyState(id, "prompt")]));
  graph = applyEdits({ ...EMPTY_GRAPH, states }, ARROWS);
  scene = new Scene();
  scene.update(graph, new Map(Object.entries(PLACES)));
});

/** Apply edits and keep the drawing, as the page does. */
function edit(...edits: Edit[]): void {
  graph = applyEdits(graph, edits);
  scene.update(graph, new Map());
  graph = applyEdits(graph, drawingEdits(scene, graph));
  scene.update(graph, new Map());
}

const linesOf = (one: Scene): Record<string, string | undefined> =>
  Object.fromEntries([...one.arrows.keys()].sort().map((id) => [id, one.route(id)?.d]));

/** The lines of a page that loads the graph, whose arrows have the order of the file. */
function reloaded(order = [...graph.transitions]): Record<string, string | undefined> {
  const other = new Scene();
  const states = JSON.parse(JSON.stringify([...graph.states])) as typeof order;
  const stored = { ...graph, states: new Map(states), transitions: new Map(order) };
  other.update(stored as unknown as GraphMaps, new Map());
  return linesOf(other);
}

test("a page that loads the graph draws the same lines in every order", () => {
  edit({ type: "connect", source: "a", label: "skip", target: "c" });
  expect(reloaded()).toEqual(linesOf(scene));
  expect(reloaded([...graph.transitions].reverse())).toEqual(linesOf(scene));
});

test("all is kept once: positions, and the lines of arrows that are new or whose cards moved", () => {
  edit({ type: "relabel", transition: "a|go|b", label: "leave" });
  expect(graph.states.get("b")).toMatchObject(PLACES.b);
  expect(drawingEdits(scene, graph)).toEqual([]);
  const before = linesOf(scene);
  edit({ type: "move", positions: { b: [400, 80] } });
  expect(reloaded()).toEqual(linesOf(scene));
  expect(linesOf(scene)["c|back|a"]).toBe(before["c|back|a"]);
  expect(linesOf(scene)["b|on|c"]).not.toBe(before["b|on|c"]);
  expect(drawingEdits(scene, graph)).toEqual([]);
});

test("a stored line does not hold once a card has moved elsewhere", () => {
  edit({ type: "connect", source: "a", label: "skip", target: "c" });
  const before = linesOf(scene);
  scene.update(applyEdits(graph, [{ type: "move", positions: { b: [500, 300] } }]), new Map());
  expect(linesOf(scene)["a|go|b"]).not.toBe(before["a|go|b"]);
  scene.update(graph, new Map());
  expect(linesOf(scene)).toEqual(before);
});
