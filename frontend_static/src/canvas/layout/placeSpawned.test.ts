import { expect, test } from "vitest";
import { toGraphMaps } from "../../session/state";
import { withDynamicGraph } from "../../session/dynamicGraph";
import { Scene } from "../scene/scene";
import { overlaps } from "../scene/geometry";
import { placeNewStates } from "./placeNewStates";

const state = (id: string, x: number | null, y: number | null) =>
  ({ id, x, y, name: "", level: "" }) as never;
const base = toGraphMaps({
  dialect: "",
  name: "",
  entries: [],
  states: [state("lead", 0, 0), state("near", 296, 0)],
  transitions: [],
  groups: [],
} as never);

function grownBy(count: number): { scene: Scene; ids: string[] } {
  const ids = Array.from({ length: count }, (_, index) => `new${index}`);
  const by = Object.fromEntries(ids.map((id) => [id, "lead"]));
  const whole = withDynamicGraph(base, {
    states: ids.map((id) => state(id, null, null)),
    transitions: [],
    addedBy: by,
    removed: [],
  });
  const scene = new Scene();
  scene.update(base, new Map());
  scene.update(whole, placeNewStates(scene, whole, ids, new Map()));
  return { scene, ids };
}

test("spawned states are placed to the right of their parent without overlaps, and no other state moves", () => {
  const { scene, ids } = grownBy(60);
  const cards = [...scene.cards.values()];
  expect(cards).toHaveLength(62);
  expect(scene.cards.get("lead")).toMatchObject({ x: 0, y: 0 });
  expect(scene.cards.get("near")).toMatchObject({ x: 296, y: 0 });
  for (const id of ids) expect(scene.cards.get(id)?.x).toBeGreaterThan(208);
  const clashes = cards.flatMap((a, index) => cards.slice(index + 1).filter((b) => overlaps(a, b)));
  expect(clashes).toEqual([]);
});

test("many spawned states form a block, not a single column", () => {
  const bounds = grownBy(60).scene.bounds();
  expect(bounds?.h).toBeLessThan((bounds?.w ?? 0) * 2);
});
