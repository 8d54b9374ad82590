import { beforeEach, expect, test } from "vitest";
import { applyEdits, emptyState } from "../../session/optimisticEdits";
import type { Edit, GraphMaps, Transition } from "../../session";
import { arrowLabel } from "./arrowLabel";
import { pillWidth } from "./cardSizes";
import { labelRect } from "./freeRoutes/labelPlace";
import { overlaps, padded, type Point, type Rect } from "./geometry";
import type { Card } from "./card";
import { GridIndex } from "./gridIndex";
import { OrthogonalRoutes } from "./orthogonalRoutes";
import type { PlannedRoute } from "./plannedRoute";
import { renamesBetween } from "./renames";
import { Scene } from "./scene";

const PLACES: Record<string, Point> = {
  a: { x: 0, y: 0 },
  b: { x: 340, y: 0 },
  c: { x: 680, y: 0 },
};

function arrow(source: string, label: string, target: string): Transition {
  const id = `${source}|${label}|${target}`;
  return { id, source, target, label, kind: "event", event: label, value: null, inert: false };
}

function plan(source: string, target: string): PlannedRoute {
  const rect = (id: string): Rect => ({ ...(PLACES[id] as Point), w: 208, h: 72 });
  const [from, to] = [rect(source), rect(target)];
  return {
    points: [
      { x: from.x + 208, y: 30 },
      { x: to.x, y: 30 },
    ],
    label: { x: (from.x + 208 + to.x) / 2, y: 30 },
    source: from,
    target: to,
  };
}

let scene: Scene;
let graph: GraphMaps;
beforeEach(() => {
  const arrows = [arrow("a", "go", "b"), arrow("b", "on", "c")];
  graph = {
    dialect: "",
    name: "",
    entries: [],
    groups: [],
    states: new Map(["a", "b", "c"].map((id) => [id, emptyState(id, "prompt")])),
    transitions: new Map(arrows.map((one) => [one.id, one])),
  };
  scene = new Scene();
  scene.planRoutes(
    new Map([
      ["a|go|b", plan("a", "b")],
      ["b|on|c", plan("b", "c")],
    ]),
  );
  scene.update(graph, new Map(Object.entries(PLACES)));
});

function edit(...edits: Edit[]): void {
  const next = applyEdits(graph, edits);
  const places = [...renamesBetween(graph, next).states].map(
    ([id, renamed]) => [renamed, PLACES[id] as Point] as const,
  );
  scene.update(next, new Map(places));
  graph = next;
}

const pointsOf = (id: string): Point[] => scene.route(id)?.points ?? [];

/** Pairs of drawings that overlap: labels with labels and cards, lines with cards. */
function overlapping(): string[] {
  const labels = [...scene.arrows.values()].map((one) => ({
    id: one.id,
    rect: labelRect(scene.route(one.id)?.label as Point, pillWidth(arrowLabel(one))),
  }));
  const cards = [...scene.cards.values()].map((card) => ({ id: card.id, rect: card }));
  const lines = [...scene.arrows.values()].flatMap((one) =>
    pointsOf(one.id)
      .slice(1)
      .map((to, index) => {
        const from = pointsOf(one.id)[index] as Point;
        const rect = {
          x: Math.min(from.x, to.x),
          y: Math.min(from.y, to.y),
          w: Math.abs(from.x - to.x),
          h: Math.abs(from.y - to.y),
        };
        return { id: `line ${one.id}`, rect };
      }),
  );
  const pairs = [
    ...labels.flatMap((one, index) => [...labels.slice(index + 1), ...cards].map((o) => [one, o])),
    ...lines.flatMap((one) => cards.map((o) => [one, { ...o, rect: padded(o.rect, -1) }])),
  ] as { id: string; rect: Rect }[][];
  return pairs
    .filter(([one, other]) => one && other && overlaps(one.rect, other.rect))
    .map((pair) => pair.map(({ id }) => id).join(" on "));
}

const isOrthogonal = (points: Point[]): boolean =>
  points.slice(1).every((to, index) => {
    const from = points[index] as Point;
    return from.x === to.x || from.y === to.y;
  });

test("a renamed state keeps the routes of its arrows", () => {
  const before = pointsOf("a|go|b");
  edit({ type: "rename_state", id: "b", new_id: "billing" });
  expect(pointsOf("a|go|billing")).toEqual(before);
  expect(pointsOf("billing|on|c")).toHaveLength(2);
});

test("an arrow with another event keeps its route, also after an undo", () => {
  const before = pointsOf("a|go|b");
  edit({ type: "relabel", transition: "a|go|b", label: "leave" });
  expect(pointsOf("a|leave|b")).toEqual(before);
  edit({ type: "relabel", transition: "a|leave|b", label: "go" });
  expect(pointsOf("a|go|b")).toEqual(before);
});

test("a longer event that has no room on the line gets a line with room", () => {
  edit({ type: "relabel", transition: "a|go|b", label: "TheCustomerWantsAPerson" });
  expect(overlapping()).toEqual([]);
  expect(isOrthogonal(pointsOf("a|TheCustomerWantsAPerson|b"))).toBe(true);
});

test("a new arrow is orthogonal, around cards, and its label is on no other drawing", () => {
  edit(
    { type: "connect", source: "a", label: "Skip", target: "c" },
    { type: "connect", source: "c", label: "Back", target: "a" },
    { type: "connect", source: "a", label: "Again", target: "b" },
    { type: "connect", source: "b", label: "Loop", target: "b" },
  );
  expect(overlapping()).toEqual([]);
  for (const id of scene.arrows.keys()) expect(isOrthogonal(pointsOf(id))).toBe(true);
});

test("a new arrow does not cover an older one", () => {
  edit({ type: "connect", source: "a", label: "Other", target: "b" });
  const [first, second] = [pointsOf("a|go|b"), pointsOf("a|Other|b")];
  expect(Math.abs((first[0]?.y ?? 0) - (second[0]?.y ?? 0))).toBeGreaterThan(6);
});

test("arrows of a dragged card are curves until the drop", () => {
  scene.movePreview([["b", { x: 340, y: 200 }]]);
  expect(isOrthogonal(pointsOf("a|go|b"))).toBe(false);
  scene.reroute([]);
  expect(isOrthogonal(pointsOf("a|go|b"))).toBe(true);
  expect(overlapping()).toEqual([]);
});

test("routes are searched for a limited number of arrows", () => {
  const cards = new GridIndex();
  const [a, b] = ["a", "b"].map((id) => scene.cards.get(id) as Card);
  if (!a || !b) throw new Error("The scene has no cards.");
  for (const card of [a, b]) cards.set(card.id, card);
  const arrows = new Map<string, Transition>();
  const routes = new OrthogonalRoutes(
    {
      card: (id) => scene.cards.get(id),
      arrow: (id) => arrows.get(id),
      touching: () => [],
      arrows: () => arrows.values(),
      arrowCount: () => arrows.size,
      cards,
      marks: () => [],
    },
    new Map(),
  );
  routes.setPlanned(new Map([["a|go|b", plan("a", "b")]]));
  const searched = Array.from({ length: 80 }, (_, index) =>
    routes.free(arrow("a", `e${index}`, "b"), a, b),
  );
  expect(searched.filter((route) => route !== null)).toHaveLength(60);
});
